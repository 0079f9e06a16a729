//! `check`.

use serde_json::Value;

use crate::support::{cuboid, file, folder, hitscan, isas, path};

#[test]
fn check_compares_every_combination_and_finds_no_difference() {
    let run = hitscan(&format!("check {} --rays 400 --seed 5", cuboid())).expect_code(0);
    for quality in ["fast", "balanced", "high"] {
        for isa in isas() {
            for layout in ["full", "compact"] {
                for shape in ["single", "batch", "short batches"] {
                    let row = run.text().lines().find(|line| {
                        line.split_whitespace().take(3).eq([quality, &isa, layout])
                            && line.contains(shape)
                    });
                    assert!(row.is_some(), "{quality} {isa} {layout} {shape}: {}", run.text());
                }
            }
        }
    }
    for query in
        ["closest_point", "is_inside", "signed_distance", "winding_number", "sphere", "visit"]
    {
        assert!(run.text().contains(query), "{query}: {}", run.text());
    }
    assert!(run.text().contains("refit "), "{}", run.text());
    let last = run.text().lines().last().unwrap();
    assert!(last.starts_with("400 rays (seed 5), "), "{last}");
    assert!(last.ends_with(" answers compared, 0 differences, all trees valid"), "{last}");
}

#[test]
fn check_of_no_rays_validates_the_trees() {
    let folder = folder();
    let mesh = path(folder.path(), "soup.obj");
    hitscan(&format!("make soup --triangles 50 -o {mesh}")).expect_code(0);
    let run = hitscan(&format!("check {mesh} --rays 0")).expect_code(0);
    assert!(run.text().ends_with("0 answers compared, 0 differences, all trees valid\n"));
}

#[test]
fn check_of_a_scene_asks_about_points_and_regions() {
    let folder = folder();
    file(folder.path(), "c.obj", std::fs::read(cuboid()).expect("it was written"));
    let scene = "[meshes]\nc = \"c.obj\"\n[[instances]]\nmesh = \"c\"\nscale = [1.0, 2.0, 0.5]\n\
                 [[instances]]\nmesh = \"c\"\ntranslation = [1e6, 0.0, 3.0]\n";
    let scene = file(folder.path(), "s.toml", scene);
    let run = hitscan(&format!("check {scene} --rays 200")).expect_code(0);
    for query in [
        "closest_point",
        "instances",
        "within",
        "of_instance",
        "nearest_where",
        "safe_origin",
        "signed_distance",
        "visit",
    ] {
        assert!(run.text().contains(query), "{query}: {}", run.text());
    }
    let end = " answers compared, 0 differences, all trees valid\n";
    assert!(run.text().ends_with(end), "{}", run.text());
}

#[test]
fn the_json_of_check_counts_every_query_of_meshes_and_scenes() {
    let folder = folder();
    file(folder.path(), "c.obj", std::fs::read(cuboid()).expect("it was written"));
    let scene = "meshes.c = \"c.obj\"\ninstances = [{ mesh = \"c\" }]\n";
    let scene = file(folder.path(), "s.toml", scene);
    for (input, of_places) in [(cuboid(), "winding_number"), (&scene, "safe_origin")] {
        let run = hitscan(&format!("check {input} --rays 100 --seed 3 --json")).expect_code(0);
        let json: Value = serde_json::from_slice(&run.stdout).expect("it is JSON");
        assert_eq!((&json["rays"], &json["seed"]), (&100.into(), &3.into()));
        assert_eq!(
            (&json["differences"], &json["invalid_trees"]),
            (&0.into(), &Value::from([0; 0]))
        );
        let rows = |name: &str| json[name].as_array().expect("a list").clone();
        let n_answers = |row: &Value| -> u64 {
            let queries = row["queries"].as_object().expect("an object");
            queries.values().filter_map(|counts| counts["answers"].as_u64()).sum()
        };
        let (of_rays, others) = (rows("ray_queries"), rows("other_queries"));
        let n: u64 = of_rays.iter().chain(&others).map(n_answers).sum();
        assert_eq!(json["answers"], n, "{input}");
        // Three choices of sides, every length of a batch, and no batch of nearest hits.
        for row in &of_rays {
            let batch = ["closest", "any", "all", "once", "crossings"];
            batch
                .iter()
                .for_each(|query| assert_eq!(row["queries"][query]["answers"], 300, "{row}"));
            let is_single = row["shape"] == "single";
            assert_eq!(row["queries"]["nearest"].is_object(), is_single, "{row}");
        }
        assert_eq!(of_rays.len(), 3 * others.len());
        assert!(others.iter().all(|row| row["queries"][of_places].is_object()), "{input}");
    }
    hitscan("check x.obj --json --format text").expect_error(&["--json", "--format"]);
}
