//! Vertices with one normal and one texture coordinate each.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use hitscan_primitives::{CornerAttributes, TriMesh};

use super::write_report::WriteReport;

/// A mesh whose vertices have one normal and one texture coordinate each.
///
/// The vertices of the mesh come first, in their order. A vertex with several normals or texture coordinates
/// has a copy behind them for each further pair.
#[derive(Debug)]
pub(super) struct Vertices {
    pub(super) positions: Vec<Vec3>,
    /// One per vertex, or none if the mesh has none. Zero where a corner has none.
    pub(super) normals: Vec<Vec3>,
    /// As `normals`.
    pub(super) uvs: Vec<Vec2>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The numbers of corners without a normal, or without a texture coordinate, if the mesh has some.
    n_without_normal: u64,
    n_without_uv: u64,
}

/// A normal and a texture coordinate.
type Pair = (Vec3, Vec2);

/// The bits of a pair, so that the values of equal pairs are equal.
fn bits((normal, uv): Pair) -> [u32; 5] {
    let ([a, b, c], [d, e]) = (normal.to_array(), uv.to_array());
    [a, b, c, d, e].map(f32::to_bits)
}

impl Vertices {
    /// Splits the vertices of a mesh, and counts those copies.
    pub(super) fn of(mesh: &TriMesh, report: &mut WriteReport) -> Self {
        let attributes = mesh.attributes();
        let mut vertices = Self {
            positions: mesh.positions().to_vec(),
            normals: Vec::new(),
            uvs: Vec::new(),
            triangles: mesh.triangles().to_vec(),
            n_without_normal: 0,
            n_without_uv: 0,
        };
        let (has_normals, has_uvs) = (!attributes.normals.is_empty(), !attributes.uvs.is_empty());
        if !has_normals && !has_uvs {
            return vertices;
        }
        let n = vertices.positions.len();
        let mut pairs: Vec<Option<Pair>> = vec![None; n];
        let mut copies: HashMap<(u32, [u32; 5]), u32> = HashMap::new();
        for (triangle, corners) in vertices.triangles.iter_mut().enumerate() {
            for (corner, vertex) in corners.iter_mut().enumerate() {
                let normal =
                    value(&attributes.normals, &attributes.normal_indices, triangle, corner);
                let uv = value(&attributes.uvs, &attributes.uv_indices, triangle, corner);
                vertices.n_without_normal += u64::from(has_normals && normal.is_none());
                vertices.n_without_uv += u64::from(has_uvs && uv.is_none());
                let pair = (normal.unwrap_or_default(), uv.unwrap_or_default());
                let known = *pairs[*vertex as usize].get_or_insert(pair);
                if bits(known) != bits(pair) {
                    *vertex = *copies.entry((*vertex, bits(pair))).or_insert_with(|| {
                        vertices.positions.push(mesh.positions()[*vertex as usize]);
                        pairs.push(Some(pair));
                        pairs.len() as u32 - 1
                    });
                }
            }
        }
        let pairs = pairs.into_iter().map(Option::unwrap_or_default);
        let (normals, uvs): (Vec<Vec3>, Vec<Vec2>) = pairs.unzip();
        vertices.normals = if has_normals { normals } else { Vec::new() };
        vertices.uvs = if has_uvs { uvs } else { Vec::new() };
        let n_copies = (vertices.positions.len() - n) as u64;
        report.add("vertices at seams of normals or texture coordinates", "copied", n_copies);
        vertices
    }

    /// Counts the corners that a format without optional attributes gives zeros.
    #[cfg(feature = "ply")]
    pub(super) fn report_missing(&self, report: &mut WriteReport) {
        report.add("corners without a normal", "given zero", self.n_without_normal);
        report.add("corners without a texture coordinate", "given zero", self.n_without_uv);
    }
}

/// The value of a corner, if it has one.
fn value<T: Copy>(values: &[T], indices: &[[u32; 3]], triangle: usize, corner: usize) -> Option<T> {
    let index = indices.get(triangle)?[corner];
    (index != CornerAttributes::NONE).then(|| values[index as usize])
}
