//! Loading a file or memory, in parts that are parsed in parallel.

use std::{
    collections::HashSet,
    io,
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use hitscan_primitives::{Recentred, Recentring, TriMesh, recentre};

use crate::{
    LoadOptions, Material, ObjReport, ReadError, ReadErrorKind,
    chunk::{Chunk, Scratch},
    chunk_reader::read,
    join::{JoinError, Joined, join},
    library::{Folder, Libraries, NoLibraries, Provided, read_libraries},
    lines, parallel,
    report::LoadWarning,
    source::Source,
    statements,
    windows::Windows,
};

/// The contents of an OBJ file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ObjModel {
    /// The mesh, with the attributes and records that [`LoadOptions`] selects, at its
    /// [offset](TriMesh::offset).
    pub mesh: TriMesh,
    /// The materials of all libraries in order. A name may occur twice; see [`ObjModel::material`].
    pub materials: Vec<Material>,
    /// Counts of statements and warnings.
    pub report: ObjReport,
    /// The paths of the material libraries, with links resolved, sorted.
    pub library_files: Vec<PathBuf>,
}

impl ObjModel {
    /// The material of a name. If several have it, the last one counts, because a later library
    /// overrides an earlier one. O(n).
    pub fn material(&self, name: &str) -> Option<&Material> {
        self.materials.iter().rev().find(|material| material.name == name)
    }
}

/// Loads a mesh and its materials from a file.
///
/// Libraries must be regular files in the folder of the OBJ file or below. Problems in a library
/// are listed in the report; the geometry still loads.
///
/// The parts are parsed on rayon's current pool (feature `parallel`). The result does not depend on
/// the number of threads. Peak memory is up to twice that of the result.
///
/// # Errors
/// A file that cannot be read, exceeds a limit, or is invalid; see [`ReadErrorKind`]. If several
/// statements are invalid, the error is about the first. An index out of range is reported only if
/// all statements are valid.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<ObjModel, ReadError> {
    load_with_progress(path, options, &|_| ControlFlow::Continue(()))
}

/// [`load`] with progress: calls `progress` with rising numbers up to 1, about every 256 KiB of the
/// file, from one thread at a time. Loading stops soon after it returns `Break`.
///
/// # Errors
/// As [`load`], and [`ReadErrorKind::Cancelled`].
pub fn load_with_progress(
    path: impl AsRef<Path>,
    options: &LoadOptions,
    progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
) -> Result<ObjModel, ReadError> {
    let path = path.as_ref();
    let name = path.to_string_lossy();
    let source = Source::open(path, options).map_err(|kind| error_in(&name, kind))?;
    load_from_folder(&source, path, options, progress)
}

/// Loads a mesh from memory. Errors call it `source_name`.
///
/// No file is opened, and the report lists libraries as not read. See [`parse_with_libraries`].
///
/// # Errors
/// As [`load`].
pub fn parse(
    bytes: &[u8],
    source_name: &str,
    options: &LoadOptions,
) -> Result<ObjModel, ReadError> {
    parse_from(bytes, source_name, options, &mut NoLibraries)
}

/// [`load_with_progress`] for a file whose text is in memory, such as the uncompressed text of a compressed
/// file. Errors name `path`, and libraries come from its folder.
///
/// # Errors
/// As [`load_with_progress`].
pub fn parse_in_folder(
    bytes: &[u8],
    path: impl AsRef<Path>,
    options: &LoadOptions,
    progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
) -> Result<ObjModel, ReadError> {
    let path = path.as_ref();
    let name = path.to_string_lossy();
    let source = Source::memory(bytes, options).map_err(|kind| error_in(&name, kind))?;
    load_from_folder(&source, path, options, progress)
}

fn load_from_folder(
    source: &Source<'_>,
    path: &Path,
    options: &LoadOptions,
    progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
) -> Result<ObjModel, ReadError> {
    let name = path.to_string_lossy();
    let partition = Partition::for_len(source.len());
    let mut folder = Folder::of(path);
    let loaded = load_source::<true>(source, &name, options, &mut folder, progress, partition)?;
    Ok(ObjModel { library_files: folder.into_files(), ..loaded })
}

/// [`parse`] with a function that returns material libraries by name.
///
/// It is called once per name. An error of the kind `NotFound` makes the reader try a name with
/// blanks as a list of names.
///
/// # Errors
/// As [`load`]. The report lists errors of `library`.
pub fn parse_with_libraries(
    bytes: &[u8],
    source_name: &str,
    options: &LoadOptions,
    library: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<ObjModel, ReadError> {
    parse_from(bytes, source_name, options, &mut Provided::new(library))
}

fn parse_from(
    bytes: &[u8],
    name: &str,
    options: &LoadOptions,
    libraries: &mut dyn Libraries,
) -> Result<ObjModel, ReadError> {
    let source = Source::memory(bytes, options).map_err(|kind| error_in(name, kind))?;
    let partition = Partition::for_len(source.len());
    let progress = |_| ControlFlow::Continue(());
    load_source::<true>(&source, name, options, libraries, &progress, partition)
}

/// The partition of a source. The result does not depend on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partition {
    pub(crate) part_len: u64,
    pub(crate) window_len: usize,
}

impl Partition {
    /// Several parts per thread, because faces and vertices take different times. One part on one
    /// thread, because it needs no merging.
    fn for_len(len: u64) -> Self {
        // Smaller for fuzz targets, so that their small inputs are cut too.
        const MIN_PART_LEN: u64 = if cfg!(fuzzing) { 16 } else { 1 << 16 };
        const WINDOW_LEN: usize = if cfg!(fuzzing) { 64 } else { 1 << 18 };
        const PARTS_PER_THREAD: u64 = 8;
        let part_len = match parallel::n_threads() as u64 {
            0 | 1 => len,
            n => (len / (n * PARTS_PER_THREAD)).max(MIN_PART_LEN),
        };
        Self { part_len, window_len: WINDOW_LEN }
    }
}

pub(crate) fn load_source<const FAST: bool>(
    source: &Source<'_>,
    name: &str,
    options: &LoadOptions,
    libraries: &mut dyn Libraries,
    progress: &(dyn Fn(f32) -> ControlFlow<()> + Sync),
    partition: Partition,
) -> Result<ObjModel, ReadError> {
    let progress = Progress::new(progress, source.len());
    let parts = parts(source.range(), partition.part_len);
    let passes = Passes { source, name, options, progress: &progress, partition, parts: &parts };
    let read = |recentring: &mut Recentring| match recentring.is_first_pass() {
        true => passes.read::<FAST>(recentring),
        // The fast parser knows only f32.
        false => passes.read::<false>(recentring),
    };
    let Recentred { value: joined, offset, rounded_by } =
        recentre(options.recentre, read, |joined| joined.mesh.bounds())?;
    progress.tell(0.95).map_err(|kind| error_in(name, kind))?;
    let Joined { mesh, mut report, libraries: statements, used_materials, n_known } = joined;
    let mesh = mesh.with_offset(offset);
    report.rounded_by = rounded_by;
    report.warnings.add_all(LoadWarning::BadUtf16, source.n_replaced());
    if n_known == 0 && report.n_ignored() > 0 {
        let found = format!("{} lines that are no statements", report.n_ignored());
        return Err(error_in(name, ReadErrorKind::UnknownFormat { found }));
    }
    let mut materials = Vec::new();
    if options.materials {
        materials = read_libraries(&statements, libraries, options, &mut report);
        let known: HashSet<&str> =
            materials.iter().map(|material| material.name.as_str()).collect();
        for (material, line) in used_materials.iter().filter(|(m, _)| !known.contains(m.as_str())) {
            report.add_unknown_material(material, *line);
        }
    }
    progress.tell(1.0).map_err(|kind| error_in(name, kind))?;
    Ok(ObjModel { mesh, materials, report, library_files: Vec::new() })
}

/// Refuses a file whose only faces have the vertex index 0. Such faces are skipped if there are others.
fn check_zero_indices(chunks: &[Chunk<'_>]) -> Result<(), (u64, ReadErrorKind)> {
    if chunks.iter().any(|chunk| chunk.faces.n_faces > 0) {
        return Ok(());
    }
    let mut n_lines_before = 0;
    for chunk in chunks {
        if let Some((line, corner)) = &chunk.first_zero {
            return Err((n_lines_before + line, statements::index_error(corner.clone())));
        }
        n_lines_before += chunk.n_lines;
    }
    Ok(())
}

fn parts(whole: Range<u64>, part_len: u64) -> Vec<Range<u64>> {
    let len = whole.end - whole.start;
    let part_len = part_len.min(len).max(1);
    let n = len.div_ceil(part_len);
    let start = |i: u64| whole.start + i * part_len;
    (0..n).map(|i| start(i)..start(i + 1).min(whole.end)).collect()
}

/// A source that is parsed once, or again relative to an offset.
struct Passes<'p, 's, 'o> {
    source: &'p Source<'s>,
    name: &'p str,
    options: &'o LoadOptions,
    progress: &'p Progress<'p>,
    partition: Partition,
    parts: &'p [Range<u64>],
}

impl<'o> Passes<'_, '_, 'o> {
    /// Parses and merges all parts.
    fn read<const FAST: bool>(&self, recentring: &mut Recentring) -> Result<Joined, ReadError> {
        let name = self.name;
        let chunks = self.read_parts::<FAST>(recentring)?;
        check_zero_indices(&chunks)
            .map_err(|(line, kind)| ReadError::new(name, Some(line), kind))?;
        chunks.iter().for_each(|chunk| recentring.merge(&chunk.recentring));
        join(chunks, self.options).map_err(|error| match error {
            JoinError::Other(kind) => error_in(name, kind),
            JoinError::Index { chunk, line_in_chunk, line, corner, n_vertices } => {
                // Faces store only numbers, and the error quotes the text.
                let statement = statement_on_line(self.windows(chunk), line_in_chunk);
                let corner = statements::corner_text(&statement.unwrap_or_default(), corner);
                let expected = format!("one of the file's {n_vertices} vertices");
                let kind = ReadErrorKind::Index { corner, expected };
                ReadError::new(name, Some(line), kind)
            }
        })
    }

    fn windows(&self, part: usize) -> Windows<'_> {
        let (window_len, max) = (self.partition.window_len, self.options.max_statement_bytes);
        Windows::new(self.source, self.parts[part].clone(), window_len, max)
    }

    /// Parses all parts, or returns the first error of the file. Parts after an error are skipped.
    fn read_parts<const FAST: bool>(
        &self,
        recentring: &Recentring,
    ) -> Result<Vec<Chunk<'o>>, ReadError> {
        let first_bad = AtomicUsize::new(usize::MAX);
        let results = parallel::map(self.parts.len(), |i| {
            let mut chunk = Chunk::new(self.options, recentring.part(), i == 0);
            let mut error = None;
            let mut windows = self.windows(i);
            while error.is_none() && first_bad.load(Ordering::Relaxed) > i {
                let read = match windows.next() {
                    Ok(None) => break,
                    Ok(Some(text)) => read::<FAST>(&mut chunk, text)
                        .map_err(|error| (Some(error.line), error.kind))
                        .and_then(|()| {
                            self.progress.add(text.len() as u64).map_err(|kind| (None, kind))
                        }),
                    Err(error @ ReadErrorKind::TooLarge { .. }) => Err((Some(chunk.line()), error)),
                    Err(error) => Err((None, error)),
                };
                error = read.err();
            }
            chunk.scratch = Scratch::default();
            if error.is_some() {
                first_bad.fetch_min(i, Ordering::Relaxed);
            }
            (chunk, error)
        });
        let mut chunks = Vec::with_capacity(results.len());
        let mut n_lines_before = 0;
        for (chunk, error) in results {
            if let Some((line, kind)) = error {
                let line = line.map(|line| n_lines_before + line);
                return Err(ReadError::new(self.name, line, kind));
            }
            n_lines_before += chunk.n_lines;
            chunks.push(chunk);
        }
        Ok(chunks)
    }
}

/// The statement that starts on a line, counted from 1.
fn statement_on_line(mut windows: Windows<'_>, line: u64) -> Option<Vec<u8>> {
    let mut joined = Vec::new();
    let mut at_line = 1;
    while let Ok(Some(text)) = windows.next() {
        let mut at = 0;
        while at < text.len() {
            let statement = lines::statement(text, at, &mut joined);
            if at_line == line {
                return Some(statement.text.to_vec());
            }
            at_line += statement.n_endings;
            at = statement.next;
        }
    }
    None
}

fn error_in(file: &str, kind: ReadErrorKind) -> ReadError {
    ReadError::new(file, None, kind)
}

/// Reports progress to the function of the caller.
struct Progress<'p> {
    tell: &'p (dyn Fn(f32) -> ControlFlow<()> + Sync),
    /// The number of bytes read. The lock is held during the call, so that reported progress never
    /// falls.
    done: Mutex<u64>,
    total: u64,
    is_cancelled: AtomicBool,
}

impl<'p> Progress<'p> {
    /// The approximate share of reading in the whole; the rest is merging.
    const READING: f32 = 0.9;

    fn new(tell: &'p (dyn Fn(f32) -> ControlFlow<()> + Sync), total: u64) -> Self {
        Self {
            tell,
            done: Mutex::new(0),
            total: total.max(1),
            is_cancelled: AtomicBool::new(false),
        }
    }

    fn add(&self, n_bytes: u64) -> Result<(), ReadErrorKind> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += n_bytes;
        self.tell(Self::READING * (*done as f32 / self.total as f32).min(1.0))
    }

    fn tell(&self, fraction: f32) -> Result<(), ReadErrorKind> {
        let was_cancelled = self.is_cancelled.load(Ordering::Relaxed);
        if was_cancelled || (self.tell)(fraction).is_break() {
            self.is_cancelled.store(true, Ordering::Relaxed);
            return Err(ReadErrorKind::Cancelled);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
