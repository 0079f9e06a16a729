//! hitscan itself: every instruction set, quality and layout, with single rays and in batches.

use hitscan::{BuildOptions, BuildQuality, Faces, Hit, Isa, Layout, MeshBvh, Ray, TriMesh};

use super::{Calls, Contender, Engine};

/// The default first, then configurations that differ from it in one option.
pub(super) fn contenders() -> Vec<Contender> {
    let quality = BuildQuality::default();
    let mut contenders: Vec<_> = Isa::available()
        .into_iter()
        .map(|isa| single(&format!("hitscan {}", isa.name()), full(quality, isa)))
        .collect();
    for quality in BuildQuality::ALL {
        if quality != BuildQuality::default() {
            let name = format!("hitscan {} {}", Isa::detect().name(), name_of(quality));
            contenders.push(single(&name, full(quality, Isa::detect())));
        }
    }
    let options = BuildOptions { quality, isa: Isa::detect(), layout: Layout::Compact };
    contenders.push(single(&format!("hitscan {} compact", Isa::detect().name()), options));
    for isa in Isa::available() {
        let options = full(quality, isa);
        contenders.push(Contender {
            calls: Calls::Batch,
            is_ours: true,
            ..Contender::new(format!("hitscan {} batch", isa.name()), move |mesh: &TriMesh| {
                Ok(Batch(MeshBvh::build(mesh, &options)))
            })
        });
    }
    contenders
}

fn full(quality: BuildQuality, isa: Isa) -> BuildOptions {
    BuildOptions { quality, isa, layout: Layout::Full }
}

fn single(name: &str, options: BuildOptions) -> Contender {
    Contender {
        is_ours: true,
        ..Contender::new(name, move |mesh: &TriMesh| Ok(Single(MeshBvh::build(mesh, &options))))
    }
}

fn name_of(quality: BuildQuality) -> &'static str {
    match quality {
        BuildQuality::Fast => "fast",
        BuildQuality::Balanced => "balanced",
        BuildQuality::High => "high",
    }
}

struct Single(MeshBvh);

impl Engine for Single {
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        for (ray, hit) in rays.iter().zip(hits) {
            *hit = self.0.closest_hit(ray, Faces::Both);
        }
    }

    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        for (ray, occluded) in rays.iter().zip(occluded) {
            *occluded = self.0.is_occluded(ray, Faces::Both);
        }
    }
}

struct Batch(MeshBvh);

impl Engine for Batch {
    fn closest(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.0.closest_hit_batch(rays, Faces::Both, hits);
    }

    fn occluded(&self, rays: &[Ray], occluded: &mut [bool]) {
        self.0.is_occluded_batch(rays, Faces::Both, occluded);
    }
}
