//! The facts about a mesh and its tree that `hitscan info` prints.

use std::io::Write;
use std::time::Duration;

use hitscan::glam::DVec3;
use hitscan::{Isa, MeshBvh, Runs, SameVertex, Topology, TriMesh};
use indicatif::{DecimalBytes, HumanCount};
use serde::Serialize;

use super::distribution::{SizeClass, longest_edges, write_bars};
use super::far_triangles::FarTriangles;
use super::faults::{EdgeCounts, file_position, write_closed};
use crate::messages::readable;
use crate::output::quoted;

/// A mesh and its tree in numbers.
#[derive(Debug, Serialize)]
pub(crate) struct MeshFacts {
    vertices: usize,
    pub(crate) triangles: usize,
    polygons: usize,
    normals: usize,
    uvs: usize,
    objects: Vec<String>,
    groups: Vec<String>,
    materials: Vec<String>,
    /// In the coordinates of the file; `null` without triangles.
    bounds: Option<Bounds>,
    /// The point that positions are stored relative to; absent for most meshes.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<[f64; 3]>,
    /// The number of triangles of zero area.
    degenerate: usize,
    /// The triangles by length of their longest edge; empty if every length is zero.
    longest_edges: Vec<SizeClass>,
    /// Absent with `--no-topology`.
    #[serde(flatten)]
    surface: Option<SurfaceFacts>,
    /// The few triangles that lie far from the rest; `null` without any.
    far_away: Option<FarTriangles>,
    pub(crate) tree: Tree,
}

/// The topology of a mesh in numbers.
#[derive(Debug, Serialize)]
struct SurfaceFacts {
    /// Whether as many triangles run along each edge in one direction as in the other, so that no ray
    /// leaks. Triangles of zero area count.
    closed: bool,
    edges: EdgeCounts,
    /// The volume of a closed mesh, negative if it is inside out; `null` for an open one.
    volume: Option<f64>,
    /// The number of loops and chains of open edges.
    boundary_loops: usize,
    /// The number of triangles with the vertices of an earlier triangle.
    duplicates: usize,
    /// The number of parts without a common vertex.
    components: usize,
}

#[derive(Debug, Serialize)]
struct Bounds {
    min: [f64; 3],
    max: [f64; 3],
}

#[derive(Debug, Serialize)]
pub(crate) struct Tree {
    pub(crate) depth: usize,
    pub(crate) nodes: usize,
    leaves: usize,
    /// Entry `n` counts the leaves with `n` nodes above them.
    leaves_by_depth: Vec<usize>,
    pub(crate) sah_cost: f32,
    pub(crate) bytes: usize,
    bytes_per_triangle: f64,
    /// Absent in a scene, which reports the time of all trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    build_ms: Option<f64>,
    isa: &'static str,
    /// The instruction sets of this machine, best first.
    isas: Vec<&'static str>,
}

impl MeshFacts {
    /// The facts about a mesh, whose tree took `build_time` if it is known.
    pub(crate) fn new(
        mesh: &TriMesh,
        tree: &MeshBvh,
        build_time: Option<Duration>,
        has_topology: bool,
    ) -> Self {
        let records = mesh.records();
        let names = |runs: fn(&hitscan::FaceRecords) -> &Runs<Option<u32>>| {
            records.map(|records| names_of(runs(records), records.names())).unwrap_or_default()
        };
        Self {
            vertices: mesh.positions().len(),
            triangles: mesh.triangles().len(),
            polygons: records.map_or(mesh.triangles().len(), |records| records.n_polygons()),
            normals: mesh.attributes().normals.len(),
            uvs: mesh.attributes().uvs.len(),
            objects: names(hitscan::FaceRecords::objects),
            groups: names(hitscan::FaceRecords::groups),
            materials: names(hitscan::FaceRecords::materials),
            bounds: bounds(mesh),
            offset: (mesh.offset() != DVec3::ZERO).then(|| mesh.offset().to_array()),
            degenerate: (0..mesh.triangles().len() as u32)
                .filter(|&t| mesh.is_degenerate(t))
                .count(),
            longest_edges: longest_edges(mesh),
            surface: has_topology.then(|| SurfaceFacts::new(mesh)),
            far_away: FarTriangles::of(mesh),
            tree: Tree::new(tree, build_time),
        }
    }

    /// Writes the numbers, the names, the bounds and whether the mesh is closed.
    pub(crate) fn write_mesh(&self, out: &mut impl Write) -> std::io::Result<()> {
        self.write_counts(out)?;
        write_names(out, "objects   ", &self.objects)?;
        write_names(out, "groups    ", &self.groups)?;
        write_names(out, "materials ", &self.materials)?;
        self.write_shape(out)
    }

    /// Writes how many vertices, polygons, triangles, normals and texture coordinates there are.
    pub(crate) fn write_counts(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "vertices    {}", count(self.vertices))?;
        writeln!(out, "polygons    {}", count(self.polygons))?;
        writeln!(
            out,
            "triangles   {}, {} of zero area",
            count(self.triangles),
            count(self.degenerate)
        )?;
        writeln!(out, "normals     {}", count(self.normals))?;
        writeln!(out, "uvs         {}", count(self.uvs))
    }

    /// Writes the bounds, what lies far away, and whether the mesh is closed.
    pub(crate) fn write_shape(&self, out: &mut impl Write) -> std::io::Result<()> {
        match &self.bounds {
            Some(Bounds { min, max }) => writeln!(out, "bounds      {min:?} to {max:?}")?,
            None => writeln!(out, "bounds      none, there are no triangles")?,
        }
        if let (Some(offset), Some(Bounds { min, max })) = (&self.offset, &self.bounds) {
            let farthest = min.iter().chain(max).fold(0.0, |far: f64, x| far.max(x.abs())) as f32;
            let step = farthest.next_up() - farthest;
            writeln!(
                out,
                "recentred   by {offset:?}, because single precision has steps of {step} there"
            )?;
        }
        if let Some(FarTriangles { triangles, distance, rest_size }) = self.far_away {
            let (n, verb) =
                if triangles == 1 { ("triangle", "lies") } else { ("triangles", "lie") };
            writeln!(
                out,
                "far away    {} {n} {verb} up to {} away from the rest, whose size is {}",
                count(triangles),
                short(distance),
                short(rest_size)
            )?;
        }
        let Some(surface) = &self.surface else { return Ok(()) };
        write_closed(out, surface.closed, &surface.edges)?;
        if let Some(volume) = surface.volume {
            let note = if volume < 0.0 { ": inside out, its front faces inward" } else { "" };
            writeln!(out, "volume      {}{note}", short(volume))?;
        }
        writeln!(out, "components  {}", count(surface.components))?;
        if surface.duplicates > 0 {
            writeln!(out, "duplicates  {} triangles", count(surface.duplicates))?;
        }
        Ok(())
    }

    /// Writes the tree, and how sizes and depths spread.
    pub(crate) fn write_tree(&self, out: &mut impl Write) -> std::io::Result<()> {
        self.tree.write(out)?;
        if !self.longest_edges.is_empty() {
            writeln!(out, "sizes       triangles by the length of their longest edge")?;
            let row = |class: &SizeClass| {
                (format!("{} to {}", short(class.from), short(class.to)), class.triangles)
            };
            write_bars(out, self.longest_edges.iter().map(row))?;
        }
        if self.tree.leaves > 0 {
            writeln!(out, "depths      leaves by the number of nodes above them")?;
            let rows = self.tree.leaves_by_depth.iter().enumerate().skip_while(|&(_, &n)| n == 0);
            write_bars(out, rows.map(|(depth, &n)| (depth.to_string(), n)))?;
        }
        Ok(())
    }
}

impl SurfaceFacts {
    fn new(mesh: &TriMesh) -> Self {
        let topology = Topology::new(mesh, SameVertex::ByPosition);
        Self {
            closed: topology.is_closed(),
            edges: EdgeCounts::of(&topology),
            volume: topology.is_closed().then(|| mesh.volume()),
            boundary_loops: topology.boundary_loops.len(),
            duplicates: topology.duplicate_triangles.len(),
            components: topology.n_components,
        }
    }
}

impl Tree {
    fn new(tree: &MeshBvh, build_time: Option<Duration>) -> Self {
        let stats = tree.stats();
        Self {
            depth: stats.depth,
            nodes: stats.n_nodes,
            leaves: stats.n_leaves,
            leaves_by_depth: tree.leaf_depths(),
            sah_cost: stats.sah_cost,
            bytes: stats.bytes,
            bytes_per_triangle: stats.bytes_per_triangle(),
            build_ms: build_time.map(|time| time.as_secs_f64() * 1e3),
            isa: tree.isa().name(),
            isas: Isa::available().into_iter().map(Isa::name).collect(),
        }
    }

    /// Writes the size of the tree and how long it took to build.
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "tree        depth {}, {} nodes, {} leaves, SAH cost {:.2}",
            self.depth,
            count(self.nodes),
            count(self.leaves),
            self.sah_cost
        )?;
        write!(
            out,
            "            {}, {:.1} bytes per triangle",
            DecimalBytes(self.bytes as u64),
            self.bytes_per_triangle
        )?;
        if let Some(ms) = self.build_ms {
            write!(out, ", built in {}", readable(Duration::from_secs_f64(ms / 1e3)))?;
        }
        writeln!(out, "\n            queries by {} (of {})", self.isa, self.isas.join(", "))
    }
}

/// The distinct names of the polygons, in the order of the file.
fn names_of(runs: &Runs<Option<u32>>, names: &[String]) -> Vec<String> {
    let mut seen = vec![false; names.len()];
    let mut found = Vec::new();
    for (_, index) in runs.iter() {
        let Some(index) = index.map(|index| index as usize) else { continue };
        if index < names.len() && !std::mem::replace(&mut seen[index], true) {
            found.push(names[index].clone());
        }
    }
    found
}

fn bounds(mesh: &TriMesh) -> Option<Bounds> {
    let bounds = mesh.bounds();
    let corner = |local| file_position(mesh, local);
    (!bounds.is_empty()).then(|| Bounds { min: corner(bounds.min), max: corner(bounds.max) })
}

/// A round number, in scientific notation if very small or large.
fn short(number: f64) -> String {
    if (1e-3..1e6).contains(&number.abs()) { number.to_string() } else { format!("{number:e}") }
}

/// Writes a line with the number of names and the first twelve.
fn write_names(out: &mut impl Write, what: &str, names: &[String]) -> std::io::Result<()> {
    const SHOWN: usize = 12;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| quoted(name)).collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    let colon = if names.is_empty() { "" } else { ": " };
    writeln!(out, "{what}  {}{colon}{}{more}", names.len(), shown.join(", "))
}

fn count(n: usize) -> HumanCount {
    HumanCount(n as u64)
}
