//! Picking and snapping: the elements under the cursor or near it.

use std::{collections::HashSet, ops::ControlFlow};

use glam::{DAffine3, DVec2, DVec3};
use hitscan_primitives::HitMode;
use hitscan_scene::{InstanceId, Mesh, QueryOptions, Scene, SceneHit};

use crate::{
    element::{Element, ElementKind},
    near_pixel::{NearbyElement, SearchTarget, near_pixel},
    pick::{Pick, PickOptions, Snap, SnapOptions, SnapTarget},
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    sight::{FeaturePoint, Sight},
    view::View,
};

/// Picks, snaps and selects elements of a scene through a view.
///
/// A `Picker` borrows the scene and the view and stores nothing else, so it is free to create for each
/// query. All pixel positions are in the coordinates of the view's [`Viewport`](crate::Viewport).
///
/// # Cost
///
/// | query | cost |
/// |---|---|
/// | hover of an object or a face | one ray |
/// | hover of an edge or a vertex, snap | a search of some pixels around the cursor, and an occlusion ray for each candidate before the answer |
/// | marquee or lasso, objects | a box per instance; triangles only of instances on the boundary of the region |
/// | marquee or lasso, other elements | each element in the region |
/// | visible objects | rays for the area of the hidden ones, at most eight per pixel in the mean |
/// | visible faces, edges and vertices | about one ray per element in the region |
///
/// The bench `picking` measures them over 5,000 instances of 5,800 triangles at 2560 x 1440.
///
/// ```
/// use std::sync::Arc;
///
/// use hitscan_picking::{Camera, PickOptions, Picker, Viewport};
/// use hitscan_primitives::generate;
/// use hitscan_scene::{Instance, Mesh, Scene, glam::DAffine3};
///
/// let cube = Arc::new(Mesh::new(generate::cuboid(2.0, 2.0, 2.0, 0)?, &Default::default()));
/// let mut scene = Scene::new();
/// let id = scene.insert(Instance::new(cube, DAffine3::IDENTITY))?;
/// let view = Camera::look_at([0.0, 0.0, 9.0], [0.0; 3]).view(Viewport::from_size(800.0, 600.0))?;
///
/// let pick = Picker::new(&scene, &view).pick([400.0, 300.0], &PickOptions::default());
/// assert_eq!(pick.map(|pick| (pick.instance, pick.point.z)), Some((id, 1.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Picker<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) view: &'a View,
}

impl<'a> Picker<'a> {
    /// Creates a picker for `scene` as `view` shows it. O(1).
    pub fn new(scene: &'a Scene, view: &'a View) -> Self {
        Self { scene, view }
    }

    /// The scene.
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The view.
    pub fn view(&self) -> &'a View {
        self.view
    }

    /// The element nearest to the cursor on the screen. Ties go to the element in front, then to the
    /// minimum instance and element. `None` if no element is within the radius or the pixel is not finite.
    ///
    /// When to use: for hovering and clicking. See also [`pick_all`](Self::pick_all) for what lies behind,
    /// [`ClickCycle`](crate::ClickCycle) for repeated clicks, and [`snap`](Self::snap) for points.
    ///
    /// [`Scene::closest_hit`] finds an object or face under the cursor. For other elements, the search
    /// traverses the trees of all instances near the cursor: within a small part of the radius first, then
    /// further. It tests candidates, nearest first, until one is visible: no surface lies between its
    /// nearest point and the near plane. Each test costs one occlusion ray.
    pub fn pick(&self, pixel: impl Into<[f64; 2]>, options: &PickOptions<'_>) -> Option<Pick> {
        let cursor = DVec2::from(pixel.into());
        let target = SearchTarget::from(options.kind);
        self.nearest(cursor, target, options.radius, options.x_ray, &options.query)
    }

    /// All elements under and near the cursor, through all surfaces.
    ///
    /// When to use: for menus of everything below the pointer. See also [`ClickCycle`](crate::ClickCycle),
    /// which steps through it.
    ///
    /// The elements under the cursor come first, in order along its ray. The elements within the radius
    /// follow, in the order of [`pick`](Self::pick). Each element occurs once. Ignores
    /// [`PickOptions::x_ray`] and [`QueryOptions::mode`].
    pub fn pick_all(&self, pixel: impl Into<[f64; 2]>, options: &PickOptions<'_>) -> Vec<Pick> {
        let cursor = DVec2::from(pixel.into());
        let mut picks: Vec<Pick> = vec![];
        if has_area(options.kind) {
            let ray = self.view.ray(cursor);
            let query = QueryOptions { mode: HitMode::EveryTriangle, ..options.query };
            let hits = self.scene.all_hits(&ray, &query);
            picks.extend(hits.iter().filter_map(|hit| self.pick_of_hit(cursor, options.kind, hit)));
        }
        let near = self.candidates(cursor, options.kind.into(), options.radius, &options.query);
        picks.extend(near.iter().map(|candidate| self.pick_of_candidate(candidate)));
        let mut listed = HashSet::new();
        picks.retain(|pick| listed.insert((pick.instance, pick.element)));
        picks
    }

    /// The point to snap to: the nearest point of the first target kind that has one within the radius.
    /// `None` if no target kind has one. At most one [`pick`](Self::pick) per target kind.
    ///
    /// When to use: for tools that place points. See also [`pick`](Self::pick), which picks objects and
    /// faces.
    pub fn snap(&self, pixel: impl Into<[f64; 2]>, options: &SnapOptions<'_>) -> Option<Snap> {
        let cursor = DVec2::from(pixel.into());
        options.targets.iter().find_map(|&target| {
            let SnapOptions { radius, x_ray, ref query, .. } = *options;
            let pick = self.nearest(cursor, target.into(), radius, x_ray, query)?;
            Some(Snap { target, pick })
        })
    }

    /// Whether a point in world space is visible: in the viewport, between the near and far planes, and
    /// behind no surface that the query includes. One occlusion ray.
    ///
    /// When to use: for labels and handles. See also [`select`](Self::select), which can leave out hidden
    /// elements.
    ///
    /// A surface hides the point only if it is nearer by more than a tolerance, because hits are no more
    /// exact. The tolerance is 2^-20 of the sum of two lengths: the point's distance, and the extent of the
    /// surface's mesh from the mesh's origin.
    pub fn is_visible(&self, point: impl Into<[f64; 3]>, query: &QueryOptions<'_>) -> bool {
        let point = DVec3::from(point.into());
        self.view
            .project(point)
            .is_some_and(|image| self.sight(query).is_unobstructed(point, image.pixel, |_| true))
    }

    fn nearest(
        &self,
        cursor: DVec2,
        target: SearchTarget,
        radius: f64,
        x_ray: bool,
        query: &QueryOptions<'_>,
    ) -> Option<Pick> {
        if let SearchTarget::Object | SearchTarget::Face = target {
            let kind =
                if target == SearchTarget::Face { ElementKind::Face } else { ElementKind::Object };
            let ray = self.view.ray(cursor);
            let hit = self.scene.closest_hit(&ray, query);
            if let Some(pick) = hit.and_then(|hit| self.pick_of_hit(cursor, kind, &hit)) {
                return Some(pick);
            }
        }
        // Most answers are within a small part of the radius. A search within it is complete up to a little
        // less, because the projection rounds.
        let mut tested = f64::NEG_INFINITY;
        search_fractions(target).iter().find_map(|&fraction| {
            let candidates = self.candidates(cursor, target, fraction * radius, query);
            let complete = if fraction == 1.0 { radius } else { fraction * radius * (1.0 - 1e-3) };
            let untested = tested;
            tested = complete;
            let first = candidates.iter().find(|candidate| {
                candidate.near.distance > untested
                    && candidate.near.distance <= complete
                    && (x_ray || self.is_candidate_visible(candidate, query))
            })?;
            Some(self.pick_of_candidate(first))
        })
    }

    /// The elements near the cursor, visible or hidden, sorted by distance.
    fn candidates(
        &self,
        cursor: DVec2,
        target: SearchTarget,
        radius: f64,
        query: &QueryOptions<'_>,
    ) -> Vec<Candidate> {
        let mut candidates = vec![];
        if radius.is_nan() || radius < 0.0 || !cursor.is_finite() {
            return candidates;
        }
        let has_area = matches!(target, SearchTarget::Object | SearchTarget::Face);
        if has_area && radius == 0.0 {
            return candidates;
        }
        let frustum = ScreenFrustum::new(self.view.map(), cursor - radius, cursor + radius);
        self.for_each_mesh_in(&frustum, query, |instance, to_view, mesh| {
            let map = self.view.map().in_local_space(&to_view);
            let projected = ProjectedMesh { mesh: mesh.tri_mesh(), bvh: mesh.bvh(), map };
            let nearby = near_pixel(&projected, cursor, radius, query.faces, target);
            candidates.extend(nearby.into_iter().map(|near| Candidate { instance, to_view, near }));
        });
        candidates.sort_unstable_by(|a, b| {
            let by_distance = a.near.distance.total_cmp(&b.near.distance);
            by_distance
                .then(a.near.depth.total_cmp(&b.near.depth))
                .then(a.instance.cmp(&b.instance))
                .then(a.near.element.cmp(&b.near.element))
        });
        candidates
    }

    /// Calls `on_mesh` with every instance that has a mesh, is included by the query and may be in the
    /// frustum: its handle, its transform to the space of the view, its mesh.
    pub(crate) fn for_each_mesh_in(
        &self,
        frustum: &ScreenFrustum,
        query: &QueryOptions<'_>,
        mut on_mesh: impl FnMut(InstanceId, DAffine3, &'a Mesh),
    ) {
        let origin = self.view.origin();
        let _: ControlFlow<()> = self.scene.visit(
            query,
            |bounds| !frustum.misses(bounds.min - origin, bounds.max - origin),
            |id| {
                let mesh = self.scene.get(id).and_then(|instance| instance.mesh.as_deref());
                if let (Some(mesh), Some(world)) = (mesh, self.scene.mesh_to_world(id)) {
                    let translation = world.translation - origin;
                    on_mesh(id, DAffine3 { translation, ..world }, mesh);
                }
                ControlFlow::Continue(())
            },
        );
    }

    /// The pick for a hit of the cursor's ray.
    fn pick_of_hit(&self, cursor: DVec2, kind: ElementKind, hit: &SceneHit) -> Option<Pick> {
        let mesh = self.scene.get(hit.instance)?.mesh.as_deref()?;
        let world = self.scene.mesh_to_world(hit.instance)?;
        let element = match kind {
            ElementKind::Face => Element::Face(mesh.tri_mesh().polygon_of(hit.triangle())),
            _ => Element::Object,
        };
        Some(Pick {
            instance: hit.instance,
            element,
            point: world.transform_point3(mesh.tri_mesh().point(&hit.local)),
            pixel: cursor,
            pixel_distance: 0.0,
            distance: hit.t,
            hit: Some(*hit),
        })
    }

    /// The pick for a candidate near the cursor.
    fn pick_of_candidate(&self, candidate: &Candidate) -> Pick {
        let Candidate { instance, to_view, near } = candidate;
        let point = to_view.transform_point3(near.point);
        let distance = self
            .view
            .line_of_sight(near.pixel)
            .map_or(0.0, |(origin, direction, _)| (point - origin).dot(direction));
        Pick {
            instance: *instance,
            element: near.element,
            point: self.view.origin() + point,
            pixel: near.pixel,
            pixel_distance: near.distance,
            distance: distance.max(0.0),
            hit: None,
        }
    }

    fn is_candidate_visible(&self, candidate: &Candidate, query: &QueryOptions<'_>) -> bool {
        let Candidate { instance, to_view, near } = *candidate;
        let NearbyElement { point, pixel, feature, .. } = near;
        let at = FeaturePoint { instance, to_view, point, pixel, feature };
        self.sight(query).is_feature_visible(&at)
    }

    /// The scene as the view shows it, restricted to the instances of a query.
    pub(crate) fn sight<'b>(&'b self, query: &'b QueryOptions<'b>) -> Sight<'b> {
        Sight { scene: self.scene, view: self.view, query }
    }
}

/// The parts of the radius that a search for the nearest element covers, one after the other. Points are farther
/// apart than lines: a first search within a 32nd would make hovers of vertices a tenth slower (bench `picking`).
fn search_fractions(target: SearchTarget) -> &'static [f64] {
    const FRACTIONS: [f64; 4] = [1.0 / 32.0, 1.0 / 8.0, 1.0 / 2.0, 1.0];
    match target {
        SearchTarget::Vertex | SearchTarget::EdgeMidpoint => &FRACTIONS[1..],
        SearchTarget::Object | SearchTarget::Face | SearchTarget::Edge => &FRACTIONS,
    }
}

/// An element near the cursor, with its instance.
struct Candidate {
    instance: InstanceId,
    to_view: DAffine3,
    near: NearbyElement,
}

/// Whether elements of a kind have an area, so that a ray can hit them.
fn has_area(kind: ElementKind) -> bool {
    matches!(kind, ElementKind::Object | ElementKind::Face)
}

impl From<ElementKind> for SearchTarget {
    fn from(kind: ElementKind) -> Self {
        match kind {
            ElementKind::Object => Self::Object,
            ElementKind::Face => Self::Face,
            ElementKind::Edge => Self::Edge,
            ElementKind::Vertex => Self::Vertex,
        }
    }
}

impl From<SnapTarget> for SearchTarget {
    fn from(target: SnapTarget) -> Self {
        match target {
            SnapTarget::Vertex => Self::Vertex,
            SnapTarget::EdgeMidpoint => Self::EdgeMidpoint,
            SnapTarget::Edge => Self::Edge,
            SnapTarget::Face => Self::Face,
        }
    }
}

#[cfg(test)]
mod tests;
