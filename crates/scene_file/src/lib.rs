//! Saves scenes as TOML, and reads them back; reads glTF files into scenes with their hierarchy.
//!
//! [`save`] writes the instances of a [`Scene`](hitscan_scene::Scene) and the names of the mesh files. [`load`]
//! reads such a file, a glTF file, or a mesh file as a scene of one instance. Names, parents, transforms, layers,
//! and the order that decides ties survive, to the last bit.
//!
//! ```
//! use hitscan_scene_file::{MeshFile, SceneOptions, load, save};
//! use hitscan_scene::{Instance, glam::DAffine3};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("street.toml");
//! # std::fs::write(folder.path().join("wall.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
//! # std::fs::write(&path, "[meshes]\nwall = 'wall.obj'\n[[instances]]\nname = 'left'\nmesh = 'wall'\n")?;
//! let mut loaded = load(&path, &SceneOptions::default())?;
//! let (left, instance) = loaded.scene.iter().next().ok_or("the scene is empty")?;
//! let mesh = instance.mesh.clone().ok_or("left is a group")?;
//! let right = Instance::new(mesh, DAffine3::from_translation([4.0, 0.0, 0.0].into()));
//! let right = loaded.scene.insert(right)?;
//! loaded.scene.remove(left)?;
//!
//! // A stable number of an instance, in this scene and in every later one.
//! let order = loaded.scene.insertion_order(right).ok_or("it is in the scene")?;
//! loaded.save(&path)?;
//!
//! let again = load(&path, &SceneOptions::default())?.scene;
//! let right = again.by_insertion_order(order).ok_or("it is in the file")?;
//! assert_eq!(again.world_transform(right), Some(DAffine3::from_translation([4.0, 0.0, 0.0].into())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! ```toml
//! [meshes]
//! house = "house.obj"                       # any format; at or below the folder of this file
//! wheel = { file = "truck.glb", mesh = 1 }  # the mesh at index 1 of a glTF file
//!
//! [[instances]]
//! id = 3                                    # the insertion order; in all instances or in none
//! name = "left"
//! mesh = "house"                            # absent in a group
//! parent = "street"                         # an earlier instance, by its name or id
//! translation = [0.0, 0.0, 5.0]
//! rotation = [0.0, 0.0, 0.0, 1.0]           # a quaternion x, y, z, w
//! scale = 2.0                               # or one number per axis
//! layers = [0, 3]
//! hidden = false
//! locked = false
//! ```
//!
//! `matrix`, 16 numbers column by column, may stand in place of translation, rotation and scale. [`save`] writes
//! it, because it has every bit. A `parent` by name needs a unique name. Without `id`, the order in the file is
//! the insertion order, and every name is unique.
//!
//! # Modules
//!
//! A module imports only modules of its row or of rows below it. A test compares the table with the sources.
//!
//! | module | holds | imports |
//! |---|---|---|
//! | `load` | TOML, glTF and mesh files as scenes; nodes placed in a scene | `error`, `read`, `write` |
//! | `read` | parses TOML | `document`, `error`, `write` |
//! | `write` | writes TOML | `error` |
//! | `document` | the TOML as the reader takes it | |
//! | `error` | the error, with its location | |

#![forbid(unsafe_code)]

mod document;
mod error;
mod load;
mod read;
mod write;

pub use error::{SceneFileError, SceneFileErrorKind};
pub use load::{LoadedScene, SceneMesh, SceneOptions, load, place};
pub use read::{MeshResult, parse};
pub use write::{MeshFile, save, to_text};
