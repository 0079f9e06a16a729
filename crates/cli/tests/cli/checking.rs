//! `check`.

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
    for query in ["closest_point", "instances", "within", "of_instance", "nearest_where", "visit"] {
        assert!(run.text().contains(query), "{query}: {}", run.text());
    }
    assert!(run.text().ends_with(" answers compared, 0 differences\n"), "{}", run.text());
}
