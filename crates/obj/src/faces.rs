//! The faces of a part of a file during parsing.

use hitscan_primitives::CornerAttributes;

/// The three index lists of a corner, in the order of `v/vt/vn`.
pub(crate) const N_CHANNELS: usize = 3;

/// A missing texture coordinate or normal.
pub(crate) const NONE: u32 = CornerAttributes::NONE;

/// The maximum number of vertices, texture coordinates or normals: 2^30.
///
/// This leaves a bit for indices relative to the start of a part. Such an index is resolved when
/// the sizes of the earlier parts are known.
pub(crate) const MAX_VALUES: u32 = 1 << 30;

const RELATIVE: u32 = 1 << 31;
const BIAS: i64 = 1 << 30;

/// Encodes an index into all values of the file, counted from 0.
///
/// # Panics
/// In debug builds, if the index is not below [`MAX_VALUES`].
#[inline(always)]
pub(crate) fn absolute(index: u32) -> u32 {
    debug_assert!(index < MAX_VALUES);
    index
}

/// Encodes an index relative to the first value of this part, in -2^30..2^30 - 1.
#[inline(always)]
pub(crate) fn relative(to_part: i64) -> u32 {
    debug_assert!((-BIAS..BIAS - 1).contains(&to_part));
    RELATIVE + (to_part + BIAS) as u32
}

/// Decodes to an index into all values of the file. `n_before` values precede this part. `None` if
/// there is no such value.
#[inline(always)]
pub(crate) fn resolve(index: u32, n_before: u32, n_values: u32) -> Option<u32> {
    let index = if index >= RELATIVE {
        i64::from(index - RELATIVE) - BIAS + i64::from(n_before)
    } else {
        i64::from(index)
    };
    u32::try_from(index).ok().filter(|&index| index < n_values)
}

/// Consecutive faces with the same number of corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) n_corners: u32,
    pub(crate) n_faces: u32,
}

/// One of the three index lists of all faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Channel {
    /// The corners of the triangles.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The corners of all other faces.
    pub(crate) others: Vec<u32>,
    /// Whether any corner has this index; if not, both lists are empty.
    pub(crate) is_used: bool,
    /// The largest encoded index.
    pub(crate) max: u32,
}

/// The faces of a part of a file during parsing.
///
/// Triangles have their own list, so that a file of triangles is copied without conversion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faces {
    pub(crate) channels: [Channel; N_CHANNELS],
    pub(crate) runs: Vec<Run>,
    /// The first face and its line, for each run of faces on consecutive lines.
    pub(crate) line_runs: Vec<(u32, u64)>,
    pub(crate) n_faces: u32,
    next_line: u64,
}

impl Faces {
    #[inline(always)]
    pub(crate) fn push_triangle(&mut self, corners: [[u32; N_CHANNELS]; 3], line: u64) {
        let [a, b, c] = corners;
        for (k, channel) in self.channels.iter_mut().enumerate() {
            let indices = [a[k], b[k], c[k]];
            if !channel.is_used {
                if indices == [NONE; 3] {
                    continue;
                }
                channel.start(&self.runs);
            }
            channel.max = channel.max.max(largest(&indices));
            channel.triangles.push(indices);
        }
        self.count(3, line);
    }

    pub(crate) fn push_polygon(&mut self, corners: &[[u32; N_CHANNELS]], line: u64) {
        debug_assert!(corners.len() > 3);
        for (k, channel) in self.channels.iter_mut().enumerate() {
            if !channel.is_used {
                if corners.iter().all(|corner| corner[k] == NONE) {
                    continue;
                }
                channel.start(&self.runs);
            }
            for corner in corners {
                channel.max = channel.max.max(largest(&[corner[k]]));
                channel.others.push(corner[k]);
            }
        }
        self.count(corners.len() as u32, line);
    }

    #[inline(always)]
    fn count(&mut self, n_corners: u32, line: u64) {
        match self.runs.last_mut() {
            Some(run) if run.n_corners == n_corners => run.n_faces += 1,
            _ => self.runs.push(Run { n_corners, n_faces: 1 }),
        }
        if line != self.next_line {
            self.line_runs.push((self.n_faces, line));
        }
        self.next_line = line + 1;
        self.n_faces += 1;
    }

    /// The line of a face in the part, counted from 1.
    pub(crate) fn line(&self, face: u32) -> u64 {
        let run = self.line_runs.partition_point(|&(start, _)| start <= face) - 1;
        let (start, line) = self.line_runs[run];
        line + u64::from(face - start)
    }

    /// The number of triangles after triangulation: n - 2 for n corners.
    pub(crate) fn n_triangles(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.n_corners - 2) * u64::from(run.n_faces)).sum()
    }

    /// Iterates over the faces: index, number of corners, and start in the list of triangles or of
    /// others.
    pub(crate) fn spans(&self) -> impl Iterator<Item = FaceSpan> + use<'_> {
        let (mut triangle, mut other, mut face) = (0, 0, 0);
        self.runs
            .iter()
            .flat_map(|run| std::iter::repeat_n(run.n_corners, run.n_faces as usize))
            .map(move |n_corners| {
                let list = if n_corners == 3 { &mut triangle } else { &mut other };
                let span = FaceSpan { face, n_corners, start: *list };
                *list += if n_corners == 3 { 1 } else { n_corners as usize };
                face += 1;
                span
            })
    }

    /// Removes the faces for which `keep` is false. Returns, per old face, the number of kept faces
    /// before it, and at the end the number of all kept faces.
    pub(crate) fn retain(&mut self, keep: impl Fn(&[u32]) -> bool) -> Vec<u32> {
        let old = std::mem::take(self);
        let mut n_kept_before = Vec::with_capacity(old.n_faces as usize + 1);
        let mut corners = Vec::new();
        for span in old.spans() {
            n_kept_before.push(self.n_faces);
            if !keep(old.channels[0].face(span)) {
                continue;
            }
            corners.clear();
            corners.resize(span.n_corners as usize, [NONE; N_CHANNELS]);
            for (k, channel) in old.channels.iter().enumerate().filter(|(_, c)| c.is_used) {
                for (corner, &index) in corners.iter_mut().zip(channel.face(span)) {
                    corner[k] = index;
                }
            }
            let line = old.line(span.face);
            match corners[..] {
                [a, b, c] => self.push_triangle([a, b, c], line),
                _ => self.push_polygon(&corners, line),
            }
        }
        n_kept_before.push(self.n_faces);
        n_kept_before
    }
}

/// The position of a face in the lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceSpan {
    pub(crate) face: u32,
    pub(crate) n_corners: u32,
    start: usize,
}

impl Channel {
    pub(crate) fn face(&self, span: FaceSpan) -> &[u32] {
        match span.n_corners {
            3 => &self.triangles[span.start],
            n => &self.others[span.start..span.start + n as usize],
        }
    }

    pub(crate) fn face_mut(&mut self, span: FaceSpan) -> &mut [u32] {
        match span.n_corners {
            3 => &mut self.triangles[span.start],
            n => &mut self.others[span.start..span.start + n as usize],
        }
    }

    /// Creates the lists, with `NONE` for the earlier faces.
    #[cold]
    fn start(&mut self, runs: &[Run]) {
        self.is_used = true;
        for run in runs {
            let n_faces = run.n_faces as usize;
            match run.n_corners {
                3 => self.triangles.resize(self.triangles.len() + n_faces, [NONE; 3]),
                n => self.others.resize(self.others.len() + n as usize * n_faces, NONE),
            }
        }
    }
}

/// The largest index except `NONE`.
#[inline(always)]
fn largest(indices: &[u32]) -> u32 {
    // Maps `NONE` to 0 and every other index to its successor.
    indices.iter().map(|index| index.wrapping_add(1)).max().unwrap_or(0).saturating_sub(1)
}
