//! Merging the parts of a file into one mesh.

use std::{
    collections::{HashMap, HashSet},
    iter,
};

use glam::Vec3;
use hitscan_primitives::{
    CornerAttributes, FaceRecords, PolygonProperties, Runs, TriMesh, Triangulator,
};

use crate::{
    LoadOptions, ObjReport, ReadErrorKind,
    chunk::{Change, Chunk, Setting},
    faces::{Faces, MAX_VALUES, N_CHANNELS, NONE, resolve},
    lines::decode_name,
    parallel,
    report::LoadWarning,
};

/// A mesh, with the data that loading its materials needs.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) mesh: TriMesh,
    pub(crate) report: ObjReport,
    /// The distinct arguments of `mtllib`, each with its first line.
    pub(crate) libraries: Vec<(Vec<u8>, u64)>,
    /// The distinct materials of the faces, each with the first line that names it.
    pub(crate) used_materials: Vec<(String, u64)>,
    /// The number of statements with a keyword of OBJ.
    pub(crate) n_known: u64,
}

/// The reason why parts cannot be merged.
#[derive(Debug)]
pub(crate) enum JoinError {
    /// A corner refers to a vertex that does not exist.
    Index {
        chunk: usize,
        line_in_chunk: u64,
        line: u64,
        corner: usize,
        n_vertices: u64,
    },
    Other(ReadErrorKind),
}

/// The numbers of lines, values and faces before a part.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    values: [u32; N_CHANNELS],
    lines: u64,
}

/// Merges consecutive parts.
///
/// The mesh does not depend on the partition, because indices are resolved and faces are
/// triangulated only here.
pub(crate) fn join(mut chunks: Vec<Chunk<'_>>, options: &LoadOptions) -> Result<Joined, JoinError> {
    let (before, totals) = count(&chunks)?;
    resolve_all(&mut chunks, &before, &totals)?;
    drop_faces_not_finite(&mut chunks, &before);

    let n_triangles: u64 = chunks.iter().map(|chunk| chunk.faces.n_triangles()).sum();
    if n_triangles > TriMesh::MAX_TRIANGLES as u64 {
        let limit = TriMesh::MAX_TRIANGLES as u64;
        let (what, found) = ("triangles", n_triangles);
        let kind = ReadErrorKind::TooLarge { what, found, limit, raised_by: None };
        return Err(JoinError::Other(kind));
    }
    let mut report = ObjReport {
        n_lines: totals.lines,
        n_vertices: u64::from(totals.values[0]),
        n_texture_coordinates: u64::from(totals.values[1]),
        n_normals: u64::from(totals.values[2]),
        n_polygons: chunks.iter().map(|chunk| u64::from(chunk.faces.n_faces)).sum(),
        n_triangles,
        ..ObjReport::default()
    };
    for (chunk, before) in chunks.iter().zip(&before) {
        report.warnings.merge(&chunk.warnings, before.lines);
        report.unknown_statements.merge(&chunk.unknown, before.lines);
    }
    let n_known = chunks.iter().map(|chunk| chunk.n_known).sum();
    let settings = Settings::join(&chunks, &before);
    let libraries = libraries(&chunks, &before);
    let records = options.records.then(|| records(&chunks, &before, &settings));

    let positions = concatenate(&mut chunks, |chunk| &mut chunk.positions);
    let normals = concatenate(&mut chunks, |chunk| &mut chunk.normals);
    let uvs = concatenate(&mut chunks, |chunk| &mut chunk.uvs);
    let [triangles, uv_indices, normal_indices] =
        triangles(&mut chunks, &positions, n_triangles as usize);
    drop(chunks);

    let attributes = CornerAttributes { normals, normal_indices, uvs, uv_indices };
    let mesh = TriMesh::from_vecs(positions, triangles)
        .and_then(|mesh| mesh.with_attributes(attributes))
        .and_then(|mesh| match records {
            Some(records) => mesh.with_records(records),
            None => Ok(mesh),
        })
        .map_err(|error| JoinError::Other(error.into()))?;
    report.n_degenerate_triangles = n_degenerate(&mesh);
    let used_materials = settings.used_materials();
    Ok(Joined { mesh, report, libraries, used_materials, n_known })
}

fn count(chunks: &[Chunk<'_>]) -> Result<(Vec<Before>, Before), JoinError> {
    let mut total = Before::default();
    let mut before = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        before.push(total);
        total.lines += chunk.n_lines;
        let names = ["vertices", "texture coordinates", "normals"];
        for (channel, what) in names.into_iter().enumerate() {
            let found = u64::from(total.values[channel]) + chunk.n_values(channel);
            let limit = u64::from(MAX_VALUES);
            if found > limit {
                let raised_by = None;
                return Err(JoinError::Other(ReadErrorKind::TooLarge {
                    what,
                    found,
                    limit,
                    raised_by,
                }));
            }
            total.values[channel] = found as u32;
        }
    }
    Ok((before, total))
}

/// Resolves all indices to indices into the file. Invalid `vt` and `vn` indices are dropped and
/// counted.
fn resolve_all(
    chunks: &mut [Chunk<'_>],
    before: &[Before],
    totals: &Before,
) -> Result<(), JoinError> {
    let mut work: Vec<_> = chunks.iter_mut().zip(before).collect();
    let first_bad = parallel::map_mut(&mut work, |(chunk, before)| {
        let first_bad = resolve_channel(&mut chunk.faces, 0, before, totals, |_| {});
        for (channel, warning) in
            [(1, LoadWarning::BadTextureIndices), (2, LoadWarning::BadNormalIndices)]
        {
            let Chunk { faces, warnings, .. } = &mut **chunk;
            resolve_channel(faces, channel, before, totals, |line| warnings.add(warning, line));
        }
        first_bad
    });
    let first_bad = first_bad.into_iter().enumerate().find_map(|(i, bad)| Some((i, bad?)));
    let Some((chunk, (line_in_chunk, corner))) = first_bad else { return Ok(()) };
    let before = &before[chunk];
    Err(JoinError::Index {
        chunk,
        line_in_chunk,
        line: before.lines + line_in_chunk,
        corner,
        n_vertices: u64::from(totals.values[0]),
    })
}

/// Resolves one list of indices. Replaces invalid ones by `NONE` and calls `on_bad` with their
/// line; returns the first of them as its line in the part and its index in the face.
fn resolve_channel(
    faces: &mut Faces,
    channel: usize,
    before: &Before,
    totals: &Before,
    mut on_bad: impl FnMut(u64),
) -> Option<(u64, usize)> {
    let (n_before, n_values) = (before.values[channel], totals.values[channel]);
    if !faces.channels[channel].is_used || faces.channels[channel].max < n_values {
        return None;
    }
    let mut indices = std::mem::take(&mut faces.channels[channel]);
    let mut first_bad = None;
    for span in faces.spans() {
        for (corner, index) in indices.face_mut(span).iter_mut().enumerate() {
            if *index == NONE {
                continue;
            }
            *index = resolve(*index, n_before, n_values).unwrap_or_else(|| {
                let line = faces.line(span.face);
                on_bad(line);
                first_bad.get_or_insert((line, corner));
                NONE
            });
        }
    }
    faces.channels[channel] = indices;
    first_bad
}

/// Removes the faces at vertices that are not finite.
fn drop_faces_not_finite(chunks: &mut [Chunk<'_>], before: &[Before]) {
    if chunks.iter().all(|chunk| chunk.not_finite.is_empty()) {
        return;
    }
    let mut not_finite = Vec::new();
    for (chunk, before) in chunks.iter().zip(before) {
        not_finite.extend(chunk.not_finite.iter().map(|&vertex| before.values[0] + vertex));
    }
    let is_bad = |corners: &[u32]| corners.iter().any(|v| not_finite.binary_search(v).is_ok());
    parallel::map_mut(chunks, |chunk| {
        for span in chunk.faces.spans() {
            if is_bad(chunk.faces.channels[0].face(span)) {
                chunk.warnings.add(LoadWarning::FacesNotFinite, chunk.faces.line(span.face));
            }
        }
        let n_kept_before = chunk.faces.retain(|corners| !is_bad(corners));
        chunk.changes.renumber(&n_kept_before);
    });
}

/// Concatenates the lists of the parts, and empties them.
fn concatenate<T: Copy + Default + Send + Sync>(
    chunks: &mut [Chunk<'_>],
    list: impl for<'c> Fn(&'c mut Chunk<'_>) -> &'c mut Vec<T>,
) -> Vec<T> {
    let mut lists: Vec<Vec<T>> =
        chunks.iter_mut().map(|chunk| std::mem::take(list(chunk))).collect();
    if lists.len() == 1 {
        return lists.remove(0);
    }
    let mut whole = vec![T::default(); lists.iter().map(Vec::len).sum()];
    let mut rest = &mut whole[..];
    let mut work = Vec::with_capacity(lists.len());
    for list in lists {
        let (into, after) = rest.split_at_mut(list.len());
        work.push((into, list));
        rest = after;
    }
    parallel::map_mut(&mut work, |(into, list)| into.copy_from_slice(&std::mem::take(list)));
    whole
}

/// Triangulates the faces. The lists for `vt` and `vn` are empty if no corner has such an index.
fn triangles(
    chunks: &mut [Chunk<'_>],
    positions: &[Vec3],
    n_triangles: usize,
) -> [Vec<[u32; 3]>; N_CHANNELS] {
    let mut faces: Vec<Faces> =
        chunks.iter_mut().map(|chunk| std::mem::take(&mut chunk.faces)).collect();
    let is_used = [0, 1, 2].map(|k| k == 0 || faces.iter().any(|f| f.channels[k].is_used));
    // The list of a single part of triangles is the result.
    if let [faces] = &mut faces[..]
        && faces.runs.iter().all(|run| run.n_corners == 3)
    {
        return std::mem::take(&mut faces.channels).map(|channel| channel.triangles);
    }
    let lengths = is_used.map(|is_used| if is_used { n_triangles } else { 0 });
    let mut whole = lengths.map(|length| vec![[0u32; 3]; length]);
    let mut rest = whole.each_mut().map(Vec::as_mut_slice);
    let mut work = Vec::with_capacity(faces.len());
    for faces in faces {
        let n = faces.n_triangles() as usize;
        let mut into: [&mut [[u32; 3]]; N_CHANNELS] = Default::default();
        for (into, rest) in into.iter_mut().zip(&mut rest) {
            // An unused channel gets no memory.
            let n = n.min(rest.len());
            (*into, *rest) = std::mem::take(rest).split_at_mut(n);
        }
        work.push((into, faces));
    }
    parallel::map_mut(&mut work, |(into, faces)| {
        cut_faces(&std::mem::take(faces), positions, into);
    });
    whole
}

/// Writes the triangles of faces in order, and skips empty lists.
fn cut_faces(faces: &Faces, positions: &[Vec3], into: &mut [&mut [[u32; 3]]; N_CHANNELS]) {
    let mut triangulator = Triangulator::default();
    let mut corners = Vec::new();
    let (mut triangle, mut other, mut at) = (0, 0, 0);
    for run in &faces.runs {
        let (n_corners, n_faces) = (run.n_corners as usize, run.n_faces as usize);
        let n_triangles = (n_corners - 2) * n_faces;
        for (into, channel) in into.iter_mut().zip(&faces.channels) {
            match into.get_mut(at..at + n_triangles) {
                Some(into) if !channel.is_used => into.fill([NONE; 3]),
                Some(into) if n_corners == 3 => {
                    into.copy_from_slice(&channel.triangles[triangle..triangle + n_faces]);
                }
                // The list is unused, or has faces to triangulate.
                _ => {}
            }
        }
        if n_corners == 3 {
            triangle += n_faces;
            at += n_faces;
            continue;
        }
        for _ in 0..n_faces {
            let face = other..other + n_corners;
            let vertices = &faces.channels[0].others[face.clone()];
            corners.clear();
            corners.extend(vertices.iter().map(|&vertex| positions[vertex as usize]));
            triangulator.triangulate(&corners, |triangle| {
                for (into, channel) in into.iter_mut().zip(&faces.channels) {
                    if channel.is_used {
                        let indices = &channel.others[face.clone()];
                        into[at] = triangle.map(|corner| indices[corner as usize]);
                    }
                }
                at += 1;
            });
            other += n_corners;
        }
    }
}

fn n_degenerate(mesh: &TriMesh) -> u64 {
    const BLOCK: usize = 1 << 15;
    let n = mesh.triangles().len();
    let counts = parallel::map(n.div_ceil(BLOCK), |block| {
        let triangles = block * BLOCK..n.min((block + 1) * BLOCK);
        triangles.filter(|&triangle| mesh.is_degenerate(triangle as u32)).count() as u64
    });
    counts.into_iter().sum()
}

fn libraries(chunks: &[Chunk<'_>], before: &[Before]) -> Vec<(Vec<u8>, u64)> {
    let mut seen = HashSet::new();
    let mut libraries = Vec::new();
    for (chunk, before) in chunks.iter().zip(before) {
        for (name, line) in chunk.libraries.iter().zip(&chunk.library_lines) {
            if seen.insert(name) {
                libraries.push((name.to_vec(), before.lines + line));
            }
        }
    }
    libraries
}

/// The settings of all faces, with the names of the whole file.
#[derive(Debug)]
struct Settings {
    names: Vec<String>,
    /// Per name, the line of its first `usemtl`.
    material_lines: Vec<Option<u64>>,
    /// Per setting, the changes that apply to a face.
    changes: [Vec<Change>; 4],
}

impl Settings {
    fn join(chunks: &[Chunk<'_>], before: &[Before]) -> Self {
        let (mut names, mut material_lines) = (Vec::new(), Vec::new());
        let mut indices: HashMap<&[u8], u32> = HashMap::new();
        let mut changes: [Vec<Change>; 4] = Default::default();
        let n_faces: u32 = chunks.iter().map(|chunk| chunk.faces.n_faces).sum();
        let mut n_faces_before = 0;
        for (chunk, before) in chunks.iter().zip(before) {
            let index_in_file: Vec<u32> = chunk
                .names
                .iter()
                .map(|name| {
                    *indices.entry(name).or_insert_with(|| {
                        names.push(decode_name(name));
                        material_lines.push(None);
                        names.len() as u32 - 1
                    })
                })
                .collect();
            for (&index, line) in index_in_file.iter().zip(&chunk.material_lines) {
                if let Some(line) = line {
                    material_lines[index as usize].get_or_insert(before.lines + line);
                }
            }
            for setting in Setting::ALL {
                let list = &mut changes[setting as usize];
                for change in chunk.changes.of(setting) {
                    let face = n_faces_before + change.face;
                    let value = match (setting, change.value) {
                        (Setting::Smoothing, group) => group,
                        (_, name) => name.map(|name| index_in_file[name as usize]),
                    };
                    if list.last().is_some_and(|last| last.face == face) {
                        list.pop();
                    }
                    if face < n_faces && list.last().and_then(|last| last.value) != value {
                        list.push(Change { face, value });
                    }
                }
            }
            n_faces_before += chunk.faces.n_faces;
        }
        Self { names, material_lines, changes }
    }

    fn runs(&self, setting: Setting) -> Runs<Option<u32>> {
        let mut runs = Runs::default();
        for change in &self.changes[setting as usize] {
            runs.push(change.face, change.value);
        }
        runs
    }

    /// In the order of first use.
    fn used_materials(self) -> Vec<(String, u64)> {
        let mut is_seen = vec![false; self.names.len()];
        let changes = self.changes[Setting::Material as usize].iter();
        changes
            .filter_map(|change| {
                let name = change.value? as usize;
                Some((name, self.material_lines[name]?))
            })
            .filter(|&(name, _)| !std::mem::replace(&mut is_seen[name], true))
            .map(|(name, line)| (self.names[name].clone(), line))
            .collect()
    }
}

fn records(chunks: &[Chunk<'_>], before: &[Before], settings: &Settings) -> FaceRecords {
    let runs = || chunks.iter().flat_map(|chunk| &chunk.faces.runs);
    let records = if runs().all(|run| run.n_corners == 3) {
        FaceRecords::one_triangle_each(runs().map(|run| run.n_faces).sum())
    } else {
        FaceRecords::from_triangle_counts(
            runs().flat_map(|run| iter::repeat_n(run.n_corners - 2, run.n_faces as usize)),
        )
    };
    let mut properties = PolygonProperties {
        names: settings.names.clone(),
        objects: settings.runs(Setting::Object),
        groups: settings.runs(Setting::Group),
        materials: settings.runs(Setting::Material),
        ..PolygonProperties::default()
    };
    for change in &settings.changes[Setting::Smoothing as usize] {
        properties.smoothing.push(change.face, change.value.unwrap_or(0));
    }
    let mut n_faces_before = 0;
    for (chunk, before) in chunks.iter().zip(before) {
        // The line grows by one per face within a run, as in the records.
        for &(face, line) in &chunk.faces.line_runs {
            properties.lines.push(n_faces_before + face, before.lines + line);
        }
        n_faces_before += chunk.faces.n_faces;
    }
    records.with_properties(properties).expect("settings refer to the names that they collected")
}
