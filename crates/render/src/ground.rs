//! The ground of a shaded picture: a plane below the scene that shows only shadows.

use hitscan::glam::{DVec3, Vec3};
use hitscan::picking::View;
use hitscan::scene::WorldRay;

use crate::subject::Subject;

/// The ground fades out between these distances from the centre, in radii of the scene.
const FADE: [f64; 2] = [1.0, 1.9];

/// A horizontal disc at the lowest point of the scene's bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    /// Point below the centre of the scene, in world space.
    center: DVec3,
    up: DVec3,
    /// Radius of the scene around its vertical axis.
    radius: f64,
}

impl Ground {
    /// The ground of a subject; `None` if it has no extent, or if the view looks at it from below.
    pub(crate) fn new(subject: &Subject, view: &View, up: DVec3) -> Option<Self> {
        let [min, max] = subject.world_bounds()?;
        let center = 0.5 * (min + max);
        let half = 0.5 * (max - min);
        let lowest = half.dot(up.abs());
        let radius = (half - half.dot(up.abs()) * up.abs()).length().max(0.25 * half.length());
        let ground = Self { center: center - lowest * up, up, radius };
        let eye = view.ray(view.viewport().center()).origin;
        let is_above = (eye - ground.center).dot(up) > 0.0;
        (radius > 0.0 && radius.is_finite() && is_above).then_some(ground)
    }

    /// The point where a ray meets the ground, and how much of the ground is visible there, from 0
    /// to 1. `None` for a ray that does not come from above or that passes the disc.
    pub(crate) fn hit(&self, ray: &WorldRay) -> Option<(DVec3, f32)> {
        let height = (ray.origin - self.center).dot(self.up);
        let t = height / -ray.direction.dot(self.up);
        if !(t > ray.t_min && t < ray.t_max && height > 0.0) {
            return None;
        }
        let point = ray.origin + t * ray.direction;
        let away = (point.distance(self.center) / self.radius - FADE[0]) / (FADE[1] - FADE[0]);
        let away = away.clamp(0.0, 1.0);
        let visible = 1.0 - away * away * (3.0 - 2.0 * away);
        (visible > 0.0).then_some((point, visible as f32))
    }

    pub(crate) fn up(&self) -> Vec3 {
        self.up.as_vec3()
    }

    /// Corners of a square around the disc, in world space.
    pub(crate) fn corners(&self) -> [DVec3; 4] {
        let (x, y) = self.up.any_orthonormal_pair();
        let reach = FADE[1] * self.radius;
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
            .map(|(a, b): (f64, f64)| self.center + reach * (a * x + b * y))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hitscan::glam::DAffine3;
    use hitscan::picking::{Camera, Viewport};
    use hitscan::scene::{Instance, Mesh, Scene};

    use super::*;

    #[test]
    fn the_ground_lies_below_the_scene_and_is_seen_from_above_only() {
        let cube = hitscan::generate::cuboid(2.0, 4.0, 2.0, 0).unwrap();
        let mesh = Arc::new(Mesh::new(cube, &Default::default()));
        let mut scene = Scene::new();
        let transform = DAffine3::from_translation([10.0, 0.0, 0.0].into());
        scene.insert(Instance::new(mesh, transform)).unwrap();
        let subject = Subject::new(scene, |_, _| None);
        let view = |eye: [f64; 3]| {
            Camera::look_at(eye, [10.0, 0.0, 0.0]).view(Viewport::from_size(64.0, 48.0)).unwrap()
        };
        assert!(Ground::new(&subject, &view([10.0, -9.0, 9.0]), DVec3::Y).is_none());
        let ground = Ground::new(&subject, &view([10.0, 5.0, 9.0]), DVec3::Y).unwrap();
        let down = |x: f64| ground.hit(&WorldRay::new([x, 9.0, 0.0], [0.0, -3.0, 0.0]));
        let (point, visible) = down(10.5).unwrap();
        assert!(point.distance(DVec3::new(10.5, -2.0, 0.0)) < 1e-12 && visible == 1.0);
        let (_, faded) = down(12.0).unwrap();
        assert!(faded > 0.0 && faded < 1.0, "{faded}");
        assert!(down(20.0).is_none());
        assert!(ground.hit(&WorldRay::new([10.0, 9.0, 0.0], [0.0, 1.0, 0.0])).is_none());
        assert!(ground.hit(&WorldRay::new([10.0, -9.0, 0.0], [0.0, 1.0, 0.0])).is_none());
        let empty = Subject::new(Scene::new(), |_, _| None);
        assert!(Ground::new(&empty, &view([10.0, 5.0, 9.0]), DVec3::Y).is_none());
    }
}
