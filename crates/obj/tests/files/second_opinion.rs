//! tobj gives the same corners, attributes and materials for every file that it reads correctly.

use std::{
    collections::HashMap,
    fs,
    io::{BufReader, Cursor},
    path::Path,
};

use hitscan_obj::{LoadOptions, ObjModel, load, parse, write};
use hitscan_primitives::{CornerAttributes, generate};

use crate::shared;

/// A corner with its attributes, as bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Corner {
    position: [u32; 3],
    uv: Option<[u32; 2]>,
    normal: Option<[u32; 3]>,
}

#[derive(Debug)]
struct Polygon {
    corners: Vec<Corner>,
    material: Option<String>,
}

fn bits<const N: usize>(values: &[f32], index: u32) -> [u32; N] {
    std::array::from_fn(|i| values[index as usize * N + i].to_bits())
}

fn by_tobj(bytes: &[u8], folder: &Path) -> Vec<Polygon> {
    let options = tobj::LoadOptions {
        triangulate: false,
        single_index: false,
        ignore_points: true,
        ignore_lines: true,
    };
    let (models, materials) = tobj::load_obj_buf(&mut Cursor::new(bytes), &options, |name| {
        match fs::File::open(folder.join(name)) {
            Ok(file) => tobj::load_mtl_buf(&mut BufReader::new(file)),
            Err(_) => Err(tobj::LoadError::OpenFileFailed),
        }
    })
    .unwrap();
    let materials = materials.unwrap_or_default();
    let mut polygons = Vec::new();
    for tobj::Model { mesh, .. } in &models {
        let n_corners = mesh.indices.len();
        // If only some corners have an attribute, tobj's list of it is ambiguous.
        let has_uvs = mesh.texcoord_indices.len() == n_corners;
        let has_normals = mesh.normal_indices.len() == n_corners;
        let triangles = vec![3; n_corners / 3];
        let arities = if mesh.face_arities.is_empty() { &triangles } else { &mesh.face_arities };
        let mut at = 0;
        for &arity in arities {
            let corners = (at..at + arity as usize).map(|i| Corner {
                position: bits(&mesh.positions, mesh.indices[i]),
                uv: has_uvs.then(|| bits(&mesh.texcoords, mesh.texcoord_indices[i])),
                normal: has_normals.then(|| bits(&mesh.normals, mesh.normal_indices[i])),
            });
            polygons.push(Polygon {
                corners: corners.collect(),
                material: mesh.material_id.map(|id| materials[id].name.clone()),
            });
            at += arity as usize;
        }
    }
    polygons
}

fn our_corner(loaded: &ObjModel, triangle: usize, corner: usize) -> Corner {
    let attributes = loaded.mesh.attributes();
    let at = |indices: &[[u32; 3]]| {
        let index = indices.get(triangle)?[corner];
        (index != CornerAttributes::NONE).then_some(index as usize)
    };
    let vertex = loaded.mesh.triangles()[triangle][corner];
    Corner {
        position: loaded.mesh.positions()[vertex as usize].to_array().map(f32::to_bits),
        uv: at(&attributes.uv_indices).map(|i| attributes.uvs[i].to_array().map(f32::to_bits)),
        normal: at(&attributes.normal_indices)
            .map(|i| attributes.normals[i].to_array().map(f32::to_bits)),
    }
}

/// If one face lacks an attribute that another face of the model has, tobj gives all its corners the
/// same one.
fn without_made_up(mut theirs: Vec<Corner>, like: &Corner) -> Vec<Corner> {
    let first = theirs[0].clone();
    if like.uv.is_none() && theirs.iter().all(|corner| corner.uv == first.uv) {
        theirs.iter_mut().for_each(|corner| corner.uv = None);
    }
    if like.normal.is_none() && theirs.iter().all(|corner| corner.normal == first.normal) {
        theirs.iter_mut().for_each(|corner| corner.normal = None);
    }
    theirs
}

/// The outline of faces: every edge minus the same edge backwards.
fn outline(faces: impl Iterator<Item = Vec<Corner>>) -> HashMap<(Corner, Corner), i32> {
    let mut edges = HashMap::new();
    for face in faces {
        for (i, from) in face.iter().enumerate() {
            let to = &face[(i + 1) % face.len()];
            *edges.entry((from.clone(), to.clone())).or_insert(0) += 1;
            *edges.entry((to.clone(), from.clone())).or_insert(0) -= 1;
        }
    }
    edges.retain(|_, balance| *balance != 0);
    edges
}

fn compare(name: &str, loaded: &ObjModel, theirs: &[Polygon]) {
    let records = loaded.mesh.records().unwrap();
    assert_eq!(records.n_polygons(), theirs.len(), "{name}");
    for (polygon, theirs) in theirs.iter().enumerate() {
        let triangles = records.triangles_of(polygon as u32);
        assert_eq!(triangles.len() + 2, theirs.corners.len(), "{name}: polygon {polygon}");
        let first = our_corner(loaded, triangles.start as usize, 0);
        let theirs_corners = without_made_up(theirs.corners.clone(), &first);
        let ours: Vec<_> = triangles
            .map(|triangle| [0, 1, 2].map(|corner| our_corner(loaded, triangle as usize, corner)))
            .collect();
        if let [triangle] = &ours[..] {
            let positions =
                |corners: &[Corner]| corners.iter().map(|c| c.position).collect::<Vec<_>>();
            assert_eq!(
                positions(triangle),
                positions(&theirs_corners),
                "{name}: polygon {polygon}"
            );
        }
        let ours = ours.into_iter().map(Vec::from);
        let theirs_outline = outline(std::iter::once(theirs_corners));
        assert_eq!(outline(ours), theirs_outline, "{name}: polygon {polygon}");
        // tobj gives no name to a material without a library.
        let material =
            records.material(polygon as u32).filter(|name| loaded.material(name).is_some());
        assert_eq!(material, theirs.material.as_deref(), "{name}: polygon {polygon}");
    }
}

#[test]
fn tobj_agrees_on_every_mesh_that_it_reads_correctly() {
    let Some(folder) = shared::folder("meshes") else { return };
    // tobj turns lines into faces, and rejects colours on only some vertices.
    let wrong = ["line-prim.obj", "testmixed.obj", "only_a_part_of_vertexcolors.obj"];
    let mut n_compared = 0;
    for folder in [folder.clone(), folder.join("awkward")] {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.extension().is_none_or(|e| e != "obj") || wrong.contains(&name) {
                continue;
            }
            let loaded = load(&path, &LoadOptions::default()).unwrap();
            compare(name, &loaded, &by_tobj(&fs::read(&path).unwrap(), &folder));
            n_compared += 1;
        }
    }
    assert!(n_compared >= 30, "{n_compared}");
}

#[test]
fn tobj_reads_our_files() {
    for (name, mesh) in [
        ("cuboid", generate::cuboid(1.0, 2.0, 3.0, 3)),
        ("city", generate::city(5000, 1)),
        ("terrain", generate::terrain(5000, 2)),
    ] {
        let mut text = Vec::new();
        write(&mesh.unwrap(), &mut text).unwrap();
        let loaded = parse(&text, name, &LoadOptions::default()).unwrap();
        compare(name, &loaded, &by_tobj(&text, Path::new(".")));
    }
}

#[test]
fn tobj_agrees_on_generated_texts() {
    let mut state = 3u64;
    let mut next = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % n
    };
    for round in 0..60 {
        let mut text = String::new();
        let form = round % 4;
        let (mut n, n_faces) = (0, 1 + next(40));
        for face in 0..n_faces {
            let arity = if round % 3 == 0 { 3 } else { 3 + next(6) };
            for i in 0..arity {
                let angle = i as f64 / arity as f64 * std::f64::consts::TAU;
                let (x, y) = (angle.cos() * 1e3_f64.powi(next(4) as i32 - 2), angle.sin());
                text += &format!(
                    "v {x:.*} {y:e} -{}.{}\n",
                    next(18) as usize,
                    next(1 << 40),
                    next(1 << 30)
                );
                text += &format!("vt {} .{}\nvn {x} {y} 1E-{}\n", next(1000), next(1000), next(50));
            }
            n += arity;
            if next(3) == 0 {
                text += &format!("{} name {}\n", ["o", "g", "s"][next(2) as usize], next(5));
            }
            text += "f";
            for i in 0..arity {
                let v = match next(2) {
                    0 => (n - arity + i + 1).to_string(),
                    _ => format!("-{}", arity - i),
                };
                text += &match form {
                    0 => format!(" {v}"),
                    1 => format!(" {v}/{v}"),
                    2 => format!(" {v}//{v}"),
                    _ => format!(" {v}/{v}/{v}"),
                };
            }
            text += if face % 2 == 0 { "\n" } else { " \r\n" };
        }
        let loaded = parse(text.as_bytes(), "generated", &LoadOptions::default()).unwrap();
        compare("generated", &loaded, &by_tobj(text.as_bytes(), Path::new(".")));
    }
}
