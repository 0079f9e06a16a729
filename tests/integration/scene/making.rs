//! Seeded scenes and rays, and the loop over all instances, which every scene query must equal.

use std::sync::Arc;

use hitscan::primitives::glam::{DAffine3, DMat3, DVec3, EulerRot};
use hitscan::scene::{Instance, InstanceId, Mesh, QueryOptions, Scene, SceneHit, WorldRay};
use hitscan::{BuildOptions, HitMode, HitOptions, brute_force, primitives::generate};
use hitscan_testkit::{Rng, closed_shapes, soup};

pub(crate) fn vector(rng: &mut Rng) -> DVec3 {
    rng.in_cube().as_dvec3()
}

/// A rotation with a uniform scale; one in two times stretched, sheared or mirrored.
pub(crate) fn random_transform(rng: &mut Rng, spread: f64) -> DAffine3 {
    let angles = vector(rng) * 3.0;
    let turn = DMat3::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z);
    let scale = f64::from(rng.power_of_two(-2.0, 2.0));
    let mut linear = turn * scale;
    if rng.one_in(2) {
        let mut stretch = || f64::from(rng.power_of_two(-4.0, 4.0));
        linear *= DMat3::from_diagonal(DVec3::new(stretch(), stretch(), stretch()));
    }
    if rng.one_in(3) {
        linear *= DMat3::from_cols(DVec3::X, vector(rng) + DVec3::Y, DVec3::Z);
        if linear.determinant().abs() < 1e-3 * scale.powi(3) {
            linear = turn;
        }
    }
    if rng.one_in(3) {
        linear *= DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
    }
    DAffine3 { matrix3: linear, translation: vector(rng) * spread }
}

/// A few meshes: closed ones, soups of every kind, and a cube whose faces are those of its box.
pub(crate) fn random_meshes(rng: &mut Rng) -> Vec<Arc<Mesh>> {
    let closed = closed_shapes(60);
    let mut meshes = vec![generate::cuboid(2.0, 2.0, 2.0, 0).expect("an ordinary size")];
    meshes.push(closed[rng.below(closed.len())].mesh.clone());
    meshes.push(soup(rng, 100).mesh);
    let mesh = |mesh| Arc::new(Mesh::new(mesh, &BuildOptions::default()));
    meshes.into_iter().map(mesh).collect()
}

/// A scene of about `n` instances, some of them groups, nested, hidden, locked, on several layers.
pub(crate) fn random_scene(rng: &mut Rng, n: usize, origin: DVec3) -> Scene {
    let meshes = random_meshes(rng);
    let mut scene = Scene::new();
    let mut ids: Vec<InstanceId> = Vec::new();
    for _ in 0..n {
        let parent = if ids.is_empty() || rng.one_in(2) { None } else { Some(rng.pick(&ids)) };
        let mut transform = random_transform(rng, 20.0);
        if parent.is_none() {
            transform.translation += origin;
        }
        let instance = Instance {
            mesh: if rng.one_in(6) { None } else { Some(meshes[rng.below(meshes.len())].clone()) },
            transform,
            parent,
            layers: 1 << rng.below(3),
            hidden: rng.one_in(12),
            locked: rng.one_in(8),
            name: None,
        };
        // Deep nesting of stretched transforms may become singular.
        if let Ok(id) = scene.insert(instance) {
            ids.push(id);
        }
    }
    scene
}

/// The corners of a triangle in the world.
pub(crate) fn world_corners(scene: &Scene, id: InstanceId, triangle: u32) -> [DVec3; 3] {
    let world = scene.world_transform(id).expect("it is in the scene");
    let mesh = scene.get(id).and_then(|instance| instance.mesh.as_ref()).expect("it has a mesh");
    mesh.tri_mesh().corners(triangle).map(|corner| world.transform_point3(corner.as_dvec3()))
}

/// A triangle of an instance with a mesh; `None` if the scene has none.
pub(crate) fn random_triangle(scene: &Scene, rng: &mut Rng) -> Option<(InstanceId, u32)> {
    let n_triangles = |instance: &Instance| {
        instance.mesh.as_ref().map_or(0, |mesh| mesh.tri_mesh().triangles().len())
    };
    let full: Vec<(InstanceId, usize)> =
        scene.iter().map(|(id, instance)| (id, n_triangles(instance))).collect();
    let full: Vec<_> = full.into_iter().filter(|&(_, n)| n > 0).collect();
    if full.is_empty() {
        return None;
    }
    let (id, n) = rng.pick(&full);
    Some((id, rng.below(n) as u32))
}

/// A ray aimed at the inside, an edge or a vertex of a triangle of the scene, from near or very far, or
/// in a plane of an instance's box.
pub(crate) fn random_ray(scene: &Scene, rng: &mut Rng) -> WorldRay {
    let Some((id, triangle)) = random_triangle(scene, rng) else {
        return WorldRay::new(vector(rng), vector(rng));
    };
    let [a, b, c] = world_corners(scene, id, triangle);
    let target = match rng.below(4) {
        0 => a,
        1 => a.lerp(b, f64::from(rng.unit())),
        _ => {
            let (u, v) = (f64::from(rng.unit()), f64::from(rng.unit()));
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            a + u * (b - a) + v * (c - a)
        }
    };
    let size = (b - a).length().max((c - a).length());
    let distance = size * 10f64.powf(f64::from(rng.between(-2.0, 5.0)));
    let direction = match rng.below(5) {
        // Along an axis of the world, or in the plane of the triangle: grazing.
        0 => rng.pick(&[DVec3::X, DVec3::NEG_Y, DVec3::Z]),
        1 => (b - a).normalize_or(DVec3::X),
        _ => rng.direction().as_dvec3(),
    };
    let ray = WorldRay::new(target - distance * direction, direction);
    match rng.below(10) {
        0 => WorldRay::segment(ray.origin, target),
        1 => WorldRay::line(ray.origin, direction * f64::from(rng.power_of_two(-20.0, 20.0))),
        2 => ray.with_range(distance, distance * 2.0),
        3 => ray.with_range(-distance, distance),
        4 => WorldRay { direction: direction * f64::from(rng.power_of_two(-20.0, 20.0)), ..ray },
        _ => ray,
    }
}

/// Whether a query includes an instance, computed in another way than the engine's.
pub(crate) fn sees(scene: &Scene, id: InstanceId, options: &QueryOptions<'_>) -> bool {
    let instance = scene.get(id).expect("it is in the scene");
    let path = scene.path(id);
    let is_hidden = path.iter().any(|&id| scene.get(id).is_some_and(|instance| instance.hidden));
    let is_ignored = path.iter().any(|id| options.ignore.contains(id));
    !is_ignored
        && (options.include_hidden || !is_hidden)
        && (options.include_locked || !instance.locked)
        && instance.layers & options.layers != 0
}

/// All hits by a loop over all instances and all their triangles.
pub(crate) fn brute_hits(
    scene: &Scene,
    ray: &WorldRay,
    options: &QueryOptions<'_>,
    mode: HitMode,
) -> Vec<SceneHit> {
    let mut hits = Vec::new();
    for (id, instance) in scene.iter().filter(|&(id, _)| sees(scene, id, options)) {
        let (Some(mesh), Some(local)) = (&instance.mesh, scene.local_ray(id, ray)) else {
            continue;
        };
        let order = scene.insertion_order(id).expect("it is in the scene");
        let found = brute_force::all_hits(
            mesh.tri_mesh(),
            &local.ray,
            &HitOptions { faces: options.faces, mode },
        );
        hits.extend(found.into_iter().map(|hit| SceneHit {
            t: local.world_t(hit.t),
            instance: id,
            insertion_order: order,
            local: hit,
        }));
    }
    hits.sort_by(SceneHit::cmp_along_ray);
    hits
}

/// All bits of a hit.
pub(crate) fn bits(hit: &SceneHit) -> (u64, InstanceId, u64, [u32; 5]) {
    (hit.t.to_bits(), hit.instance, hit.insertion_order, hit.local.to_bits())
}

/// Points spread over the boxes of the scene and around it.
pub(crate) fn random_point(scene: &Scene, rng: &mut Rng) -> DVec3 {
    let near = match random_triangle(scene, rng) {
        Some((id, triangle)) => {
            let [a, b, _] = world_corners(scene, id, triangle);
            a + vector(rng) * (b - a).length() * f64::from(rng.power_of_two(-6.0, 6.0))
        }
        None => DVec3::ZERO,
    };
    near + vector(rng) * f64::from(rng.power_of_two(-6.0, 4.0))
}

/// A transform that moves by a vector.
pub(crate) fn moved_by(vector: DVec3) -> DAffine3 {
    DAffine3::from_translation(vector)
}
