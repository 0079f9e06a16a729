//! `bench`.

use crate::support::{cuboid, hitscan};

#[test]
fn bench_measures_every_kind_of_ray() {
    let run = hitscan(&format!("bench {} --rays 2000 --threads 2 --json", cuboid())).expect_code(0);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&report["triangles"], &report["rays"]), (&3072.into(), &2000.into()));
    assert_eq!(report["threads"], 2);
    let names: Vec<&str> = report["workloads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["primary", "diffuse", "segments", "shadow"]);
    for workload in report["workloads"].as_array().unwrap() {
        for key in ["closest_ns", "any_ns", "batch_closest_mrays_per_s", "batch_any_mrays_per_s"] {
            assert!(workload[key].as_f64().unwrap() > 0.0, "{key}");
        }
    }
    let run = hitscan(&format!("bench {} --rays 500", cuboid())).expect_code(0);
    for part in ["3072 triangles, read in ", "primary", "diffuse", "segments", "shadow", "Mrays/s"]
    {
        assert!(run.text().contains(part), "no {part:?} in {}", run.text());
    }
}
