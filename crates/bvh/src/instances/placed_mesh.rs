//! What a ray needs of an instance: two cache lines, and a few words that all instances of a mesh share.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use hitscan_primitives::{LocalFrame, LocalRay, LocalSphere, TriMesh, WorldRay};

use crate::{
    BuildOptions, MeshBvh,
    box3::{larger, smaller},
    simd::{Simd, of_row},
};

/// A mesh that instances share: its tree, its sphere and its box.
#[derive(Debug)]
pub struct InstancedMesh {
    bvh: Arc<MeshBvh>,
    sphere: LocalSphere,
    /// Half of the extent of the widened box.
    half: DVec3,
}

impl Default for InstancedMesh {
    /// No triangles.
    fn default() -> Self {
        let nothing = MeshBvh::build(&TriMesh::default(), &BuildOptions::default());
        Self::new(Arc::new(nothing))
    }
}

impl InstancedMesh {
    /// Prepares a mesh for instances.
    pub fn new(bvh: Arc<MeshBvh>) -> Self {
        let bounds = bvh.bounds();
        if bounds.is_empty() {
            let (sphere, half) = (LocalSphere::default(), DVec3::NEG_INFINITY);
            return Self { bvh, sphere, half };
        }
        let half = 0.5 * (bounds.max.as_dvec3() - bounds.min.as_dvec3());
        let max_abs = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self { sphere: LocalSphere::new(bounds), half: widened(half, max_abs.into()), bvh }
    }

    /// The tree of the mesh.
    pub fn bvh(&self) -> &MeshBvh {
        &self.bvh
    }
}

/// Half the extent of a box in the space of a mesh whose largest coordinate is `max_abs_coord`, widened by 2^-14 of that
/// and by more than the smallest normal number of f32.
///
/// A local ray hits no triangle farther from it than an eighth of that; see `tree_box` in `hitscan-scene`.
pub fn widened(half: DVec3, max_abs_coord: f64) -> DVec3 {
    const PAD: f64 = 1.0 / (1 << 14) as f64;
    const TINY: f64 = 1e-42;
    half + DVec3::splat(PAD * max_abs_coord + TINY)
}

/// What tells the instances of a query apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstanceTag {
    /// One bit per layer.
    pub layers: u32,
    /// Bits by which a filter excludes the instance.
    pub flags: u32,
    /// For the caller's use.
    pub generation: u32,
    /// Decides ties between hits with equal `t`.
    pub order: u64,
}

/// The instances that a query includes.
#[derive(Clone, Copy, Debug)]
pub struct InstanceFilter {
    /// The query skips instances that share no bit with it.
    pub layers: u32,
    /// The query skips instances that share a bit with it.
    pub excluded_flags: u32,
}

/// An instance as rays see it.
// Rows of 32 bytes, so that a row is one load.
#[derive(Clone, Debug, Default)]
#[repr(C, align(128))]
pub struct PlacedMesh {
    translation: DVec3,
    mesh: Option<Arc<InstancedMesh>>,
    inverse_x: DVec3,
    /// A bound of the rounding of a point in the space of the mesh, per unit of distance in the world.
    slack: f32,
    layers: u32,
    inverse_y: DVec3,
    flags: u32,
    generation: u32,
    inverse_z: DVec3,
    order: u64,
}

const _: () = assert!(size_of::<PlacedMesh>() == 128);

impl PlacedMesh {
    /// An instance whose transform has this translation, and a linear part with this inverse.
    pub fn new(
        mesh: Arc<InstancedMesh>,
        translation: DVec3,
        inverse_linear: DMat3,
        tag: InstanceTag,
    ) -> Self {
        let rows =
            inverse_linear.x_axis.abs() + inverse_linear.y_axis.abs() + inverse_linear.z_axis.abs();
        let InstanceTag { layers, flags, generation, order } = tag;
        Self {
            translation,
            mesh: Some(mesh),
            inverse_x: inverse_linear.x_axis,
            // Not zero, where f32 cannot express it.
            slack: ((rows.max_element() * 2f64.powi(-44)) as f32).max(f32::MIN_POSITIVE),
            layers,
            inverse_y: inverse_linear.y_axis,
            flags,
            generation,
            inverse_z: inverse_linear.z_axis,
            order,
        }
    }

    /// The words of the instance.
    #[inline]
    pub fn tag(&self) -> InstanceTag {
        let &Self { layers, flags, generation, order, .. } = self;
        InstanceTag { layers, flags, generation, order }
    }

    /// Changes the words of the instance.
    pub(super) fn set_tag(&mut self, tag: InstanceTag) {
        let InstanceTag { layers, flags, generation, order } = tag;
        (self.layers, self.flags, self.generation, self.order) = (layers, flags, generation, order);
    }

    /// The mesh, unless the place is empty.
    #[inline(always)]
    pub(super) fn mesh(&self) -> Option<&InstancedMesh> {
        self.mesh.as_deref()
    }

    #[inline(always)]
    pub(super) fn passes(&self, filter: InstanceFilter) -> bool {
        self.layers & filter.layers != 0 && self.flags & filter.excluded_flags == 0
    }

    /// What brings a ray to `mesh`, the mesh of the instance.
    #[inline(always)]
    pub(super) fn frame(&self, mesh: &InstancedMesh) -> LocalFrame {
        LocalFrame {
            translation: self.translation,
            inverse_linear: DMat3 {
                x_axis: self.inverse_x,
                y_axis: self.inverse_y,
                z_axis: self.inverse_z,
            },
            sphere: mesh.sphere,
        }
    }

    /// The local ray, if the ray meets the widened box of the mesh at a `t` of at most `limit`. It does if its local ray
    /// hits the mesh at such a `t`.
    ///
    /// The box is wider than the hits of the local ray by far more than the rounding that its own size causes. What the
    /// distance of the origin causes is at most 2^-50 of the row sums of the inverse for each unit, and `slack` has 2^-44.
    #[inline(always)]
    pub(super) fn local_ray<S: Simd>(
        &self,
        simd: S,
        mesh: &InstancedMesh,
        ray: &WorldRay,
        limit: f64,
    ) -> Option<LocalRay> {
        // Finite, so that no product with a zero is NaN.
        const LEAST: f64 = 1e-200;
        let s = simd;
        // To the last bit the ray that `LocalRay::new` computes.
        let x = s.load_three(self.inverse_x.as_ref());
        let y = s.load_three(self.inverse_y.as_ref());
        let z = s.load_three(self.inverse_z.as_ref());
        let image = |v: DVec3| {
            let x = s.mul_three(x, s.splat_three(v.x));
            let y = s.mul_three(y, s.splat_three(v.y));
            let z = s.mul_three(z, s.splat_three(v.z));
            s.add_three(s.add_three(x, y), z)
        };
        let to_ray = ray.origin - self.translation;
        let (direction, origin) = (image(ray.direction), image(to_ray));
        let to_center = s.sub_three(s.load_three(mesh.sphere.center.as_ref()), origin);

        let away = to_ray.abs();
        let slack = f64::from(self.slack) * (away.x + away.y + away.z);
        let half = s.add_three(s.load_three(mesh.half.as_ref()), s.splat_three(slack));
        let length = s.max_three(s.abs_three(direction), s.splat_three(LEAST));
        let reciprocal = s.div_three(s.splat_three(1.0), length);
        let middle = s.mul_three(to_center, s.xor_sign_three(reciprocal, direction));
        let reach = s.mul_three(half, reciprocal);
        let [near_x, near_y, near_z] = s.store_three(s.sub_three(middle, reach));
        let [far_x, far_y, far_z] = s.store_three(s.add_three(middle, reach));
        let enter = larger(larger(near_x, near_y), larger(near_z, ray.t_min));
        let exit = smaller(smaller(far_x, far_y), smaller(far_z, limit));
        if enter > exit {
            return None;
        }
        let vector = |lanes| DVec3::from_array(s.store_three(lanes));
        let start = mesh.sphere.start(vector(to_center), vector(direction));
        let origin = match start {
            None => origin,
            Some(t) => image(to_ray + t * ray.direction),
        };
        Some(LocalRay::rounded(ray, start, limit, |t_min, t_max| {
            of_row(s.narrow_ray(origin, direction, t_min, t_max))
        }))
    }
}
