//! `hitscan convert`: writes a mesh in another format.

use anyhow::Context;
use hitscan::TriMesh;
use hitscan::glam::{DVec3, Vec3};
use hitscan::primitives::MeshError;

use crate::args::{ConvertArgs, EngineArgs, UpAxis};
use crate::load::{load_merged, stdin};
use crate::messages;
use crate::output::{Target, write_mesh};
use crate::process::Outcome;
use crate::resolved::MESHES;

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    // Errors in the output show before the long read of the mesh.
    let output = Some(&*args.output).filter(|output| !stdin::is_dash(output));
    let format = MESHES.choose(None, output)?;
    let mut target = Target::open(output)?.keeping(args.clobber.no_clobber)?;
    let mut model = load_merged(&args.file, &EngineArgs::with_limits(args.limits))?;
    if args.scale.is_some() || args.up.is_some() {
        let file = args.file.display();
        let recentre = args.limits.load_options().recentre;
        model.mesh = moved(&model.mesh, args.scale.unwrap_or(1.0), args.up, recentre)
            .with_context(|| format!("{file}: --scale gives positions that no mesh can have"))?;
    }
    write_mesh(&model.mesh, &model.materials, format, &mut target)?;
    target.finish(&model.files)?;
    messages::line(format_args!(
        "{} vertices, {} triangles, {}",
        model.mesh.positions().len(),
        model.mesh.triangles().len(),
        format.name()
    ));
    Ok(Outcome::Done)
}

/// The mesh with its coordinates scaled, and with another axis up.
fn moved(
    mesh: &TriMesh,
    scale: f64,
    up: Option<UpAxis>,
    recentre: bool,
) -> Result<TriMesh, MeshError> {
    let turned = |v: DVec3| match up {
        None => v,
        Some(UpAxis::Y) => DVec3::new(v.x, v.z, -v.y),
        Some(UpAxis::Z) => DVec3::new(v.x, -v.z, v.y),
    };
    // Rounded once, from double precision.
    let scaled = |&position: &Vec3| turned(mesh.to_file(position) * scale);
    let positions = mesh.positions().iter().map(scaled);
    let mut attributes = mesh.attributes().clone();
    let turn = |normal: &mut Vec3| *normal = turned(normal.as_dvec3()).as_vec3();
    attributes.normals.iter_mut().for_each(turn);
    let moved = TriMesh::from_f64(positions, mesh.triangles().to_vec(), recentre)?;
    if moved.rounded_by > 0.0 {
        messages::note(format_args!(
            "positions rounded by up to {}, because f32 is coarse there",
            moved.rounded_by
        ));
    }
    let moved = moved.value.with_attributes(attributes)?;
    match mesh.records() {
        Some(records) => moved.with_records(records.clone()),
        None => Ok(moved),
    }
}
