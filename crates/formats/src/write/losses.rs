//! Counting the parts of a mesh that a format does not hold.

use std::collections::HashSet;

use hitscan_primitives::{FaceRecords, Runs, TriMesh};

use super::write_report::WriteReport;

/// The parts that a format holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) attributes: bool,
    pub(super) names: bool,
    pub(super) groups: bool,
    /// The vertices that no triangle uses.
    pub(super) unused_vertices: bool,
}

impl Kept {
    pub(super) const OBJ: Self =
        Self { attributes: true, names: true, groups: true, unused_vertices: true };
}

pub(super) fn count(mesh: &TriMesh, kept: Kept, report: &mut WriteReport) {
    let left_out = "left out";
    if !kept.attributes {
        report.add("normals", left_out, mesh.attributes().normals.len() as u64);
        report.add("texture coordinates", left_out, mesh.attributes().uvs.len() as u64);
    }
    if !kept.unused_vertices {
        report.add("vertices that no triangle uses", left_out, n_unused(mesh));
    }
    let Some(records) = mesh.records() else { return };
    if !kept.names {
        report.add("names of objects", left_out, n_names(records.objects()));
        report.add("names of materials", left_out, n_names(records.materials()));
    }
    if !kept.groups {
        report.add("names of groups", left_out, n_names(records.groups()));
        let smoothing: HashSet<u32> = records
            .smoothing()
            .iter()
            .map(|(_, &group)| group)
            .filter(|&group| group > 0)
            .collect();
        report.add("smoothing groups", left_out, smoothing.len() as u64);
    }
    report.add("polygons of more than 3 corners", "written as triangles", n_large(records));
}

fn n_unused(mesh: &TriMesh) -> u64 {
    let mut is_used = vec![false; mesh.positions().len()];
    for &vertex in mesh.triangles().iter().flatten() {
        is_used[vertex as usize] = true;
    }
    is_used.iter().filter(|&&is_used| !is_used).count() as u64
}

fn n_names(names: &Runs<Option<u32>>) -> u64 {
    names.iter().filter_map(|(_, &name)| name).collect::<HashSet<u32>>().len() as u64
}

fn n_large(records: &FaceRecords) -> u64 {
    let polygons = 0..records.n_polygons() as u32;
    polygons.filter(|&polygon| records.triangles_of(polygon).len() > 1).count() as u64
}
