use glam::DVec3;
use hitscan_primitives::generate::SplitMix64;

use super::*;

/// Checks boxes and back references below `child`, and returns the items in order.
fn validate(tree: &Tree, child: Child, link: ParentLink, bounds: WorldBox, items: &mut Vec<u32>) {
    if child.is_item() {
        assert_eq!(*tree.item_links.get(child.index()), link);
        items.push(child.index());
        return;
    }
    let node = tree.nodes.get(child.index());
    assert_eq!(node.parent, link);
    assert_eq!(node.union(), bounds);
    for side in 0..2 {
        let link = ParentLink::new(child.index(), side);
        validate(tree, node.children[side], link, node.bounds[side], items);
    }
}

fn random_box(rng: &mut SplitMix64) -> WorldBox {
    let mut vector = |size: f64| DVec3::new(rng.unit(), rng.unit(), rng.unit()) * size;
    let min = vector(100.0);
    WorldBox { min, max: min + vector(3.0) }
}

#[test]
fn coincident_or_nested_boxes_are_inserted_in_bounded_steps() {
    for shrink in [0.0, 1e-5] {
        let mut tree = Tree::default();
        for item in 0..20_000u32 {
            let size = DVec3::splat(1.0 - shrink * f64::from(item));
            tree.set(item, WorldBox { min: -size, max: size });
            let mut link = *tree.item_links.get(item);
            let mut depth = 0;
            while link != ParentLink::ROOT {
                link = tree.nodes.get(link.node()).parent;
                depth += 1;
            }
            assert!(depth <= 2 * MAX_STEPS_DOWN, "{depth}");
        }
    }
}

#[test]
fn edits_keep_every_box_and_every_item() {
    let mut rng = SplitMix64::new(3);
    let mut tree = Tree::default();
    let mut boxes: Vec<Option<WorldBox>> = vec![None; 300];
    for step in 0..6000 {
        let item = rng.below(300) as usize;
        let old = boxes[item];
        boxes[item] = match (rng.below(4), old) {
            (0, _) => None,
            (1, Some(old)) => {
                Some(WorldBox { min: old.min + DVec3::splat(0.1), max: old.max + 0.1 })
            }
            _ => Some(random_box(&mut rng)),
        };
        match boxes[item] {
            Some(bounds) => tree.set(item as u32, bounds),
            None => tree.remove(item as u32),
        }
        if step % 50 == 0 && tree.root != Child::NONE {
            let mut items = Vec::new();
            validate(&tree, tree.root, ParentLink::ROOT, tree.bounds, &mut items);
            items.sort_unstable();
            let expected = (0..300u32).filter(|&i| boxes[i as usize].is_some());
            assert!(items.iter().copied().eq(expected), "step {step}");
            assert_eq!(tree.nodes.len(), tree.free.len() + items.len() - 1, "step {step}");
        }
    }
    for item in 0..300 {
        tree.remove(item);
    }
    assert!(tree.root == Child::NONE && tree.bounds.is_empty());
}

#[test]
fn a_tree_grown_in_order_and_then_moved_stays_good() {
    let mut tree = Tree::default();
    let box_of = |i: u32, far: f64| {
        let min = DVec3::new(f64::from(i % 100), 0.0, f64::from(i / 100)) * 2.0 + far;
        WorldBox { min, max: min + 1.0 }
    };
    // Row by row: the worst order for a tree that only grows.
    let n_tests = |tree: &Tree, i: u32, far: f64| {
        let (mut n_tests, point) = (0, box_of(i, far).center());
        tree.traverse(
            0.0,
            |bounds| {
                n_tests += 1;
                bounds.distance_squared(point)
            },
            |_, limit| ControlFlow::Continue(limit),
        );
        n_tests
    };
    let mean = |tree: &Tree, far: f64| {
        (0..10_000).step_by(7).map(|i| n_tests(tree, i, far)).sum::<usize>() / 1429
    };
    (0..10_000).for_each(|i| tree.set(i, box_of(i, 0.0)));
    assert!(mean(&tree, 0.0) < 60, "grown: {}", mean(&tree, 0.0));
    // Moves every item, one after the other.
    (0..10_000).for_each(|i| tree.set(i, box_of(i, 1000.0)));
    assert!(mean(&tree, 1000.0) < 60, "moved: {}", mean(&tree, 1000.0));
}

#[test]
fn a_traversal_finds_the_items_of_a_scan_nearest_first() {
    let mut rng = SplitMix64::new(4);
    let mut tree = Tree::default();
    let boxes: Vec<WorldBox> = (0..500).map(|_| random_box(&mut rng)).collect();
    for (item, bounds) in boxes.iter().enumerate() {
        tree.set(item as u32, *bounds);
    }
    for _ in 0..100 {
        let point = DVec3::new(rng.unit(), rng.unit(), rng.unit()) * 100.0;
        let mut best = (f64::INFINITY, u32::MAX);
        let mut n_visits = 0;
        tree.traverse(
            f64::INFINITY,
            |bounds| bounds.distance_squared(point),
            |item, limit| {
                n_visits += 1;
                let distance = boxes[item as usize].distance_squared(point);
                if (distance, item) < best {
                    best = (distance, item);
                }
                ControlFlow::Continue(limit.min(distance))
            },
        );
        let expected = (0..500u32)
            .map(|item| (boxes[item as usize].distance_squared(point), item))
            .min_by(|a, b| a.partial_cmp(b).expect("no NaN"));
        assert_eq!(Some(best), expected);
        assert!(n_visits < 100, "{n_visits} of 500");
    }
}
