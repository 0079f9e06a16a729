//! `hitscan make`: writes a generated mesh.

use anyhow::Context;
use hitscan::TriMesh;
use hitscan::primitives::generate::{self, GenerateError};

use crate::args::{MakeArgs, Seeded, Shape, Size};
use crate::messages;
use crate::output::{Target, write_mesh};
use crate::process::Outcome;
use crate::resolved::MESHES;

pub(crate) fn run(args: &MakeArgs) -> anyhow::Result<Outcome> {
    let format = MESHES.choose(None, args.output.as_deref())?;
    let mut target = Target::open(args.output.as_deref())?.keeping(args.no_clobber)?;
    let mesh = make(&args.shape).context("cannot make the mesh")?;
    write_mesh(&mesh, &[], format, &mut target)?;
    target.finish(&[])?;
    let [min, max] = [mesh.bounds().min, mesh.bounds().max].map(|corner| corner.to_array());
    messages::line(format_args!(
        "{} vertices, {} triangles, bounds {min:?} to {max:?}",
        mesh.positions().len(),
        mesh.triangles().len(),
    ));
    Ok(Outcome::Done)
}

fn make(shape: &Shape) -> Result<TriMesh, GenerateError> {
    match *shape {
        Shape::Cuboid { sides, level } => {
            let [width, height, depth] = sides.sizes();
            generate::cuboid(width, height, depth, level)
        }
        Shape::Sphere { size: Size { triangles }, radius, radius_flag } => {
            generate::sphere(radius.or(radius_flag).unwrap_or(1.0), triangles)
        }
        Shape::Torus { size: Size { triangles }, major, minor, major_flag, minor_flag } => {
            let major = major.or(major_flag).unwrap_or(1.0);
            let minor = minor.or(minor_flag).unwrap_or(0.25);
            generate::torus(major, minor, triangles)
        }
        Shape::Grid { size: Size { triangles }, width, depth, width_flag, depth_flag } => {
            let width = width.or(width_flag).unwrap_or(1.0);
            let depth = depth.or(depth_flag).unwrap_or(1.0);
            generate::grid(width, depth, triangles)
        }
        Shape::Terrain(Seeded { size: Size { triangles }, seed }) => {
            generate::terrain(triangles, seed)
        }
        Shape::City(Seeded { size: Size { triangles }, seed }) => generate::city(triangles, seed),
        Shape::Soup(Seeded { size: Size { triangles }, seed }) => generate::soup(triangles, seed),
    }
}
