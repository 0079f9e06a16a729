//! The comparison finds what is broken: answers altered by one bit, and hierarchies over a mesh that
//! is not quite the twin's. Without these the other tests could pass for saying nothing.

use hitscan::{BuildOptions, Faces, Hit, MeshBvh, Ray, Side, TriMesh};
use hitscan_testkit::{Answers, BothFaces, Rng, SoupKind, Twin, hard_rays, soup_of};

use crate::asking::{Batch, ask, first_difference};

/// What is altered, and how.
type Alteration<'a, T> = (&'a str, &'a dyn Fn(&mut T));

struct Bench {
    mesh: TriMesh,
    bvh: MeshBvh,
    rays: Vec<Ray>,
    expected: Vec<BothFaces>,
}

impl Bench {
    fn new() -> Self {
        let mut rng = Rng::new(21);
        let mesh = soup_of(SoupKind::HeightField, &mut rng, 200).mesh;
        let rays = hard_rays(&mesh, 3000, &mut rng);
        let twin = Twin::new(&mesh);
        let expected = rays.iter().map(|ray| twin.answers(ray)).collect();
        Self { bvh: MeshBvh::build(&mesh, &BuildOptions::default()), mesh, rays, expected }
    }

    /// What the comparison says of answers that were tampered with.
    fn difference(&self, tamper: impl Fn(&mut Answers)) -> Option<String> {
        first_difference(&self.rays, &self.expected, |ray, faces| {
            let mut answers = ask(&self.bvh, ray, faces);
            tamper(&mut answers);
            answers
        })
    }
}

#[test]
fn an_answer_altered_by_one_bit_is_found() {
    let bench = Bench::new();
    assert_eq!(bench.difference(|_| ()), None, "the answers are right before they are altered");

    let flip = |x: f32| f32::from_bits(x.to_bits() ^ 1);
    let alterations: [Alteration<'_, Hit>; 6] = [
        ("t", &|hit| hit.t = flip(hit.t)),
        ("u", &|hit| hit.u = flip(hit.u)),
        ("v", &|hit| hit.v = flip(hit.v)),
        ("-0.0", &|hit| hit.u = if hit.u == 0.0 { -0.0 } else { hit.u }),
        ("triangle", &|hit| hit.triangle ^= 1),
        ("side", &|hit| hit.side = if hit.side == Side::Front { Side::Back } else { Side::Front }),
    ];
    for (what, alter) in alterations {
        let in_closest = bench.difference(|answers| answers.closest.iter_mut().for_each(alter));
        let difference = in_closest.unwrap_or_else(|| panic!("{what} of the closest hit"));
        assert!(difference.contains("closest hit: found"), "{difference}");
        let lists: [fn(&mut Answers) -> &mut Vec<Hit>; 4] = [
            |answers| &mut answers.closed,
            |answers| &mut answers.once,
            |answers| &mut answers.nearest_closed,
            |answers| &mut answers.nearest_once,
        ];
        for list in lists {
            let in_list =
                bench.difference(|answers| list(answers).last_mut().into_iter().for_each(alter));
            assert!(in_list.is_some(), "{what} of the last hit in a list");
        }
    }
}

#[test]
fn a_lost_or_invented_answer_is_found() {
    let bench = Bench::new();
    let tampers: [Alteration<'_, Answers>; 8] = [
        ("closest hit lost", &|answers| answers.closest = None),
        ("closest hit past the first", &|answers| answers.closest = answers.closed.get(1).copied()),
        ("occlusion", &|answers| answers.occluded = !answers.occluded),
        ("last hit lost", &|answers| {
            answers.closed.truncate(answers.closed.len().saturating_sub(1));
        }),
        ("hit twice", &|answers| answers.once.extend(answers.once.last().copied())),
        ("order of hits", &|answers| answers.closed.reverse()),
        ("nearest hits cut short", &|answers| answers.nearest_closed.truncate(1)),
        ("one crossing more", &|answers| answers.crossings += 1),
    ];
    for (what, tamper) in tampers {
        assert!(bench.difference(tamper).is_some(), "{what}");
    }
}

#[test]
fn a_batch_that_alters_one_answer_is_found() {
    let bench = Bench::new();
    let right = Batch::ask(&bench.bvh, &bench.rays, Faces::Both);
    let difference =
        |batch: &Batch| batch.first_difference(&bench.rays, &bench.expected, Faces::Both);
    assert_eq!(difference(&right), None);

    let last_hit = right.closest.iter().rposition(Option::is_some).expect("some rays hit");
    let mut wrong = right.clone();
    wrong.closest[last_hit] = None;
    assert!(difference(&wrong).expect("a hit is missing").contains(&format!("ray {last_hit},")));
    let mut wrong = right.clone();
    wrong.occluded[last_hit] = false;
    assert!(difference(&wrong).is_some());
    let mut wrong = right.clone();
    wrong.crossings[0] += 1;
    assert!(difference(&wrong).is_some());
    let mut wrong = right.clone();
    wrong.closed.hits.swap_remove(0);
    assert!(difference(&wrong).is_some());
    // A list that a neighbour's hit slipped into has the right total.
    let mut wrong = right.clone();
    wrong.once.starts[last_hit + 1] -= usize::from(!right.once.of(last_hit).is_empty());
    wrong.once.starts[last_hit] -= usize::from(right.once.of(last_hit).is_empty());
    assert!(difference(&wrong).is_some());
}

#[test]
fn a_hierarchy_that_lost_a_triangle_or_moved_a_vertex_is_found() {
    let bench = Bench::new();
    let difference = |mesh: &TriMesh| {
        let bvh = MeshBvh::build(mesh, &BuildOptions::default());
        first_difference(&bench.rays, &bench.expected, |ray, faces| ask(&bvh, ray, faces))
    };
    assert_eq!(difference(&bench.mesh), None);

    let (positions, triangles) = (bench.mesh.positions(), bench.mesh.triangles());
    for lost in [0, 57, triangles.len() - 1] {
        // A point in its place: no hit, and no other triangle changes its number.
        let mut kept = triangles.to_vec();
        kept[lost] = [kept[lost][0]; 3];
        let mesh = TriMesh::from_vecs(positions.to_vec(), kept).unwrap();
        assert!(difference(&mesh).is_some(), "triangle {lost} is missing");

        let mut flipped = triangles.to_vec();
        flipped[lost].swap(1, 2);
        let mesh = TriMesh::from_vecs(positions.to_vec(), flipped).unwrap();
        assert!(difference(&mesh).is_some(), "triangle {lost} is turned over");

        let mut moved = positions.to_vec();
        let vertex = triangles[lost][0] as usize;
        moved[vertex].x = moved[vertex].x.next_up();
        let mesh = TriMesh::from_vecs(moved, triangles.to_vec()).unwrap();
        assert!(difference(&mesh).is_some(), "vertex {vertex} has moved by one ulp");
    }
}

#[test]
fn a_tie_broken_by_the_higher_number_is_found() {
    let bench = Bench::new();
    let difference = bench.difference(|answers| {
        let Some(first) = answers.closest else { return };
        let tied = answers.closed.iter().copied().take_while(|hit| hit.t == first.t);
        answers.closest = tied.last();
    });
    assert!(difference.is_some(), "no ray met two triangles at once");
}
