//! Picking, snapping and selecting elements of a scene through a view.

use engine::picking::{
    Element, ElementKind, Pick, PickOptions, Picker, RegionMode, ScreenRegion, SelectOptions,
    Selected, SnapOptions, SnapTarget,
};

use crate::{
    bvh::{Progress, cancelled, hitscan_progress},
    bvh_lists::ListOut,
    call::entry,
    memory::{Caller, plain, zeros},
    options::{
        HITSCAN_NO_INSTANCE, SceneOptions, flag, hitscan_instance_id, hitscan_query_options, id_of,
    },
    rays::{hitscan_scene_hit, point},
    scene::hitscan_scene,
    status::{Failure, hitscan_status, invalid, refused},
    view::{hitscan_view, pixel},
};

/// A kind of element.
pub type hitscan_element_kind = u32;

/// Whole instances.
pub const HITSCAN_OBJECT: hitscan_element_kind = 0;
/// Polygons; without records, triangles.
pub const HITSCAN_FACE: hitscan_element_kind = 1;
/// Edges of polygons.
pub const HITSCAN_EDGE: hitscan_element_kind = 2;
/// Vertices.
pub const HITSCAN_VERTEX: hitscan_element_kind = 3;

/// A kind of point to snap to.
pub type hitscan_snap_target = u32;

/// A vertex.
pub const HITSCAN_SNAP_VERTEX: hitscan_snap_target = 0;
/// The midpoint of an edge.
pub const HITSCAN_SNAP_EDGE_MIDPOINT: hitscan_snap_target = 1;
/// The point of an edge nearest to the cursor.
pub const HITSCAN_SNAP_EDGE: hitscan_snap_target = 2;
/// The point of a surface under the cursor.
pub const HITSCAN_SNAP_FACE: hitscan_snap_target = 3;

/// An instance, or a face, edge or vertex of its mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_element {
    /// The instance; HITSCAN_NO_INSTANCE if nothing is found.
    pub instance: hitscan_instance_id,
    /// The kind of element.
    pub kind: hitscan_element_kind,
    /// The index of the polygon or vertex, or both vertices of the edge, the smaller first; else zeros.
    pub index: [u32; 2],
    /// 0.
    pub reserved: u32,
}

/// An element under or near the cursor.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct hitscan_pick {
    /// The element; its instance is HITSCAN_NO_INSTANCE if there is none.
    pub element: hitscan_element,
    /// The point of the element nearest to the cursor, in the world.
    pub point: [f64; 3],
    /// The image of that point.
    pub pixel: [f64; 2],
    /// The distance from the cursor, in pixels.
    pub pixel_distance: f64,
    /// The distance of the point from the near plane.
    pub distance: f64,
    /// The hit of the ray of the cursor, a miss for edges and vertices.
    pub hit: hitscan_scene_hit,
    /// The kind of target of a snap; 0 in a pick.
    pub target: hitscan_snap_target,
    /// 0.
    pub reserved: u32,
}

/// The options of picks and snaps. All zeros but the size are the defaults, and so is NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_pick_options {
    /// sizeof(hitscan_pick_options)
    pub size: usize,
    /// The kind of element of a pick. A snap takes targets instead.
    pub kind: hitscan_element_kind,
    /// 1 to find elements behind surfaces.
    pub x_ray: u32,
    /// The maximum distance from the cursor in pixels. 0 stands for the default: 8, or for objects and faces 0.
    pub radius: f64,
    /// The instances that the call includes; NULL for all that are visible.
    pub query: *const hitscan_query_options,
    /// The targets of a snap, the most important first; NULL for vertex, midpoint, edge, face.
    pub targets: *const hitscan_snap_target,
    /// The number of targets.
    pub n_targets: usize,
}

/// The options of a selection. All zeros but the size are the defaults, and so is NULL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hitscan_select_options {
    /// sizeof(hitscan_select_options)
    pub size: usize,
    /// The kind of element.
    pub kind: hitscan_element_kind,
    /// 0 to select what the region touches, 1 for what it encloses.
    pub enclose: u32,
    /// 1 to select only what is visible.
    pub visible_only: u32,
    /// 0.
    pub reserved: u32,
    /// The instances to select from; NULL for all that are visible.
    pub query: *const hitscan_query_options,
    /// A callback for progress; may be NULL.
    pub progress: hitscan_progress,
    /// The argument of the callback.
    pub user: *mut std::ffi::c_void,
}

plain!(hitscan_element, hitscan_pick, hitscan_pick_options, hitscan_select_options);
zeros!(hitscan_pick_options, hitscan_select_options);

/// Writes the element nearest to a pixel; options may be NULL. If there is none, its instance is
/// HITSCAN_NO_INSTANCE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_pick(
    scene: *const hitscan_scene,
    view: *const hitscan_view,
    x: f64,
    y: f64,
    options: *const hitscan_pick_options,
    pick: *mut hitscan_pick,
) -> hitscan_status {
    entry!("hitscan_scene_pick", |caller| {
        let picker = Picker::new(caller.get(scene, "scene")?, caller.get(view, "view")?);
        let pick = caller.out(pick, "pick")?;
        let options = Options::read(caller, options)?;
        let found = picker.pick(pixel(x, y)?, &options.pick());
        pick.write(hitscan_pick::new(found.as_ref(), 0));
        Ok(())
    })
}

/// Writes all elements under and near a pixel, through all surfaces: as many as capacity, and their number to
/// n_picks, which may be greater. picks may be NULL if capacity is 0. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_pick_all(
    scene: *const hitscan_scene,
    view: *const hitscan_view,
    x: f64,
    y: f64,
    options: *const hitscan_pick_options,
    picks: *mut hitscan_pick,
    capacity: usize,
    n_picks: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_pick_all", |caller| {
        let picker = Picker::new(caller.get(scene, "scene")?, caller.get(view, "view")?);
        let list = ListOut::new(caller, picks, capacity, n_picks, ["picks", "n_picks"])?;
        let options = Options::read(caller, options)?;
        let found = picker.pick_all(pixel(x, y)?, &options.pick());
        list.write(found.len(), found.iter().map(|pick| hitscan_pick::new(Some(pick), 0)));
        Ok(())
    })
}

/// Writes the point to snap to: the nearest of the first target that has one within the radius. options may be
/// NULL. If there is none, its instance is HITSCAN_NO_INSTANCE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_snap(
    scene: *const hitscan_scene,
    view: *const hitscan_view,
    x: f64,
    y: f64,
    options: *const hitscan_pick_options,
    snap: *mut hitscan_pick,
) -> hitscan_status {
    entry!("hitscan_scene_snap", |caller| {
        let picker = Picker::new(caller.get(scene, "scene")?, caller.get(view, "view")?);
        let snap = caller.out(snap, "snap")?;
        let options = Options::read(caller, options)?;
        let found = picker.snap(pixel(x, y)?, &options.snap());
        snap.write(match found {
            None => hitscan_pick::new(None, 0),
            Some(found) => hitscan_pick::new(Some(&found.pick), found.target as u32),
        });
        Ok(())
    })
}

/// Writes 1 if a point of the world is in the view and no surface hides it, else 0. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_is_visible(
    scene: *const hitscan_scene,
    view: *const hitscan_view,
    point: *const f64,
    options: *const hitscan_query_options,
    visible: *mut u8,
) -> hitscan_status {
    entry!("hitscan_scene_is_visible", |caller| {
        let picker = Picker::new(caller.get(scene, "scene")?, caller.get(view, "view")?);
        let visible = caller.out(visible, "visible")?;
        let options = SceneOptions::read(caller, options)?;
        let point = self::point(caller, point, "point")?;
        visible.write(u8::from(picker.is_visible(point, &options.query())));
        Ok(())
    })
}

/// Writes the elements in the rectangle between two pixels, sorted: as many as capacity, and their number to
/// n_elements, which may be greater. elements may be NULL if capacity is 0. options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_select_marquee(
    scene: *const hitscan_scene,
    view: *const hitscan_view,
    x0: f64,
    y0: f64,
    x1: f64,
    y1: f64,
    options: *const hitscan_select_options,
    elements: *mut hitscan_element,
    capacity: usize,
    n_elements: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_select_marquee", |caller| {
        let picker = Picker::new(caller.get(scene, "scene")?, caller.get(view, "view")?);
        let names = ["elements", "n_elements"];
        let list = ListOut::new(caller, elements, capacity, n_elements, names)?;
        let region = ScreenRegion::rectangle(pixel(x0, y0)?, pixel(x1, y1)?);
        let region = region.map_err(|error| refused("x0, y0, x1, y1", error))?;
        select(caller, picker, &region, options, list)
    })
}

/// Writes the elements within an outline, by the even-odd rule, as hitscan_scene_select_marquee does. The outline is
/// n_corners times x and y, and its last corner joins the first.
///
/// HITSCAN_INVALID_ARGUMENT: fewer than three corners, or one that is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hitscan_scene_select_lasso(
    scene: *const hitscan_scene,
    view: *const hitscan_view,
    outline: *const f64,
    n_corners: usize,
    options: *const hitscan_select_options,
    elements: *mut hitscan_element,
    capacity: usize,
    n_elements: *mut usize,
) -> hitscan_status {
    entry!("hitscan_scene_select_lasso", |caller| {
        let picker = Picker::new(caller.get(scene, "scene")?, caller.get(view, "view")?);
        let names = ["elements", "n_elements"];
        let list = ListOut::new(caller, elements, capacity, n_elements, names)?;
        let outline = caller.array::<[f64; 2]>(outline.cast(), n_corners, "outline")?;
        let region = ScreenRegion::lasso(outline.iter().copied());
        let region = region.map_err(|error| refused("outline", error))?;
        select(caller, picker, &region, options, list)
    })
}

fn select(
    caller: &Caller,
    picker: Picker<'_>,
    region: &ScreenRegion,
    options: *const hitscan_select_options,
    list: ListOut<'_, hitscan_element>,
) -> Result<(), Failure> {
    let options = caller.options(options, "options")?;
    let query = SceneOptions::read(caller, options.query)?;
    let select = SelectOptions {
        kind: element_kind(options.kind)?,
        mode: match flag(options.enclose, "options.enclose")? {
            false => RegionMode::Touch,
            true => RegionMode::Enclose,
        },
        visible_only: flag(options.visible_only, "options.visible_only")?,
        query: query.query(),
    };
    let progress = Progress::new(options.progress, options.user);
    let found = picker.select_with_progress(region, &select, &|done| progress.report(done));
    let found = found.map_err(|_| cancelled())?;
    let elements = found
        .iter()
        .map(|&Selected { instance, element }| hitscan_element::new(id_of(instance), element));
    list.write(found.len(), elements);
    Ok(())
}

fn element_kind(kind: hitscan_element_kind) -> Result<ElementKind, Failure> {
    match kind {
        HITSCAN_OBJECT => Ok(ElementKind::Object),
        HITSCAN_FACE => Ok(ElementKind::Face),
        HITSCAN_EDGE => Ok(ElementKind::Edge),
        HITSCAN_VERTEX => Ok(ElementKind::Vertex),
        other => {
            let expected = "HITSCAN_OBJECT, _FACE, _EDGE or _VERTEX";
            Err(invalid("options.kind", other, expected))
        }
    }
}

/// The options of a pick or snap, with their lists.
struct Options {
    kind: ElementKind,
    x_ray: bool,
    radius: Option<f64>,
    query: SceneOptions,
    targets: Option<Vec<SnapTarget>>,
}

impl Options {
    fn read(caller: &Caller, options: *const hitscan_pick_options) -> Result<Self, Failure> {
        let options = caller.options(options, "options")?;
        let targets = caller.array(options.targets, options.n_targets, "options.targets")?;
        let targets: Result<Vec<_>, _> = targets.iter().copied().map(snap_target).collect();
        if options.radius.is_nan() || options.radius < 0.0 {
            return Err(invalid("options.radius", options.radius, "a number that is not negative"));
        }
        Ok(Self {
            kind: element_kind(options.kind)?,
            x_ray: flag(options.x_ray, "options.x_ray")?,
            radius: (options.radius != 0.0).then_some(options.radius),
            query: SceneOptions::read(caller, options.query)?,
            targets: Some(targets?).filter(|targets| !targets.is_empty()),
        })
    }

    fn pick(&self) -> PickOptions<'_> {
        let default = PickOptions::for_kind(self.kind);
        let radius = self.radius.unwrap_or(default.radius);
        PickOptions { radius, x_ray: self.x_ray, query: self.query.query(), ..default }
    }

    fn snap(&self) -> SnapOptions<'_> {
        let default = SnapOptions::default();
        SnapOptions {
            targets: self.targets.as_deref().unwrap_or(default.targets),
            radius: self.radius.unwrap_or(default.radius),
            x_ray: self.x_ray,
            query: self.query.query(),
        }
    }
}

fn snap_target(target: hitscan_snap_target) -> Result<SnapTarget, Failure> {
    match target {
        HITSCAN_SNAP_VERTEX => Ok(SnapTarget::Vertex),
        HITSCAN_SNAP_EDGE_MIDPOINT => Ok(SnapTarget::EdgeMidpoint),
        HITSCAN_SNAP_EDGE => Ok(SnapTarget::Edge),
        HITSCAN_SNAP_FACE => Ok(SnapTarget::Face),
        other => {
            let expected = "HITSCAN_SNAP_VERTEX, _EDGE_MIDPOINT, _EDGE or _FACE";
            Err(invalid("options.targets", other, expected))
        }
    }
}

impl hitscan_element {
    fn new(instance: hitscan_instance_id, element: Element) -> Self {
        let (kind, index) = match element {
            Element::Object => (HITSCAN_OBJECT, [0; 2]),
            Element::Face(polygon) => (HITSCAN_FACE, [polygon, 0]),
            Element::Edge(vertices) => (HITSCAN_EDGE, vertices),
            Element::Vertex(vertex) => (HITSCAN_VERTEX, [vertex, 0]),
        };
        Self { instance, kind, index, reserved: 0 }
    }
}

impl hitscan_pick {
    fn new(pick: Option<&Pick>, target: hitscan_snap_target) -> Self {
        let Some(pick) = pick else {
            return Self {
                element: hitscan_element::new(HITSCAN_NO_INSTANCE, Element::Object),
                point: [0.0; 3],
                pixel: [0.0; 2],
                pixel_distance: 0.0,
                distance: 0.0,
                hit: hitscan_scene_hit::MISS,
                target: 0,
                reserved: 0,
            };
        };
        Self {
            element: hitscan_element::new(id_of(pick.instance), pick.element),
            point: pick.point.to_array(),
            pixel: pick.pixel.to_array(),
            pixel_distance: pick.pixel_distance,
            distance: pick.distance,
            hit: hitscan_scene_hit::new(pick.hit),
            target,
            reserved: 0,
        }
    }
}
