//! One edit.

use std::collections::HashSet;

use hitscan_primitives::MeshEdit;

use super::{
    editor::{AHEAD, Editor},
    links::Links,
};
use crate::{
    layout::{IndexedBlocks, Leaves, Link, Reach, Tree, node_of, slot_of},
    scaled_mesh::ScaledMesh,
    simd::Isa,
    widths::BLOCK_WIDTH,
};

/// The number of changes, nodes or blocks below which none are too many.
const FEW: usize = 64;

/// A leaf that grows to more than this many times its area gives the triangles away that changed.
const MAX_GROWTH: f32 = 2.0;

/// Whether a build serves an edit better than [`apply`]: for large changes, for trees that changed by more than they had
/// when they were built, and for meshes that need another space.
pub(crate) fn must_start_over(
    tree: &Tree,
    links: Option<&Links>,
    mesh: &ScaledMesh<'_>,
    edit: &MeshEdit,
) -> bool {
    let n = edit.n_after();
    let is_empty = edit.n_before() == 0 || n == 0;
    let is_used_up = links.is_some_and(|links| {
        // Leaves have five triangles of eight on average, or more.
        let is_thin = BLOCK_WIDTH * links.n_blocks() > FEW * BLOCK_WIDTH + 3 * n;
        let is_sparse = links.leaf_of.len() > FEW + 2 * links.n_blocks();
        is_thin || is_sparse || links.n_came > FEW * BLOCK_WIDTH + links.n_built
    });
    // Boxes of triangles in the origin are not widened enough for a mesh that extends beyond it.
    let is_narrow = tree.reach.near < Reach::least(mesh.scale).min(mesh.max_abs);
    is_empty || is_narrow || tree.scale != mesh.scale || edit.len() > FEW + n / 4 || is_used_up
}

/// Follows an edit of the mesh, which is already as it is after the edit.
pub(crate) fn apply(
    tree: &mut Tree,
    links: &mut Links,
    mesh: &ScaledMesh<'_>,
    edit: &MeshEdit,
    isa: Isa,
) {
    let room = edit.n_before().max(edit.n_after());
    links.set_room(room);
    tree.split.set_room(room);
    tree.parts = None;
    // Boxes stay as wide as they are, and new ones are as wide as their own reach needs.
    let max = mesh.max_abs;
    tree.set_space(mesh, Reach { max, near: tree.reach.near.min(max) });
    let mut editor =
        Editor { tree, links, mesh: *mesh, isa, dirty: Vec::new(), degraded: Vec::new() };
    for renamed in edit.renamed().chunks(AHEAD / 2) {
        let both: Vec<u32> = renamed.iter().flat_map(|&(from, to)| [from, to]).collect();
        editor.read_ahead(&both);
        for &(from, to) in renamed {
            editor.rename(from, to);
        }
    }
    let gone = edit.n_after().min(edit.n_before()) as u32..edit.n_before() as u32;
    for triangles in gone.collect::<Vec<u32>>().chunks(AHEAD) {
        editor.read_ahead(triangles);
        triangles.iter().for_each(|&triangle| editor.take_out(triangle));
    }
    let mut to_put_in = editor.change(edit);
    let added = edit.n_before() as u32..edit.n_after() as u32;
    to_put_in.extend(added.filter(|&triangle| !editor.links.has_place(triangle)));
    editor.settle();
    editor.put_in_all(&to_put_in);
    editor.settle();
    editor.links.n_came += edit.n_after().saturating_sub(edit.n_before());
    editor.repair(edit.len());
    links.set_room(edit.n_after());
    tree.split.set_room(edit.n_after());
    share_corners(tree, links, mesh);
    // The tree may have become deeper.
    let reach = tree.reach;
    tree.set_space(mesh, reach);
}

impl Editor<'_> {
    /// Gives a triangle the places of another, whose corners it took.
    fn rename(&mut self, from: u32, to: u32) {
        self.take_out(to);
        let places = self.links.take_places(from);
        if self.tree.split.contains(from) {
            self.tree.split.remove(from);
            self.tree.split.insert(to);
        }
        for at in places {
            self.tree.leaves.rename(at, to);
            self.links.add_place(to, at, self.tree);
        }
    }

    /// Gives the changed triangles their new corners, in place if their leaf does not grow much. Takes the others out, and
    /// returns them.
    fn change(&mut self, edit: &MeshEdit) -> Vec<u32> {
        let renamed: HashSet<u32> = edit.renamed().iter().map(|&(_, to)| to).collect();
        let changed = edit.changed().iter().filter(|triangle| !renamed.contains(triangle));
        let (mut in_place, mut to_put_in) = (Vec::new(), Vec::new());
        for &triangle in changed {
            match self.links.place(triangle) {
                Some(at) => in_place.push((self.links.leaf_of[at.block()], at, triangle)),
                // Split triangles become whole.
                None => to_put_in.push(triangle),
            }
        }
        in_place.sort_unstable();
        for of_leaf in in_place.chunk_by(|a, b| a.0 == b.0) {
            for &(_, at, triangle) in of_leaf {
                self.tree.leaves.write(at, triangle, self.mesh.corners(triangle));
            }
            if self.fit_leaf(of_leaf[0].0) > MAX_GROWTH {
                to_put_in.extend(of_leaf.iter().map(|&(_, _, triangle)| triangle));
            }
        }
        for &triangle in &to_put_in {
            self.take_out(triangle);
        }
        to_put_in
    }

    /// Fits the box of a leaf whose triangles moved. Returns how many times its area has grown.
    fn fit_leaf(&mut self, link: Link) -> f32 {
        let (node, leaf) = (node_of(link), self.child(link));
        let before = self.tree.nodes[node as usize].child_bounds(slot_of(link)).half_area();
        let bounds = self.leaf_box(link);
        self.set_leaf(link, leaf, bounds);
        self.dirty.push(node);
        bounds.bounds.half_area() / before
    }
}

/// Lets the triangles of compact blocks share corners again, once edits have written many that none shares.
fn share_corners(tree: &mut Tree, links: &mut Links, mesh: &ScaledMesh<'_>) {
    if let Leaves::Compact(indexed) = &mut tree.leaves
        && indexed.positions.len() > links.n_positions + links.n_positions / 4 + BLOCK_WIDTH * FEW
    {
        let triangles: Vec<_> = indexed.blocks.iter().map(|block| block.triangles).collect();
        *indexed = IndexedBlocks::new(mesh, &triangles);
        links.n_positions = indexed.positions.len();
    }
}
