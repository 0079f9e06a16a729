//! The same program with Embree's library and with ours, by turns in one process, beside the calls of Rust:
//!
//!     EMBREE=/path/to/libembree4.so.4 RAYON_NUM_THREADS=1 cargo bench --bench beside_embree -- [SCENE]...
//!
//! Scenes are those of `benches/src/scenes.rs`. Each call gets a ray that was just written, as programs write it. The
//! figures are medians; a ratio above 1 says that the second library is faster. The last table counts rays through
//! edges and vertices of closed meshes that each library loses. `BASE=/path/to/library` adds another build of ours.
//! `cargo build --release --workspace` builds ours, which the bench loads; `HITSCAN_MESHES` is the folder of the scans.

use std::{
    env,
    ffi::{c_char, c_int, c_void},
    path::Path,
    ptr,
    time::Instant,
};

use engine::{BuildOptions, Faces, MeshBvh, Ray, TriMesh, glam::Vec3, primitives::generate};
use hitscan_benches::{RaySet, Scene, ray_sets};
use libloading::Library;

/// The pixels of the picture in one direction.
const WIDTH: usize = 512;
/// The rays of a turn.
const TURN: usize = 8192;
/// The turns that each takes over the same rays.
const ROUNDS: usize = 9;
const NONE: u32 = u32::MAX;
const COHERENT: u32 = 1 << 16;
/// The flag of a scene.
const ROBUST: u32 = 1 << 2;

type Handle = *mut c_void;

/// Rays with hits as Embree lays out `N` of them.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Packet<const N: usize> {
    origin: [[f32; N]; 3],
    t_near: [f32; N],
    direction: [[f32; N]; 3],
    time: [f32; N],
    t_far: [f32; N],
    mask: [u32; N],
    id: [u32; N],
    flags: [u32; N],
    normal: [[f32; N]; 3],
    uv: [[f32; N]; 2],
    prim_id: [u32; N],
    geom_id: [u32; N],
    instance: [[u32; N]; 2],
}

impl<const N: usize> Packet<N> {
    /// The first `N` rays; those that lack are invalid.
    #[inline(always)]
    fn new(rays: &[Ray]) -> Self {
        let mut packet = Self {
            origin: [[0.0; N]; 3],
            t_near: [0.0; N],
            direction: [[0.0; N]; 3],
            time: [0.0; N],
            t_far: [0.0; N],
            mask: [u32::MAX; N],
            id: [0; N],
            flags: [0; N],
            normal: [[0.0; N]; 3],
            uv: [[0.0; N]; 2],
            prim_id: [NONE; N],
            geom_id: [NONE; N],
            instance: [[NONE; N]; 2],
        };
        for (i, ray) in rays.iter().enumerate().take(N) {
            for axis in 0..3 {
                packet.origin[axis][i] = ray.origin[axis];
                packet.direction[axis][i] = ray.direction[axis];
            }
            (packet.t_near[i], packet.t_far[i]) = (ray.t_min, ray.t_max);
        }
        packet
    }
}

#[repr(C)]
struct Arguments {
    flags: u32,
    features: u32,
    context: Handle,
    filter: Handle,
    user: Handle,
}

const ALIKE: Arguments = Arguments {
    flags: COHERENT,
    features: u32::MAX,
    context: ptr::null_mut(),
    filter: ptr::null_mut(),
    user: ptr::null_mut(),
};

type One = unsafe extern "C" fn(Handle, *mut Packet<1>, *const Arguments);
type Sixteen = unsafe extern "C" fn(*const c_int, Handle, *mut Packet<16>, *const Arguments);

/// A library with a scene of one mesh.
struct Dialect {
    scene: Handle,
    intersect1: One,
    occluded1: One,
    intersect16: Sixteen,
    occluded16: Sixteen,
}

impl Dialect {
    /// # Safety
    /// A library with the interface of Embree 4.
    unsafe fn new(library: &'static Library, mesh: &TriMesh, flags: u32) -> Self {
        macro_rules! function {
            ($name:literal, ($($argument:ty),*) $(-> $result:ty)?) => {
                // SAFETY: the type of this function in Embree's headers.
                *unsafe { library.get::<unsafe extern "C" fn($($argument),*) $(-> $result)?>($name) }
                    .expect("a function of Embree 4")
            };
        }
        let new_device = function!(b"rtcNewDevice", (*const c_char) -> Handle);
        let new_scene = function!(b"rtcNewScene", (Handle) -> Handle);
        let set_flags = function!(b"rtcSetSceneFlags", (Handle, u32));
        let new_geometry = function!(b"rtcNewGeometry", (Handle, c_int) -> Handle);
        let new_buffer = function!(
            b"rtcSetNewGeometryBuffer",
            (Handle, c_int, u32, c_int, usize, usize) -> Handle
        );
        let commit_geometry = function!(b"rtcCommitGeometry", (Handle));
        let attach = function!(b"rtcAttachGeometry", (Handle, Handle) -> u32);
        let commit_scene = function!(b"rtcCommitScene", (Handle));
        let (positions, triangles) = (mesh.positions(), mesh.triangles());
        // SAFETY: the rules of Embree. What it makes stays until the end of the program.
        let scene = unsafe {
            let device = new_device(c"threads=1".as_ptr());
            let scene = new_scene(device);
            set_flags(scene, flags);
            let geometry = new_geometry(device, 0);
            let to = new_buffer(geometry, 1, 0, 0x9003, 12, positions.len());
            ptr::copy_nonoverlapping(positions.as_ptr(), to.cast(), positions.len());
            let to = new_buffer(geometry, 0, 0, 0x5003, 12, triangles.len());
            ptr::copy_nonoverlapping(triangles.as_ptr(), to.cast(), triangles.len());
            commit_geometry(geometry);
            attach(scene, geometry);
            commit_scene(scene);
            scene
        };
        Self {
            scene,
            intersect1: function!(b"rtcIntersect1", (Handle, *mut Packet<1>, *const Arguments)),
            occluded1: function!(b"rtcOccluded1", (Handle, *mut Packet<1>, *const Arguments)),
            intersect16: function!(
                b"rtcIntersect16",
                (*const c_int, Handle, *mut Packet<16>, *const Arguments)
            ),
            occluded16: function!(
                b"rtcOccluded16",
                (*const c_int, Handle, *mut Packet<16>, *const Arguments)
            ),
        }
    }

    fn one_by_one(&self, rays: &[Ray], any: bool, answers: &mut [u32]) {
        for (ray, answer) in rays.iter().zip(answers) {
            let mut packet = Packet::<1>::new(std::slice::from_ref(ray));
            let call = if any { self.occluded1 } else { self.intersect1 };
            // SAFETY: a scene and a ray with a hit.
            unsafe { call(self.scene, &mut packet, ptr::null()) };
            let is_occluded = packet.t_far[0] == f32::NEG_INFINITY;
            *answer = if any { u32::from(is_occluded) } else { packet.prim_id[0] };
        }
    }

    fn by_sixteen(
        &self,
        rays: &[Ray],
        any: bool,
        arguments: *const Arguments,
        answers: &mut [u32],
    ) {
        for (rays, answers) in rays.chunks(16).zip(answers.chunks_mut(16)) {
            let mut packet = Packet::<16>::new(rays);
            let valid: [c_int; 16] = std::array::from_fn(|i| if i < rays.len() { -1 } else { 0 });
            let call = if any { self.occluded16 } else { self.intersect16 };
            // SAFETY: a scene and sixteen rays with hits.
            unsafe { call(valid.as_ptr(), self.scene, &mut packet, arguments) };
            for (i, answer) in answers.iter_mut().enumerate() {
                let is_occluded = packet.t_far[i] == f32::NEG_INFINITY;
                *answer = if any { u32::from(is_occluded) } else { packet.prim_id[i] };
            }
        }
    }
}

fn rust_one_by_one(tree: &MeshBvh, rays: &[Ray], any: bool, answers: &mut [u32]) {
    for (ray, answer) in rays.iter().zip(answers) {
        *answer = if any {
            u32::from(tree.is_occluded(ray, Faces::Both))
        } else {
            tree.closest_hit(ray, Faces::Both).map_or(NONE, |hit| hit.triangle)
        };
    }
}

type Caller<'a> = (&'static str, Box<dyn Fn(&[Ray], bool, &mut [u32]) + 'a>);

/// Lets all take turns over pieces of the rays. Returns the nanoseconds per ray of each, and how many times as fast as the
/// first it is: medians.
fn by_turns(callers: &[Caller<'_>], set: &RaySet, answers: &mut [Vec<u32>]) -> Vec<[f64; 2]> {
    let any = set.kind.asks_for_any_hit();
    let mut times = vec![vec![]; callers.len()];
    for round in 0..=ROUNDS {
        for (piece, rays) in set.rays.chunks(TURN).enumerate() {
            for turn in 0..callers.len() {
                let which = (turn + round + piece) % callers.len();
                let to = &mut answers[which][piece * TURN..][..rays.len()];
                let begin = Instant::now();
                callers[which].1(rays, any, to);
                times[which].push(begin.elapsed().as_nanos() as f64 / rays.len() as f64);
            }
        }
    }
    let median = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers[numbers.len() / 2]
    };
    let of = |own: &Vec<f64>| {
        let ratios = times[0].iter().zip(own).map(|(first, own)| first / own);
        [median(own.clone()), median(ratios.collect())]
    };
    times.iter().map(of).collect()
}

fn compare(name: &str, embree: &'static Library, ours: &[&'static Library]) {
    let scene = Scene::load(name).expect("a scene of the benches");
    let tree = MeshBvh::build(&scene.mesh, &BuildOptions::default());
    // SAFETY: the user names Embree's library; the others are ours.
    let dialect = |library| unsafe { Dialect::new(library, &scene.mesh, 0) };
    let (embree, ours) = (dialect(embree), ours.iter().map(|&library| dialect(library)));
    let ours: Vec<Dialect> = ours.collect();
    println!("\n{name}, {} triangles", scene.mesh.triangles().len());
    let mut single: Vec<Caller<'_>> = vec![
        ("embree", Box::new(|rays, any, to| embree.one_by_one(rays, any, to))),
        ("rust", Box::new(|rays, any, to| rust_one_by_one(&tree, rays, any, to))),
    ];
    let mut packets: Vec<Caller<'_>> = vec![
        ("embree", Box::new(|rays, any, to| embree.by_sixteen(rays, any, ptr::null(), to))),
        ("alike", Box::new(|rays, any, to| embree.by_sixteen(rays, any, &ALIKE, to))),
    ];
    for ours in &ours {
        single.push(("ours", Box::new(|rays, any, to| ours.one_by_one(rays, any, to))));
        packets
            .push(("ours", Box::new(|rays, any, to| ours.by_sixteen(rays, any, ptr::null(), to))));
    }
    for set in ray_sets(&scene, &tree, WIDTH) {
        for (of, callers) in [(1, &single), (16, &packets)] {
            let mut answers = vec![vec![0; set.rays.len()]; callers.len()];
            let times = by_turns(callers, &set, &mut answers);
            assert!(answers[2..].iter().all(|ours| of == 16 || *ours == answers[1]));
            print!("{:8}{of:4}", set.kind.name());
            for ((name, _), [ns, ratio]) in callers.iter().zip(times) {
                print!("  {name:>7}{ns:7.1} {ratio:5.2}");
            }
            println!();
        }
    }
}

/// Rays from the inside of closed meshes through their edges and vertices, and how many each library loses.
fn count_lost(embree: &'static Library, ours: &'static Library) {
    println!("\nlost by a closed mesh    rays    Embree    robust    ours");
    let meshes = [
        ("cuboid", generate::cuboid(10.0, 12.0, 4.0, 5)),
        ("sphere", generate::sphere(3.0, 70_000)),
        ("torus", generate::torus(1.0, 0.4, 70_000)),
    ];
    for (name, mesh) in meshes {
        let mesh = mesh.expect("a size");
        // A torus is hollow in its middle, so its rays start inside of the tube.
        let from =
            if name == "torus" { Vec3::new(1.01, 0.02, 0.03) } else { Vec3::new(0.1, -0.2, 0.3) };
        let corners = mesh.positions().iter().copied();
        let middles = mesh
            .triangles()
            .iter()
            .map(|t| (mesh.positions()[t[0] as usize] + mesh.positions()[t[1] as usize]) / 2.0);
        let rays: Vec<Ray> = corners.chain(middles).map(|to| Ray::new(from, to - from)).collect();
        // SAFETY: as above.
        let lost = [(embree, 0), (embree, ROBUST), (ours, 0)].map(|(library, flags)| unsafe {
            let dialect = Dialect::new(library, &mesh, flags);
            let mut answers = vec![0; rays.len()];
            dialect.one_by_one(&rays, false, &mut answers);
            answers.iter().filter(|&&answer| answer == NONE).count()
        });
        println!("{name:20}{:>9}{:>10}{:>10}{:>8}", rays.len(), lost[0], lost[1], lost[2]);
    }
}

fn load(path: &Path) -> &'static Library {
    // SAFETY: the user names Embree's library; the other is ours. Neither has preconditions.
    let library = unsafe { Library::new(path) };
    Box::leak(Box::new(library.unwrap_or_else(|error| panic!("{}: {error}", path.display()))))
}

fn main() {
    let Some(embree) = env::var_os("EMBREE") else {
        println!(
            "EMBREE is not set; expected the path of Embree's library, for example libembree4.so.4"
        );
        return;
    };
    let program = env::current_exe().expect("a path");
    let folder = program.parent().and_then(Path::parent).expect("target/release/deps");
    let ours =
        env::var_os("HITSCAN_EMBREE").map_or(folder.join("libhitscan_embree4.so"), Into::into);
    let (embree, ours) = (load(Path::new(&embree)), load(&ours));
    let all: Vec<_> =
        [ours].into_iter().chain(env::var_os("BASE").map(|base| load(Path::new(&base)))).collect();
    let named: Vec<String> = env::args().skip(1).filter(|name| !name.starts_with("--")).collect();
    let scenes = if named.is_empty() {
        vec!["bunny".into(), "kitchen".into(), "terrain-4m".into()]
    } else {
        named
    };
    scenes.iter().for_each(|name| compare(name, embree, &all));
    count_lost(embree, ours);
}
