//! The report of `hitscan info` about a scene.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hitscan::scene::Mesh;
use hitscan_files::Escaped;
use indicatif::HumanCount;
use serde::Serialize;

use super::facts::MeshFacts;
use super::faults::write_faults;
use crate::args::{InfoArgs, ReportFormat};
use crate::load::{LoadedMesh, LoadedScene};
use crate::messages::readable;
use crate::output::quoted;

/// Writes the report, or with `--open-edges` the faults of each mesh.
///
/// # Errors
/// A target that cannot be written.
pub(crate) fn write_scene(
    args: &InfoArgs,
    file: &Path,
    loaded: &LoadedScene,
    out: &mut Vec<u8>,
) -> anyhow::Result<()> {
    if args.open_edges {
        let meshes = loaded.meshes.iter();
        let meshes: Vec<_> = meshes.map(|m| (m.name.clone(), m.mesh.tri_mesh())).collect();
        return write_faults(args, &meshes, true, out);
    }
    let info = SceneInfo::new(&file.display().to_string(), loaded, !args.no_topology);
    match args.report.format() {
        ReportFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &info)?;
            writeln!(out)?;
        }
        ReportFormat::Text => info.write_text(out)?,
    }
    Ok(())
}

#[derive(Debug, Serialize)]
struct SceneInfo {
    file: String,
    /// The source files of a cache file, relative to its folder.
    built_from: Vec<String>,
    /// Those with a mesh, and groups.
    instances: usize,
    groups: usize,
    /// Hidden ones, also below a hidden parent.
    hidden: usize,
    locked: usize,
    /// The triangles of all instances.
    triangles: u64,
    /// In the world: of the images of all vertices in f64; `null` without triangles.
    bounds: Option<Bounds>,
    /// The number of items that the readers skipped or found odd.
    ignored: u64,
    remarks: Vec<String>,
    load_ms: f64,
    build_ms: f64,
    meshes: Vec<MeshInfo>,
}

#[derive(Debug, Serialize)]
struct Bounds {
    min: [f64; 3],
    max: [f64; 3],
}

#[derive(Debug, Serialize)]
struct MeshInfo {
    name: String,
    instances: usize,
    #[serde(flatten)]
    facts: MeshFacts,
}

impl SceneInfo {
    fn new(file: &str, loaded: &LoadedScene, has_topology: bool) -> Self {
        let scene = &loaded.scene;
        let mut n_instances: HashMap<*const Mesh, usize> = HashMap::new();
        let (mut groups, mut hidden, mut locked, mut triangles) = (0, 0, 0, 0);
        for (id, instance) in scene.iter() {
            hidden += usize::from(scene.is_hidden(id) == Some(true));
            locked += usize::from(instance.locked);
            match &instance.mesh {
                None => groups += 1,
                Some(mesh) => {
                    *n_instances.entry(Arc::as_ptr(mesh)).or_default() += 1;
                    triangles += mesh.tri_mesh().triangles().len() as u64;
                }
            }
        }
        let bounds = scene.bounds();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let mesh = |loaded: &LoadedMesh| MeshInfo {
            name: loaded.name.clone(),
            instances: n_instances.get(&Arc::as_ptr(&loaded.mesh)).copied().unwrap_or_default(),
            facts: MeshFacts::new(loaded.mesh.tri_mesh(), loaded.mesh.bvh(), None, has_topology),
        };
        Self {
            file: file.to_owned(),
            built_from: loaded.built_from.iter().map(|path| path.display().to_string()).collect(),
            instances: scene.len(),
            groups,
            hidden,
            locked,
            triangles,
            bounds: (!bounds.is_empty())
                .then(|| Bounds { min: bounds.min.to_array(), max: bounds.max.to_array() }),
            ignored: loaded.n_ignored,
            remarks: loaded.remarks.clone(),
            load_ms: milliseconds(loaded.times.reading),
            build_ms: milliseconds(loaded.times.building),
            meshes: loaded.meshes.iter().map(mesh).collect(),
        }
    }

    fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        let count = |n: usize| HumanCount(n as u64);
        writeln!(out, "file        {}", Escaped(&self.file))?;
        if !self.built_from.is_empty() {
            let names: Vec<String> = self.built_from.iter().map(|name| quoted(name)).collect();
            writeln!(out, "built from  {}", names.join(", "))?;
        }
        writeln!(
            out,
            "instances   {}, {} groups, {} hidden, {} locked",
            count(self.instances),
            count(self.groups),
            count(self.hidden),
            count(self.locked)
        )?;
        let in_meshes = self.meshes.iter().map(|mesh| mesh.facts.triangles).sum();
        writeln!(
            out,
            "triangles   {} in {} meshes, {} in all instances",
            count(in_meshes),
            count(self.meshes.len()),
            HumanCount(self.triangles)
        )?;
        match &self.bounds {
            Some(Bounds { min, max }) => writeln!(out, "bounds      {min:?} to {max:?}")?,
            None => writeln!(out, "bounds      none, there are no triangles")?,
        }
        writeln!(out, "left out    {}", self.ignored)?;
        for remark in &self.remarks {
            writeln!(out, "            {}", Escaped(remark))?;
        }
        let time = |ms: f64| readable(Duration::from_secs_f64(ms / 1e3));
        writeln!(
            out,
            "loaded in   {}, trees built in {}",
            time(self.load_ms),
            time(self.build_ms)
        )?;
        self.meshes.iter().try_for_each(|mesh| mesh.write_text(out))
    }
}

impl MeshInfo {
    fn write_text(&self, out: &mut impl Write) -> std::io::Result<()> {
        let facts = &self.facts;
        let instances = match self.instances {
            1 => "1 instance".to_owned(),
            n => format!("{} instances", HumanCount(n as u64)),
        };
        writeln!(out, "\nmesh        {}, {instances}", quoted(&self.name))?;
        facts.write_mesh(out)?;
        facts.write_tree(out)
    }
}
