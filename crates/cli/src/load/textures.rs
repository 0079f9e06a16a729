//! Base-colour textures of materials, from files and from inside glTF files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hitscan::Material;
use hitscan::obj::texture_file;
use hitscan_render::Texture;

use crate::messages;

/// The maximum size of all texture files of a scene together, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The maximum number of texels of all textures of a scene together, three bytes each.
const MAX_TEXELS: u64 = 1 << 28;

/// The materials of a file, and where their textures are.
#[derive(Clone, Debug)]
pub(crate) struct MaterialSet {
    /// The file that the materials belong to.
    pub(crate) file: PathBuf,
    pub(crate) materials: Vec<Material>,
    /// The textures inside the file, by the index of the material.
    pub(crate) embedded: Vec<(usize, Arc<[u8]>)>,
}

/// Reads textures, each once, within limits for all of them.
#[derive(Debug, Default)]
pub(crate) struct TextureReader {
    n_bytes: u64,
    n_texels: u64,
    read: HashMap<PathBuf, Option<Arc<Texture>>>,
}

impl TextureReader {
    /// The textures of a set of materials by name. Prints a note for each one that cannot be shown.
    pub(crate) fn textures_of(&mut self, set: &MaterialSet) -> HashMap<String, Arc<Texture>> {
        let mut embedded: HashMap<*const u8, Option<Arc<Texture>>> = HashMap::new();
        let inside: HashMap<usize, &Arc<[u8]>> =
            set.embedded.iter().map(|(material, bytes)| (*material, bytes)).collect();
        let mut textures = HashMap::new();
        for (index, material) in set.materials.iter().enumerate() {
            let texture = match (inside.get(&index), &material.map_kd) {
                (Some(bytes), _) => {
                    let read = embedded.entry(bytes.as_ptr()).or_insert_with(|| {
                        let texture = self.decode(bytes, "");
                        noted(texture, &set.file, "an embedded texture", &material.name)
                    });
                    read.clone()
                }
                (None, Some(statement)) => self.of_file(set, statement, &material.name),
                (None, None) => None,
            };
            // Of equal names the last counts.
            match texture {
                Some(texture) => textures.insert(material.name.clone(), texture),
                None => textures.remove(&material.name),
            };
        }
        textures
    }

    /// The texture files that were read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.read.keys()
    }

    fn of_file(
        &mut self,
        set: &MaterialSet,
        statement: &str,
        material: &str,
    ) -> Option<Arc<Texture>> {
        // Programs on Windows write backslashes.
        let name = texture_file(statement).replace('\\', "/");
        let folder = set.file.parent().unwrap_or(Path::new("")).to_owned();
        let place = folder.join(&name);
        if !self.read.contains_key(&place) {
            let texture = self.read_file(&folder, &name);
            let texture = noted(texture, &set.file, &format!("texture {name:?}"), material);
            self.read.insert(place.clone(), texture);
        }
        self.read[&place].clone()
    }

    fn read_file(&mut self, folder: &Path, name: &str) -> Result<Arc<Texture>, String> {
        let path = hitscan_files::inside(folder, Path::new(name)).map_err(|e| e.to_string())?;
        let bytes = hitscan_files::read(&path, MAX_BYTES - self.n_bytes);
        let bytes = bytes.map_err(|error| error.to_string())?;
        self.n_bytes += bytes.len() as u64;
        self.decode(&bytes, name)
    }

    fn decode(&mut self, bytes: &[u8], name: &str) -> Result<Arc<Texture>, String> {
        let texture = Texture::decode(bytes, name).map_err(|error| error.to_string())?;
        let [width, height] = texture.size().map(u64::from);
        if self.n_texels + width * height > MAX_TEXELS {
            return Err(format!("all textures together have more than {MAX_TEXELS} texels"));
        }
        self.n_texels += width * height;
        Ok(Arc::new(texture))
    }
}

/// The texture; or `None` after a note.
fn noted(
    texture: Result<Arc<Texture>, String>,
    file: &Path,
    what: &str,
    material: &str,
) -> Option<Arc<Texture>> {
    texture
        .inspect_err(|reason| {
            messages::note(format_args!(
                "{}: cannot show {what} of material {material:?}: {reason}; \
                 the material keeps its plain colour",
                file.display()
            ));
        })
        .ok()
}
