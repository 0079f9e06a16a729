//! `bench`.

use std::fs;

use crate::support::{cuboid, file, folder, hitscan, path};

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

#[test]
fn every_measurement_has_a_spread() {
    let run = hitscan(&format!("bench {} --rays 500 --json", cuboid())).expect_code(0);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let mut spreads = vec![&report["spread"]["load_ms"], &report["spread"]["build_ms"]];
    for workload in report["workloads"].as_array().unwrap() {
        let spread = &workload["spread"];
        for key in ["closest_ns", "any_ns", "batch_closest_ns", "batch_any_ns"] {
            assert_eq!(spread[key]["median"], workload[key], "{key}");
            spreads.push(&spread[key]);
        }
    }
    for spread in spreads {
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let (low, high) = (number(&spread["quartiles"][0]), number(&spread["quartiles"][1]));
        assert!(low <= number(&spread["median"]) && number(&spread["median"]) <= high, "{spread}");
        assert!(spread["runs"].as_u64().unwrap() >= 3, "{spread}");
    }
}

/// The verdict is the exit code: 0 not slower, 1 slower, 2 not comparable.
#[test]
fn a_baseline_gives_a_verdict() {
    let folder = folder();
    let saved = path(folder.path(), "a.json");
    let bench = format!("bench {} --rays 300 --threads 1", cuboid());
    hitscan(&format!("{bench} --save {saved}")).expect_code(0);
    let text = fs::read_to_string(&saved).unwrap();
    // An earlier run that was a thousand times as slow, or as fast.
    let scaled = |factor: f64, name: &str| {
        let mut run: serde_json::Value = serde_json::from_str(&text).unwrap();
        let scale = |spread: &mut serde_json::Value| {
            for pointer in ["/median", "/quartiles/0", "/quartiles/1"] {
                let number = spread.pointer_mut(pointer).unwrap();
                *number = (number.as_f64().unwrap() * factor).into();
            }
        };
        run["spread"].as_object_mut().unwrap().values_mut().for_each(scale);
        for workload in run["workloads"].as_array_mut().unwrap() {
            workload["spread"].as_object_mut().unwrap().values_mut().for_each(scale);
        }
        file(folder.path(), name, run.to_string())
    };
    let (slow, fast) = (scaled(1e3, "slow.json"), scaled(1e-3, "fast.json"));
    let run = hitscan(&format!("{bench} --baseline {slow}")).expect_code(0);
    assert!(run.text().contains("verdict: 18 faster, 0 the same, 0 slower"), "{}", run.text());
    let run = hitscan(&format!("{bench} --baseline {fast}")).expect_code(1);
    assert!(run.text().contains("verdict: 0 faster, 0 the same, 18 slower"), "{}", run.text());
    hitscan(&format!("{bench} --seed 2 --baseline {saved}"))
        .expect_error(&["--baseline", "seed 1, this run with 2"]);
    hitscan(&format!("{bench} --baseline {}", cuboid()))
        .expect_error(&["not a run of `hitscan bench --save`"]);
    hitscan(&format!("{bench} --tolerance 3")).expect_error(&["--baseline"]);
}
