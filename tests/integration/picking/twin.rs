//! The oracle: geometry in camera space (x to the right, y up, z forward), without matrices.

use hitscan::picking::ElementKind;
use hitscan::primitives::TriMesh;
use hitscan::primitives::glam::{DVec2, DVec3};
use hitscan::scene::{InstanceId, Scene};

use super::making::{Eye, part};

impl Eye {
    /// A point of the world in camera space.
    pub(super) fn in_camera_space(&self, world: DVec3) -> DVec3 {
        let relative = world - self.position;
        DVec3::from_array(self.axes.map(|axis| axis.dot(relative)))
    }

    /// Whether a point in camera space is between the planes.
    pub(super) fn is_between_planes(&self, at: DVec3) -> bool {
        self.near <= at.z && at.z <= self.far
    }

    /// The pixel of a point in camera space.
    pub(super) fn pixel(&self, at: DVec3) -> DVec2 {
        let on_plane = if self.style.is_parallel() { at.truncate() } else { at.truncate() / at.z };
        let y = if self.style.is_y_up() { 1.0 } else { -1.0 };
        let per_unit = 0.5 * self.viewport.size.y / self.half_height;
        self.viewport.center() + per_unit * DVec2::new(on_plane.x, y * on_plane.y)
    }

    /// The value of x and y at distance one (or at any, without perspective) for a pixel.
    fn on_plane(&self, pixel: DVec2) -> DVec2 {
        let per_unit = 0.5 * self.viewport.size.y / self.half_height;
        let from_center = (pixel - self.viewport.center()) / per_unit;
        if self.style.is_y_up() { from_center } else { DVec2::new(from_center.x, -from_center.y) }
    }

    /// The part of a convex polygon in camera space that is between the planes.
    pub(super) fn between_planes(&self, polygon: &[DVec3]) -> Vec<DVec3> {
        let near = cut(polygon, |p| p.z - self.near);
        if self.far.is_finite() { cut(&near, |p| self.far - p.z) } else { near }
    }

    /// The part of a convex polygon in camera space that lies in a triangle of the screen.
    pub(super) fn in_wedge(&self, polygon: &[DVec3], wedge: [DVec2; 3]) -> Vec<DVec3> {
        let corners = wedge.map(|pixel| self.on_plane(pixel));
        let area = (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]);
        let mut rest = self.between_planes(polygon);
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            rest = cut(&rest, |p| {
                let z = if self.style.is_parallel() { 1.0 } else { p.z };
                area.signum() * (b - a).perp_dot(p.truncate() - z * a)
            });
        }
        rest
    }
}

/// The part of a convex polygon, segment or point where `side` is not negative.
fn cut(polygon: &[DVec3], side: impl Fn(DVec3) -> f64) -> Vec<DVec3> {
    let mut rest = vec![];
    for (i, &a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        let (at_a, at_b) = (side(a), side(b));
        if at_a >= 0.0 {
            rest.push(a);
        }
        if at_a * at_b < 0.0 {
            rest.push(a + at_a / (at_a - at_b) * (b - a));
        }
    }
    rest
}

/// The area of a polygon, or the length of a segment, or 1 for a point.
pub(super) fn measure(polygon: &[DVec3], n_corners: usize) -> f64 {
    let [first, rest @ ..] = polygon else { return 0.0 };
    match n_corners {
        1 => 1.0,
        2 => rest.iter().map(|p| p.distance(*first)).fold(0.0, f64::max),
        _ => {
            let fan = rest.windows(2).map(|w| (w[0] - *first).cross(w[1] - *first));
            0.5 * fan.sum::<DVec3>().length()
        }
    }
}

/// The elements of a mesh, each as the corners of its points, segments or triangles.
pub(super) fn elements(mesh: &TriMesh, kind: ElementKind) -> Vec<(Vec<u32>, Vec<Vec<u32>>)> {
    let n = mesh.triangles().len() as u32;
    let polygon = |t: u32| mesh.records().map_or(t, |records| records.polygon(t));
    let triangle = |t: u32| mesh.triangles()[t as usize].to_vec();
    match kind {
        ElementKind::Object => vec![(vec![], (0..n).map(triangle).collect())],
        ElementKind::Face => {
            let mut faces: Vec<(Vec<u32>, Vec<Vec<u32>>)> = vec![];
            for t in 0..n {
                match faces.iter_mut().find(|(name, _)| *name == [polygon(t)]) {
                    Some((_, triangles)) => triangles.push(triangle(t)),
                    None => faces.push((vec![polygon(t)], vec![triangle(t)])),
                }
            }
            faces
        }
        ElementKind::Edge => {
            let mut edges: Vec<Vec<u32>> = vec![];
            for t in 0..n {
                for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                    let (a, b) = (triangle(t)[i], triangle(t)[j]);
                    let has_both = |o: u32| triangle(o).contains(&a) && triangle(o).contains(&b);
                    let inner = (0..n).any(|o| o != t && polygon(o) == polygon(t) && has_both(o));
                    if !inner && a != b {
                        edges.push(vec![a.min(b), a.max(b)]);
                    }
                }
            }
            edges.sort();
            edges.dedup();
            edges.into_iter().map(|edge| (edge.clone(), vec![edge])).collect()
        }
        ElementKind::Vertex => {
            let mut vertices: Vec<u32> = mesh.triangles().iter().flatten().copied().collect();
            vertices.sort();
            vertices.dedup();
            vertices.into_iter().map(|v| (vec![v], vec![vec![v]])).collect()
        }
    }
}

/// The positions of a mesh in camera space.
pub(super) fn in_camera(scene: &Scene, id: InstanceId, eye: &Eye) -> Vec<DVec3> {
    let (mesh, world) = part(scene, id);
    let camera_point = |p: &hitscan::primitives::glam::Vec3| {
        eye.in_camera_space(world.transform_point3(p.as_dvec3()))
    };
    mesh.positions().iter().map(camera_point).collect()
}

/// Whether anything certainly hides a point in camera space, or certainly nothing does; `None` if
/// rounding decides. Triangles for which `spare` holds hide nothing.
pub(super) fn is_hidden(
    scene: &Scene,
    eye: &Eye,
    point: DVec3,
    spare: impl Fn(InstanceId, u32) -> bool,
) -> Option<bool> {
    // From the near plane to the point.
    let start = if eye.style.is_parallel() {
        DVec3::new(point.x, point.y, eye.near)
    } else {
        point * (eye.near / point.z)
    };
    let way = point - start;
    let mut certain = true;
    for (id, _) in scene.iter() {
        let positions = in_camera(scene, id, eye);
        for (t, corners) in (0u32..).zip(part(scene, id).0.triangles()) {
            if spare(id, t) {
                continue;
            }
            // The test by Möller and Trumbore, with a margin at all bounds.
            let [a, b, c] = corners.map(|i| positions[i as usize]);
            let (e1, e2) = (b - a, c - a);
            let p = way.cross(e2);
            let determinant = e1.dot(p);
            let size = way.length() * e1.length() * e2.length();
            let to_start = start - a;
            let q = to_start.cross(e1);
            let (u, v) = (to_start.dot(p) / determinant, way.dot(q) / determinant);
            let t = e2.dot(q) / determinant;
            let room = if determinant.abs() < 1e-4 * size { 1e-2 } else { 1e-4 };
            let inner = [u, v, 1.0 - u - v, t, 1.0 - t];
            if inner.iter().all(|&x| x > room) {
                return Some(true);
            }
            certain &= inner.iter().any(|&x| x < -room);
        }
    }
    certain.then_some(false)
}
