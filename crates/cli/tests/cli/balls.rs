//! `cast --radius`: balls along rays.

use std::fs;

use crate::support::{command, cuboid, folder, hitscan, hitscan_in, path};

#[test]
fn a_ball_stops_at_the_face_that_its_ray_hits_but_earlier() {
    let ray = format!("cast {} --from 4,-7,-4 --to 2,3,4 --json", cuboid());
    let first = |radius: &str| {
        let lines = hitscan(&format!("{ray} --radius {radius}")).expect_code(0).json_lines();
        lines[0]["hits"][0].clone()
    };
    let hit = hitscan(&ray).expect_code(0).json_lines()[0]["hits"][0].clone();
    let of_point = first("0");
    assert_eq!((&of_point["t"], &of_point["triangle"]), (&hit["t"], &hit["triangle"]));
    let ball = first("0.5");
    let [t, ray_t] = [&ball, &hit].map(|hit| hit["t"].as_f64().expect("a number"));
    assert!(t < ray_t && t > 0.0, "{t} {ray_t}");
    let vector = |name: &str| {
        let v =
            ball[name].as_array().expect("a vector").iter().map(|x| x.as_f64().expect("a number"));
        v.collect::<Vec<_>>()
    };
    // The centre is half a unit from the point, along the normal.
    for (axis, from) in [4.0, -7.0, -4.0].into_iter().enumerate() {
        let center = from + t * [-2.0, 10.0, 8.0][axis];
        assert!((center - vector("point")[axis] - 0.5 * vector("normal")[axis]).abs() < 1e-12);
    }
    assert!(ball["feature"].as_str().is_some() && ball.get("side").is_none());
}

#[test]
fn balls_of_a_file_have_the_same_output_by_tree_and_by_scan_in_every_format() {
    let folder = folder();
    let rays: String = (0..40)
        .map(|i| format!("{},{},-9,{},0.25,1\n", i % 7 - 3, i % 5 - 2, f64::from(i % 3) * 0.2))
        .collect();
    for query in ["--closest", "--all", "--any"] {
        for (format, fields) in [("text", "--fields all"), ("ndjson", ""), ("csv", ""), ("npz", "")]
        {
            let fields = if query == "--any" { "" } else { fields };
            let outputs = ["", "--brute"].map(|way| {
                let out = path(folder.path(), "out");
                let flags = format!(
                    "cast {} --rays - --radius 0.7 {query} {fields} --format {format} -o {out} {way}",
                    cuboid()
                );
                hitscan_in(".".as_ref(), &flags, rays.as_bytes()).expect_code(0);
                fs::read(out).expect("the results")
            });
            assert!(outputs[0] == outputs[1] && outputs[0].len() > 100, "{query} {format}");
        }
    }
}

#[test]
fn a_bad_radius_names_the_flag_and_the_number() {
    let ray = format!("cast {} --from 4,-7,-4 --to 2,3,4", cuboid());
    for (radius, found) in [("-1", "radius -1"), ("nan", "radius NaN"), ("inf", "radius inf")] {
        let expected = format!("{found} is negative or not finite");
        hitscan(&format!("{ray} --radius {radius}")).expect_error(&["--radius", &expected]);
    }
    for other in ["--count", "--all --once-per-crossing", "--faces front"] {
        let run = command(&format!("{ray} --radius 1 {other}")).output().expect("it runs");
        assert_eq!(run.status.code(), Some(2), "{other}");
    }
}
