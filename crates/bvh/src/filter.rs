//! Queries that leave out some hits by the caller's own rule: holes in a texture, an ignore list.
//!
//! A rejected hit does not shorten the ray, so what lies behind it is found as if it were not there.
//! The rule is called through a pointer, on hits alone and never per lane: a closure compiled into
//! the kernels would be left out of line in every one of them (see `kernel::watertight`).

use hitscan_primitives::{Faces, Hit, HitMode, Ray};

use crate::{
    MeshBvh,
    kernel::{Found, Meeting},
    traverse::{All, Closest, Collector, Nearest},
};

/// The caller's rule: whether a hit counts.
type Accept<'a> = &'a mut dyn FnMut(&Hit) -> bool;

/// Queries with a filter. Each equals the query of the same name without `_where` over those
/// triangles whose hit by this ray `accept` takes, to the last bit.
///
/// `accept` must give the same answer for the same hit. It is called during the walk on candidates,
/// at most once each, also on some that turn out not to be an answer, in an order that depends on the
/// tree.
impl MeshBvh {
    /// The accepted hit with the least `(t, triangle)`.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Faces, Ray, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let ray = Ray::new([0.1, 0.2, 5.0], [0.0, 0.0, -1.0]);
    /// let first = bvh.closest_hit(&ray, Faces::Both).expect("it is aimed at the cube");
    /// // As if the triangle hit first were a hole.
    /// let behind = bvh.closest_hit_where(&ray, Faces::Both, |hit| hit.triangle != first.triangle);
    /// assert_eq!(behind.map(|hit| hit.t), Some(6.0));
    /// # Ok::<(), hitscan_primitives::generate::GenerateError>(())
    /// ```
    pub fn closest_hit_where(
        &self,
        ray: &Ray,
        faces: Faces,
        mut accept: impl FnMut(&Hit) -> bool,
    ) -> Option<Hit> {
        self.closest_accepted(ray, faces, &mut accept)
    }

    /// Whether the ray has an accepted hit.
    pub fn is_occluded_where(
        &self,
        ray: &Ray,
        faces: Faces,
        mut accept: impl FnMut(&Hit) -> bool,
    ) -> bool {
        self.any_accepted(ray, faces, &mut accept)
    }

    /// All accepted hits, sorted by `(t, triangle)`, into a buffer, which is cleared first. `accept`
    /// is called on every hit once, in that order.
    pub fn all_hits_where_into(
        &self,
        ray: &Ray,
        faces: Faces,
        mode: HitMode,
        accept: impl FnMut(&Hit) -> bool,
        hits: &mut Vec<Hit>,
    ) {
        self.all_hits_into(ray, faces, mode, hits);
        hits.retain(accept);
    }

    /// The first `n` of all accepted hits, sorted by `(t, triangle)`, into a buffer, which is cleared
    /// first. Visits no more of the tree than it needs for these.
    pub fn nearest_hits_where(
        &self,
        ray: &Ray,
        faces: Faces,
        mode: HitMode,
        n: usize,
        mut accept: impl FnMut(&Hit) -> bool,
        hits: &mut Vec<Hit>,
    ) {
        hits.clear();
        if n > 0 {
            let nearest = Nearest { all: All { t_max: ray.t_max, mode, hits }, n };
            self.nearest_accepted(ray, faces, NearestWhere { nearest, accept: &mut accept });
        }
    }

    /// The number of accepted crossings: hits by [`HitMode::Once`].
    pub fn count_crossings_where(
        &self,
        ray: &Ray,
        faces: Faces,
        accept: impl FnMut(&Hit) -> bool,
    ) -> usize {
        let mut hits = Vec::new();
        self.all_hits_where_into(ray, faces, HitMode::Once, accept, &mut hits);
        hits.len()
    }
}

/// What is not generic over the rule, so that the kernels are compiled once.
impl MeshBvh {
    fn closest_accepted(&self, ray: &Ray, faces: Faces, accept: Accept<'_>) -> Option<Hit> {
        let mut filtered = ClosestWhere { closest: Closest::along(ray), accept };
        self.collect(ray, faces, &mut filtered);
        filtered.closest.hit()
    }

    fn any_accepted(&self, ray: &Ray, faces: Faces, accept: Accept<'_>) -> bool {
        let mut filtered = AnyWhere { t_max: ray.t_max, any: false, accept };
        self.collect(ray, faces, &mut filtered);
        filtered.any
    }

    fn nearest_accepted(&self, ray: &Ray, faces: Faces, mut filtered: NearestWhere<'_>) {
        self.collect(ray, faces, &mut filtered);
    }
}

/// [`Closest`] among the accepted.
struct ClosestWhere<'a> {
    closest: Closest,
    accept: Accept<'a>,
}

impl Collector for ClosestWhere<'_> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.closest.t_max()
    }

    #[inline(always)]
    fn found(&mut self, found: &Found, _: &Meeting<'_>) -> bool {
        if found.is_before(&self.closest.best) && accepts(self.accept, found) {
            self.closest.best = *found;
        }
        false
    }
}

/// Stops at the first accepted hit met.
struct AnyWhere<'a> {
    t_max: f32,
    any: bool,
    accept: Accept<'a>,
}

impl Collector for AnyWhere<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn found(&mut self, found: &Found, _: &Meeting<'_>) -> bool {
        self.any = accepts(self.accept, found);
        self.any
    }
}

/// [`Nearest`] among the accepted.
struct NearestWhere<'a> {
    nearest: Nearest<'a>,
    accept: Accept<'a>,
}

impl Collector for NearestWhere<'_> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.nearest.t_max()
    }

    #[inline(always)]
    fn found(&mut self, found: &Found, meeting: &Meeting<'_>) -> bool {
        accepts(self.accept, found) && self.nearest.found(found, meeting)
    }
}

#[inline(never)]
fn accepts(accept: Accept<'_>, found: &Found) -> bool {
    accept(&found.hit())
}
