//! The triangles around each vertex, and the box of the vertices that triangles use, kept through edits.

use glam::Vec3;

use crate::Aabb;

/// No corner.
const NONE: u32 = u32::MAX;

/// The vertices of one box.
const CHUNK: usize = 32;

/// The incidence of a mesh once it was edited. It is not part of the mesh's value: a copy of the mesh makes its own.
#[derive(Debug, Default)]
pub(super) struct KeptIncidence(pub(super) Option<Box<Incidence>>);

impl Clone for KeptIncidence {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl PartialEq for KeptIncidence {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A list of corners for each vertex, and boxes of successive vertices. Corner `k` of triangle `i` has the index `3 i + k`.
/// A change of one corner costs O(1). 24 bytes per triangle and 4 per vertex.
#[derive(Debug)]
pub(super) struct Incidence {
    /// The first corner of each vertex.
    first: Vec<u32>,
    /// The next and the previous corner at the same vertex.
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The box of the vertices that some triangle uses.
    boxes: Vec<Aabb>,
}

impl Incidence {
    pub(super) fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let n_corners = 3 * triangles.len();
        let mut all = Self {
            first: vec![NONE; positions.len()],
            next: vec![NONE; n_corners],
            previous: vec![NONE; n_corners],
            boxes: vec![Aabb::EMPTY; positions.len().div_ceil(CHUNK)],
        };
        for (corner, &vertex) in (0..).zip(triangles.as_flattened()) {
            all.link(corner, vertex);
            let bounds = &mut all.boxes[vertex as usize / CHUNK];
            *bounds = bounds.grown(positions[vertex as usize]);
        }
        all
    }

    /// The triangles with a corner at a vertex, twice if they have two corners there.
    pub(super) fn triangles_at(&self, vertex: u32) -> impl Iterator<Item = u32> {
        let some = |corner: u32| (corner != NONE).then_some(corner);
        let first = some(self.first[vertex as usize]);
        std::iter::successors(first, move |&corner| some(self.next[corner as usize]))
            .map(|corner| corner / 3)
    }

    /// Whether a triangle has a corner at a vertex.
    pub(super) fn is_used(&self, vertex: u32) -> bool {
        self.first[vertex as usize] != NONE
    }

    /// Makes room for these numbers of vertices and triangles, which are at least those there are.
    pub(super) fn grow(&mut self, n_vertices: usize, n_triangles: usize) {
        self.first.resize(n_vertices, NONE);
        self.next.resize(3 * n_triangles, NONE);
        self.previous.resize(3 * n_triangles, NONE);
        self.boxes.resize(n_vertices.div_ceil(CHUNK), Aabb::EMPTY);
    }

    /// Forgets the triangles from `n_triangles` on, whose corners are unlinked.
    pub(super) fn shrink(&mut self, n_triangles: usize) {
        self.next.truncate(3 * n_triangles);
        self.previous.truncate(3 * n_triangles);
    }

    fn link(&mut self, corner: u32, vertex: u32) {
        let first = std::mem::replace(&mut self.first[vertex as usize], corner);
        self.next[corner as usize] = first;
        self.previous[corner as usize] = NONE;
        if first != NONE {
            self.previous[first as usize] = corner;
        }
    }

    fn unlink(&mut self, corner: u32, vertex: u32) {
        let (next, previous) = (self.next[corner as usize], self.previous[corner as usize]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        if previous == NONE {
            self.first[vertex as usize] = next;
        } else {
            self.next[previous as usize] = next;
        }
    }

    pub(super) fn link_triangle(&mut self, triangle: u32, vertices: [u32; 3]) {
        for (corner, vertex) in (3 * triangle..).zip(vertices) {
            self.link(corner, vertex);
        }
    }

    pub(super) fn unlink_triangle(&mut self, triangle: u32, vertices: [u32; 3]) {
        for (corner, vertex) in (3 * triangle..).zip(vertices) {
            self.unlink(corner, vertex);
        }
    }

    /// The box of the mesh after these vertices moved, came into use or went out of it. `before` is the box until then.
    pub(super) fn bounds_after(
        &mut self,
        before: Aabb,
        positions: &[Vec3],
        vertices: impl Iterator<Item = u32>,
    ) -> Aabb {
        let mut chunks: Vec<u32> = vertices.map(|vertex| vertex / CHUNK as u32).collect();
        chunks.sort_unstable();
        chunks.dedup();
        let (mut after, mut may_shrink) = (before, false);
        for chunk in chunks.into_iter().map(|chunk| chunk as usize) {
            let vertices = chunk * CHUNK..positions.len().min((chunk + 1) * CHUNK);
            let used = vertices.filter(|&vertex| self.is_used(vertex as u32));
            let now = used.fold(Aabb::EMPTY, |all, vertex| all.grown(positions[vertex]));
            let was = std::mem::replace(&mut self.boxes[chunk], now);
            after = after.union(now);
            may_shrink |= was.min.cmpeq(before.min).any() || was.max.cmpeq(before.max).any();
        }
        if may_shrink { self.boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union) } else { after }
    }
}
