//! Many threads at once: each query gets the sequential answer while other threads build, edit and swap,
//! and a cancelled call leaves nothing half done.

use std::fs;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, RwLock};
use std::thread;

use hitscan::obj::write;
use hitscan::primitives::glam::DVec3;
use hitscan::scene::{Instance, InstanceId, Mesh, QueryOptions, Scene, WorldRay};
use hitscan::{BuildOptions, BuildQuality, Faces, HitMode, Layout, MeshBvh, TriMesh, generate};
use hitscan::{LoadOptions, ReadErrorKind, load, load_with_progress};
use hitscan_testkit::{Rng, SoupKind, aimed_ray, hard_rays, soup_of};

use crate::asking::{effort, every_bvh, with_threads};
use crate::scene::making::{bits, brute_hits, random_ray, random_scene, random_transform};

/// The bits of all hits of a ray.
type Hits = Vec<(u64, InstanceId, u64, [u32; 5])>;

/// An immutable scene with its hits, computed by the loop over all instances.
struct Published {
    version: usize,
    scene: Scene,
    expected: Vec<(WorldRay, Hits)>,
}

impl Published {
    fn new(version: usize, scene: Scene, rng: &mut Rng) -> Self {
        let expect = |ray: WorldRay| {
            let hits = brute_hits(&scene, &ray, &QueryOptions::default(), HitMode::EveryTriangle);
            (ray, hits.iter().map(bits).collect())
        };
        let expected = (0..20).map(|_| expect(random_ray(&scene, rng))).collect();
        Self { version, scene, expected }
    }

    fn check(&self) {
        let options = QueryOptions::default();
        let rays: Vec<WorldRay> = self.expected.iter().map(|(ray, _)| *ray).collect();
        let mut closest = vec![None; rays.len()];
        self.scene.closest_hit_batch(&rays, &options, &mut closest);
        for ((ray, expected), closest) in self.expected.iter().zip(&closest) {
            let found = self.scene.all_hits(ray, &options);
            let found: Hits = found.iter().map(bits).collect();
            assert_eq!(&found, expected, "version {}, {ray:?}", self.version);
            let first = closest.as_ref().map(bits);
            assert_eq!(first.as_ref(), expected.first(), "version {}, {ray:?}", self.version);
        }
    }
}

/// A random edit of an editor, on a scene whose snapshots other threads query.
fn edit(scene: &mut Scene, rng: &mut Rng) {
    let ids: Vec<InstanceId> = scene.iter().map(|(id, _)| id).collect();
    let id = rng.pick(&ids);
    // A refused edit changes nothing, which is a valid outcome here.
    let _ = match rng.below(6) {
        0 => scene.set_transform(id, random_transform(rng, 20.0)),
        1 => scene.set_hidden(id, rng.one_in(2)),
        2 => {
            let mesh = soup_of(SoupKind::Random, rng, 30).mesh;
            scene.set_mesh(id, Some(Arc::new(Mesh::new(mesh, &BuildOptions::default()))))
        }
        3 => {
            let mesh = scene.get(id).and_then(|instance| instance.mesh.clone());
            let moved = mesh.map(|mesh| {
                let positions = mesh.tri_mesh().positions().to_vec();
                positions.into_iter().map(|p| p + 0.1 * rng.in_cube()).collect::<Vec<_>>()
            });
            moved.map_or(Ok(()), |moved| scene.refit(id, moved).map(drop))
        }
        4 if ids.len() > 10 => scene.remove(id).map(|removed| scene.forget(removed)),
        _ => {
            let mesh = ids.iter().find_map(|&id| scene.get(id)?.mesh.clone());
            let transform = random_transform(rng, 20.0);
            scene.insert(Instance { mesh, transform, ..Instance::default() }).map(drop)
        }
    };
}

#[test]
fn snapshots_answer_sequentially_while_others_edit_and_swap() {
    let n_versions = effort(60) as usize;
    let mut rng = Rng::new(401);
    let scene = random_scene(&mut rng, 30, DVec3::ZERO);
    let first = Published::new(0, scene.clone(), &mut rng);
    let current = RwLock::new(Arc::new(first));
    let is_over = AtomicBool::new(false);
    let n_checks = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                // Some threads keep a snapshot for long, as an undo history does.
                let kept = current.read().expect("no thread panics").clone();
                while !is_over.load(Ordering::Relaxed) {
                    let latest = current.read().expect("no thread panics").clone();
                    latest.check();
                    kept.check();
                    n_checks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // The flag is also set if the writer panics.
        let ended = thread::Builder::new().spawn_scoped(scope, || {
            let mut scene = scene;
            for version in 1..=n_versions {
                for _ in 0..1 + rng.below(4) {
                    edit(&mut scene, &mut rng);
                }
                let published = Arc::new(Published::new(version, scene.clone(), &mut rng));
                published.check();
                *current.write().expect("no thread panics") = published;
            }
        });
        let ended = ended.expect("a thread can be started").join();
        is_over.store(true, Ordering::Relaxed);
        ended.expect("the writer does not panic");
    });
    assert!(n_checks.into_inner() > 0);
}

#[test]
fn trees_answer_alike_while_others_build_and_refit() {
    let mut rng = Rng::new(402);
    let mesh = generate::terrain(3000, 1).expect("an ordinary size");
    let rays = hard_rays(&mesh, 200, &mut rng);
    let shared = MeshBvh::build(&mesh, &BuildOptions::default());
    let expected: Vec<_> = rays
        .iter()
        .map(|ray| shared.closest_hit(ray, Faces::Both).map(|hit| hit.to_bits()))
        .collect();
    let answers = |bvh: &MeshBvh| -> Vec<_> {
        let mut hits = vec![None; rays.len()];
        bvh.closest_hit_batch(&rays, Faces::Both, &mut hits);
        hits.into_iter().map(|hit| hit.map(|hit| hit.to_bits())).collect()
    };
    let moved: Vec<_> = mesh.positions().iter().map(|&p| 2.0 * p).collect();
    let moved = mesh.with_positions(moved).expect("the same number, all finite");
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for worker in 0..8 {
            let (shared, mesh, moved, start, answers) = (&shared, &mesh, &moved, &start, &answers);
            let expected = &expected;
            scope.spawn(move || {
                start.wait();
                for round in 0..effort(4) as usize {
                    let context = format!("thread {worker}, round {round}");
                    if worker % 2 == 0 {
                        assert_eq!(&answers(shared), expected, "{context}");
                        continue;
                    }
                    let quality = BuildQuality::ALL[(worker / 2 + round) % 3];
                    let options = BuildOptions { quality, ..Default::default() };
                    let mut own = MeshBvh::build(mesh, &options);
                    assert_eq!(&answers(&own), expected, "{context}, {quality:?}");
                    own.refit(moved).expect("the same number of triangles");
                    own.refit(mesh).expect("the same number of triangles");
                    assert_eq!(&answers(&own), expected, "{context}, {quality:?}, there and back");
                }
            });
        }
    });
}

/// Runs `work` with a progress function that stops at call `stop_at`, from 0. Returns the result and the
/// reported values.
fn stopped_at<T>(
    stop_at: usize,
    work: impl FnOnce(&(dyn Fn(f32) -> ControlFlow<()> + Sync)) -> T,
) -> (T, Vec<f32>) {
    let told = Mutex::new(Vec::new());
    let result = work(&|share| {
        let mut told = told.lock().expect("it does not panic");
        told.push(share);
        if told.len() > stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (result, told.into_inner().expect("it does not panic"))
}

/// Asserts that the values rise from 0 to 1 and never fall.
fn assert_rises(told: &[f32], context: &str) {
    assert!(told.is_sorted(), "{context}: {told:?}");
    assert!(told.iter().all(|share| (0.0..=1.0).contains(share)), "{context}: {told:?}");
}

#[test]
fn a_build_can_be_cancelled_at_every_call_of_progress() {
    let mesh = generate::terrain(20_000, 3).expect("an ordinary size");
    let mut rng = Rng::new(403);
    let rays: Vec<_> = (0..20).map(|_| aimed_ray(&mesh, &mut rng)).collect();
    let combinations = BuildQuality::ALL.into_iter().flat_map(|q| Layout::ALL.map(|l| (q, l)));
    for ((quality, layout), n_threads) in combinations.zip([1, 2, 4].into_iter().cycle()) {
        let options = BuildOptions { quality, layout, ..Default::default() };
        let build = |stop_at| {
            with_threads(n_threads, || {
                stopped_at(stop_at, |progress| {
                    MeshBvh::build_with_progress(&mesh, &options, progress)
                })
            })
        };
        let context = format!("{quality:?}, {layout:?}, {n_threads} threads");
        let (whole, told) = build(usize::MAX);
        assert_rises(&told, &context);
        assert_eq!(told.last(), Some(&1.0), "{context}");
        let whole = whole.expect("no call was cancelled");
        for stop_at in 0..told.len().min(1000) {
            let (result, told) = build(stop_at);
            assert!(result.is_err(), "{context}, at call {stop_at} of {}", told.len());
            assert_rises(&told, &context);
            // Other threads may notice the cancellation late, but none calls the function again.
            assert_eq!(told.len(), stop_at + 1, "{context}");
        }
        // The mesh is unchanged, and so is a tree built from it.
        let again = MeshBvh::build(&mesh, &options);
        assert_eq!(again.stats(), whole.stats(), "{context}");
        for ray in &rays {
            let hits = [&again, &whole].map(|bvh| bvh.closest_hit(ray, Faces::Both));
            assert_eq!(hits[0], hits[1], "{context}");
        }
    }
}

#[test]
fn loading_can_be_cancelled_at_every_call_of_progress() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("terrain.obj");
    let mesh = generate::terrain(40_000, 4).expect("an ordinary size");
    let mut text = b"mtllib terrain.mtl\nusemtl earth\n".to_vec();
    write(&mesh, &mut text).expect("memory takes all of it");
    fs::write(&path, &text).expect("the folder is ours");
    fs::write(folder.path().join("terrain.mtl"), "newmtl earth\nKd 1 1 0\n").expect("it is ours");
    let options = LoadOptions::default();
    for n_threads in [1, 2, 4] {
        let load_until = |stop_at| {
            with_threads(n_threads, || {
                stopped_at(stop_at, |progress| load_with_progress(&path, &options, progress))
            })
        };
        let (whole, told) = load_until(usize::MAX);
        assert_rises(&told, &format!("{n_threads} threads"));
        assert_eq!(told.last(), Some(&1.0));
        assert!(told.len() > 4, "{} calls are too few to test much", told.len());
        let whole = whole.expect("no call was cancelled");
        for stop_at in 0..told.len().min(1000) {
            let (result, told) = load_until(stop_at);
            let error = result.expect_err("it was cancelled");
            assert!(matches!(error.kind, ReadErrorKind::Cancelled), "{error}");
            assert_eq!(error.line, None, "{error}");
            assert_rises(&told, &format!("{n_threads} threads, at call {stop_at}"));
            assert_eq!(told.len(), stop_at + 1, "{n_threads} threads");
        }
        assert_eq!(load(&path, &options).expect("the file is as it was"), whole);
    }
}

#[test]
fn a_mesh_of_no_triangles_reports_progress_too() {
    let empty = TriMesh::new([[0.0f32; 3]; 0], vec![]).expect("no triangles are no error");
    for quality in BuildQuality::ALL {
        let options = BuildOptions { quality, ..Default::default() };
        let (bvh, told) = stopped_at(usize::MAX, |progress| {
            MeshBvh::build_with_progress(&empty, &options, progress)
        });
        assert!(bvh.is_ok());
        assert_eq!(told, [1.0]);
        let (bvh, _) =
            stopped_at(0, |progress| MeshBvh::build_with_progress(&empty, &options, progress));
        assert!(bvh.is_err(), "cancelled at the only call");
    }
    assert!(!every_bvh(&empty).is_empty());
}
