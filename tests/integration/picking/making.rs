//! Seeded scenes to pick in, and cameras in every convention.

use std::sync::Arc;

use hitscan::picking::{Convention, View, Viewport};
use hitscan::primitives::FaceRecords;
use hitscan::primitives::glam::{
    DAffine3, DMat3, DVec2, DVec3, EulerRot,
    dcamera::{lh, rh},
};
use hitscan::scene::{Instance, InstanceId, Mesh, Scene};
use hitscan::{BuildOptions, TriMesh, primitives::generate};
use hitscan_testkit::Rng;

pub(super) fn vector(rng: &mut Rng) -> DVec3 {
    rng.in_cube().as_dvec3()
}

fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * f64::from(rng.unit())
}

/// A prism of quads between two polygons of `n` corners, which are fans of triangles.
fn prism(n: u32) -> TriMesh {
    let corner = |i: u32, y: f32| {
        let angle = i as f32 / n as f32 * std::f32::consts::TAU;
        [angle.cos(), y, angle.sin()]
    };
    let positions: Vec<[f32; 3]> =
        (0..n).map(|i| corner(i, -1.0)).chain((0..n).map(|i| corner(i, 1.0))).collect();
    let mut triangles = vec![];
    triangles.extend((1..n - 1).map(|i| [0, i, i + 1]));
    triangles.extend((1..n - 1).map(|i| [n, n + i + 1, n + i]));
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, n + i, n + j], [i, n + j, j]]);
    }
    let counts = [n - 2, n - 2].into_iter().chain((0..n).map(|_| 2));
    let mesh = TriMesh::new(positions, triangles).expect("indices are in range");
    mesh.with_records(FaceRecords::from_triangle_counts(counts)).expect("the counts add up")
}

/// A grid whose cells are quads.
fn quads(n_triangles: usize) -> TriMesh {
    let grid = generate::grid(2.0, 2.0, n_triangles).expect("an ordinary size");
    let counts = vec![2; grid.triangles().len() / 2];
    grid.with_records(FaceRecords::from_triangle_counts(counts)).expect("two triangles a cell")
}

/// Meshes of about unit size, with polygons and without.
fn meshes(rng: &mut Rng) -> Vec<Arc<Mesh>> {
    let ordinary = "an ordinary size";
    let meshes = [
        prism(3 + rng.below(6) as u32),
        quads(2 + rng.below(60)),
        generate::sphere(1.0, 40 + rng.below(200)).expect(ordinary),
        generate::torus(1.0, 0.4, 60 + rng.below(200)).expect(ordinary),
        generate::cuboid(1.5, 1.0, 2.0, rng.below(3) as u32).expect(ordinary),
        generate::soup(30, rng.bits().into()).expect(ordinary),
    ];
    meshes.into_iter().map(|mesh| Arc::new(Mesh::new(mesh, &BuildOptions::default()))).collect()
}

/// Up to a dozen instances about `origin`: turned, stretched, sheared, mirrored.
pub(super) fn scene(rng: &mut Rng, origin: DVec3) -> Scene {
    let meshes = meshes(rng);
    let mut scene = Scene::new();
    for _ in 0..2 + rng.below(10) {
        let angles = 3.0 * vector(rng);
        let mut stretch = || 2f64.powf(between(rng, -1.5, 1.0));
        let stretch = DVec3::new(stretch(), stretch(), stretch());
        let mut linear = DMat3::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z)
            * DMat3::from_diagonal(stretch);
        if rng.one_in(3) {
            linear *= DMat3::from_cols(DVec3::X, DVec3::Y + 0.4 * vector(rng), DVec3::Z);
        }
        if rng.one_in(3) {
            linear *= DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        }
        let transform = DAffine3 { matrix3: linear, translation: origin + 4.0 * vector(rng) };
        let mesh = rng.below(meshes.len());
        let instance = Instance::new(meshes[mesh].clone(), transform);
        scene.insert(instance).expect("the transform can be inverted");
    }
    scene
}

/// The mesh and the transform of an instance.
pub(super) fn part(scene: &Scene, id: InstanceId) -> (&TriMesh, DAffine3) {
    let instance = scene.get(id).expect("it is in the scene");
    let mesh = instance.mesh.as_deref().expect("it has a mesh");
    (mesh.tri_mesh(), scene.world_transform(id).expect("it is in the scene"))
}

/// The instances of a scene.
pub(super) fn ids(scene: &Scene) -> Vec<InstanceId> {
    scene.iter().map(|(id, _)| id).collect()
}

/// The projection of a camera, and the convention of its matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    Wgpu,
    WgpuInfinite,
    Reversed,
    ReversedInfinite,
    OpenGl,
    ThreeJs,
    Vulkan,
    /// Left-handed, as Direct3D has it.
    LeftHanded,
    Orthographic,
    OrthographicReversed,
    OrthographicGl,
}

pub(super) const STYLES: [Style; 11] = [
    Style::Wgpu,
    Style::WgpuInfinite,
    Style::Reversed,
    Style::ReversedInfinite,
    Style::OpenGl,
    Style::ThreeJs,
    Style::Vulkan,
    Style::LeftHanded,
    Style::Orthographic,
    Style::OrthographicReversed,
    Style::OrthographicGl,
];

/// A camera as plain numbers: the oracle projects with these, hitscan with the matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eye {
    pub(super) style: Style,
    pub(super) position: DVec3,
    /// Right, up and forward, of unit length.
    pub(super) axes: [DVec3; 3],
    /// Half of the picture's height: at distance one with perspective, in world units without.
    pub(super) half_height: f64,
    pub(super) near: f64,
    pub(super) far: f64,
    pub(super) viewport: Viewport,
}

impl Eye {
    /// A camera that looks at the surroundings of `origin`, in some cases from among them.
    pub(super) fn random(rng: &mut Rng, style: Style, origin: DVec3, height: f64) -> Self {
        let distance = if rng.one_in(4) { between(rng, 0.5, 4.0) } else { between(rng, 6.0, 14.0) };
        let position = origin + distance * vector(rng).normalize();
        let forward = (origin + 2.0 * vector(rng) - position).normalize();
        let right = forward.cross(vector(rng)).normalize();
        let up = right.cross(forward);
        // Where z points away from the viewer, x goes the other way.
        let right = if style == Style::LeftHanded { -right } else { right };
        let size = DVec2::new(height * between(rng, 0.7, 2.0), height).round();
        let is_infinite = matches!(style, Style::WgpuInfinite | Style::ReversedInfinite);
        let near = if rng.one_in(2) { 0.01 } else { between(rng, 0.1, 5.0) };
        Self {
            style,
            position,
            axes: [right, up, forward],
            half_height: if style.is_parallel() { between(rng, 2.0, 6.0) } else { 0.5 },
            near,
            far: if is_infinite { f64::INFINITY } else { near + between(rng, 5.0, 30.0) },
            viewport: Viewport { min: DVec2::new(-7.0, 31.0), size },
        }
    }

    /// The view by its matrix: relative to the camera, or from the world's origin.
    pub(super) fn view(&self, from_world: bool) -> View {
        let Self { near, far, position, axes: [_, up, forward], .. } = *self;
        let fov = 2.0 * self.half_height.atan();
        let aspect = self.viewport.aspect();
        let (h, w) = (self.half_height, self.half_height * aspect);
        let (projection, convention) = match self.style {
            Style::Wgpu => {
                (rh::proj::directx::perspective(fov, aspect, near, far), Convention::WGPU)
            }
            Style::WgpuInfinite => {
                (rh::proj::directx::perspective_infinite(fov, aspect, near), Convention::WGPU)
            }
            Style::Reversed => {
                (rh::proj::directx::perspective(fov, aspect, far, near), Convention::BEVY)
            }
            Style::ReversedInfinite => {
                let projection = rh::proj::directx::perspective_infinite_reverse(fov, aspect, near);
                (projection, Convention::BEVY)
            }
            Style::OpenGl => {
                (rh::proj::opengl::perspective(fov, aspect, near, far), Convention::OPENGL)
            }
            Style::ThreeJs => {
                (rh::proj::opengl::perspective(fov, aspect, near, far), Convention::THREE_JS)
            }
            Style::Vulkan => {
                (rh::proj::vulkan::perspective(fov, aspect, near, far), Convention::VULKAN)
            }
            Style::LeftHanded => {
                (lh::proj::directx::perspective(fov, aspect, near, far), Convention::WGPU)
            }
            Style::Orthographic => {
                (rh::proj::directx::orthographic(-w, w, -h, h, near, far), Convention::WGPU)
            }
            Style::OrthographicReversed => {
                (rh::proj::directx::orthographic(-w, w, -h, h, far, near), Convention::BEVY)
            }
            Style::OrthographicGl => {
                (rh::proj::opengl::orthographic(-w, w, -h, h, near, far), Convention::OPENGL)
            }
        };
        let look = match self.style {
            Style::LeftHanded => lh::view::look_to_mat4,
            _ => rh::view::look_to_mat4,
        };
        let view = if from_world {
            let world_to_clip = projection * look(position, forward, up);
            View::new(world_to_clip, self.viewport, convention)
        } else {
            let to_clip = projection * look(DVec3::ZERO, forward, up);
            View::relative_to(position, to_clip, self.viewport, convention)
        };
        view.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    /// A position in the viewport.
    pub(super) fn random_pixel(&self, rng: &mut Rng) -> DVec2 {
        let share = DVec2::new(f64::from(rng.unit()), f64::from(rng.unit()));
        self.viewport.min + share * self.viewport.size
    }
}

impl Style {
    pub(super) fn is_parallel(self) -> bool {
        matches!(self, Self::Orthographic | Self::OrthographicReversed | Self::OrthographicGl)
    }

    /// Whether pixel y grows upwards.
    pub(super) fn is_y_up(self) -> bool {
        matches!(self, Self::OpenGl | Self::OrthographicGl)
    }
}
