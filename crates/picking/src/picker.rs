//! Picking and snapping: what is under the cursor or near it.

use std::{collections::HashSet, ops::ControlFlow};

use glam::{DAffine3, DVec2, DVec3};
use hitscan_primitives::HitMode;
use hitscan_scene::{InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldRay};

use crate::{
    element::{Element, ElementKind},
    near_pixel::{Feature, NearbyElement, SearchTarget, near_pixel},
    pick::{Pick, PickOptions, Snap, SnapOptions, SnapTarget},
    projected_mesh::ProjectedMesh,
    screen_frustum::ScreenFrustum,
    view::View,
};

/// Asks what is seen of a scene through a view: at a pixel here, in a region with
/// [`Picker::select`].
///
/// It borrows both and keeps nothing, so it is made anew for each question.
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
    /// Asks about `scene` as `view` shows it.
    pub fn new(scene: &'a Scene, view: &'a View) -> Self {
        Self { scene, view }
    }

    /// The scene asked about.
    pub fn scene(&self) -> &'a Scene {
        self.scene
    }

    /// The view asked through.
    pub fn view(&self) -> &'a View {
        self.view
    }

    /// The element that is seen nearest to the cursor; of several, the one in front, then the one with
    /// the least instance and element. `None` if none is within the radius.
    ///
    /// An object or face under the cursor is found by a ray, which answers as
    /// [`Scene::closest_hit`] does. The rest is found by walking the trees of all instances about
    /// the cursor; candidates are then tried, nearest first, until one is visible: if no surface is
    /// before its nearest point, seen from the near plane.
    pub fn pick(&self, pixel: impl Into<[f64; 2]>, options: &PickOptions<'_>) -> Option<Pick> {
        let cursor = DVec2::from(pixel.into());
        let target = SearchTarget::from(options.kind);
        self.nearest(cursor, target, options.radius, options.x_ray, &options.query)
    }

    /// All elements under and about the cursor, as if every surface were glass: those under it along
    /// its ray, each once, then those beside it by their distance on the screen, as in
    /// [`pick`](Self::pick). [`PickOptions::x_ray`] is taken for true.
    pub fn pick_all(&self, pixel: impl Into<[f64; 2]>, options: &PickOptions<'_>) -> Vec<Pick> {
        let cursor = DVec2::from(pixel.into());
        let mut picks: Vec<Pick> = vec![];
        if has_area(options.kind) {
            let ray = self.view.ray(cursor);
            let hits = self.scene.all_hits(&ray, &options.query, HitMode::Closed);
            picks.extend(
                hits.iter().filter_map(|hit| self.pick_of_hit(cursor, &ray, options.kind, hit)),
            );
        }
        let near = self.candidates(cursor, options.kind.into(), options.radius, &options.query);
        picks.extend(near.iter().map(|candidate| self.pick_of_candidate(candidate)));
        let mut seen = HashSet::new();
        picks.retain(|pick| seen.insert((pick.instance, pick.element)));
        picks
    }

    /// The point to snap to: the nearest of the first kind of target that has one within the radius.
    pub fn snap(&self, pixel: impl Into<[f64; 2]>, options: &SnapOptions<'_>) -> Option<Snap> {
        let cursor = DVec2::from(pixel.into());
        options.targets.iter().find_map(|&target| {
            let SnapOptions { radius, x_ray, ref query, .. } = *options;
            let pick = self.nearest(cursor, target.into(), radius, x_ray, query)?;
            Some(Snap { target, pick })
        })
    }

    /// Whether a point of the world is seen: within the viewport and between the planes, and no
    /// surface that the query sees is before it. A surface within a millionth of the distance, and of
    /// the reach of its mesh from its own origin, counts as being at the point.
    pub fn is_visible(&self, point: impl Into<[f64; 3]>, query: &QueryOptions<'_>) -> bool {
        let point = DVec3::from(point.into());
        self.view
            .project(point)
            .is_some_and(|seen| self.is_unobstructed(point, seen.pixel, query, |_| true))
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
            if let Some(pick) = hit.and_then(|hit| self.pick_of_hit(cursor, &ray, kind, &hit)) {
                return Some(pick);
            }
        }
        let candidates = self.candidates(cursor, target, radius, query);
        let first = candidates.iter().find(|candidate| x_ray || self.sees(candidate, query));
        first.map(|candidate| self.pick_of_candidate(candidate))
    }

    /// The elements beside the cursor, hidden or not, the nearest first.
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
            let map = self.view.map().from_local(&to_view);
            let projected = ProjectedMesh { mesh: mesh.tri_mesh(), bvh: mesh.bvh(), map };
            let found = near_pixel(&projected, cursor, radius, query.faces, target);
            candidates.extend(found.into_iter().map(|near| Candidate { instance, to_view, near }));
        });
        candidates.sort_unstable_by(|a, b| {
            let by_place = a.near.distance.total_cmp(&b.near.distance);
            by_place
                .then(a.near.depth.total_cmp(&b.near.depth))
                .then(a.instance.cmp(&b.instance))
                .then(a.near.element.cmp(&b.near.element))
        });
        candidates
    }

    /// Calls `found` with every instance that has a mesh, is seen by the query and may be in the
    /// frustum: its handle, its transform into the space of the view, its mesh.
    pub(crate) fn for_each_mesh_in(
        &self,
        frustum: &ScreenFrustum,
        query: &QueryOptions<'_>,
        mut found: impl FnMut(InstanceId, DAffine3, &'a Mesh),
    ) {
        let origin = self.view.origin();
        let _: ControlFlow<()> = self.scene.visit(
            query,
            |bounds| !frustum.misses(bounds.min - origin, bounds.max - origin),
            |id| {
                let mesh = self.scene.get(id).and_then(|instance| instance.mesh.as_deref());
                if let (Some(mesh), Some(world)) = (mesh, self.scene.world_transform(id)) {
                    let translation = world.translation - origin;
                    found(id, DAffine3 { translation, ..world }, mesh);
                }
                ControlFlow::Continue(())
            },
        );
    }

    /// A pick of what the cursor's ray hits.
    fn pick_of_hit(
        &self,
        cursor: DVec2,
        ray: &WorldRay,
        kind: ElementKind,
        hit: &SceneHit,
    ) -> Option<Pick> {
        let mesh = self.scene.get(hit.instance)?.mesh.as_deref()?;
        let world = self.scene.world_transform(hit.instance)?;
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
            distance: hit.t - ray.t_min,
            hit: Some(*hit),
        })
    }

    /// A pick of what is beside the cursor.
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

    fn sees(&self, candidate: &Candidate, query: &QueryOptions<'_>) -> bool {
        let Candidate { instance, to_view, near } = candidate;
        self.sees_feature(*instance, to_view, (near.point, near.pixel), near.feature, query)
    }

    /// Whether a point of a feature of an instance is seen, given where that would be: nothing is before
    /// it but triangles that it is itself a point of.
    pub(crate) fn sees_feature(
        &self,
        instance: InstanceId,
        to_view: &DAffine3,
        (point, pixel): (DVec3, DVec2),
        feature: Feature,
        query: &QueryOptions<'_>,
    ) -> bool {
        let Some(mesh) = self.scene.get(instance).and_then(|instance| instance.mesh.as_deref())
        else {
            return false;
        };
        let mesh = mesh.tri_mesh();
        let point = self.view.origin() + to_view.transform_point3(point);
        self.is_unobstructed(point, pixel, query, |hit| {
            hit.instance != instance || !feature.is_part_of(mesh, hit.triangle())
        })
    }

    /// Whether a point that would be seen at `pixel` is in the picture, and no hit that counts is
    /// before it.
    fn is_unobstructed(
        &self,
        point: DVec3,
        pixel: DVec2,
        query: &QueryOptions<'_>,
        mut counts: impl FnMut(&SceneHit) -> bool,
    ) -> bool {
        let viewport = self.view.viewport();
        if pixel.cmplt(viewport.min).any() || pixel.cmpgt(viewport.max()).any() {
            return false;
        }
        let ray = self.view.ray(pixel);
        let distance = (point - ray.origin).dot(ray.direction);
        if distance <= 0.0 {
            return true;
        }
        let is_before = |hit: &SceneHit| {
            let tolerance =
                VISIBILITY_TOLERANCE * (distance + self.extent_from_origin(hit.instance));
            hit.t < distance - tolerance && counts(hit)
        };
        // As far as anything can be before it: much may lie in one place with the point.
        let end = distance * (1.0 - 0.5 * VISIBILITY_TOLERANCE);
        !self.scene.is_occluded_where(&ray.with_range(0.0, end), query, is_before)
    }

    /// About how far an instance reaches from the origin of its mesh, in world units: f32 rounds its
    /// coordinates, and what hits it, in proportion to that.
    fn extent_from_origin(&self, id: InstanceId) -> f64 {
        let mesh = self.scene.get(id).and_then(|instance| instance.mesh.as_deref());
        let (Some(mesh), Some(world)) = (mesh, self.scene.world_transform(id)) else { return 0.0 };
        let coordinate = f64::from(mesh.tri_mesh().bounds().max_abs_coordinate());
        (world.matrix3.abs() * DVec3::splat(coordinate)).max_element()
    }
}

/// What is nearer to a point than this share of its distance, and of the reach of what is hit, does
/// not hide it: hits are no more exact.
const VISIBILITY_TOLERANCE: f64 = 1.0 / (1 << 20) as f64;

/// An element beside the cursor with its instance.
struct Candidate {
    instance: InstanceId,
    to_view: DAffine3,
    near: NearbyElement,
}

/// Whether a ray can hit elements of a kind.
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
