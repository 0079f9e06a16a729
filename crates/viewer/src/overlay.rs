//! Lines over a picture: edges of faces, open edges, and the axes of the world.

use hitscan::glam::{DVec2, DVec3};
use hitscan::picking::View;
use hitscan_render::{Picture, Stroke, VisibleFace};

/// Colours of edges, of open edges, and of the axes x, y and z.
const EDGE: [u8; 3] = [14, 16, 20];
const OPEN: [u8; 3] = [255, 60, 90];
const AXES: [[u8; 3]; 3] = [[235, 87, 87], [111, 207, 96], [86, 140, 255]];

/// Opacity of an edge.
const EDGE_SHARE: f32 = 0.72;

/// Length of an axis, and distance of its origin from the corner, in pixels of the window.
const AXIS_LENGTH: f64 = 30.0;
const AXIS_MARGIN: f64 = 46.0;

/// Draws the borders between visible faces. `ids` is the ID buffer of the picture.
pub(crate) fn paint_edges(picture: &mut Picture, ids: &[Option<VisibleFace>], scale: f64) {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    if ids.len() != width * height {
        return;
    }
    // A line is one pixel of the window wide.
    let reach = (scale.round() as usize).max(1);
    for y in 0..height {
        for x in 0..width {
            let id = ids[y * width + x];
            let differs = |x: usize, y: usize| x < width && y < height && ids[y * width + x] != id;
            if (1..=reach).any(|step| differs(x + step, y) || differs(x, y + step)) {
                picture.blend(x as i32, y as i32, EDGE, EDGE_SHARE);
            }
        }
    }
}

/// Draws open edges, also those behind surfaces.
pub(crate) fn paint_open_edges(
    picture: &mut Picture,
    view: &View,
    scale: DVec2,
    edges: &[[DVec3; 2]],
) {
    let size = [picture.width(), picture.height()];
    let stroke = Stroke { view, scale, half_width: (0.9 * scale.y.max(0.5)) as f32 };
    for &[from, to] in edges {
        stroke.pixels(from, to, size, |x, y, coverage| picture.blend(x, y, OPEN, coverage));
    }
}

/// Draws the directions of the world's axes in the lower right corner, with their letters.
pub(crate) fn paint_axes(picture: &mut Picture, view: &View, scale: DVec2) {
    let viewport = view.viewport();
    if viewport.size.min_element() < 4.0 * AXIS_MARGIN {
        return;
    }
    let center = viewport.center();
    let at = |pixel: DVec2| view.ray(pixel).at(1.0);
    let direction = |offset: DVec2| (at(center + offset) - at(center - offset)).normalize_or_zero();
    let right = direction(DVec2::new(0.5 * viewport.size.x, 0.0));
    let down = direction(DVec2::new(0.0, 0.5 * viewport.size.y));
    let towards_eye = -right.cross(down);
    let origin = viewport.size - AXIS_MARGIN;
    let axes = [DVec3::X, DVec3::Y, DVec3::Z]
        .map(|axis| (axis.dot(towards_eye), DVec2::new(axis.dot(right), axis.dot(down))));
    let mut order = [0, 1, 2];
    // The axis that points to the eye is in front.
    order.sort_by(|&a, &b| axes[a].0.total_cmp(&axes[b].0));
    for axis in order {
        let (_, way) = axes[axis];
        let (end, color) = (origin + AXIS_LENGTH * way, AXES[axis]);
        line(picture, scale, origin, end, 1.3, color);
        let letter = origin + (AXIS_LENGTH + 9.0) * way;
        for [a, b] in LETTERS[axis] {
            let corner = |[x, y]: [f64; 2]| letter + 3.5 * DVec2::new(x, y);
            line(picture, scale, corner(*a), corner(*b), 0.8, color);
        }
    }
}

/// A line of a letter, from -1 to 1 with y downwards.
type LetterLine = [[f64; 2]; 2];

/// The lines of x, y and z.
const LETTERS: [&[LetterLine]; 3] = [
    &[[[-1.0, -1.0], [1.0, 1.0]], [[-1.0, 1.0], [1.0, -1.0]]],
    &[[[-1.0, -1.0], [0.0, 0.0]], [[1.0, -1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.2]]],
    &[[[-1.0, -1.0], [1.0, -1.0]], [[1.0, -1.0], [-1.0, 1.0]], [[-1.0, 1.0], [1.0, 1.0]]],
];

/// Draws a short line between two pixels of the window.
fn line(
    picture: &mut Picture,
    scale: DVec2,
    from: DVec2,
    to: DVec2,
    half_width: f64,
    color: [u8; 3],
) {
    let (from, to) = (scale * from, scale * to);
    let half_width = half_width * scale.y;
    let way = to - from;
    let (min, max) = (from.min(to) - half_width - 1.0, from.max(to) + half_width + 1.0);
    for y in min.y.floor() as i32..=max.y.ceil() as i32 {
        for x in min.x.floor() as i32..=max.x.ceil() as i32 {
            let offset = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5) - from;
            let along = (offset.dot(way) / way.length_squared().max(1e-9)).clamp(0.0, 1.0);
            let away = offset.distance(along * way);
            let coverage = (half_width + 0.5 - away).clamp(0.0, 1.0) as f32;
            if coverage > 0.0 {
                picture.blend(x, y, color, coverage);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::glam::DAffine3;
    use hitscan::picking::{Camera, Viewport};
    use hitscan::scene::{Instance, Mesh, Scene};
    use hitscan_render::{Mode, ProgressiveRender, Style, Subject};

    use super::*;

    /// A picture of a cube of 12 triangles and its ID buffer.
    fn cube(ratio: u32) -> (Picture, Vec<Option<VisibleFace>>, View) {
        let cube = hitscan::generate::cuboid(2.0, 2.0, 2.0, 0).unwrap();
        let mut scene = Scene::new();
        let mesh = Arc::new(Mesh::new(cube, &Default::default()));
        scene.insert(Instance::new(mesh, DAffine3::IDENTITY)).unwrap();
        let view = Camera::look_at([3.0, 4.0, 9.0], [0.0; 3]);
        let view = view.view(Viewport::from_size(200.0, 200.0)).unwrap();
        let style = Style { mode: Mode::FaceId, n_samples: 1, legend: false, ..Style::default() };
        let subject = Subject::new(scene, |_, _| None);
        let size = [200 * ratio; 2];
        let mut render =
            ProgressiveRender::new(subject, view.clone(), size, style).with_id_buffer();
        while !render.is_complete() {
            render.step();
        }
        (render.picture(), render.take_id_buffer(), view)
    }

    fn n_changed(before: &Picture, after: &Picture) -> usize {
        before.pixels().iter().zip(after.pixels()).filter(|(a, b)| a != b).count()
    }

    #[test]
    fn edges_are_as_wide_at_any_pixel_ratio() {
        let widths = [1, 2].map(|ratio| {
            let (before, ids, _) = cube(ratio);
            let mut after = before.clone();
            paint_edges(&mut after, &ids, f64::from(ratio));
            paint_edges(&mut after, &[], f64::from(ratio));
            n_changed(&before, &after) as f64 / f64::from(ratio * ratio)
        });
        assert!(widths[0] > 200.0 && (widths[1] / widths[0] - 1.0).abs() < 0.1, "{widths:?}");
    }

    #[test]
    fn open_edges_show_through_surfaces_and_axes_stay_in_their_corner() {
        let (before, _, view) = cube(1);
        let mut after = before.clone();
        let hidden = [DVec3::new(-0.9, -0.9, -0.9), DVec3::new(0.9, -0.9, -0.9)];
        paint_open_edges(&mut after, &view, DVec2::ONE, &[hidden]);
        let middle = view.project(0.5 * (hidden[0] + hidden[1])).unwrap().pixel;
        let pixel = after.pixels()[middle.y as usize * 200 + middle.x as usize];
        assert!(pixel[0] > 240 && pixel[1] < 80, "{pixel:?}");

        let mut after = before.clone();
        paint_axes(&mut after, &view, DVec2::ONE);
        assert!(n_changed(&before, &after) > 100);
        let changed = (0..200 * 200).filter(|&n| before.pixels()[n] != after.pixels()[n]);
        assert!(changed.map(|n| (n % 200, n / 200)).all(|(x, y)| x > 100 && y > 100));
    }
}
