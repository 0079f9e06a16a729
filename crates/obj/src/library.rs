//! Finding and reading material libraries.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use hitscan_files::{FileError, InsideError, decode_utf16, inside, read};

use crate::{
    LibraryProblem, LoadOptions, Material, ObjReport,
    lines::{decode_name, words},
    material::read_library,
};

/// A source of material libraries by the names that OBJ files use.
pub(crate) trait Libraries {
    /// Returns the contents of a library of at most `max_bytes`; `None` if it was read before.
    fn read(&mut self, name: &[u8], max_bytes: u64) -> Result<Option<Vec<u8>>, LibraryProblem>;
}

/// Reads the libraries of the `mtllib` statements in order, within the limits of the options.
///
/// This function cannot fail: the report lists the libraries that were not read.
pub(crate) fn read_libraries(
    statements: &[(Vec<u8>, u64)],
    libraries: &mut dyn Libraries,
    options: &LoadOptions,
    report: &mut ObjReport,
) -> Vec<Material> {
    let mut reader = Reader {
        libraries,
        n_names_left: options.max_libraries,
        n_bytes_left: options.max_material_bytes,
        materials: Vec::new(),
    };
    for (argument, line) in statements {
        reader.read_statement(argument, *line, report);
    }
    reader.materials
}

struct Reader<'l> {
    libraries: &'l mut dyn Libraries,
    n_names_left: u32,
    n_bytes_left: u64,
    materials: Vec<Material>,
}

impl Reader<'_> {
    /// Reads the argument as one name, possibly with blanks, and if there is no such file as a list
    /// of names.
    fn read_statement(&mut self, argument: &[u8], line: u64, report: &mut ObjReport) {
        let problem = match self.read(argument, line, report) {
            Ok(()) => return,
            Err(problem) => problem,
        };
        let mut is_any_found = false;
        let mut problems = Vec::new();
        // If the argument turns out to be a list, a first name outside the folder is reported with
        // the other problems, not alone.
        let may_be_list =
            [LibraryProblem::NotFound, LibraryProblem::OutsideFolder].contains(&problem);
        if may_be_list && words(argument).nth(1).is_some() {
            for name in words(argument) {
                match self.read(name, line, report) {
                    Ok(()) => is_any_found = true,
                    Err(LibraryProblem::TooMany) => {
                        problems.push((name, LibraryProblem::TooMany));
                        break;
                    }
                    Err(problem) => problems.push((name, problem)),
                }
            }
        }
        let is_worth_reporting = |(_, other): &(&[u8], LibraryProblem)| {
            *other != LibraryProblem::NotFound && *other != problem
        };
        if is_any_found || problems.iter().any(is_worth_reporting) {
            for (name, problem) in problems {
                report.add_library_issue(name, line, problem);
            }
        } else {
            report.add_library_issue(argument, line, problem);
        }
    }

    fn read(
        &mut self,
        name: &[u8],
        line: u64,
        report: &mut ObjReport,
    ) -> Result<(), LibraryProblem> {
        self.n_names_left = self.n_names_left.checked_sub(1).ok_or(LibraryProblem::TooMany)?;
        let Some(mut text) = self.libraries.read(name, self.n_bytes_left)? else { return Ok(()) };
        let decoded = decode_utf16(&text, self.n_bytes_left);
        if let Some(decoded) = decoded.map_err(|_| LibraryProblem::TooLarge)? {
            text = decoded.utf8;
        }
        self.n_bytes_left = self.n_bytes_left.saturating_sub(text.len() as u64);
        let library = read_library(&text);
        if library.n_bad > 0 {
            let (n, first_line) = (library.n_bad, library.first_bad_line);
            report.add_library_issue(name, line, LibraryProblem::BadStatements { n, first_line });
        }
        self.materials.extend(library.materials);
        Ok(())
    }
}

/// The folder of an OBJ file, with everything below it.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The path with symbolic links resolved, or the reason why there is none.
    root: Result<PathBuf, LibraryProblem>,
    read: HashSet<PathBuf>,
}

impl Folder {
    /// The folder of the path as the caller gave it, even if the file is a link, because exporters
    /// write the library beside that name.
    pub(crate) fn of(file: &Path) -> Self {
        let parent = match file.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        Self { root: fs::canonicalize(parent).map_err(problem), read: HashSet::new() }
    }

    /// The files that were read, sorted.
    pub(crate) fn into_files(self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.read.into_iter().collect();
        files.sort();
        files
    }

    /// The path of a library. The separator in its name may be `\`.
    pub(crate) fn locate(&self, name: &[u8]) -> Result<PathBuf, LibraryProblem> {
        match self.find(name) {
            Err(LibraryProblem::NotFound) if name.contains(&b'\\') => {
                let slashes = |&byte: &u8| if byte == b'\\' { b'/' } else { byte };
                self.find(&name.iter().map(slashes).collect::<Vec<_>>())
            }
            found => found,
        }
    }

    /// The path of a file in the folder or below. The name may contain no `..` and may not be
    /// absolute, and links must end inside.
    fn find(&self, name: &[u8]) -> Result<PathBuf, LibraryProblem> {
        let root = self.root.as_ref().map_err(Clone::clone)?;
        inside(root, &path_of(name)).map_err(|error| match error {
            InsideError::Outside => LibraryProblem::OutsideFolder,
            InsideError::Io(error) => problem(error),
        })
    }
}

impl Libraries for Folder {
    fn read(&mut self, name: &[u8], max_bytes: u64) -> Result<Option<Vec<u8>>, LibraryProblem> {
        let path = self.locate(name)?;
        if self.read.contains(&path) {
            return Ok(None);
        }
        let text = read(&path, max_bytes).map_err(|error| match error {
            FileError::Io(error) => problem(error),
            FileError::NotRegular { .. } => LibraryProblem::NotARegularFile,
            FileError::TooLarge { .. } => LibraryProblem::TooLarge,
        })?;
        self.read.insert(path);
        Ok(Some(text))
    }
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    PathBuf::from(OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(decode_name(name))
}

fn problem(error: io::Error) -> LibraryProblem {
    match error.kind() {
        // No file can have a name that is too long or contains NUL.
        io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::InvalidFilename
        | io::ErrorKind::InvalidInput => LibraryProblem::NotFound,
        _ => LibraryProblem::Unreadable(error.to_string()),
    }
}

/// The source for text without a folder: no libraries.
#[derive(Debug)]
pub(crate) struct NoLibraries;

impl Libraries for NoLibraries {
    fn read(&mut self, _: &[u8], _: u64) -> Result<Option<Vec<u8>>, LibraryProblem> {
        Err(LibraryProblem::NoFolder)
    }
}

/// The libraries that a function of the caller returns by name.
pub(crate) struct Provided<'f> {
    provide: &'f mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
    read: HashSet<Vec<u8>>,
}

impl<'f> Provided<'f> {
    pub(crate) fn new(provide: &'f mut dyn FnMut(&str) -> io::Result<Vec<u8>>) -> Self {
        Self { provide, read: HashSet::new() }
    }
}

impl Libraries for Provided<'_> {
    fn read(&mut self, name: &[u8], max_bytes: u64) -> Result<Option<Vec<u8>>, LibraryProblem> {
        if self.read.contains(name) {
            return Ok(None);
        }
        let text = (self.provide)(&decode_name(name)).map_err(problem)?;
        if text.len() as u64 > max_bytes {
            return Err(LibraryProblem::TooLarge);
        }
        self.read.insert(name.to_vec());
        Ok(Some(text))
    }
}
