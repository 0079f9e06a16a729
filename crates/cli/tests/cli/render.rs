//! `render`: pixels, sizes and errors.

use std::fs;

use hitscan::{BuildOptions, Faces, LoadOptions, MeshBvh, Ray};
use image::{Rgba, RgbaImage};

use crate::support::{cuboid, file, folder, hitscan, hitscan_in, names_in, path};

/// A camera in front of the cuboid, whose front is 10 by 12 at z = 2: 10 pixels per unit.
const CAMERA: &str = "--eye 0,0,30 --target 0,0,0 --ortho 30 --size 400x300";

/// The picture that these arguments make.
fn render(args: &str) -> RgbaImage {
    let run = hitscan(&format!("render {args}")).expect_code(0);
    image::load_from_memory(&run.stdout).expect("it is a picture").into_rgba8()
}

fn distinct(picture: &RgbaImage) -> usize {
    let mut colors: Vec<[u8; 4]> = picture.pixels().map(|pixel| pixel.0).collect();
    colors.sort_unstable();
    colors.dedup();
    colors.len()
}

#[test]
fn normal_mode_shows_normals_and_the_background() {
    let picture = render(&format!("{} {CAMERA} --mode normal --background 102030", cuboid()));
    assert_eq!(picture.dimensions(), (400, 300));
    // The front faces +z. It covers x = 150 to 250 and y = 90 to 210.
    for (x, y, pixel) in picture.enumerate_pixels() {
        let is_front = (150..250).contains(&x) && (90..210).contains(&y);
        let expected = if is_front { [128, 128, 255, 255] } else { [0x10, 0x20, 0x30, 255] };
        assert_eq!(pixel.0, expected, "{x}, {y}");
    }
    let above = "--eye 0,30,0 --target 0,0,0 --up 0,0,-1 --ortho 30 --size 40x30";
    let picture = render(&format!("{} {above} --mode normal", cuboid()));
    assert_eq!(picture[(20, 15)], Rgba([128, 255, 128, 255]));
    assert_eq!(picture[(1, 1)], Rgba([0, 0, 0, 255]));
}

#[test]
fn each_polygon_has_one_colour_in_face_id_mode() {
    let picture = render(&format!("{} {CAMERA} --mode face-id", cuboid()));
    let mesh = hitscan::load(cuboid(), &LoadOptions::default()).unwrap().into_mesh().unwrap();
    let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    let records = mesh.records().expect("a loaded mesh has records");
    let mut colors = vec![None; records.n_polygons()];
    let mut n_seen = 0;
    for y in 90..210 {
        for x in 150..250 {
            let origin = [(x as f32 + 0.5 - 200.0) / 10.0, (150.0 - y as f32 - 0.5) / 10.0, 30.0];
            let ray = Ray::new(origin, [0.0, 0.0, -1.0]);
            let hit = bvh.closest_hit(&ray, Faces::Both).expect("the front is there");
            // Skip pixels where rounding decides between neighbours.
            if hit.u.min(hit.v).min(1.0 - hit.u - hit.v) < 1e-3 {
                continue;
            }
            let color = &mut colors[records.polygon(hit.triangle) as usize];
            assert_eq!(*color.get_or_insert(picture[(x, y)]), picture[(x, y)], "{x}, {y}");
            n_seen += 1;
        }
    }
    assert!(n_seen > 10_000, "{n_seen}");
    // Neighbours never share a colour. The front has 512 triangles.
    let seen: Vec<_> = colors.iter().flatten().collect();
    assert_eq!(seen.len(), 512);
    assert!(seen.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(distinct(&picture) > 100);
}

#[test]
fn a_picture_is_the_same_on_any_number_of_threads() {
    for mode in ["shaded --samples 3", "heat", "object", "depth --samples 2"] {
        let args = format!("render {} --size 130x70 --mode {mode}", cuboid());
        let one = hitscan(&format!("{args} --threads 1")).expect_code(0);
        for threads in [2, 5] {
            let other = hitscan(&format!("{args} --threads {threads}")).expect_code(0);
            assert!(one.stdout == other.stdout, "{mode} on {threads} threads");
        }
    }
    let args = format!("{} --size 130x70 --samples 3", cuboid());
    assert_eq!(render(&args), render(&format!("{args} --seed 1 --isa scalar --quality fast")));
    assert_ne!(render(&args), render(&format!("{args} --seed 2")));
}

#[test]
fn without_a_camera_the_mesh_fills_the_picture() {
    for flags in ["", "--up 0,0,1", "--up -1,0,0 --fov 60", "--size 90x200", "--ortho 40"] {
        let args = format!("{} --mode normal --background transparent --size 300x200", cuboid());
        let args = match flags.contains("--size") {
            true => args.replace("--size 300x200", ""),
            false => args,
        };
        let picture = render(&format!("{args} {flags}"));
        let (width, height) = picture.dimensions();
        let seen: Vec<(u32, u32)> = picture
            .enumerate_pixels()
            .filter(|(_, _, pixel)| pixel.0[3] > 0)
            .map(|(x, y, _)| (x, y))
            .collect();
        let (left, right) = (seen.iter().map(|p| p.0).min(), seen.iter().map(|p| p.0).max());
        let (top, bottom) = (seen.iter().map(|p| p.1).min(), seen.iter().map(|p| p.1).max());
        let (left, right) = (left.unwrap(), right.unwrap());
        let (top, bottom) = (top.unwrap(), bottom.unwrap());
        assert!(left > 0 && top > 0 && right < width - 1 && bottom < height - 1, "{flags}");
        let fills = (right - left) as f32 > 0.85 * width as f32
            || (bottom - top) as f32 > 0.85 * height as f32;
        assert!(fills || flags.contains("ortho"), "{flags}: {left} {right} {top} {bottom}");
        // About in the middle.
        assert!((left + right).abs_diff(width - 1) < width / 8, "{flags}: {left} {right}");
        assert!((top + bottom).abs_diff(height - 1) < height / 8, "{flags}: {top} {bottom}");
    }
}

#[test]
fn a_roof_casts_a_shadow() {
    let folder = folder();
    // A floor, and a roof over part of it.
    let mesh = "v -5 0 -5\nv 5 0 -5\nv 5 0 5\nv -5 0 5\nf 4 3 2 1\n\
                v 1 1 -1\nv 3 1 -1\nv 3 1 1\nv 1 1 1\nf 8 7 6 5\n";
    let mesh = file(folder.path(), "roof.obj", mesh);
    let args = format!("{mesh} --eye 2,30,0 --target 2,0,0 --up 0,0,-1 --ortho 10 --size 100x100");
    let picture = render(&format!("{args} --light 5,5,0 --samples 16"));
    let brightness = |x: f64, z: f64| {
        let (x, y) = (50.0 + 10.0 * (x - 2.0), 50.0 + 10.0 * z);
        u32::from(picture[(x as u32, y as u32)].0[1])
    };
    // The line from the lamp through the corner at x = 1 ends the shadow at x = 0.
    let (in_shadow, in_light) = (brightness(0.4, 0.0), brightness(-1.5, 0.0));
    assert!(in_shadow + 30 < in_light, "{in_shadow}, {in_light}");
    assert!(brightness(0.4, 3.0) > in_shadow + 30);
}

#[test]
fn materials_objects_and_coordinates_have_colours() {
    let house = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/house.obj");
    for mode in ["shaded", "material", "object", "uv"] {
        let picture = render(&format!("{house} --size 320x200 --mode {mode}"));
        assert!(distinct(&picture) > 4, "{mode}");
    }
    let run = hitscan(&format!("render {} --size 80x60 --mode uv", cuboid())).expect_code(0);
    assert!(run.stderr.contains("no texture coordinates"), "{}", run.stderr);
}

#[test]
fn heat_is_high_on_the_mesh() {
    let picture = render(&format!("{} {CAMERA} --mode heat", cuboid()));
    let brightness = |x, y| picture[(x, y)].0[..3].iter().map(|&b| u32::from(b)).sum::<u32>();
    assert!(brightness(200, 100) > brightness(20, 20) + 50);
    // The legend is at the lower left, and shows the whole ramp.
    assert!(distinct(&picture) > 100);
    let bare = render(&format!("{} {CAMERA} --mode heat --no-legend", cuboid()));
    let is_same = |x, y| picture[(x, y)] == bare[(x, y)];
    assert!(is_same(200, 100) && is_same(399, 299) && !is_same(20, 280));
    assert!(distinct(&bare) < 30);
}

#[test]
fn rays_are_drawn_up_to_their_hits() {
    let folder = folder();
    // One ray passes before the front, one hits the cuboid, one passes behind it.
    let rays = "ox,oy,oz,dx,dy,dz\n-12,0,3,1,0,0\n12,4,1.5,-1,0,0\n-12,-4,-3,1,0,0\n";
    let rays = file(folder.path(), "rays.csv", rays);
    let args = format!("{} {CAMERA} --mode normal", cuboid());
    let (plain, drawn) = (render(&args), render(&format!("{args} --rays {rays}")));
    let changed = |x, y| plain[(x, y)] != drawn[(x, y)];
    // The ray before the front is visible everywhere.
    assert!(changed(100, 150) && changed(200, 150) && changed(300, 109));
    // The second ray ends at its hit at x = 5.
    assert!(changed(260, 109) && changed(250, 109) && !changed(220, 109));
    // The third ray shows faintly through the cuboid.
    let difference = |x, y| plain[(x, y)].0[0].abs_diff(drawn[(x, y)].0[0]);
    assert!(difference(200, 190) > 0 && difference(200, 190) < 40);
    assert!(!changed(200, 20) && !changed(20, 280));
    let run = hitscan(&format!("render {args} --rays {}", path(folder.path(), "none.csv")));
    run.expect_error(&["none.csv"]);
}

#[test]
fn errors_of_render_leave_no_file() {
    let folder = folder();
    let empty = file(folder.path(), "empty.obj", "v 1 2 3\n");
    let mesh = cuboid();
    let render = |args: &str| hitscan_in(folder.path(), &format!("render {args}"), b"");
    for (args, expected) in [
        (
            format!("{mesh} -o none/out.png"),
            "none/out.png: cannot write the file; there is no folder none",
        ),
        (
            format!("{mesh} -o out.jpg"),
            "out.jpg: render cannot write .jpg files; use a name that ends in .png",
        ),
        (format!("{mesh} -o ."), "cannot write to a folder"),
        (format!("{mesh} -o out.png --size 0x100"), "`0x100`"),
        (format!("{mesh} -o out.png --size 100"), "as in 800x600"),
        (format!("{mesh} -o out.png --size 100000x100000"), "expected at most 33554432"),
        (format!("{mesh} -o out.png --size 4294967295x4294967295"), "expected at most 33554432"),
        (format!("{mesh} -o out.png --samples 0"), "--samples"),
        (format!("{mesh} -o out.png --up 0,1,0 --matrix {}", "1,".repeat(15) + "1"), "--matrix"),
        (format!("{mesh} -o out.png --background blue"), "expected RRGGBB"),
        (format!("{mesh} -o out.png --up 0,0,0"), "--up: found a vector without a direction"),
        (format!("{mesh} -o out.png --fov 200"), "fov_y_radians"),
        (format!("{mesh} -o out.png --ortho 0"), "height is 0"),
        (format!("{mesh} -o out.png --eye 1,2,3 --target 1,2,3"), "camera: it sees nothing"),
        (format!("{mesh} -o out.png --eye 1,2,3"), "--target"),
        ("none.obj -o out.png".to_owned(), "none.obj"),
    ] {
        render(&args).expect_error(&[expected]);
    }
    // A note about the file precedes the error.
    let run = render(&format!("{empty} -o out.png")).expect_code(2);
    let expected = "empty.obj: found no triangles; expected a mesh with triangles\n";
    assert!(run.stderr.contains("error: ") && run.stderr.ends_with(expected), "{}", run.stderr);
    let hidden = "[meshes]\nt = \"t.obj\"\n[[instances]]\nmesh = \"t\"\nhidden = true\n";
    file(folder.path(), "t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let hidden = file(folder.path(), "hidden.toml", hidden);
    let before = names_in(folder.path());
    render(&format!("{hidden} -o out.png")).expect_error(&[
        "hidden.toml: all instances with triangles are hidden; expected a visible",
    ]);
    assert_eq!(names_in(folder.path()), before);
    // An older picture stays unchanged.
    fs::write(folder.path().join("out.png"), "before").unwrap();
    render(&format!("{empty} -o out.png")).expect_code(2);
    assert_eq!(fs::read(folder.path().join("out.png")).unwrap(), b"before");
    render(&format!("{mesh} -o out.png --size 20x10")).expect_code(0);
    assert_eq!(image::open(folder.path().join("out.png")).unwrap().width(), 20);
}

#[test]
fn a_mesh_without_extent_or_area_gives_a_picture() {
    let folder = folder();
    let triangle = file(folder.path(), "point.obj", "v 1 2 3\nv 1 2 3\nv 1 2 3\nf 1 2 3\n");
    let picture = render(&format!("{triangle} --size 30x20"));
    assert_eq!(distinct(&picture), 1);
    let huge = "v 0 0 0\nv 1e30 0 0\nv 0 1e30 0\nf 1 2 3\n";
    for (name, mesh) in [("huge.obj", huge), ("tiny.obj", &huge.replace("e30", "e-30"))] {
        let mesh = file(folder.path(), name, mesh);
        let picture = render(&format!("{mesh} --size 90x60 --mode normal"));
        assert!(picture.pixels().filter(|pixel| pixel.0 == [128, 128, 255, 255]).count() > 500);
    }
}

#[test]
fn completions_and_manual_name_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = hitscan(&format!("completions {shell}")).expect_code(0);
        for name in ["render", "select", "background"] {
            assert!(run.text().contains(name), "{shell}: no {name}");
        }
    }
    let man = hitscan("man").expect_code(0);
    assert!(man.text().contains(".TH hitscan 1") && man.text().contains("render"));
    let man = hitscan("man render").expect_code(0);
    assert!(man.text().contains("hitscan\\-render") && man.text().contains("Examples"));
    hitscan("man rendr").expect_error(&["no command `rendr`", "render"]);
}

#[test]
fn render_and_pick_agree_on_a_scene() {
    let street = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/street.toml");
    let camera = "--eye 0,6,30 --target 0,2,0 --size 160x120";
    let picture =
        render(&format!("{street} {camera} --mode object --no-legend --background black"));
    let mut colors = std::collections::HashMap::new();
    for (x, y) in (0..160).step_by(7).flat_map(|x| (0..120).step_by(7).map(move |y| (x, y))) {
        let pick = format!("pick {street} {camera} --pixel {x}.5,{y}.5 --format ndjson");
        let run = hitscan(&pick);
        let is_background = picture[(x, y)] == Rgba([0, 0, 0, 255]);
        assert_eq!(run.code == Some(1), is_background, "{x}, {y}");
        if let Some(pick) = run.json_lines().first() {
            // The lamp at the camera changes the brightness, but not the hue.
            let [red, _, blue, _] = picture[(x, y)].0;
            let is_red = red > blue;
            assert_eq!(*colors.entry(pick["instance"].to_string()).or_insert(is_red), is_red);
        }
    }
    assert_eq!(colors.len(), 2);
    hitscan(&format!("render {street} --up 0,0,0 -o x.png")).expect_error(&["--up"]);
}

#[test]
fn a_section_hides_the_half_below_its_plane_and_fills_the_cut() {
    const CUT: [u8; 4] = [214, 112, 56, 255];
    let camera = "--eye 0,0,30 --target 0,0,0 --ortho 30 --size 80x60 --no-legend";
    let picture = |more: &str| render(&format!("{} {camera} --mode object {more}", cuboid()));
    let (whole, cut) = (picture(""), picture("--section 0,0,-1,0.5"));
    let n_filled = cut.pixels().filter(|pixel| pixel.0 == CUT).count();
    let n_shown = whole.pixels().filter(|pixel| **pixel != *whole.get_pixel(0, 0)).count();
    // The front of the cuboid, 10 by 12 at two pixels per unit, is cut off.
    assert_eq!((n_filled, n_shown), (20 * 24, 20 * 24));
    // Seen from below the plane is behind the cuboid, and nothing is cut open.
    assert_eq!(picture("--section 0,0,1,0.5"), whole);
    // All of it is hidden.
    let hidden = picture("--section 0,0,-1,-3");
    assert!(hidden.pixels().all(|pixel| *pixel == *whole.get_pixel(0, 0)));
    let run = hitscan(&format!("render {} -o x.png --section 0,0,0,1", cuboid())).expect_code(2);
    assert!(
        run.stderr.contains("--section: the normal of the plane is (0, 0, 0)"),
        "{}",
        run.stderr
    );
}
