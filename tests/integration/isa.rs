//! Instruction sets: which sets a machine has, and that the choice changes only the speed.

use hitscan::{BuildOptions, BuildQuality, Isa, MeshBvh};
use hitscan_testkit::integer_box;

#[test]
fn every_machine_has_the_scalar_set_and_detects_the_first() {
    let available = Isa::available();
    assert_eq!(available.last().map(|isa| isa.name()), Some("scalar"));
    assert_eq!(available.first(), Some(&Isa::detect()));
    assert_eq!(Isa::default(), Isa::detect());
}

#[test]
fn names_are_distinct_and_lead_back_to_their_set() {
    let available = Isa::available();
    for (i, isa) in available.iter().enumerate() {
        assert_eq!(Isa::from_name(isa.name()), Some(*isa));
        assert_eq!(format!("{isa:?}"), isa.name());
        assert!(available[..i].iter().all(|other| other.name() != isa.name()), "{isa:?} twice");
        assert!(["avx512", "avx2", "neon", "simd128", "scalar"].contains(&isa.name()), "{isa:?}");
    }
    for unknown in ["", "AVX2", "avx", "sse9", "scalar "] {
        assert_eq!(Isa::from_name(unknown), None, "{unknown:?}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn avx2_is_available_exactly_where_the_processor_has_it() {
    let has_it = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    assert_eq!(Isa::from_name("avx2").is_some(), has_it);
    assert_eq!(Isa::from_name("neon"), None);
}

#[test]
fn a_tree_keeps_its_instruction_set() {
    let mesh = integer_box([2, 2, 2]);
    for isa in Isa::available() {
        for quality in BuildQuality::ALL {
            let built =
                MeshBvh::build(&mesh, &BuildOptions { quality, isa, ..BuildOptions::default() });
            assert_eq!(built.isa(), isa);
            let changed = MeshBvh::build(&mesh, &BuildOptions::default()).with_isa(isa);
            assert_eq!(changed.isa(), isa);
            // The set of the query has no influence on the tree.
            let default = BuildOptions { quality, ..BuildOptions::default() };
            assert_eq!(built.stats(), MeshBvh::build(&mesh, &default).stats());
        }
    }
}
