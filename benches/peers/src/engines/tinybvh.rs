//! tinybvh through the binding `tinybvh-rs`: its 8-wide tree for AVX2. The binding has no any-hit query,
//! and has this tree only in builds for a CPU with AVX2.

#[cfg(target_feature = "avx2")]
pub(super) use avx2::contenders;

#[cfg(not(target_feature = "avx2"))]
pub(super) fn contenders() -> Vec<super::Contender> {
    eprintln!("tinybvh: its binding needs a build with -C target-cpu=native: skipped");
    Vec::new()
}

#[cfg(target_feature = "avx2")]
mod avx2 {
    use hitscan::{Hit, Ray, Side, TriMesh};
    use tinybvh_rs::{Intersection, Intersector, bvh, bvh8_cpu, mbvh};

    use crate::engines::{Contender, Engine, Memory};

    pub(in crate::engines) fn contenders() -> Vec<Contender> {
        let contender = |name, is_high| Contender {
            answers_any_hit: false,
            ..Contender::new(name, move |mesh: &TriMesh| build(mesh, is_high))
        };
        vec![contender("tinybvh bvh8_cpu", false), contender("tinybvh bvh8_cpu hq", true)]
    }

    /// The maximum number of triangles in a leaf of this tree.
    const LEAF_SIZE: u32 = 4;

    /// The maximum size of a leaf whose chain of parts certainly fits the stack.
    const MAX_LEAF_TO_SPLIT: u32 = 256;

    fn build(mesh: &TriMesh, is_high: bool) -> Result<Tiny, String> {
        let corners =
            (0..mesh.triangles().len() as u32).flat_map(|triangle| mesh.corners(triangle));
        let positions: Vec<[f32; 4]> = corners.map(|p| [p.x, p.y, p.z, 0.0]).collect();
        let binary = if is_high {
            bvh::BVH::new_hq(positions.as_slice().into())
        } else {
            bvh::BVH::new(positions.as_slice().into())
        };
        let mut binary = binary.map_err(|error| error.to_string())?;
        // The binding splits a leaf into a chain of leaves, and the library has a fixed stack of 256
        // without a check. The kitchen's leaf of 1361 triangles overwrote the return address.
        let largest = binary.nodes().iter().map(|node| node.tri_count).max().unwrap_or(0);
        if largest > MAX_LEAF_TO_SPLIT {
            return Err(format!(
                "a leaf has {largest} triangles, too many for the binding to split"
            ));
        }
        binary.split_leaves(LEAF_SIZE);
        // The last tree holds copies of the triangles, so its source can be dropped.
        let wide = bvh8_cpu::BVH::new(&mbvh::BVH::new(&binary));
        wide.map(Tiny).map_err(|error| error.to_string())
    }

    struct Tiny(bvh8_cpu::BVH);

    // SAFETY: the C++ object is owned and does not refer to the thread that made it. The only method
    // called here is `Intersect`, which is const and writes only to the ray.
    #[allow(unsafe_code, reason = "the binding does not say that its trees may be shared")]
    unsafe impl Send for Tiny {}
    // SAFETY: as for `Send`.
    #[allow(unsafe_code, reason = "the binding does not say that its trees may be shared")]
    unsafe impl Sync for Tiny {}

    /// A ray with the alignment that the library expects. The binding declares only 16 bytes, and its
    /// own `Ray::new` crashes where the C++ compiler stores a whole ray at once.
    #[repr(align(64))]
    struct Aligned(tinybvh_rs::Ray);

    impl Engine for Tiny {
        fn memory(&self) -> Memory {
            Memory::Unknown
        }

        fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
            for (ray, hit) in rays.iter().zip(hits) {
                let t_max = ray.t_max.min(tinybvh_rs::INFINITE);
                let mut query = Aligned(tinybvh_rs::Ray {
                    origin: ray.origin.to_array(),
                    // The library has a ray mask here.
                    padding_0: 0xffff,
                    dir: ray.direction.to_array(),
                    r_d: ray.direction.to_array().map(safe_reciprocal),
                    hit: Intersection { t: t_max, ..Default::default() },
                    ..Default::default()
                });
                self.0.intersect(&mut query.0);
                let found = query.0.hit;
                *hit = (found.t < t_max).then_some(Hit {
                    t: found.t,
                    u: found.u,
                    v: found.v,
                    triangle: found.prim,
                    side: Side::Front,
                });
            }
        }

        fn occluded(&self, _rays: &[Ray], _occluded: &mut [bool]) {
            unreachable!("the binding has no any-hit query, and the contender says so");
        }
    }

    /// The library's reciprocal, which has no infinities.
    fn safe_reciprocal(x: f32) -> f32 {
        if x.abs() > 1e-12 { 1.0 / x } else { 1e12f32.copysign(x) }
    }
}
