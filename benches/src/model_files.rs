//! The files of scanned and modelled meshes: where they come from, and whether they are the right ones.

use std::fmt::Write as _;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// A mesh file that the repository does not have.
#[derive(Debug)]
pub struct ModelFile {
    /// The name in the folder of meshes.
    pub name: &'static str,
    /// Where it can be downloaded.
    pub address: &'static str,
    /// The SHA-256 of the file, after decompression.
    pub sha256: &'static str,
}

/// Whether a file is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// The file is the right one.
    Right,
    /// There is no such file.
    Missing,
    /// A file of that name has another checksum.
    Other {
        /// Its SHA-256.
        found: String,
    },
    /// The file cannot be read.
    Unreadable(String),
}

/// The files of all scenes.
pub const MODEL_FILES: [ModelFile; 4] = [
    ModelFile {
        name: "kitchen.obj",
        address: "https://github.com/DGriffin91/obvhs/raw/main/assets/kitchen.obj.zst",
        sha256: "45ef80470157128c96a9e3521d0ecef2b52028df79a0c4271f07b40942de9ba3",
    },
    ModelFile {
        name: "stanford-bunny.obj",
        address: "https://raw.githubusercontent.com/alecjacobson/common-3d-test-models/master/data/stanford-bunny.obj",
        sha256: "1eb35d1e21ce99e5ce911353b6be278990713448dd9e8f5c9387f9de39b32205",
    },
    ModelFile {
        name: "nefertiti.obj",
        address: "https://raw.githubusercontent.com/alecjacobson/common-3d-test-models/master/data/nefertiti.obj",
        sha256: "19e39748b145092878cc4faafd050505eb5991c5d3e497be2b4575673fa87968",
    },
    ModelFile {
        name: "ogre.obj",
        address: "https://raw.githubusercontent.com/alecjacobson/common-3d-test-models/master/data/ogre.obj",
        sha256: "b72e270246ec3bd91bd8e082c4acf462352680f09067813322903b4e1a3f6967",
    },
];

/// The folder of meshes: `HITSCAN_MESHES`, or `shared/meshes` beside the repository. It may be missing.
pub fn meshes() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/meshes");
    std::env::var_os("HITSCAN_MESHES").map_or_else(beside, PathBuf::from)
}

impl ModelFile {
    /// The file of a name.
    pub fn of(name: &str) -> Option<&'static Self> {
        MODEL_FILES.iter().find(|file| file.name == name)
    }

    /// The path in the folder of meshes.
    pub fn path(&self) -> PathBuf {
        meshes().join(self.name)
    }

    /// Reads the file and compares its checksum.
    pub fn state(&self) -> FileState {
        match std::fs::read(self.path()) {
            Ok(bytes) => {
                let mut found = String::new();
                for byte in Sha256::digest(bytes) {
                    write!(found, "{byte:02x}").expect("a string can be written to");
                }
                if found == self.sha256 { FileState::Right } else { FileState::Other { found } }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => FileState::Missing,
            Err(error) => FileState::Unreadable(error.to_string()),
        }
    }

    /// Lines of a shell script: a comment about a file that is right, or the commands that download it and
    /// check it.
    pub fn commands(&self) -> String {
        let path = self.path();
        let path = path.display();
        let state = match self.state() {
            FileState::Right => return format!("# {path}: right\n"),
            FileState::Missing => "missing".to_owned(),
            FileState::Other { found } => format!("another file, of SHA-256 {found}"),
            FileState::Unreadable(error) => error,
        };
        let decompress = if self.address.ends_with(".zst") { " | zstd -d" } else { "" };
        format!(
            "# {path}: {state}\nmkdir -p '{folder}'\ncurl -fL '{address}'{decompress} > '{path}'\n\
             echo '{sha256}  {path}' | sha256sum -c\n",
            folder = meshes().display(),
            address = self.address,
            sha256 = self.sha256
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_an_address_and_a_checksum() {
        for file in &MODEL_FILES {
            assert!(file.address.starts_with("https://"), "{file:?}");
            assert_eq!(file.sha256.len(), 64, "{file:?}");
            let commands = file.commands();
            match file.state() {
                FileState::Right => assert!(commands.ends_with(": right\n"), "{commands}"),
                _ => assert!(commands.contains("sha256sum -c") && commands.contains(file.address)),
            }
        }
    }
}
