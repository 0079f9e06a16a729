//! Views, picks, snaps and selections.

use hitscan_picking::{
    Convention, DepthRange, Element, ElementKind, Pick, PickOptions, Picker, PixelY, RegionMode,
    ScreenRegion, SelectOptions, SnapOptions, SnapTarget, View, ViewError, Viewport,
};
use hitscan_primitives::glam::DVec2;

use crate::{
    failure::fail_with,
    objects::with_scene,
    output,
    scene::number_of,
    scene_arguments::{matrix, query_options},
    staging,
};

/// The numbers of a view: the matrix from world to clip space, then x, y, width and height of the
/// viewport, then the codes of depth range and pixel y, each from 0 in the order of their Rust types.
fn view() -> Result<View, ViewError> {
    let viewport = Viewport {
        min: DVec2::new(output::read(16), output::read(17)),
        size: DVec2::new(output::read(18), output::read(19)),
    };
    let convention = Convention {
        depth_range: match output::read(20) as u32 {
            0 => DepthRange::ZeroToOne,
            1 => DepthRange::Reversed,
            _ => DepthRange::MinusOneToOne,
        },
        pixel_y: if output::read(21) == 0.0 { PixelY::Down } else { PixelY::Up },
    };
    View::new(matrix(0), viewport, convention)
}

fn with_view(query: impl FnOnce(&View) -> u32) -> u32 {
    match view() {
        Ok(view) => query(&view),
        Err(error) => {
            fail_with(&error);
            ERROR
        }
    }
}

/// The result of a call with an invalid view or region.
const ERROR: u32 = 2;

/// 1 if the numbers are those of a view, else 2 and an error.
#[unsafe(no_mangle)]
extern "C" fn view_check() -> u32 {
    with_view(|_| 1)
}

/// The ray of a pixel: eight numbers.
#[unsafe(no_mangle)]
extern "C" fn view_ray(x: f64, y: f64) -> u32 {
    with_view(|view| {
        let ray = view.ray([x, y]);
        output::write(0, &ray.origin.to_array());
        output::write(3, &ray.direction.to_array());
        output::write(6, &[ray.t_min, ray.t_max]);
        1
    })
}

/// The image of a point: x, y, depth, distance. 0 if it has none.
#[unsafe(no_mangle)]
extern "C" fn view_project(x: f64, y: f64, z: f64) -> u32 {
    with_view(|view| match view.project([x, y, z]) {
        Some(image) => {
            output::write(0, &[image.pixel.x, image.pixel.y, image.depth, image.distance]);
            1
        }
        None => 0,
    })
}

fn kind(code: u32) -> ElementKind {
    match code {
        1 => ElementKind::Face,
        2 => ElementKind::Edge,
        3 => ElementKind::Vertex,
        _ => ElementKind::Object,
    }
}

/// The instance of an element, its kind, and one or two indices.
fn element_numbers(instance: f64, element: Element) -> [f64; 4] {
    let (kind, [a, b]) = match element {
        Element::Object => (0.0, [0, 0]),
        Element::Face(face) => (1.0, [face, 0]),
        Element::Edge(vertices) => (2.0, vertices),
        Element::Vertex(vertex) => (3.0, [vertex, 0]),
    };
    [instance, kind, a.into(), b.into()]
}

/// The numbers of a pick: element (4), point (3), pixel (2), pixel distance, distance, and the triangle
/// and side of the hit, which are -1 without one.
fn pick_numbers(pick: &Pick) -> [f64; 13] {
    let [i, k, a, b] = element_numbers(number_of(pick.instance), pick.element);
    let [x, y, z] = pick.point.to_array();
    let (triangle, side) =
        pick.hit.map_or((-1.0, -1.0), |hit| (hit.triangle().into(), output::side(hit.side())));
    let DVec2 { x: px, y: py } = pick.pixel;
    [i, k, a, b, x, y, z, px, py, pick.pixel_distance, pick.distance, triangle, side]
}

/// Picks at a pixel. Bit 2 of `flags` looks through surfaces. A negative radius is that of the kind.
/// 1 and the numbers of the pick, or 0.
#[unsafe(no_mangle)]
#[rustfmt::skip]
extern "C" fn scene_pick(
    scene: u32, x: f64, y: f64, element: u32, radius: f64, side: u32, layers: u32, flags: u32,
) -> u32 {
    with_view(|view| with_scene(scene, |scene| {
        let options = pick_options(element, radius, side, layers, flags);
        match Picker::new(scene, view).pick([x, y], &options) {
            Some(pick) => {
                output::write(0, &pick_numbers(&pick));
                1
            }
            None => 0,
        }
    }))
}

/// Picks all elements at a pixel, nearest first: thirteen f64 each. 1 and their number.
#[unsafe(no_mangle)]
#[rustfmt::skip]
extern "C" fn scene_pick_all(
    scene: u32, x: f64, y: f64, element: u32, radius: f64, side: u32, layers: u32, flags: u32,
) -> u32 {
    with_view(|view| with_scene(scene, |scene| {
        let options = pick_options(element, radius, side, layers, flags);
        let picks = Picker::new(scene, view).pick_all([x, y], &options);
        output::write(0, &[picks.len() as f64]);
        output::put_doubles(picks.iter().flat_map(pick_numbers).collect());
        1
    }))
}

fn pick_options(
    element: u32,
    radius: f64,
    side: u32,
    layers: u32,
    flags: u32,
) -> PickOptions<'static> {
    let defaults = PickOptions::for_kind(kind(element));
    PickOptions {
        radius: if radius >= 0.0 { radius } else { defaults.radius },
        x_ray: flags & 4 != 0,
        query: query_options(side, 0, layers, flags),
        ..defaults
    }
}

/// Snaps at a pixel: the target's code, then the numbers of the pick. 1, or 0 if there is no target.
#[unsafe(no_mangle)]
extern "C" fn scene_snap(scene: u32, x: f64, y: f64, radius: f64, layers: u32, flags: u32) -> u32 {
    with_view(|view| {
        with_scene(scene, |scene| {
            let defaults = SnapOptions::default();
            let options = SnapOptions {
                radius: if radius >= 0.0 { radius } else { defaults.radius },
                x_ray: flags & 4 != 0,
                query: query_options(0, 0, layers, flags),
                ..defaults
            };
            match Picker::new(scene, view).snap([x, y], &options) {
                Some(snap) => {
                    let target = match snap.target {
                        SnapTarget::Vertex => 0.0,
                        SnapTarget::EdgeMidpoint => 1.0,
                        SnapTarget::Edge => 2.0,
                        SnapTarget::Face => 3.0,
                    };
                    output::write(0, &pick_numbers(&snap.pick));
                    output::write(13, &[target]);
                    1
                }
                None => 0,
            }
        })
    })
}

/// Selects the elements in the region of the staged numbers: two corners of a rectangle, or the corners
/// of a lasso. Bit 3 of `flags` selects visible ones only, bit 4 enclosed ones only. 1 and the number of
/// elements, of four f64 each.
#[unsafe(no_mangle)]
#[rustfmt::skip]
extern "C" fn scene_select(
    scene: u32, is_lasso: u32, element: u32, side: u32, layers: u32, flags: u32,
) -> u32 {
    let numbers = staging::numbers();
    let corners = numbers.as_chunks::<2>().0;
    let region = match (is_lasso, corners) {
        (0, &[corner, opposite]) => ScreenRegion::rectangle(corner, opposite),
        _ => ScreenRegion::lasso(corners.iter().copied()),
    };
    let region = match region {
        Ok(region) => region,
        Err(error) => {
            fail_with(&error);
            return ERROR;
        }
    };
    let options = SelectOptions {
        kind: kind(element),
        mode: if flags & 16 == 0 { RegionMode::Touch } else { RegionMode::Enclose },
        visible_only: flags & 8 != 0,
        query: query_options(side, 0, layers, flags),
    };
    with_view(|view| with_scene(scene, |scene| {
        let selected = Picker::new(scene, view).select(&region, &options);
        output::write(0, &[selected.len() as f64]);
        let numbers = selected
            .iter()
            .flat_map(|selected| element_numbers(number_of(selected.instance), selected.element));
        output::put_doubles(numbers.collect());
        1
    }))
}
