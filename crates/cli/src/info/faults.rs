//! The open edges and other faults of a mesh, in numbers and as lists.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use hitscan::glam::{DVec3, Vec3};
use hitscan::scene::{InstanceId, Scene};
use hitscan::{BoundaryLoop, DuplicateTriangle, FaultyEdge, SameVertex, Topology, TriMesh};
use serde::Serialize;

use crate::args::{InfoArgs, ReportFormat};
use crate::output::quoted;

/// The number of edges, and of edges that are not regular. Vertices of equal position are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct EdgeCounts {
    /// All edges.
    pub(crate) total: usize,
    /// Edges of a single triangle.
    pub(crate) open: usize,
    /// Edges of three triangles or more.
    pub(crate) non_manifold: usize,
    /// Edges of two triangles that run along it in the same direction: one is turned over.
    pub(crate) inconsistent: usize,
}

impl EdgeCounts {
    pub(crate) fn of(topology: &Topology) -> Self {
        Self {
            total: topology.n_edges,
            open: topology.n_open_edges(),
            non_manifold: topology.non_manifold_edges.len(),
            inconsistent: topology.inconsistent_edges.len(),
        }
    }
}

impl fmt::Display for EdgeCounts {
    /// Empty if all edges are regular, else `: edges of a single triangle: 3, ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            (self.open, "of a single triangle"),
            (self.non_manifold, "of more than two triangles"),
            (self.inconsistent, "of two triangles that run the same way"),
        ];
        let mut separator = ": edges";
        for (n, reason) in reasons.into_iter().filter(|(n, _)| *n > 0) {
            write!(f, "{separator} {reason}: {n}")?;
            separator = ",";
        }
        Ok(())
    }
}

/// Writes whether the mesh is closed, and which edges are not regular: the line of `info`.
pub(crate) fn write_closed(
    out: &mut impl Write,
    closed: bool,
    edges: &EdgeCounts,
) -> io::Result<()> {
    writeln!(out, "closed      {}{edges}", if closed { "yes" } else { "no" })
}

/// Every fault of a mesh, with positions and lengths.
#[derive(Debug, Serialize)]
struct FaultReport<'a> {
    file: &'a str,
    /// Whether as many triangles run along each edge in one direction as in the other.
    closed: bool,
    /// The number of components: parts without a common vertex.
    components: usize,
    edges: EdgeCounts,
    boundary_loops: Vec<LoopRecord<'a>>,
    non_manifold_edges: Vec<EdgeRecord<'a>>,
    inconsistent_edges: Vec<EdgeRecord<'a>>,
    duplicate_triangles: Vec<DuplicateRecord>,
    zero_area_triangles: &'a [u32],
}

/// Open edges that follow each other.
#[derive(Debug, Serialize)]
struct LoopRecord<'a> {
    closed: bool,
    length: f64,
    vertices: &'a [u32],
    positions: Vec<[f64; 3]>,
    /// The triangle of each edge.
    triangles: &'a [u32],
}

#[derive(Debug, Serialize)]
struct EdgeRecord<'a> {
    vertices: [u32; 2],
    positions: [[f64; 3]; 2],
    length: f64,
    triangles: &'a [u32],
}

#[derive(Debug, Serialize)]
struct DuplicateRecord {
    triangle: u32,
    /// The first triangle of the same vertices.
    first: u32,
    reversed: bool,
}

impl<'a> FaultReport<'a> {
    fn new(file: &'a str, mesh: &TriMesh, topology: &'a Topology) -> Self {
        let edge = |edge: &'a FaultyEdge| EdgeRecord::new(mesh, edge);
        let duplicate = |&DuplicateTriangle { triangle, first, is_reversed }: &_| DuplicateRecord {
            triangle,
            first,
            reversed: is_reversed,
        };
        let boundary = |boundary: &'a BoundaryLoop| LoopRecord::new(mesh, boundary);
        Self {
            file,
            closed: topology.is_closed(),
            components: topology.n_components,
            edges: EdgeCounts::of(topology),
            boundary_loops: topology.boundary_loops.iter().map(boundary).collect(),
            non_manifold_edges: topology.non_manifold_edges.iter().map(edge).collect(),
            inconsistent_edges: topology.inconsistent_edges.iter().map(edge).collect(),
            duplicate_triangles: topology.duplicate_triangles.iter().map(duplicate).collect(),
            zero_area_triangles: &topology.zero_area_triangles,
        }
    }

    /// Writes a block per boundary loop and a line per other fault.
    fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        write_closed(out, self.closed, &self.edges)?;
        writeln!(out, "components  {}", self.components)?;
        for (number, boundary) in self.boundary_loops.iter().enumerate() {
            let kind = if boundary.closed { "loop" } else { "chain" };
            let n = boundary.triangles.len();
            writeln!(
                out,
                "boundary {number}: {kind} of {n} open edges, length {:?}",
                boundary.length
            )?;
            for (vertex, [x, y, z]) in boundary.vertices.iter().zip(&boundary.positions) {
                writeln!(out, "  vertex {vertex} at {x:?} {y:?} {z:?}")?;
            }
        }
        for edge in &self.non_manifold_edges {
            write_edge(out, "non-manifold", edge)?;
        }
        for edge in &self.inconsistent_edges {
            write_edge(out, "inconsistent", edge)?;
        }
        for &DuplicateRecord { triangle, first, reversed } in &self.duplicate_triangles {
            let winding = if reversed { "reversed" } else { "same" };
            writeln!(out, "duplicate triangle {triangle}: of triangle {first}, {winding} winding")?;
        }
        for triangle in self.zero_area_triangles {
            writeln!(out, "zero-area triangle {triangle}")?;
        }
        Ok(())
    }
}

/// Writes the faults of named meshes: those of a scene with their names, or those of one mesh.
///
/// # Errors
/// A target that cannot be written.
pub(crate) fn write_faults(
    args: &InfoArgs,
    meshes: &[(String, &TriMesh)],
    of_scene: bool,
    out: &mut Vec<u8>,
) -> anyhow::Result<()> {
    let topologies = meshes.iter().map(|(_, mesh)| Topology::new(mesh, SameVertex::ByPosition));
    let topologies: Vec<Topology> = topologies.collect();
    let reports = meshes.iter().zip(&topologies);
    let reports: Vec<_> =
        reports.map(|((name, mesh), t)| FaultReport::new(name, mesh, t)).collect();
    match args.report.format() {
        ReportFormat::Json => {
            match of_scene {
                true => serde_json::to_writer(&mut *out, &reports)?,
                false => serde_json::to_writer(&mut *out, &reports[0])?,
            }
            writeln!(out)?;
        }
        ReportFormat::Text => {
            for report in &reports {
                if of_scene {
                    writeln!(out, "mesh        {}", quoted(report.file))?;
                }
                report.write_text(out)?;
            }
        }
    }
    Ok(())
}

fn write_edge(out: &mut impl Write, kind: &str, edge: &EdgeRecord<'_>) -> io::Result<()> {
    let [a, b] = edge.vertices;
    let triangles: Vec<String> = edge.triangles.iter().map(u32::to_string).collect();
    let triangles = triangles.join(" ");
    writeln!(out, "{kind} edge: length {:?}, triangles {triangles}", edge.length)?;
    for (vertex, [x, y, z]) in [a, b].into_iter().zip(edge.positions) {
        writeln!(out, "  vertex {vertex} at {x:?} {y:?} {z:?}")?;
    }
    Ok(())
}

impl<'a> LoopRecord<'a> {
    fn new(mesh: &TriMesh, boundary: &'a BoundaryLoop) -> Self {
        Self {
            closed: boundary.is_closed,
            length: boundary.edges().map(|(vertices, _)| length(mesh, vertices)).sum(),
            vertices: &boundary.vertices,
            positions: boundary.vertices.iter().map(|&vertex| position(mesh, vertex)).collect(),
            triangles: &boundary.triangles,
        }
    }
}

impl<'a> EdgeRecord<'a> {
    fn new(mesh: &TriMesh, edge: &'a FaultyEdge) -> Self {
        Self {
            vertices: edge.vertices,
            positions: edge.vertices.map(|vertex| position(mesh, vertex)),
            length: length(mesh, edge.vertices),
            triangles: &edge.triangles,
        }
    }
}

/// The open, non-manifold and inconsistently wound edges of instances, as segments in world space.
/// Examines each mesh once.
pub(crate) fn world_edges(scene: &Scene, instances: &[InstanceId]) -> [Vec<[DVec3; 2]>; 3] {
    let mut segments = [const { Vec::new() }; 3];
    let mut edges_of_meshes = HashMap::new();
    for &id in instances {
        let mesh = scene.get(id).and_then(|instance| instance.mesh.as_ref());
        let (Some(mesh), Some(to_world)) = (mesh, scene.mesh_to_world(id)) else { continue };
        let edges: &[Vec<[DVec3; 2]>; 3] = edges_of_meshes
            .entry(Arc::as_ptr(mesh))
            .or_insert_with(|| local_edges(mesh.tri_mesh()));
        for (segments, edges) in segments.iter_mut().zip(edges) {
            segments
                .extend(edges.iter().map(|ends| ends.map(|end| to_world.transform_point3(end))));
        }
    }
    segments
}

fn local_edges(mesh: &TriMesh) -> [Vec<[DVec3; 2]>; 3] {
    let topology = Topology::new(mesh, SameVertex::ByPosition);
    let ends = |vertices: [u32; 2]| vertices.map(|v| mesh.positions()[v as usize].as_dvec3());
    let faulty = |edges: &[FaultyEdge]| edges.iter().map(|edge| ends(edge.vertices)).collect();
    let open = topology.boundary_loops.iter().flat_map(BoundaryLoop::edges);
    [
        open.map(|(vertices, _)| ends(vertices)).collect(),
        faulty(&topology.non_manifold_edges),
        faulty(&topology.inconsistent_edges),
    ]
}

fn position(mesh: &TriMesh, vertex: u32) -> [f64; 3] {
    file_position(mesh, mesh.positions()[vertex as usize])
}

/// A position of the mesh in the coordinates of its file, to print.
pub(crate) fn file_position(mesh: &TriMesh, local: Vec3) -> [f64; 3] {
    match mesh.offset() == DVec3::ZERO {
        true => local.to_array().map(shortest),
        false => mesh.to_file(local).to_array(),
    }
}

/// The number in double precision that is printed with the same digits.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().expect("a number is a number in double precision")
}

fn length(mesh: &TriMesh, vertices: [u32; 2]) -> f64 {
    let [a, b] = vertices.map(|vertex| mesh.positions()[vertex as usize].as_dvec3());
    a.distance(b)
}
