//! `hitscan info`: says what is in a mesh and what its tree is like.

use std::io::Write;
use std::time::Duration;

use hitscan::{BvhStats, Isa, MeshBvh, Runs, TriMesh};
use serde::Serialize;

use crate::args::InfoArgs;
use crate::engine;
use crate::exit_code::Outcome;
use crate::loading::{self, Model, timed};
use crate::messages::readable;
use crate::output::{Target, quoted};
use crate::surface::EdgeCounts;

pub(crate) fn run(args: &InfoArgs) -> anyhow::Result<Outcome> {
    engine::set_threads(args.engine.threads)?;
    let (loaded, load_time) = timed(|| loading::load(&args.file));
    let mut model = loaded?;
    let (tree, build_time) = timed(|| loading::build(&mut model, &args.engine));
    let tree = tree?;
    let info = Info::new(&args.file.display().to_string(), &model, &tree, load_time, build_time);
    let mut out = Target::open(None)?;
    if args.json {
        serde_json::to_writer_pretty(&mut out, &info)?;
        writeln!(out)?;
    } else {
        info.write_text(&mut out)?;
    }
    out.finish()?;
    Ok(Outcome::Done)
}

#[derive(Debug, Serialize)]
struct Info {
    file: String,
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
    degenerate: usize,
    /// Every edge belongs to exactly two triangles, which run along it in opposite directions.
    closed: bool,
    edges: EdgeCounts,
    /// How many things of the file were left out, or are odd.
    ignored: u64,
    /// What they are, in words.
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
    sah_cost: f32,
    bytes: usize,
    bytes_per_triangle: f64,
    build_ms: f64,
    isa: &'static str,
    /// All that this machine can run, best first.
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
            records.map(|records| names_of(runs(records), &records.names)).unwrap_or_default()
        };
        let edges = EdgeCounts::of(mesh);
        Self {
            file: file.to_owned(),
            vertices: mesh.positions().len(),
            triangles: mesh.triangles().len(),
            polygons: records.map_or(mesh.triangles().len(), |records| records.n_polygons()),
            normals: mesh.attributes().normals.len(),
            uvs: mesh.attributes().uvs.len(),
            objects: names(|records| &records.objects),
            groups: names(|records| &records.groups),
            materials: names(|records| &records.materials),
            bounds: bounds(mesh),
            degenerate: mesh.n_degenerate(),
            closed: edges.closed(),
            edges,
            ignored: model.n_ignored,
            remarks: model.remarks.clone(),
            load_ms: milliseconds(load_time),
            tree: Tree::new(&tree.stats(), tree.isa(), build_time),
        }
    }

    fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "file        {}", self.file)?;
        writeln!(out, "vertices    {}", self.vertices)?;
        writeln!(out, "polygons    {}", self.polygons)?;
        writeln!(out, "triangles   {}, {} of them degenerate", self.triangles, self.degenerate)?;
        writeln!(out, "normals     {}", self.normals)?;
        writeln!(out, "uvs         {}", self.uvs)?;
        write_names(out, "objects   ", &self.objects)?;
        write_names(out, "groups    ", &self.groups)?;
        write_names(out, "materials ", &self.materials)?;
        match &self.bounds {
            Some(Bounds { min, max }) => writeln!(out, "bounds      {min:?} to {max:?}")?,
            None => writeln!(out, "bounds      none, there are no triangles")?,
        }
        writeln!(out, "closed      {}{}", if self.closed { "yes" } else { "no" }, self.edges)?;
        writeln!(out, "left out    {}", self.ignored)?;
        for remark in &self.remarks {
            writeln!(out, "            {remark}")?;
        }
        writeln!(out, "loaded in   {}", readable(Duration::from_secs_f64(self.load_ms / 1e3)))?;
        let tree = &self.tree;
        writeln!(
            out,
            "tree        depth {}, {} nodes, {} leaves, SAH cost {:.2}",
            tree.depth, tree.nodes, tree.leaves, tree.sah_cost
        )?;
        writeln!(
            out,
            "            {} bytes, {:.1} per triangle, built in {}",
            tree.bytes,
            tree.bytes_per_triangle,
            readable(Duration::from_secs_f64(tree.build_ms / 1e3))
        )?;
        writeln!(out, "            queries by {} (of {})", tree.isa, tree.isas.join(", "))
    }
}

impl Tree {
    fn new(stats: &BvhStats, isa: Isa, build_time: Duration) -> Self {
        Self {
            depth: stats.depth,
            nodes: stats.n_nodes,
            leaves: stats.n_leaves,
            sah_cost: stats.sah_cost,
            bytes: stats.bytes,
            bytes_per_triangle: stats.bytes_per_triangle(),
            build_ms: milliseconds(build_time),
            isa: isa.name(),
            isas: Isa::available().into_iter().map(Isa::name).collect(),
        }
    }
}

/// The names that polygons have, each once, in the order of the file.
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

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// A line with the number of names and the first of them.
fn write_names(out: &mut impl Write, what: &str, names: &[String]) -> std::io::Result<()> {
    const SHOWN: usize = 12;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| quoted(name)).collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    let colon = if names.is_empty() { "" } else { ": " };
    writeln!(out, "{what}  {}{colon}{}{more}", names.len(), shown.join(", "))
}
