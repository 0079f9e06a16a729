//! `check`.

use crate::support::{cuboid, folder, hitscan, isas, path};

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
