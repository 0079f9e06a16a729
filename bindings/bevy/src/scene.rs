//! The queries of an editor, as a system parameter.

use hitscan::{
    glam::{DAffine3, DMat4, DVec3},
    picking::{
        ClickCycle, Convention, Pick, PickOptions, Picker, ScreenRegion, ScreenRegionError,
        SelectOptions, Selected, SnapOptions, View, ViewError, Viewport,
    },
    scene::{InstanceId, QueryOptions, Scene, SceneHit, WorldRegion},
};

use crate::{
    bevy_api::{
        Camera, Entity, GlobalTransform, Query, Ray3d, RayCastVisibility, RenderLayers,
        SystemParam, Vec2, Vec3,
    },
    cast::{CastOptions, Caster},
    convert,
    hit::{Attributes, HitTriangle, HitscanHit},
    included::Included,
    lines::{LinePickOptions, Lines, SceneLinePick},
    mirror::Mirror,
    reach::Reach,
    scene_query::{SceneClosestPoint, SceneFilter, ScenePick, SceneSelected, SceneSnap},
};

/// The queries of an editor over the entities with meshes: rays, picks, marquee and lasso, snapping, closest
/// points and regions.
///
/// Pixels are logical pixels from the top left of the camera's target, as `Window::cursor_position` returns
/// them. A query through a camera that does not exist, has no size, or has no near plane before it finds
/// nothing; [`view`](Self::view) tells why.
///
/// Queries through a camera, [`closest_point`](Self::closest_point) and queries by region answer from trees
/// alone: an entity whose tree is not ready is not found, and a changed mesh counts as it was. They move the
/// vertices of the skinned and morphed entities in their reach. Rays do as the picking backend does.
///
/// All queries read, so that systems ask side by side, and a query may be asked within a rule of another. The parameter
/// reads `Assets<Mesh>`: a system that also changes meshes takes both in a `ParamSet`.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::Vec2;
/// use hitscan_bevy::{HitscanScene, SceneFilter, hitscan::picking::SelectOptions};
///
/// fn select_all(scene: HitscanScene, camera: Single<Entity, With<bevy_camera::Camera3d>>) {
///     let (corner, opposite) = (Vec2::ZERO, Vec2::new(1920.0, 1080.0));
///     let options = SelectOptions::default();
///     for selected in scene.marquee(*camera, corner, opposite, &options, &SceneFilter::default()) {
///         println!("{}", selected.entity);
///     }
/// }
/// # let mut app = bevy_app::App::new();
/// # app.add_systems(bevy_app::Update, select_all);
/// ```
#[derive(SystemParam)]
pub struct HitscanScene<'w, 's> {
    included: Included<'w, 's>,
    lines: Lines<'w, 's>,
    cameras:
        Query<'w, 's, (&'static Camera, &'static GlobalTransform, Option<&'static RenderLayers>)>,
}

/// Rays.
impl HitscanScene<'_, '_> {
    /// The ray of a pixel; `None` without such a camera or size.
    pub fn ray(&self, camera: Entity, pixel: Vec2) -> Option<Ray3d> {
        let (camera, transform, _) = self.cameras.get(camera).ok()?;
        camera.viewport_to_world(transform, pixel).ok()
    }

    /// The nearest hit of a ray.
    pub fn closest(&self, ray: Ray3d, filter: &SceneFilter<'_>) -> Option<HitscanHit> {
        self.cast(ray, filter, false).into_iter().next()
    }

    /// Every crossing of a ray with a surface, nearest first.
    pub fn all(&self, ray: Ray3d, filter: &SceneFilter<'_>) -> Vec<HitscanHit> {
        self.cast(ray, filter, true)
    }

    fn cast(&self, ray: Ray3d, filter: &SceneFilter<'_>, lists_crossings: bool) -> Vec<HitscanHit> {
        let accepts = |entity| self.included.accepts(entity, filter, filter.layers);
        let visibility = match filter.include_hidden {
            true => RayCastVisibility::Any,
            false => RayCastVisibility::Visible,
        };
        let options = CastOptions {
            visibility,
            filter: &accepts,
            blocks: &|_| !lists_crossings,
            faces: filter.faces,
            accept_hit: filter.accept_hit,
            lists_crossings,
        };
        let mut hits = vec![];
        self.included.caster.cast(ray, &options, &mut hits);
        hits
    }
}

/// Queries through a camera.
impl HitscanScene<'_, '_> {
    /// The view of a camera, for all that [`hitscan::picking`] does with pixels; `None` without such a
    /// camera, or before it has a size.
    ///
    /// # Errors
    /// A projection that maps a volume to a point, or a near plane behind the camera.
    pub fn view(&self, camera: Entity) -> Option<Result<View, ViewError>> {
        let (camera, transform, _) = self.cameras.get(camera).ok()?;
        let rect = camera.logical_viewport_rect()?;
        let world_from_view = convert::daffine3(transform);
        let origin = world_from_view.translation;
        let rotation = DAffine3 { translation: DVec3::ZERO, ..world_from_view };
        let to_clip = convert::dmat4(&camera.clip_from_view()) * DMat4::from(rotation.inverse());
        let viewport =
            Viewport { min: convert::dvec2(rect.min), size: convert::dvec2(rect.size()) };
        Some(View::relative_to(origin, to_clip, viewport, Convention::BEVY))
    }

    /// The element nearest to the cursor: objects and faces under it, edges and vertices beside it.
    /// `filter` replaces the options' `query`.
    pub fn pick(
        &self,
        camera: Entity,
        pixel: Vec2,
        options: &PickOptions<'_>,
        filter: &SceneFilter<'_>,
    ) -> Option<ScenePick> {
        self.around(camera, pixel, options.radius, filter, |seen| {
            let options = PickOptions { query: seen.query, ..*options };
            seen.pick(seen.picker.pick(convert::dvec2(pixel), &options)?)
        })?
    }

    /// All elements under and near the cursor, through all surfaces.
    pub fn pick_all(
        &self,
        camera: Entity,
        pixel: Vec2,
        options: &PickOptions<'_>,
        filter: &SceneFilter<'_>,
    ) -> Vec<ScenePick> {
        self.around(camera, pixel, options.radius, filter, |seen| {
            let options = PickOptions { query: seen.query, ..*options };
            let picks = seen.picker.pick_all(convert::dvec2(pixel), &options);
            picks.into_iter().filter_map(|pick| seen.pick(pick)).collect()
        })
        .unwrap_or_default()
    }

    /// A click: the front element at first, and the next one behind it with each further click at the same
    /// position. Keep one [`ClickCycle`] per viewport.
    pub fn click(
        &self,
        cycle: &mut ClickCycle,
        camera: Entity,
        pixel: Vec2,
        options: &PickOptions<'_>,
        filter: &SceneFilter<'_>,
    ) -> Option<ScenePick> {
        self.around(camera, pixel, options.radius, filter, |seen| {
            let options = PickOptions { query: seen.query, ..*options };
            seen.pick(cycle.click(&seen.picker, convert::dvec2(pixel), &options)?)
        })?
    }

    /// The point to snap to: the nearest point of the first target kind that has one within the radius.
    pub fn snap(
        &self,
        camera: Entity,
        pixel: Vec2,
        options: &SnapOptions<'_>,
        filter: &SceneFilter<'_>,
    ) -> Option<SceneSnap> {
        self.around(camera, pixel, options.radius, filter, |seen| {
            let options = SnapOptions { query: seen.query, ..*options };
            let snap = seen.picker.snap(convert::dvec2(pixel), &options)?;
            Some(SceneSnap { target: snap.target, pick: seen.pick(snap.pick)? })
        })?
    }

    /// The elements in the rectangle between two pixels, sorted by the index of their entity.
    pub fn marquee(
        &self,
        camera: Entity,
        corner: Vec2,
        opposite: Vec2,
        options: &SelectOptions<'_>,
        filter: &SceneFilter<'_>,
    ) -> Vec<SceneSelected> {
        ScreenRegion::rectangle(convert::dvec2(corner), convert::dvec2(opposite))
            .map_or_else(|_| vec![], |region| self.select(camera, &region, options, filter))
    }

    /// The elements within an outline of pixels, whose last corner joins the first.
    ///
    /// # Errors
    /// Fewer than three corners, or one that is not finite.
    pub fn lasso(
        &self,
        camera: Entity,
        outline: impl IntoIterator<Item = Vec2>,
        options: &SelectOptions<'_>,
        filter: &SceneFilter<'_>,
    ) -> Result<Vec<SceneSelected>, ScreenRegionError> {
        let region = ScreenRegion::lasso(outline.into_iter().map(convert::dvec2))?;
        Ok(self.select(camera, &region, options, filter))
    }

    /// The elements in a region of the screen.
    pub fn select(
        &self,
        camera: Entity,
        region: &ScreenRegion,
        options: &SelectOptions<'_>,
        filter: &SceneFilter<'_>,
    ) -> Vec<SceneSelected> {
        let reach = |view: &View| Reach::behind(view, region.min(), region.max(), 0.0);
        self.through(camera, reach, filter, |seen| {
            let options = SelectOptions { query: seen.query, ..*options };
            let selected = seen.picker.select(region, &options).into_iter();
            let mut selected: Vec<SceneSelected> =
                selected.filter_map(|selected| seen.selected(selected)).collect();
            selected.sort_by_key(|selected| selected.entity.index_u32());
            selected
        })
        .unwrap_or_default()
    }

    /// Whether a camera sees a point: it is in the viewport, and no surface lies before it.
    pub fn is_visible(&self, camera: Entity, point: Vec3, filter: &SceneFilter<'_>) -> bool {
        let point = convert::dvec3(point);
        let reach = |view: &View| {
            let pixel = view.project(point).map(|projected| projected.pixel);
            // A point that the camera does not see needs nothing.
            pixel.map_or_else(|| Reach::around(point, 0.0), |at| Reach::behind(view, at, at, 0.0))
        };
        self.through(camera, reach, filter, |seen| seen.picker.is_visible(point, &seen.query))
            .unwrap_or(false)
    }

    /// The point or line of a [`HitscanLines`](crate::HitscanLines) nearest to the cursor on the screen.
    pub fn pick_line(
        &self,
        camera: Entity,
        pixel: Vec2,
        options: &LinePickOptions,
        filter: &SceneFilter<'_>,
    ) -> Option<SceneLinePick> {
        let view = self.view(camera)?.ok()?;
        let (.., camera_layers) = self.cameras.get(camera).ok()?;
        let default = RenderLayers::default();
        let layers = filter.layers.or(camera_layers).unwrap_or(&default);
        let at = (convert::dvec2(pixel), f64::from(options.radius));
        let accepts = |entity| self.included.accepts(entity, filter, Some(layers));
        // The rule is for lines, and surfaces hide them whether or not it accepts these.
        let SceneFilter { ignore, layers: own, .. } = *filter;
        let hiding = SceneFilter { ignore, layers: own, ..SceneFilter::default() };
        let sees =
            |point| !options.visible_only || self.is_visible(camera, convert::vec3(point), &hiding);
        self.lines.pick(&view, at, filter.include_hidden, accepts, sees)
    }

    /// A query of what lies behind the pixels within a radius.
    fn around<T>(
        &self,
        camera: Entity,
        pixel: Vec2,
        radius: f64,
        filter: &SceneFilter<'_>,
        query: impl FnOnce(Seen<'_>) -> T,
    ) -> Option<T> {
        let pixel = convert::dvec2(pixel);
        self.through(camera, |view| Reach::behind(view, pixel, pixel, radius), filter, query)
    }

    fn through<T>(
        &self,
        camera: Entity,
        reach: impl FnOnce(&View) -> Reach,
        filter: &SceneFilter<'_>,
        query: impl FnOnce(Seen<'_>) -> T,
    ) -> Option<T> {
        let view = self.view(camera)?.ok()?;
        let (.., camera_layers) = self.cameras.get(camera).ok()?;
        let default = RenderLayers::default();
        let layers = filter.layers.or(camera_layers).unwrap_or(&default);
        Some(self.included.query(&reach(&view), filter, Some(layers), |scene, options| {
            let picker = Picker::new(scene, &view);
            query(Seen { picker, query: options, caster: &self.included.caster })
        }))
    }
}

/// Queries in space.
impl HitscanScene<'_, '_> {
    /// The closest surface point within a distance.
    pub fn closest_point(
        &self,
        point: Vec3,
        max_distance: f32,
        filter: &SceneFilter<'_>,
    ) -> Option<SceneClosestPoint> {
        let point = convert::dvec3(point);
        let mirror = self.mirror();
        let reach = Reach::around(point, max_distance.into());
        self.included.query(&reach, filter, filter.layers, |scene, options| {
            let closest = scene.closest_point(point, max_distance.into(), &options)?;
            let entity = mirror.owner(closest.instance)?;
            Some(SceneClosestPoint {
                entity,
                triangle: mirror.number(entity, closest.triangle),
                point: convert::vec3(closest.point),
                distance: closest.distance as f32,
            })
        })
    }

    /// The entities whose triangles touch a region, sorted by index.
    pub fn overlapping(&self, region: &WorldRegion, filter: &SceneFilter<'_>) -> Vec<Entity> {
        self.entities(&Reach::of_region(region), filter, |scene, options| {
            scene.instances_overlapping(region, &options)
        })
    }

    /// The entities that lie within a region, sorted by index.
    pub fn within(&self, region: &WorldRegion, filter: &SceneFilter<'_>) -> Vec<Entity> {
        self.entities(&Reach::of_region(region), filter, |scene, options| {
            scene.instances_within(region, &options)
        })
    }

    /// The entities whose closed meshes contain a point, sorted by index.
    pub fn containing(&self, point: Vec3, filter: &SceneFilter<'_>) -> Vec<Entity> {
        let point = convert::dvec3(point);
        self.entities(&Reach::around(point, 0.0), filter, |scene, options| {
            scene.instances_containing(point, &options)
        })
    }

    fn entities(
        &self,
        reach: &Reach,
        filter: &SceneFilter<'_>,
        query: impl FnOnce(&Scene, QueryOptions<'_>) -> Vec<InstanceId>,
    ) -> Vec<Entity> {
        let ids = self.included.query(reach, filter, filter.layers, query);
        let mut entities: Vec<Entity> =
            ids.into_iter().filter_map(|id| self.mirror().owner(id)).collect();
        entities.sort_by_key(|entity| entity.index_u32());
        entities
    }
}

/// Snapshots.
impl HitscanScene<'_, '_> {
    /// A snapshot of the scene with the skinned and morphed entities in their current poses, for queries on another
    /// thread. [`HitscanWorld`](crate::HitscanWorld) has the entities of its instances.
    pub fn snapshot(&self) -> Scene {
        self.included.snapshot()
    }

    fn mirror(&self) -> &Mirror {
        self.included.mirror()
    }
}

/// The scene as a camera sees it, and the entities of its instances.
struct Seen<'a> {
    picker: Picker<'a>,
    query: QueryOptions<'a>,
    caster: &'a Caster<'a, 'a>,
}

impl Seen<'_> {
    fn mirror(&self) -> &Mirror {
        &self.caster.world.mirror
    }

    fn pick(&self, pick: Pick) -> Option<ScenePick> {
        Some(ScenePick {
            entity: self.mirror().owner(pick.instance)?,
            element: pick.element,
            point: convert::vec3(pick.point),
            pixel: convert::vec2(pick.pixel),
            pixel_distance: pick.pixel_distance as f32,
            distance: pick.distance as f32,
            hit: pick.hit.and_then(|hit| self.hit(&hit)),
        })
    }

    fn hit(&self, hit: &SceneHit) -> Option<HitscanHit> {
        let scene = self.picker.scene();
        let entity = self.mirror().owner(hit.instance)?;
        let known = self.mirror().get(entity)?;
        let tri_mesh = scene.get(hit.instance)?.mesh.as_deref()?.tri_mesh();
        let attributes =
            self.caster.meshes.get(known.mesh).map(Attributes::new).unwrap_or_default();
        let triangle = HitTriangle {
            entity,
            tri_mesh,
            placement: scene.mesh_to_world(hit.instance)?,
            attributes: if known.is_posed() { attributes.posed() } else { attributes },
            hit: hit.local,
            number: self.mirror().number(entity, hit.triangle()),
            distance: hit.t as f32,
            vertices: tri_mesh.triangles()[hit.triangle() as usize],
        };
        Some(triangle.describe(&triangle.corners()))
    }

    fn selected(&self, selected: Selected) -> Option<SceneSelected> {
        let entity = self.mirror().owner(selected.instance)?;
        Some(SceneSelected { entity, element: selected.element })
    }
}
