//! Balls that move along a ray.

use std::ops::{ControlFlow, Range};

use glam::DVec3;
use hitscan_primitives::{Faces, Hit, HitOptions, SphereCast, SphereContact};

use super::visit_nodes::visit_nodes;
use crate::{
    layout::{TriangleBlock, WideNode},
    mesh_bvh::MeshBvh,
    platform::parallel,
    simd::{Kernel, Simd},
    widths::{BLOCK_WIDTH, NODE_WIDTH},
};

/// The number of balls that one thread takes at a time.
const CHUNK: usize = 256;

/// Sphere casts: balls that move along a ray, in the mesh's own space; see [`SphereCast`].
///
/// Every answer equals that of the function of the same name in
/// [`brute_force`](hitscan_primitives::brute_force), to the last bit. A ball touches both sides of a surface. A
/// radius of 0 takes the way of [`closest_hit`](Self::closest_hit) with both faces, and of the other queries of rays.
impl MeshBvh {
    /// The contact with the minimum `(t, triangle)`; `None` if the ball touches nothing.
    ///
    /// For characters, cameras and thick beams that must not pass through a surface. See also
    /// [`sphere_cast_any`](Self::sphere_cast_any) if any contact will do,
    /// [`overlapping_sphere_into`](Self::overlapping_sphere_into) for a ball that does not move, and
    /// [`closest_hit`](Self::closest_hit) for a ray.
    ///
    /// O(log n + m) for m triangles near the way of the ball up to the contact.
    ///
    /// ```
    /// use hitscan_bvh::{BuildOptions, MeshBvh};
    /// use hitscan_primitives::{Ray, SphereCast, generate};
    ///
    /// let mesh = generate::cuboid(2.0, 2.0, 2.0, 0)?;
    /// let bvh = MeshBvh::build(&mesh, &BuildOptions::default());
    /// let ball = SphereCast::new(Ray::new([0.3, 0.2, 5.0], [0.0, 0.0, -1.0]), 0.5)?;
    /// let contact = bvh.sphere_cast(&ball).expect("the cube is ahead");
    /// assert_eq!((contact.t, contact.point.to_array()), (3.5, [0.3f32.into(), 0.2f32.into(), 1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sphere_cast(&self, cast: &SphereCast) -> Option<SphereContact> {
        self.sphere_cast_where(cast, |_| true)
    }

    /// [`sphere_cast`](Self::sphere_cast) among the contacts for which `accept` returns `true`.
    ///
    /// For balls that pass through some triangles. `accept` sees candidates in an order that depends on the tree, also
    /// some that are not the first, and must return the same value for the same contact.
    pub fn sphere_cast_where(
        &self,
        cast: &SphereCast,
        mut accept: impl FnMut(&SphereContact) -> bool,
    ) -> Option<SphereContact> {
        if let Some(ray) = cast.as_ray() {
            let contact = |hit: &Hit| cast.contact_of_hit(hit, hit.t.into());
            let hit = self.closest_hit_where(&ray, Faces::Both, |hit| accept(&contact(hit)))?;
            return Some(contact(&hit));
        }
        let mut first: Option<SphereContact> = None;
        let _: ControlFlow<()> = self.visit_contacts(cast, |contact, limit| {
            let is_first = first.is_none_or(|first| contact.cmp_along_ray(&first).is_lt());
            if is_first && accept(&contact) {
                first = Some(contact);
            }
            ControlFlow::Continue(first.map_or(limit, |first| first.t))
        });
        first
    }

    /// Whether the ball touches anything. Cheaper than [`sphere_cast`](Self::sphere_cast), because the traversal ends
    /// at the first contact it finds.
    ///
    /// For free ways: can the ball go from here to there?
    pub fn sphere_cast_any(&self, cast: &SphereCast) -> bool {
        if let Some(ray) = cast.as_ray() {
            return self.is_occluded(&ray, Faces::Both);
        }
        self.visit_contacts(cast, |_, _| ControlFlow::Break(())).is_break()
    }

    /// The first contact with each triangle that the ball touches, sorted by `(t, triangle)`.
    ///
    /// Allocates the list; [`sphere_cast_all_into`](Self::sphere_cast_all_into) fills one that the caller keeps.
    ///
    /// For everything that a beam or a brush sweeps over.
    pub fn sphere_cast_all(&self, cast: &SphereCast) -> Vec<SphereContact> {
        let mut contacts = Vec::new();
        self.sphere_cast_all_into(cast, &mut contacts);
        contacts
    }

    /// Writes [`sphere_cast_all`](Self::sphere_cast_all) to a buffer, which it clears first.
    pub fn sphere_cast_all_into(&self, cast: &SphereCast, contacts: &mut Vec<SphereContact>) {
        contacts.clear();
        if let Some(ray) = cast.as_ray() {
            let hits = self.all_hits(&ray, &HitOptions::default());
            contacts.extend(hits.iter().map(|hit| cast.contact_of_hit(hit, hit.t.into())));
            return;
        }
        let _: ControlFlow<()> = self.visit_contacts(cast, |contact, limit| {
            contacts.push(contact);
            ControlFlow::Continue(limit)
        });
        contacts.sort_unstable_by(SphereContact::cmp_along_ray);
        // The contacts of a split triangle are equal to the last bit, so they are neighbours.
        contacts.dedup_by_key(|contact| contact.triangle);
    }

    /// [`sphere_cast`](Self::sphere_cast) of each ball, on rayon's current pool with the feature `parallel`.
    ///
    /// For many balls at once. Order them so that neighbours are near each other.
    ///
    /// # Panics
    /// If `contacts` is not as long as `casts`.
    pub fn sphere_cast_batch(&self, casts: &[SphereCast], contacts: &mut [Option<SphereContact>]) {
        assert_eq!(casts.len(), contacts.len(), "expected one answer per ball");
        parallel::for_each_chunk(contacts, CHUNK, |first, contacts| {
            for (cast, contact) in casts[first..].iter().zip(contacts) {
                *contact = self.sphere_cast(cast);
            }
        });
    }

    /// Visits contacts, those in near boxes first. `found` receives a contact and the limit on `t`, and returns the next
    /// limit. It may receive the contact of a split triangle more than once.
    fn visit_contacts<B>(
        &self,
        cast: &SphereCast,
        mut found: impl FnMut(SphereContact, f64) -> ControlFlow<B, f64>,
    ) -> ControlFlow<B> {
        let scaled = cast.scaled(self.tree.scale);
        let boxes = GrownBoxes::new(&scaled, self.tree.reach.max.into());
        visit_nodes(
            |index| &self.tree.nodes[index],
            cast.ray().t_max,
            |node| self.isa.run(EnterChildren { boxes: &boxes, node }),
            |blocks: Range<usize>, mut limit| {
                let mut scratch = TriangleBlock::EMPTY;
                for block in blocks {
                    let block = self.tree.leaves.block(block, &mut scratch);
                    let mut enter = self.isa.run(EnterTriangles { boxes: &boxes, block });
                    // The nearest first, because the limit of its contact spares the others.
                    while let Some(lane) = nearest(&enter, limit) {
                        enter[lane] = f64::NAN;
                        let corners = block.corners_of(lane).map(|corner| corner.as_dvec3());
                        let Some(contact) = scaled.intersect(corners) else { continue };
                        if contact.t <= limit {
                            let triangle = block.triangles[lane];
                            let contact = SphereContact::new(triangle, &contact, self.tree.scale);
                            limit = found(contact, limit)?;
                        }
                    }
                }
                ControlFlow::Continue(limit)
            },
        )
    }
}

/// The lane with the least value of at most `limit`. An empty lane is NaN.
fn nearest(enter: &[f64; BLOCK_WIDTH], limit: f64) -> Option<usize> {
    let (mut nearest, mut least) = (None, limit);
    for (lane, &t) in enter.iter().enumerate() {
        if t < least || (t == least && nearest.is_none()) {
            (nearest, least) = (Some(lane), t);
        }
    }
    nearest
}

/// [`SphereCast::lower_bound`] of eight boxes at once.
struct GrownBoxes {
    origin: DVec3,
    direction: DVec3,
    reciprocal: DVec3,
    growth: f64,
    /// [`SphereCast::least_t_per_length`].
    t_per_length: f64,
    t_min: f64,
    t_max: f64,
}

impl GrownBoxes {
    /// The bounds for boxes with coordinates of at most `size`.
    fn new(cast: &SphereCast, size: f64) -> Self {
        let ray = cast.ray();
        Self {
            origin: ray.origin,
            direction: ray.direction,
            reciprocal: cast.reciprocal(),
            growth: cast.growth(size),
            t_per_length: cast.least_t_per_length(),
            t_min: ray.t_min,
            t_max: ray.t_max,
        }
    }

    /// The bound for each of eight boxes: the `t` at which the centre enters the grown box, and the way from there
    /// that still separates the ball from the box. docs/proof.md shows that the growth covers all rounding.
    #[inline(always)]
    fn enter(&self, bounds: &[[[f32; NODE_WIDTH]; 2]; 3]) -> [f64; NODE_WIDTH] {
        let mut enter = [self.t_min; NODE_WIDTH];
        let mut exit = [self.t_max; NODE_WIDTH];
        for axis in 0..3 {
            let (o, r, growth) = (self.origin[axis], self.reciprocal[axis], self.growth);
            let [min, max] = &bounds[axis];
            // The planes are taken by the sign of the direction, so that an empty box stays one.
            let (near, far, outward) =
                if r > 0.0 { (min, max, growth) } else { (max, min, -growth) };
            for slot in 0..NODE_WIDTH {
                let first = (f64::from(near[slot]) - outward - o) * r;
                let last = (f64::from(far[slot]) + outward - o) * r;
                // A NaN stays.
                enter[slot] = if first <= enter[slot] { enter[slot] } else { first };
                exit[slot] = if last >= exit[slot] { exit[slot] } else { last };
            }
        }
        let mut distance_squared = [0.0; NODE_WIDTH];
        for axis in 0..3 {
            let [min, max] = &bounds[axis];
            let (o, d) = (self.origin[axis], self.direction[axis]);
            for slot in 0..NODE_WIDTH {
                let center = o + enter[slot] * d;
                let (below, above) = (f64::from(min[slot]) - center, center - f64::from(max[slot]));
                let gap = if below > above { below } else { above };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                distance_squared[slot] += gap * gap;
            }
        }
        for slot in 0..NODE_WIDTH {
            let gap = distance_squared[slot].sqrt() - self.growth;
            let gap = if gap > 0.0 { gap } else { 0.0 };
            enter[slot] = if enter[slot] <= exit[slot] {
                enter[slot] + gap * self.t_per_length
            } else {
                f64::NAN
            };
        }
        enter
    }
}

/// The `t` before which the ball touches nothing in the box of each child; NaN for a miss and an empty slot.
struct EnterChildren<'a> {
    boxes: &'a GrownBoxes,
    node: &'a WideNode,
}

impl Kernel for EnterChildren<'_> {
    type Output = [f64; NODE_WIDTH];

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Self::Output {
        self.boxes.enter(&self.node.bounds)
    }
}

/// The `t` before which the ball does not touch each triangle; NaN for a miss and an empty lane.
struct EnterTriangles<'a> {
    boxes: &'a GrownBoxes,
    block: &'a TriangleBlock,
}

impl Kernel for EnterTriangles<'_> {
    type Output = [f64; BLOCK_WIDTH];

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Self::Output {
        let [a, b, c] = &self.block.corners;
        let mut bounds = [[[0.0; BLOCK_WIDTH]; 2]; 3];
        for axis in 0..3 {
            for lane in 0..BLOCK_WIDTH {
                let [a, b, c] = [a[axis][lane], b[axis][lane], c[axis][lane]];
                let (low, high) = if b < a { (b, a) } else { (a, b) };
                bounds[axis][0][lane] = if c < low { c } else { low };
                bounds[axis][1][lane] = if c > high { c } else { high };
            }
        }
        self.boxes.enter(&bounds)
    }
}

const _: () = assert!(BLOCK_WIDTH == NODE_WIDTH);
