//! The scenes: meshes with a camera and a light.

use hitscan::glam::{DVec3, Vec3};
use hitscan::{Aabb, LoadOptions, MeshError, TriMesh, generate};
use thiserror::Error;

use crate::{Camera, FileState, ModelFile};

/// A mesh with a camera and a light.
#[derive(Clone, Debug)]
pub struct Scene {
    /// One of [`scene_names`], or `terrain`.
    pub name: &'static str,
    /// The mesh, without degenerate triangles, so that every engine gets the same triangles.
    pub mesh: TriMesh,
    /// The camera of the primary rays.
    pub camera: Camera,
    /// The light, where shadow rays end.
    pub light: DVec3,
}

impl Scene {
    /// Reads or generates a scene.
    ///
    /// # Errors
    /// A name that is not among [`scene_names`], a file that is missing, or one that cannot be read.
    pub fn load(name: &str) -> Result<Self, SceneError> {
        let recipe = RECIPES.iter().find(|recipe| recipe.name == name);
        let recipe = recipe.ok_or_else(|| SceneError::Unknown { name: name.to_owned() })?;
        let mesh = without_degenerate((recipe.make)()?)?;
        let (camera, light) = recipe.view.place(mesh.bounds());
        Ok(Self { name: recipe.name, mesh, camera, light })
    }

    /// The terrain with about this number of triangles: the same hills, in finer steps for more
    /// triangles.
    ///
    /// # Errors
    /// Fewer triangles than 2, or more than fit a mesh.
    pub fn terrain(n_triangles: usize) -> Result<Self, SceneError> {
        let mesh = without_degenerate(generated(generate::terrain(n_triangles, 1))?)?;
        let (camera, light) = TERRAIN.place(mesh.bounds());
        Ok(Self { name: "terrain", mesh, camera, light })
    }

    /// The available scenes of these names; standard error lists the missing ones.
    ///
    /// # Errors
    /// As [`Scene::load`], except for missing files.
    pub fn load_available(names: &[&str]) -> Result<Vec<Self>, SceneError> {
        let mut scenes = Vec::new();
        for name in names {
            match Self::load(name) {
                Ok(scene) => scenes.push(scene),
                Err(missing @ SceneError::Missing { .. }) => eprintln!("{missing}: skipped"),
                Err(error) => return Err(error),
            }
        }
        Ok(scenes)
    }
}

/// The names of all scenes, small ones first.
pub fn scene_names() -> impl Iterator<Item = &'static str> {
    RECIPES.iter().map(|recipe| recipe.name)
}

fn all_names() -> String {
    scene_names().collect::<Vec<_>>().join(", ")
}

/// The reason why a scene is unavailable.
#[derive(Debug, Error)]
pub enum SceneError {
    /// No scene has that name.
    #[error("there is no scene {name:?}, expected one of {known}", known = all_names())]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// The scene's file is not on this machine.
    #[error(
        "{path}: missing; download {address}, or set HITSCAN_MESHES to a folder that has it",
        path = .file.path().display(),
        address = .file.address
    )]
    Missing {
        /// The file.
        file: &'static ModelFile,
    },
    /// The scene's file is another one, so that its figures would mean nothing.
    #[error(
        "{path}: has the SHA-256 {found}, expected {expected}; download {address}",
        path = .file.path().display(),
        expected = .file.sha256,
        address = .file.address
    )]
    Other {
        /// The file.
        file: &'static ModelFile,
        /// The checksum of the file that is there.
        found: String,
    },
    /// The scene's file cannot be read.
    #[error(transparent)]
    Load(#[from] hitscan::ReadError),
    /// A generator or a mesh refused its input.
    #[error("a scene cannot be made: {0}")]
    Make(String),
}

impl From<MeshError> for SceneError {
    fn from(error: MeshError) -> Self {
        Self::Make(error.to_string())
    }
}

/// The source of a scene.
struct Recipe {
    name: &'static str,
    make: fn() -> Result<TriMesh, SceneError>,
    view: View,
}

const RECIPES: &[Recipe] = &[
    Recipe { name: "sphere", make: || generated(generate::sphere(1.0, 70_000)), view: OBJECT },
    Recipe { name: "city-60k", make: || generated(generate::city(60_000, 1)), view: CITY },
    Recipe { name: "kitchen", make: || from_file("kitchen.obj"), view: KITCHEN },
    Recipe { name: "bunny", make: || from_file(BUNNY), view: OBJECT },
    Recipe { name: "nefertiti", make: || from_file("nefertiti.obj"), view: NEFERTITI },
    Recipe { name: "ogre", make: || from_file("ogre.obj"), view: OBJECT },
    Recipe { name: "city-1m", make: || generated(generate::city(1_000_000, 1)), view: CITY },
    Recipe { name: "bumpy", make: bumpy, view: OBJECT },
    Recipe {
        name: "terrain-4m",
        make: || generated(generate::terrain(4_200_000, 1)),
        view: TERRAIN,
    },
];

const BUNNY: &str = "stanford-bunny.obj";

/// The camera and light of a scene.
#[derive(Clone, Copy)]
enum View {
    /// Towards the middle of the bounds, from `distance` half diagonals away in the direction `from`. The
    /// light is one half diagonal to the side and `light_height` above.
    Outside { up: DVec3, from: DVec3, distance: f64, light_height: f64 },
    /// From one point of the scene to another.
    Inside { eye: DVec3, target: DVec3, light: DVec3 },
}

const OBJECT: View = View::Outside {
    up: DVec3::Y,
    from: DVec3::new(0.4, 0.3, 1.0),
    distance: 2.0,
    light_height: 2.0,
};
/// Near enough to show the horizon.
const CITY: View = View::Outside {
    up: DVec3::Y,
    from: DVec3::new(0.35, 0.25, 0.9),
    distance: 0.9,
    light_height: 2.0,
};
/// The sun is low, so that hills cast shadows.
const TERRAIN: View = View::Outside {
    up: DVec3::Y,
    from: DVec3::new(0.35, 0.25, 0.9),
    distance: 0.9,
    light_height: 0.45,
};
/// The scan lies on its back.
const NEFERTITI: View = View::Outside {
    up: DVec3::Z,
    from: DVec3::new(0.3, -1.0, 0.2),
    distance: 2.0,
    light_height: 2.0,
};
const KITCHEN: View = View::Inside {
    eye: DVec3::new(3.0, 1.5, 1.4),
    target: DVec3::new(-3.9, 1.5, -1.7),
    light: DVec3::new(0.8, 2.2, 0.0),
};

impl View {
    fn place(self, bounds: Aabb) -> (Camera, DVec3) {
        let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let (center, radius) = ((min + max) / 2.0, (max - min).length() / 2.0);
        match self {
            Self::Outside { up, from, distance, light_height } => {
                let from = from.normalize();
                let eye = center + distance * radius * from;
                let light = center + radius * (light_height * up + from.cross(up));
                (Camera { eye, target: center, up, fov_y_radians: 45f64.to_radians() }, light)
            }
            Self::Inside { eye, target, light } => {
                let fov_y_radians = 90f64.to_radians();
                (Camera { eye, target, up: DVec3::Y, fov_y_radians }, light)
            }
        }
    }
}

fn generated<E: std::fmt::Display>(mesh: Result<TriMesh, E>) -> Result<TriMesh, SceneError> {
    mesh.map_err(|error| SceneError::Make(error.to_string()))
}

fn from_file(file: &'static str) -> Result<TriMesh, SceneError> {
    let file = ModelFile::of(file).expect("the recipes name files of the list");
    match file.state() {
        FileState::Missing => return Err(SceneError::Missing { file }),
        FileState::Other { found } => return Err(SceneError::Other { file, found }),
        // The reader reports a file that cannot be read.
        FileState::Right | FileState::Unreadable(_) => {}
    }
    // Rays need only the geometry.
    let options =
        LoadOptions { records: false, attributes: false, materials: false, ..Default::default() };
    Ok(hitscan::load(file.path(), &options)?.into_mesh()?)
}

/// A mesh of 1.1 M triangles of similar size: the bunny, or a torus if the bunny is missing. Each
/// triangle is split into 16, then displaced by waves along its normals.
fn bumpy() -> Result<TriMesh, SceneError> {
    let base = match from_file(BUNNY) {
        Err(SceneError::Missing { .. }) => generated(generate::torus(1.0, 0.4, 70_000))?,
        base => base?,
    };
    let fine = generated(generated(base.subdivided())?.subdivided())?;
    let diagonal = (fine.bounds().max - fine.bounds().min).length();
    let normals = vertex_normals(&fine);
    let displaced = fine.positions().iter().zip(&normals).map(|(&position, &normal)| {
        let [x, y, z] = (position * (200.0 / diagonal)).to_array();
        let wave = x.sin() * y.sin() + y.sin() * z.sin() + z.sin() * x.sin();
        position + (0.002 * diagonal * wave) * normal
    });
    Ok(fine.with_positions(displaced)?)
}

/// Unit normals at the vertices, weighted by area.
fn vertex_normals(mesh: &TriMesh) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; mesh.positions().len()];
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(triangle as u32);
        let normal = (b - a).cross(c - a);
        for &corner in corners {
            normals[corner as usize] += normal;
        }
    }
    normals.into_iter().map(Vec3::normalize_or_zero).collect()
}

fn without_degenerate(mesh: TriMesh) -> Result<TriMesh, MeshError> {
    let keep = |&(id, _): &(usize, &[u32; 3])| !mesh.is_degenerate(id as u32);
    let kept = mesh.triangles().iter().enumerate().filter(keep).map(|(_, &corners)| corners);
    TriMesh::from_vecs(mesh.positions().to_vec(), kept.collect())
}

#[cfg(test)]
mod tests {
    use crate::{assert_equals_brute_force, ray_sets};

    use super::*;

    #[test]
    fn degenerate_triangles_are_dropped_for_everybody() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = TriMesh::new(corners, vec![[0, 0, 1], [0, 1, 2], [2, 2, 2]]).unwrap();
        assert_eq!(without_degenerate(mesh).unwrap().triangles(), [[0, 1, 2]]);
    }

    #[test]
    fn an_unknown_scene_is_refused_with_the_names_there_are() {
        let message = Scene::load("attic").unwrap_err().to_string();
        assert!(message.contains("\"attic\"") && message.contains("city-60k"), "{message}");
    }

    #[test]
    fn the_small_generated_scenes_need_no_files_and_are_in_sight() {
        for name in ["sphere", "city-60k"] {
            let scene = Scene::load(name).unwrap();
            let bvh = hitscan::MeshBvh::build(&scene.mesh, &hitscan::BuildOptions::default());
            let sets = ray_sets(&scene, &bvh, 16);
            let seen = sets[1].rays.len();
            assert!(seen > 256 / 4, "{name}: {seen} of 256 primary rays hit");
            assert_equals_brute_force(&bvh, &scene.mesh, &sets[0].rays);
        }
    }
}
