//! Open edges, other faults and components of a mesh, against definitions that compare every triangle
//! with every other.

use std::collections::{BTreeMap, BTreeSet};

use hitscan::primitives::glam::Vec3;
use hitscan::{BoundaryLoop, SameVertex, Topology, TriMesh, generate};
use hitscan_testkit::{Rng, SoupKind, closed_shapes, soup, soup_of, stitched_shapes};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::asking::effort;

const BOTH: [SameVertex; 2] = [SameVertex::ByIndex, SameVertex::ByPosition];

/// The lowest vertex that is the same as each, by comparison with all others.
fn merged(mesh: &TriMesh, same: SameVertex) -> Vec<u32> {
    let positions = mesh.positions();
    let n = positions.len();
    let is_same = |a: usize, b: usize| match same {
        SameVertex::ByIndex => a == b,
        SameVertex::ByPosition => positions[a] == positions[b],
    };
    (0..n).map(|a| (0..=a).find(|&b| is_same(a, b)).expect("a is a") as u32).collect()
}

/// The triangles at each edge, with whether they run from its lower vertex to the higher.
type Edges = BTreeMap<[u32; 2], Vec<(u32, bool)>>;

fn edges(triangles: &[[u32; 3]]) -> Edges {
    let mut edges = Edges::new();
    for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
        if a != b && b != c && c != a {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let uses = edges.entry([from.min(to), from.max(to)]).or_default();
                uses.push((triangle as u32, from < to));
            }
        }
    }
    edges
}

fn check(mesh: &TriMesh, what: &str) {
    for same in BOTH {
        let topology = Topology::new(mesh, same);
        let vertices = merged(mesh, same);
        let triangles: Vec<[u32; 3]> =
            mesh.triangles().iter().map(|t| t.map(|v| vertices[v as usize])).collect();
        let what = format!("{what}, {same:?}");
        check_edges(&topology, &edges(&triangles), &what);
        check_triangles(&topology, mesh, &triangles, &what);
        check_components(&topology, &triangles, &what);
        check_loops(&topology.boundary_loops, &edges(&triangles), &what);
    }
}

/// The triangles at an edge, and whether each runs along it in its order of vertices.
type Uses = [(u32, bool)];

fn check_edges(topology: &Topology, edges: &Edges, what: &str) {
    assert_eq!(topology.n_edges, edges.len(), "{what}");
    let of_kind = |is_kind: &dyn Fn(&Uses) -> bool| -> Vec<_> {
        let of_kind = edges.iter().filter(|(_, uses)| is_kind(uses));
        let faulty = of_kind.map(|(&edge, uses)| {
            let n_forward = uses.iter().filter(|(_, forward)| *forward).count();
            (edge, uses.iter().map(|&(triangle, _)| triangle).collect::<Vec<_>>(), n_forward)
        });
        faulty.collect()
    };
    let found = |edges: &[hitscan::FaultyEdge]| -> Vec<_> {
        edges.iter().map(|edge| (edge.vertices, edge.triangles.clone(), edge.n_forward)).collect()
    };
    let crowded = of_kind(&|uses| uses.len() > 2);
    assert_eq!(found(&topology.non_manifold_edges), crowded, "{what}");
    let turned = of_kind(&|uses| uses.len() == 2 && uses[0].1 == uses[1].1);
    assert_eq!(found(&topology.inconsistent_edges), turned, "{what}");
    let n_open = edges.values().filter(|uses| uses.len() == 1).count();
    assert_eq!(topology.n_open_edges(), n_open, "{what}");
    let sum = |uses: &[(u32, bool)]| uses.iter().map(|u| if u.1 { 1 } else { -1 }).sum::<i32>();
    let is_closed = !edges.is_empty() && edges.values().all(|uses| sum(uses) == 0);
    assert_eq!(topology.is_closed(), is_closed, "{what}");
}

fn check_triangles(topology: &Topology, mesh: &TriMesh, triangles: &[[u32; 3]], what: &str) {
    let n = triangles.len() as u32;
    let degenerate: Vec<u32> = (0..n).filter(|&t| mesh.is_degenerate(t)).collect();
    assert_eq!(topology.zero_area_triangles, degenerate, "{what}");
    let corners = |t: u32| BTreeSet::from(triangles[t as usize]);
    let has_rotation = |a: u32, b: u32| {
        let [x, y, z] = triangles[a as usize];
        [[x, y, z], [y, z, x], [z, x, y]].contains(&triangles[b as usize])
    };
    let mut expected = Vec::new();
    for triangle in (0..n).filter(|&t| corners(t).len() == 3) {
        if let Some(first) = (0..triangle).find(|&other| corners(other) == corners(triangle)) {
            expected.push((triangle, first, !has_rotation(first, triangle)));
        }
    }
    let found: Vec<_> =
        topology.duplicate_triangles.iter().map(|d| (d.triangle, d.first, d.is_reversed)).collect();
    assert_eq!(found, expected, "{what}");
}

/// Spreads the lowest triangle of each component to its neighbours until nothing changes.
fn check_components(topology: &Topology, triangles: &[[u32; 3]], what: &str) {
    let n = triangles.len();
    let mut first: Vec<usize> = (0..n).collect();
    loop {
        let before = first.clone();
        for a in 0..n {
            for b in 0..n {
                if triangles[a].iter().any(|v| triangles[b].contains(v)) {
                    first[a] = first[a].min(first[b]);
                }
            }
        }
        if first == before {
            break;
        }
    }
    let distinct: BTreeSet<usize> = first.iter().copied().collect();
    let expected: Vec<u32> = first.iter().map(|f| distinct.range(..f).count() as u32).collect();
    assert_eq!(topology.component_ids, expected, "{what}");
    assert_eq!(topology.n_components, distinct.len(), "{what}");
}

/// The loops use each open edge once, in the direction of most, and are as few chains as possible.
fn check_loops(loops: &[BoundaryLoop], edges: &Edges, what: &str) {
    let open: BTreeMap<[u32; 2], (u32, bool)> =
        edges.iter().filter(|(_, u)| u.len() == 1).map(|(&edge, u)| (edge, u[0])).collect();
    let mut n_at = BTreeMap::new();
    let mut balance = BTreeMap::new();
    for (&[low, high], &(_, is_forward)) in &open {
        for (vertex, leaves) in [(low, is_forward), (high, !is_forward)] {
            *n_at.entry(vertex).or_insert(0) += 1;
            *balance.entry(vertex).or_insert(0) += if leaves { 1 } else { -1 };
        }
    }
    let is_oriented = balance.values().all(|&n| n == 0);
    let mut used = BTreeSet::new();
    for boundary in loops {
        let distinct: BTreeSet<u32> = boundary.vertices.iter().copied().collect();
        assert_eq!(distinct.len(), boundary.vertices.len(), "{what}: {boundary:?}");
        let n_edges = boundary.vertices.len() - usize::from(!boundary.is_closed);
        assert_eq!(boundary.triangles.len(), n_edges, "{what}: {boundary:?}");
        assert_eq!(boundary.edges().count(), n_edges, "{what}: {boundary:?}");
        let mut n_along = 0;
        for ([from, to], triangle) in boundary.edges() {
            let edge = [from.min(to), from.max(to)];
            let &(owner, is_forward) =
                open.get(&edge).unwrap_or_else(|| panic!("{what}: {edge:?}"));
            assert_eq!(triangle, owner, "{what}: {boundary:?}");
            assert!(used.insert(edge), "{what}: {edge:?} is used twice");
            n_along += usize::from(is_forward == (from < to));
        }
        assert!(2 * n_along >= n_edges, "{what}: {boundary:?}");
        if is_oriented {
            assert!(n_along == n_edges && boundary.is_closed, "{what}: {boundary:?}");
        }
        if boundary.is_closed {
            assert_eq!(distinct.first(), boundary.vertices.first(), "{what}: {boundary:?}");
        }
    }
    assert_eq!(used.len(), open.len(), "{what}");
    let n_chains = loops.iter().filter(|boundary| !boundary.is_closed).count();
    assert_eq!(2 * n_chains, n_at.values().filter(|&&n| n % 2 == 1).count(), "{what}");
    assert!(loops.is_sorted_by(|a, b| a.vertices <= b.vertices), "{what}");
}

#[test]
fn faults_of_soups_are_those_of_the_definition() {
    for kind in SoupKind::ALL {
        for n in [1, 7, 60] {
            let shape = soup_of(kind, &mut Rng::new(n as u64), n);
            check(&shape.mesh, &shape.name);
        }
    }
    let mut rng = Rng::new(11);
    for _ in 0..effort(40) {
        let shape = soup(&mut rng, 80);
        check(&shape.mesh, &shape.name);
    }
}

#[test]
fn closed_and_stitched_meshes_are_closed_by_index_and_by_position() {
    let stitched = (0..effort(6)).flat_map(|seed| stitched_shapes(60, seed));
    for shape in closed_shapes(80).into_iter().chain(stitched) {
        check(&shape.mesh, &shape.name);
        for same in BOTH {
            let topology = Topology::new(&shape.mesh, same);
            assert!(topology.boundary_loops.is_empty(), "{}, {same:?}", shape.name);
            assert!(topology.inconsistent_edges.is_empty(), "{}, {same:?}", shape.name);
            assert!(topology.is_closed(), "{}, {same:?}", shape.name);
        }
    }
}

#[test]
fn holes_cut_into_a_closed_mesh_are_its_boundary_loops() {
    let mut rng = Rng::new(5);
    for round in 0..effort(20) {
        for shape in closed_shapes(120) {
            let mut triangles = shape.mesh.triangles().to_vec();
            triangles.retain(|_| !rng.one_in(6));
            // One in two meshes has some triangles turned over.
            if rng.one_in(2) {
                triangles.iter_mut().filter(|_| rng.one_in(9)).for_each(|t| t.swap(0, 1));
            }
            let mesh = TriMesh::new(shape.mesh.positions().to_vec(), triangles).unwrap();
            check(&mesh, &format!("{}, round {round}", shape.name));
        }
    }
}

/// Any triangles of few vertices, some at one place.
fn small_mesh() -> impl Strategy<Value = TriMesh> {
    let positions = prop::collection::vec(prop::array::uniform3(-1i8..=1), 1..9);
    let triangles = prop::collection::vec(prop::array::uniform3(0usize..9), 0..24);
    (positions, triangles).prop_map(|(positions, triangles)| {
        let n = positions.len();
        let position = |p: [i8; 3]| Vec3::from_array(p.map(|x| f32::from(x) * 0.5));
        let triangles = triangles.into_iter().map(|t| t.map(|v| (v % n) as u32)).collect();
        TriMesh::from_vecs(positions.into_iter().map(position).collect(), triangles).unwrap()
    })
}

#[test]
fn faults_of_any_mesh_are_those_of_the_definition() {
    let cases = effort(2000) as u32;
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[77; 32]);
    let holds = |mesh: TriMesh| {
        check(&mesh, &format!("{mesh:?}"));
        Ok(())
    };
    TestRunner::new_with_rng(config, rng)
        .run(&small_mesh(), holds)
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_long_rim_and_a_crowded_vertex_take_no_quadratic_time() {
    let grid = generate::grid(1.0, 1.0, 200_000).unwrap();
    let rim = Topology::new(&grid, SameVertex::ByPosition);
    let [outline] = rim.boundary_loops.as_slice() else { panic!("{}", rim.boundary_loops.len()) };
    assert!(outline.is_closed && outline.vertices.len() > 1000);
    // A fan whose triangles share one vertex and nothing else: as many loops through it.
    let n = 200_000;
    let positions: Vec<Vec3> =
        (0..=2 * n).map(|i| Vec3::new(i as f32, (i % 7) as f32, 1.0)).collect();
    let fan = (0..n).map(|i| [0, 2 * i + 1, 2 * i + 2]).collect();
    let fan = TriMesh::from_vecs(positions, fan).unwrap();
    let topology = Topology::new(&fan, SameVertex::ByIndex);
    assert_eq!((topology.boundary_loops.len(), topology.n_components), (n as usize, 1));
}
