//! The filled cut of a section: where the plane runs through the inside of closed meshes.

use hitscan::glam::{DVec2, DVec3};
use hitscan::scene::{QueryOptions, Scene, WorldRay};
use hitscan::{SectionPlane, SectionPolyline};

/// A plane that hides what lies below it, and the area in it that its section encloses.
#[derive(Debug)]
pub(crate) struct Cut {
    plane: SectionPlane,
    /// A point of the section and two directions in the plane, of unit length.
    origin: DVec3,
    axes: [DVec3; 2],
    /// Ends of the segments of closed polylines, along the axes.
    segments: Vec<[DVec2; 2]>,
    /// The segments that each row of the plane meets; rows have equal heights.
    rows: Vec<Vec<u32>>,
    /// The least coordinate along the second axis, and the number of rows in a unit.
    first_row: f64,
    rows_per_unit: f64,
}

impl Cut {
    /// The cut of a scene. Open polylines enclose nothing.
    pub(crate) fn new(plane: SectionPlane, scene: &Scene, options: &QueryOptions<'_>) -> Self {
        let parts = scene.section(&plane, options);
        let closed = parts.iter().map(|part| &part.polyline).filter(|polyline| polyline.is_closed);
        let first = parts.first().and_then(|part| part.polyline.points.first());
        let origin = first.copied().unwrap_or(plane.point());
        let axes: [DVec3; 2] = plane.normal().normalize().any_orthonormal_pair().into();
        let mut cut = Self {
            plane,
            origin,
            axes,
            segments: Vec::new(),
            rows: Vec::new(),
            first_row: 0.0,
            rows_per_unit: 0.0,
        };
        let ends = closed.flat_map(SectionPolyline::segments);
        cut.segments = ends.map(|ends| ends.map(|end| cut.in_plane(end))).collect();
        cut.sort_into_rows();
        cut
    }

    pub(crate) fn plane(&self) -> SectionPlane {
        self.plane
    }

    fn in_plane(&self, point: DVec3) -> DVec2 {
        let away = point - self.origin;
        DVec2::from(self.axes.map(|axis| axis.dot(away)))
    }

    fn sort_into_rows(&mut self) {
        let heights = self.segments.as_flattened().iter().map(|end| end.y);
        let (min, max) = heights
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), y| (min.min(y), max.max(y)));
        let mut n_rows = self.segments.len();
        while n_rows > 0 && max > min {
            (self.first_row, self.rows_per_unit) = (min, n_rows as f64 / (max - min));
            let rows: Vec<_> = self.segments.iter().map(|&ends| self.rows_of(ends)).collect();
            // Long segments stand in many rows.
            let n_entries: usize = rows.iter().map(|rows| rows.end() - rows.start() + 1).sum();
            if n_entries <= 16 * self.segments.len() || n_rows == 1 {
                self.rows = vec![Vec::new(); n_rows + 1];
                for (segment, rows) in (0..).zip(rows) {
                    self.rows[rows].iter_mut().for_each(|row| row.push(segment));
                }
                return;
            }
            n_rows /= 2;
        }
    }

    fn rows_of(&self, [from, to]: [DVec2; 2]) -> std::ops::RangeInclusive<usize> {
        self.row_of(from.y.min(to.y))..=self.row_of(from.y.max(to.y))
    }

    fn row_of(&self, y: f64) -> usize {
        ((y - self.first_row) * self.rows_per_unit) as usize
    }

    /// Whether the section encloses a point of the plane: its winding number is not 0.
    fn encloses(&self, point: DVec3) -> bool {
        let point = self.in_plane(point);
        if point.y < self.first_row {
            return false;
        }
        let mut winding = 0;
        for &segment in self.rows.get(self.row_of(point.y)).into_iter().flatten() {
            let [from, to] = self.segments[segment as usize];
            if (from.y <= point.y) != (to.y <= point.y) {
                let side = (to - from).perp_dot(point - from);
                let is_up = to.y > from.y;
                if (side > 0.0) == is_up && side != 0.0 {
                    winding += if is_up { 1 } else { -1 };
                }
            }
        }
        winding != 0
    }

    /// The ray where the plane does not hide it. An invalid one, which hits nothing, if it hides all.
    pub(crate) fn shown(&self, ray: &WorldRay) -> WorldRay {
        let (height, slope) = self.height_and_slope(ray);
        let t = -height / slope;
        if slope > 0.0 {
            WorldRay { t_min: ray.t_min.max(t), ..*ray }
        } else if slope < 0.0 {
            WorldRay { t_max: ray.t_max.min(t), ..*ray }
        } else if height < 0.0 {
            WorldRay { t_max: f64::NEG_INFINITY, ..*ray }
        } else {
            *ray
        }
    }

    fn height_and_slope(&self, ray: &WorldRay) -> (f64, f64) {
        let normal = self.plane.normal();
        (normal.dot(ray.origin - self.plane.point()), normal.dot(ray.direction))
    }

    /// Where a ray meets the filled cut before anything else. `hit` is the `t` of its first hit in the shown half.
    pub(crate) fn t(&self, ray: &WorldRay, hit: Option<f64>) -> Option<f64> {
        let (height, slope) = self.height_and_slope(ray);
        let t = -height / slope;
        let is_before = slope > 0.0 || hit.is_none();
        let is_on_ray = t >= ray.t_min && t <= ray.t_max && t.is_finite();
        (is_on_ray && is_before && self.encloses(ray.at(t))).then_some(t)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::generate;
    use hitscan::glam::DAffine3;
    use hitscan::scene::{Instance, Mesh};

    use super::*;

    fn scene(meshes: &[(hitscan::TriMesh, [f64; 3])]) -> Scene {
        let mut scene = Scene::new();
        for (mesh, at) in meshes {
            let mesh = Arc::new(Mesh::new(mesh.clone(), &Default::default()));
            let transform = DAffine3::from_translation((*at).into());
            scene.insert(Instance::new(mesh, transform)).expect("a valid transform");
        }
        scene
    }

    #[test]
    fn the_cut_is_filled_where_the_plane_is_inside_of_closed_meshes() {
        let far = 1e7;
        let torus = generate::torus(3.0, 1.0, 2000).expect("a torus");
        let grid = generate::grid(20.0, 20.0, 2).expect("a grid");
        let scene = scene(&[(torus, [far, 0.0, 0.0]), (grid, [far, 0.5, 0.0])]);
        // The axis of the torus is y.
        let plane = SectionPlane::new([far, 0.0, 0.1], [0.0, 0.0, 1.0]).expect("it has a normal");
        let options = QueryOptions::default();
        let cut = Cut::new(plane, &scene, &options);
        let mut n_inside = 0;
        for i in 0..80 {
            for j in 0..40 {
                let at =
                    DVec3::new(far - 5.0 + 0.125 * f64::from(i), -2.5 + 0.125 * f64::from(j), 0.1);
                let up = WorldRay::new(at, DVec3::new(0.01, 0.02, 1.0));
                // The grid is no solid.
                let hits = scene.all_hits(&up, &options);
                let of_torus = hits.iter().filter(|hit| hit.insertion_order == 0);
                let is_inside = of_torus.count() % 2 == 1;
                assert_eq!(cut.encloses(at), is_inside, "{at}");
                n_inside += usize::from(is_inside);
            }
        }
        assert!((300..900).contains(&n_inside), "{n_inside}");
    }

    #[test]
    fn a_ray_meets_the_cut_where_it_leaves_the_hidden_half_or_if_nothing_was_before() {
        let cube = generate::cuboid(2.0, 2.0, 2.0, 1).expect("a cube");
        let scene = scene(&[(cube, [0.0; 3])]);
        let plane = SectionPlane::new([0.0; 3], [0.0, 0.0, -1.0]).expect("it has a normal");
        let cut = Cut::new(plane, &scene, &QueryOptions::default());
        let toward = WorldRay::new([0.25, 0.5, 5.0], [0.0, 0.0, -1.0]);
        assert_eq!(cut.t(&toward, Some(6.0)), Some(5.0));
        assert_eq!((cut.shown(&toward).t_min, cut.shown(&toward).t_max), (5.0, f64::INFINITY));
        let beside = WorldRay::new([1.25, 0.5, 5.0], [0.0, 0.0, -1.0]);
        assert_eq!(cut.t(&beside, None), None);
        let from_behind = WorldRay::new([0.25, 0.5, -5.0], [0.0, 0.0, 1.0]);
        assert_eq!((cut.t(&from_behind, Some(4.0)), cut.t(&from_behind, None)), (None, Some(5.0)));
        assert_eq!(cut.shown(&from_behind).t_max, 5.0);
        let hidden = cut.shown(&WorldRay::new([0.0, 0.0, 5.0], [1.0, 0.0, 0.0]));
        assert!(!hidden.is_valid());
        assert_eq!(cut.t(&toward.with_range(0.0, 4.0), None), None);
    }
}
