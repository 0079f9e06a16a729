//! `hitscan info`: describes a mesh and its tree.

use std::io::Write;
use std::time::Duration;

use hitscan::{Isa, MeshBvh, Runs, SameVertex, Topology, TriMesh};
use hitscan_files::Escaped;
use indicatif::{DecimalBytes, HumanCount};
use serde::Serialize;

use crate::args::{InfoArgs, ReportFormat};
use crate::distribution::{SizeClass, longest_edges, write_bars};
use crate::exit_code::Outcome;
use crate::loading::{self, timed};
use crate::mesh_faults::{EdgeCounts, FaultReport, write_closed};
use crate::messages::readable;
use crate::model::Model;
use crate::output::{Target, quoted};
use crate::threads;

pub(crate) fn run(args: &InfoArgs) -> anyhow::Result<Outcome> {
    threads::set(args.engine.threads)?;
    let (loaded, load_time) = timed(|| loading::load(&args.file, &args.engine.limits));
    let mut model = loaded?;
    if args.open_edges {
        return write_faults(args, &model.mesh);
    }
    let (tree, build_time) = timed(|| loading::build(&mut model, &args.engine));
    let tree = tree?;
    let info = Info::new(&args.file.display().to_string(), &model, &tree, load_time, build_time);
    let mut out = Target::open(None)?;
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer_pretty(&mut out, &info)?;
        writeln!(out)?;
    } else {
        info.write_text(&mut out)?;
    }
    out.finish(&[])?;
    Ok(Outcome::Done)
}

/// Writes all faults of the mesh, for `--open-edges`.
fn write_faults(args: &InfoArgs, mesh: &TriMesh) -> anyhow::Result<Outcome> {
    let topology = Topology::new(mesh, SameVertex::ByPosition);
    let file = args.file.display().to_string();
    let report = FaultReport::new(&file, mesh, &topology);
    let mut out = Target::open(None)?;
    if args.report.format() == ReportFormat::Json {
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        report.write_text(&mut out)?;
    }
    out.finish(&[])?;
    Ok(Outcome::Done)
}

#[derive(Debug, Serialize)]
struct Info {
    file: String,
    /// The source files of a cache file, relative to its folder.
    built_from: Vec<String>,
    vertices: usize,
    triangles: usize,
    polygons: usize,
    normals: usize,
    uvs: usize,
    objects: Vec<String>,
    groups: Vec<String>,
    materials: Vec<String>,
    /// `null` without triangles.
    bounds: Option<Bounds>,
    /// The number of triangles of zero area.
    degenerate: usize,
    /// The triangles by length of their longest edge; empty if every length is zero.
    longest_edges: Vec<SizeClass>,
    /// Whether as many triangles run along each edge in one direction as in the other, so that no ray
    /// leaks. Triangles of zero area count.
    closed: bool,
    edges: EdgeCounts,
    /// The number of loops and chains of open edges.
    boundary_loops: usize,
    /// The number of triangles with the vertices of an earlier triangle.
    duplicates: usize,
    /// The number of parts without a common vertex.
    components: usize,
    /// The number of items that the reader skipped or found odd.
    ignored: u64,
    /// A sentence for each kind of skipped or odd item.
    remarks: Vec<String>,
    load_ms: f64,
    tree: Tree,
}

#[derive(Debug, Serialize)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

#[derive(Debug, Serialize)]
struct Tree {
    depth: usize,
    nodes: usize,
    leaves: usize,
    /// Entry `n` counts the leaves with `n` nodes above them.
    leaves_by_depth: Vec<usize>,
    sah_cost: f32,
    bytes: usize,
    bytes_per_triangle: f64,
    build_ms: f64,
    isa: &'static str,
    /// The instruction sets of this machine, best first.
    isas: Vec<&'static str>,
}

impl Info {
    fn new(
        file: &str,
        model: &Model,
        tree: &MeshBvh,
        load_time: Duration,
        build_time: Duration,
    ) -> Self {
        let mesh = &model.mesh;
        let records = mesh.records();
        let names = |runs: fn(&hitscan::FaceRecords) -> &Runs<Option<u32>>| {
            records.map(|records| names_of(runs(records), records.names())).unwrap_or_default()
        };
        let topology = Topology::new(mesh, SameVertex::ByPosition);
        Self {
            file: file.to_owned(),
            built_from: model.built_from.iter().map(|path| path.display().to_string()).collect(),
            vertices: mesh.positions().len(),
            triangles: mesh.triangles().len(),
            polygons: records.map_or(mesh.triangles().len(), |records| records.n_polygons()),
            normals: mesh.attributes().normals.len(),
            uvs: mesh.attributes().uvs.len(),
            objects: names(hitscan::FaceRecords::objects),
            groups: names(hitscan::FaceRecords::groups),
            materials: names(hitscan::FaceRecords::materials),
            bounds: bounds(mesh),
            degenerate: topology.zero_area_triangles.len(),
            longest_edges: longest_edges(mesh),
            closed: topology.is_closed(),
            edges: EdgeCounts::of(&topology),
            boundary_loops: topology.boundary_loops.len(),
            duplicates: topology.duplicate_triangles.len(),
            components: topology.n_components,
            ignored: model.n_ignored,
            remarks: model.remarks.clone(),
            load_ms: milliseconds(load_time),
            tree: Tree::new(tree, build_time),
        }
    }

    fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "file        {}", Escaped(&self.file))?;
        if !self.built_from.is_empty() {
            let names: Vec<String> = self.built_from.iter().map(|name| quoted(name)).collect();
            writeln!(out, "built from  {}", names.join(", "))?;
        }
        writeln!(out, "vertices    {}", count(self.vertices))?;
        writeln!(out, "polygons    {}", count(self.polygons))?;
        writeln!(
            out,
            "triangles   {}, {} of zero area",
            count(self.triangles),
            count(self.degenerate)
        )?;
        writeln!(out, "normals     {}", count(self.normals))?;
        writeln!(out, "uvs         {}", count(self.uvs))?;
        write_names(out, "objects   ", &self.objects)?;
        write_names(out, "groups    ", &self.groups)?;
        write_names(out, "materials ", &self.materials)?;
        match &self.bounds {
            Some(Bounds { min, max }) => writeln!(out, "bounds      {min:?} to {max:?}")?,
            None => writeln!(out, "bounds      none, there are no triangles")?,
        }
        write_closed(out, self.closed, &self.edges)?;
        writeln!(out, "components  {}", count(self.components))?;
        if self.duplicates > 0 {
            writeln!(out, "duplicates  {} triangles", count(self.duplicates))?;
        }
        writeln!(out, "left out    {}", self.ignored)?;
        for remark in &self.remarks {
            writeln!(out, "            {}", Escaped(remark))?;
        }
        writeln!(out, "loaded in   {}", readable(Duration::from_secs_f64(self.load_ms / 1e3)))?;
        self.write_tree(out)?;
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

    /// Writes the size of the tree and how long it took to build.
    fn write_tree(&self, out: &mut impl Write) -> std::io::Result<()> {
        let tree = &self.tree;
        writeln!(
            out,
            "tree        depth {}, {} nodes, {} leaves, SAH cost {:.2}",
            tree.depth,
            count(tree.nodes),
            count(tree.leaves),
            tree.sah_cost
        )?;
        writeln!(
            out,
            "            {}, {:.1} bytes per triangle, built in {}",
            DecimalBytes(tree.bytes as u64),
            tree.bytes_per_triangle,
            readable(Duration::from_secs_f64(tree.build_ms / 1e3))
        )?;
        writeln!(out, "            queries by {} (of {})", tree.isa, tree.isas.join(", "))
    }
}

impl Tree {
    fn new(tree: &MeshBvh, build_time: Duration) -> Self {
        let stats = tree.stats();
        Self {
            depth: stats.depth,
            nodes: stats.n_nodes,
            leaves: stats.n_leaves,
            leaves_by_depth: tree.leaf_depths(),
            sah_cost: stats.sah_cost,
            bytes: stats.bytes,
            bytes_per_triangle: stats.bytes_per_triangle(),
            build_ms: milliseconds(build_time),
            isa: tree.isa().name(),
            isas: Isa::available().into_iter().map(Isa::name).collect(),
        }
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
    let [min, max] = [bounds.min, bounds.max].map(|corner| corner.to_array());
    (!bounds.is_empty()).then_some(Bounds { min, max })
}

/// A round number, in scientific notation if very small or large.
fn short(number: f64) -> String {
    if (1e-3..1e6).contains(&number) { number.to_string() } else { format!("{number:e}") }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
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
