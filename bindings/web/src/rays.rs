//! Rays of queries of a tree, in the coordinates of the mesh's file.
//!
//! Without an offset they are rounded to f32. With one, `Mesh::local_ray` defines their hits, and `t` is in f64.

use hitscan_primitives::{
    Hit, Ray, RayError,
    glam::{DVec3, Vec3},
};
use hitscan_scene::{LocalRay, Mesh, WorldRay};

use crate::{failure::fail_with, output, staging};

/// A query that hits nothing because its ray is invalid returns it; number 0 tells which ray of a batch.
pub(crate) const INVALID_RAY: u32 = 2;

/// An invalid ray, for one that cannot be expressed in the space of the mesh.
const NO_RAY: Ray = Ray { origin: Vec3::ZERO, direction: Vec3::ZERO, t_min: 0.0, t_max: 0.0 };

/// Whether the mesh is relative to an offset.
pub(crate) fn is_far(mesh: &Mesh) -> bool {
    mesh.tri_mesh().offset() != DVec3::ZERO
}

/// A ray in the space of a mesh.
pub(crate) struct MeshRay {
    pub(crate) ray: Ray,
    far: Option<FarRay>,
}

/// A ray in the coordinates of the file, and its image.
struct FarRay {
    world: WorldRay,
    local: Option<LocalRay>,
}

impl MeshRay {
    /// The ray of the numbers 0 to 7. They are no arguments, because an engine may box each f64 of a call.
    #[inline]
    pub(crate) fn read(mesh: &Mesh) -> Self {
        let numbers = std::array::from_fn(output::read);
        if is_far(mesh) {
            return Self::far(mesh, numbers);
        }
        let [ox, oy, oz, dx, dy, dz, t_min, t_max] = numbers.map(|number| number as f32);
        let ray = Ray::new([ox, oy, oz], [dx, dy, dz]).with_range(t_min, t_max);
        Self { ray, far: None }
    }

    #[cold]
    fn far(mesh: &Mesh, numbers: [f64; 8]) -> Self {
        let world = world_ray(numbers);
        let local = mesh.local_ray(&world);
        Self { ray: local.map_or(NO_RAY, |local| local.ray), far: Some(FarRay { world, local }) }
    }

    /// The `t` of the ray that was asked, for a `t` of its image.
    #[inline]
    pub(crate) fn t(&self, t: f32) -> f64 {
        let local = self.far.as_ref().and_then(|far| far.local);
        local.map_or(f64::from(t), |local| local.world_t(t))
    }

    /// 0 for a miss; an invalid ray is [`INVALID_RAY`] and an error.
    #[cold]
    pub(crate) fn miss(&self) -> u32 {
        let checked = match &self.far {
            Some(far) => far.world.checked().map(|_| ()),
            None => self.ray.checked().map(|_| ()),
        };
        missed(checked)
    }

    /// Sorts the hits of the ray by `t` in f64, then by triangle.
    pub(crate) fn sort(&self, hits: &mut [Hit]) {
        if self.far.is_some() {
            hits.sort_by(|a, b| {
                self.t(a.t).total_cmp(&self.t(b.t)).then(a.triangle.cmp(&b.triangle))
            });
        }
    }

    /// Stores the `t` of hits in f64 behind others, if the mesh has an offset.
    pub(crate) fn extend_t<'a>(&self, t: &mut Vec<f64>, hits: impl Iterator<Item = &'a Hit>) {
        if self.far.is_some() {
            t.extend(hits.map(|hit| self.t(hit.t)));
        }
    }
}

/// The staged rays in the space of a mesh: [`staging::rays`], or with an offset [`staging::numbers`].
pub(crate) struct MeshRays {
    pub(crate) rays: Vec<Ray>,
    /// Empty without an offset.
    far: Vec<MeshRay>,
}

impl MeshRays {
    /// The staged rays if all are valid. Else [`INVALID_RAY`] and an error; number 0 tells the first invalid ray.
    pub(crate) fn staged(mesh: &Mesh) -> Result<Self, u32> {
        if is_far(mesh) {
            let numbers = staging::numbers();
            let far = numbers.as_chunks::<8>().0.iter().map(|&ray| MeshRay::far(mesh, ray));
            let far: Vec<MeshRay> = far.collect();
            staging::keep_numbers(numbers);
            return match far.iter().position(|ray| ray.miss() == INVALID_RAY) {
                None => Ok(Self { rays: far.iter().map(|far| far.ray).collect(), far }),
                Some(index) => Err(invalid(index, far[index].miss())),
            };
        }
        let rays = staging::rays();
        match rays.iter().position(|ray| !ray.is_valid()) {
            None => Ok(Self { rays, far: Vec::new() }),
            Some(index) => {
                let result = invalid(index, missed(rays[index].checked().map(|_| ())));
                staging::keep_rays(rays);
                Err(result)
            }
        }
    }

    /// Returns the memory of the rays for the next batch.
    pub(crate) fn keep(self) {
        if self.far.is_empty() {
            staging::keep_rays(self.rays);
        }
    }

    /// The `t` of the closest hits in f64, infinite for misses; none without an offset.
    pub(crate) fn t(&self, hits: &[Option<Hit>]) -> Vec<f64> {
        let t =
            |(ray, hit): (&MeshRay, &Option<Hit>)| hit.map_or(f64::INFINITY, |hit| ray.t(hit.t));
        self.far.iter().zip(hits).map(t).collect()
    }

    /// Sorts the hits of each ray by `t` in f64, and stores those behind others; nothing without an offset.
    pub(crate) fn sort_lists(&self, starts: &[usize], hits: &mut [Hit], t: &mut Vec<f64>) {
        for (ray, ends) in self.far.iter().zip(starts.windows(2)) {
            let hits = &mut hits[ends[0]..ends[1]];
            ray.sort(hits);
            ray.extend_t(t, hits.iter());
        }
    }
}

fn invalid(index: usize, result: u32) -> u32 {
    output::write(0, &[index as f64]);
    result
}

#[cold]
fn missed(checked: Result<(), RayError>) -> u32 {
    match checked {
        Ok(()) => 0,
        Err(error) => {
            fail_with(&error);
            INVALID_RAY
        }
    }
}

/// A ray in f64 from its numbers.
pub(crate) fn world_ray([ox, oy, oz, dx, dy, dz, t_min, t_max]: [f64; 8]) -> WorldRay {
    WorldRay::new([ox, oy, oz], [dx, dy, dz]).with_range(t_min, t_max)
}
