//! The points where a ray crosses the faces of a box.

use glam::Vec3;

use crate::{Aabb, Axis, Ray};

/// A face of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoxFace {
    /// The axis orthogonal to the face.
    pub axis: Axis,
    /// Whether the face is the one at the larger coordinate.
    pub is_max: bool,
}

/// A point where a ray crosses a face of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxCrossing {
    /// The position on the ray, in units of its direction; finite, never -0.0.
    pub t: f32,
    /// The point. It lies in the box, and its coordinate on the face's axis is exactly the face's.
    pub point: Vec3,
    /// The face. Where faces meet, the face of the earliest axis.
    pub face: BoxFace,
}

/// The points where a ray crosses the surface of a box, within the ray's interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxCrossings {
    /// The entry; `None` for an origin inside.
    pub entry: Option<BoxCrossing>,
    /// The exit; `None` if the ray ends inside.
    pub exit: Option<BoxCrossing>,
}

impl BoxCrossings {
    /// The crossings in order: none, one, or entry and exit.
    pub fn iter(&self) -> impl Iterator<Item = BoxCrossing> + use<> {
        self.entry.into_iter().chain(self.exit)
    }
}

impl Aabb {
    /// The points where the ray crosses the faces of the box: at most one entry and one exit.
    ///
    /// The function intersects the ray with the plane of each face, with two departures because of
    /// rounding. First, the slab test of [`Aabb::intersect`] decides which faces the ray crosses,
    /// because a computed point may miss the box by rounding. Second, a point takes the face's own
    /// coordinate, and its other coordinates are clamped to the box. A ray that meets the box
    /// therefore always has its crossings, and their points always lie in the box.
    ///
    /// A ray through an edge, a corner or a flat box has one entry and one exit, too, at the same `t`
    /// if it only touches. A ray that lies in a face crosses the faces around it. Invalid rays and
    /// empty boxes have no crossings.
    ///
    /// ```
    /// use hitscan_primitives::{Aabb, Ray};
    ///
    /// let aabb = Aabb::new([-5.0, -6.0, -2.0], [5.0, 6.0, 2.0]);
    /// let ray = Ray::segment([4.0, -7.0, -4.0], [2.0, 3.0, 4.0]);
    /// let points = aabb.face_crossings(&ray).iter().map(|crossing| crossing.point.to_array());
    /// assert!(points.eq([[3.5, -4.5, -2.0], [2.5, 0.5, 2.0]]));
    /// ```
    pub fn face_crossings(&self, ray: &Ray) -> BoxCrossings {
        match self.crossed_faces(ray) {
            Some([entry, exit]) => {
                BoxCrossings { entry: self.crossing(ray, entry), exit: self.crossing(ray, exit) }
            }
            None => BoxCrossings::default(),
        }
    }

    /// The entry face and the exit face of the ray's whole line, with their `t`.
    fn crossed_faces(&self, ray: &Ray) -> Option<[(f32, BoxFace); 2]> {
        if !ray.is_valid() || self.is_empty() {
            return None;
        }
        let mut faces: Option<[(f32, BoxFace); 2]> = None;
        for axis in Axis::ALL {
            let k = axis.index();
            let (o, d) = (ray.origin[k], ray.direction[k]);
            let (min, max) = (self.min[k], self.max[k]);
            if d == 0.0 {
                if o < min || o > max {
                    return None;
                }
                continue;
            }
            let at_min = ((min - o) / d, BoxFace { axis, is_max: false });
            let at_max = ((max - o) / d, BoxFace { axis, is_max: true });
            let (near, far) = if d > 0.0 { (at_min, at_max) } else { (at_max, at_min) };
            faces = Some(match faces {
                None => [near, far],
                Some([entry, exit]) => [
                    if near.0 > entry.0 { near } else { entry },
                    if far.0 < exit.0 { far } else { exit },
                ],
            });
        }
        faces.filter(|[entry, exit]| entry.0 <= exit.0)
    }

    fn crossing(&self, ray: &Ray, (t, face): (f32, BoxFace)) -> Option<BoxCrossing> {
        let t = ray.accept(t.into())?;
        let k = face.axis.index();
        let plane = if face.is_max { self.max[k] } else { self.min[k] };
        let (o, d) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let exact_t = (f64::from(plane) - o[k]) / d[k];
        let mut point = (o + exact_t * d).as_vec3().clamp(self.min, self.max);
        point[k] = plane;
        Some(BoxCrossing { t, point, face })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;

    const CUBOID: Aabb = Aabb { min: Vec3::new(-5.0, -6.0, -2.0), max: Vec3::new(5.0, 6.0, 2.0) };

    #[test]
    fn the_seeds_segments_cross_the_faces_in_the_known_points() {
        let from = [4.0, -7.0, -4.0];
        let found = CUBOID.face_crossings(&Ray::segment(from, [2.0, 3.0, 4.0]));
        let (entry, exit) = (found.entry.unwrap(), found.exit.unwrap());
        assert_eq!((entry.t, entry.point.to_array()), (0.25, [3.5, -4.5, -2.0]));
        assert_eq!(entry.face, BoxFace { axis: Axis::Z, is_max: false });
        assert_eq!((exit.t, exit.point.to_array()), (0.75, [2.5, 0.5, 2.0]));
        assert_eq!(exit.face, BoxFace { axis: Axis::Z, is_max: true });

        // As printed in the seed, the target itself lies on a face.
        let found = CUBOID.face_crossings(&Ray::segment(from, [2.0, 3.0, 2.0]));
        let (entry, exit) = (found.entry.unwrap(), found.exit.unwrap());
        assert_eq!((entry.t, entry.point.z), (1.0 / 3.0, -2.0));
        assert!(entry.point.abs_diff_eq(Vec3::new(10.0 / 3.0, -11.0 / 3.0, -2.0), 1e-6));
        assert_eq!((exit.t, exit.point.to_array()), (1.0, [2.0, 3.0, 2.0]));
    }

    #[test]
    fn every_ray_that_meets_a_box_off_the_grid_has_both_crossings_in_it() {
        let mut rng = SplitMix64::new(5);
        let mut vector =
            |size: f64| Vec3::from_array(std::array::from_fn(|_| rng.range(-size, size) as f32));
        let mut n_crossed = 0;
        for case in 0..200_000 {
            let (a, b) = (vector(1.0), vector(1.0));
            let aabb = Aabb::new(a.min(b), a.max(b));
            // One in four is aimed at a corner, where all planes meet.
            let target = if case % 4 == 0 { aabb.max } else { 0.5 * vector(1.0) };
            let origin = vector(4.0);
            let ray = Ray::new(origin, target - origin);
            let Some((enter, exit)) = aabb.intersect(&ray) else { continue };
            let crossings = aabb.face_crossings(&ray);
            if aabb.contains(origin) {
                continue;
            }
            n_crossed += 1;
            let found: Vec<BoxCrossing> = crossings.iter().collect();
            assert_eq!([found[0].t, found[1].t], [enter, exit], "case {case}: {aabb:?} {ray:?}");
            for crossing in found {
                let BoxFace { axis, is_max } = crossing.face;
                let corner = if is_max { aabb.max } else { aabb.min };
                assert_eq!(crossing.point[axis.index()], corner[axis.index()]);
                assert!(aabb.contains(crossing.point), "case {case}: {crossing:?}");
            }
        }
        assert!(n_crossed > 50_000, "{n_crossed}");
    }

    #[test]
    fn the_coordinate_of_the_face_is_exact_from_any_distance() {
        let aabb = Aabb::new([0.1; 3], [0.9; 3]);
        for far in [1.0, 1e6, 1e12, 1e30] {
            let ray = Ray::new([far, 0.3, 0.3], [-1.7, 0.0, 0.0]);
            let points = aabb.face_crossings(&ray).iter().map(|crossing| crossing.point.to_array());
            assert!(points.eq([[0.9, 0.3, 0.3], [0.1, 0.3, 0.3]]), "{far}");
        }
    }

    #[test]
    fn an_origin_inside_has_an_exit_only() {
        let found = CUBOID.face_crossings(&Ray::new([0.0; 3], [0.0, -2.0, 0.0]));
        assert_eq!(found.entry, None);
        let exit = found.exit.unwrap();
        assert_eq!((exit.t, exit.point.to_array()), (3.0, [0.0, -6.0, 0.0]));
    }

    #[test]
    fn a_box_behind_the_origin_is_not_crossed_and_its_line_is() {
        let away = Ray::new([0.0, 9.0, 0.0], [0.0, 1.0, 0.0]);
        assert_eq!(CUBOID.face_crossings(&away), BoxCrossings::default());
        let line = CUBOID.face_crossings(&Ray::line([0.0, 9.0, 0.0], [0.0, 1.0, 0.0]));
        assert_eq!(line.iter().map(|c| c.t).collect::<Vec<_>>(), [-15.0, -3.0]);
        let ends_inside = Ray::segment([0.0, 9.0, 0.0], [0.0; 3]);
        assert_eq!(CUBOID.face_crossings(&ends_inside).iter().count(), 1);
    }

    #[test]
    fn axis_parallel_rays_through_faces_edges_and_corners_cross_twice() {
        for x in [-5.0, -2.0, 5.0] {
            for y in [-6.0, 0.0, 6.0] {
                for (z, dz) in [(-9.0, 3.0), (9.0, -1.0)] {
                    let ray = Ray::new([x, y, z], [0.0, -0.0, dz]);
                    let points: Vec<Vec3> =
                        CUBOID.face_crossings(&ray).iter().map(|c| c.point).collect();
                    let near = 2f32.copysign(z);
                    assert_eq!(points, [Vec3::new(x, y, near), Vec3::new(x, y, -near)]);
                }
            }
        }
        let beside = Ray::new([5f32.next_up(), 0.0, -9.0], [0.0, 0.0, 1.0]);
        assert_eq!(CUBOID.face_crossings(&beside), BoxCrossings::default());
    }

    #[test]
    fn a_touched_corner_and_a_flat_box_have_entry_and_exit_in_one_point() {
        let touching = Ray::new([4.0, 7.0, 2.0], [1.0, -1.0, 0.0]);
        let points: Vec<_> = CUBOID.face_crossings(&touching).iter().map(|c| c.point).collect();
        assert_eq!(points, [Vec3::new(5.0, 6.0, 2.0); 2]);
        let flat = Aabb::new([0.0, 1.0, 0.0], [1.0, 1.0, 1.0]);
        let found = flat.face_crossings(&Ray::new([0.5, 3.0, 0.5], [0.0, -1.0, 0.0]));
        assert_eq!(found.entry.unwrap().face, BoxFace { axis: Axis::Y, is_max: true });
        assert_eq!(found.exit.unwrap().face, BoxFace { axis: Axis::Y, is_max: false });
        assert_eq!((found.entry.unwrap().t, found.exit.unwrap().t), (2.0, 2.0));
    }

    #[test]
    fn invalid_rays_and_empty_boxes_have_no_crossings() {
        let ray = Ray::new([f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]);
        assert_eq!(CUBOID.face_crossings(&ray), BoxCrossings::default());
        let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
        assert_eq!(Aabb::EMPTY.face_crossings(&ray), BoxCrossings::default());
    }
}
