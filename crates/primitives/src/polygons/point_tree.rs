//! A tree over the corners of a polygon, to find the corners inside a triangle.

use std::collections::VecDeque;

use super::projection::Point;

const LEAF_LEN: usize = 8;

/// A tree of boxes over points that supports removal.
///
/// Each box splits its points at the median of the longer axis. The nodes form a binary heap: the
/// children of node `i` are `2i + 1` and `2i + 2`, and all leaves are on the last level.
#[derive(Debug, Default)]
pub(super) struct PointTree {
    nodes: Vec<Node>,
    /// The points in the order of the leaves.
    order: Vec<u32>,
    /// The leaf of each point.
    leaf_of: Vec<u32>,
    is_removed: Vec<bool>,
    queue: VecDeque<u32>,
    /// The number of boxes visited by all searches since the tree was built.
    pub(super) n_steps: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    lo: [f64; 2],
    hi: [f64; 2],
    first: u32,
    len: u32,
    n_left: u32,
}

impl PointTree {
    /// Rebuilds the tree over `points`. O(n log n).
    pub(super) fn build(&mut self, points: &[Point]) {
        self.n_steps = 0;
        let n = points.len();
        let n_leaves = n.div_ceil(LEAF_LEN).next_power_of_two();
        self.order.clear();
        self.order.extend(0..n as u32);
        self.leaf_of.clear();
        self.leaf_of.resize(n, 0);
        self.is_removed.clear();
        self.is_removed.resize(n, false);
        self.nodes.clear();
        self.nodes.resize(2 * n_leaves - 1, Node::default());
        self.nodes[0].len = n as u32;
        for i in 0..self.nodes.len() {
            let node = self.nodes[i];
            let range = node.first as usize..(node.first + node.len) as usize;
            let members = &mut self.order[range];
            let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            for &member in members.iter() {
                let Point { x, y } = points[member as usize];
                lo = [lo[0].min(x), lo[1].min(y)];
                hi = [hi[0].max(x), hi[1].max(y)];
            }
            self.nodes[i] = Node { lo, hi, n_left: node.len, ..node };
            if i >= n_leaves - 1 {
                members.iter().for_each(|&member| self.leaf_of[member as usize] = i as u32);
                continue;
            }
            let half = members.len() / 2;
            if members.len() > 1 {
                let key = |member: u32| {
                    let Point { x, y } = points[member as usize];
                    if hi[0] - lo[0] >= hi[1] - lo[1] { (x, y) } else { (y, x) }
                };
                members.select_nth_unstable_by(half, |&a, &b| {
                    let ((a0, a1), (b0, b1)) = (key(a), key(b));
                    a0.total_cmp(&b0).then(a1.total_cmp(&b1)).then(a.cmp(&b))
                });
            }
            let (first, len) = (node.first, node.len);
            self.nodes[2 * i + 1] = Node { first, len: half as u32, ..Node::default() };
            let second =
                Node { first: first + half as u32, len: len - half as u32, ..Node::default() };
            self.nodes[2 * i + 2] = second;
        }
    }

    /// Removes a point. O(log n).
    pub(super) fn remove(&mut self, point: u32) {
        if std::mem::replace(&mut self.is_removed[point as usize], true) {
            return;
        }
        let mut node = self.leaf_of[point as usize] as usize;
        loop {
            self.nodes[node].n_left -= 1;
            if node == 0 {
                break;
            }
            node = (node - 1) / 2;
        }
    }

    /// Calls `visit` with points that may lie in a triangle, until it returns an answer. The search visits
    /// every remaining point of the closed triangle, and some others near it, in an order that `seed`
    /// shuffles.
    ///
    /// The search alternates between two orders. The largest box first finds a box inside a large
    /// triangle before the points along its outside. The last opened box first finds a point in a thin
    /// triangle that contains no box. Either order alone is quadratic on some polygons, such as spirals
    /// or combs.
    pub(super) fn find_near<T>(
        &mut self,
        triangle: [Point; 3],
        seed: u32,
        mut visit: impl FnMut(u32) -> Option<T>,
    ) -> Option<T> {
        let [a, b, c] = triangle;
        let lo = [a.x.min(b.x).min(c.x), a.y.min(b.y).min(c.y)];
        let hi = [a.x.max(b.x).max(c.x), a.y.max(b.y).max(c.y)];
        self.queue.clear();
        self.queue.push_back(0);
        let mut is_turn_of_largest = false;
        loop {
            is_turn_of_largest = !is_turn_of_largest;
            let at = match is_turn_of_largest {
                true => self.queue.pop_front()?,
                false => self.queue.pop_back()?,
            };
            self.n_steps += 1;
            let node = &self.nodes[at as usize];
            let is_apart = (0..2).any(|axis| node.hi[axis] < lo[axis] || node.lo[axis] > hi[axis]);
            if node.n_left == 0 || is_apart {
                continue;
            }
            match side(node, triangle) {
                Side::Outside => {}
                Side::Inside => {
                    let found = visit(self.any_point(at, seed));
                    if found.is_some() {
                        return found;
                    }
                    self.open(at, seed, &mut visit);
                }
                Side::Across => {
                    let found = self.open(at, seed, &mut visit);
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
    }

    /// Queues the children of a node, or visits its points.
    fn open<T>(
        &mut self,
        at: u32,
        seed: u32,
        visit: &mut impl FnMut(u32) -> Option<T>,
    ) -> Option<T> {
        let children = 2 * at + 1;
        if (children as usize) < self.nodes.len() {
            let second = mix(seed, at) >> 31;
            self.queue.extend([children + second, children + 1 - second]);
            return None;
        }
        self.points_left(at).find_map(visit)
    }

    /// The points left in a leaf.
    fn points_left(&self, leaf: u32) -> impl Iterator<Item = u32> + use<'_> {
        let node = &self.nodes[leaf as usize];
        let points = &self.order[node.first as usize..(node.first + node.len) as usize];
        points.iter().copied().filter(|&point| !self.is_removed[point as usize])
    }

    /// A remaining point of a node, chosen by `seed`. The node must have one.
    fn any_point(&self, mut at: u32, seed: u32) -> u32 {
        loop {
            let children = 2 * at + 1;
            if children as usize >= self.nodes.len() {
                let n = self.nodes[at as usize].n_left;
                let index = mix(seed, at) % n;
                return self.points_left(at).nth(index as usize).expect("n_left points remain");
            }
            let first = children + (mix(seed, at) >> 31);
            let other = 4 * at + 3 - first;
            at = if self.nodes[first as usize].n_left > 0 { first } else { other };
        }
    }
}

/// Shuffles bits (the finalizer of Appleby's MurmurHash3).
fn mix(seed: u32, at: u32) -> u32 {
    let mut x = seed.wrapping_mul(0x9e37_79b9) ^ at;
    x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

enum Side {
    Inside,
    Outside,
    /// On both sides of the outline, or too close to decide.
    Across,
}

/// The side of a counter-clockwise triangle on which a box lies, correct in spite of rounding. Without
/// this test a thin diagonal triangle would visit all points of its wide box.
fn side(node: &Node, [a, b, c]: [Point; 3]) -> Side {
    let mut result = Side::Inside;
    for (p, q) in [(a, b), (b, c), (c, a)] {
        let (dx, dy) = (q.x - p.x, q.y - p.y);
        // The corners of the box farthest to the left and to the right of the edge.
        let (left_x, right_x) = if dy > 0.0 { (0, 1) } else { (1, 0) };
        let (left_y, right_y) = if dx > 0.0 { (1, 0) } else { (0, 1) };
        let ends = [node.lo, node.hi];
        let turn = |x: usize, y: usize| {
            let (left, right) = (dx * (ends[y][1] - p.y), dy * (ends[x][0] - p.x));
            // 2^-48 covers the few roundings of 2^-53 each.
            (left - right, (left.abs() + right.abs()) * (1.0 / (1u64 << 48) as f64))
        };
        let (turn_left, error) = turn(left_x, left_y);
        if turn_left < -error {
            return Side::Outside;
        }
        let (turn_right, error) = turn(right_x, right_y);
        if turn_right <= error {
            result = Side::Across;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::projection::turn;
    use super::*;

    #[test]
    fn every_point_of_a_triangle_is_visited_until_it_is_removed() {
        let mut state = 7u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        };
        for n in [1, 7, 8, 9, 100, 500] {
            let points: Vec<Point> =
                (0..n).map(|_| Point { x: next(20) as f64, y: next(20) as f64 }).collect();
            let mut tree = PointTree::default();
            tree.build(&points);
            for round in 0..200 {
                let [a, b, c] = [(); 3].map(|()| Point { x: next(20) as f64, y: next(20) as f64 });
                if turn(a, b, c) <= 0.0 {
                    continue;
                }
                let mut visited = vec![false; points.len()];
                let found = tree.find_near([a, b, c], round, |point| {
                    visited[point as usize] = true;
                    None::<()>
                });
                assert!(found.is_none());
                for (i, &p) in points.iter().enumerate() {
                    let inside =
                        [(a, b), (b, c), (c, a)].iter().all(|&(q, r)| turn(q, r, p) >= 0.0);
                    assert!(!inside || visited[i] || tree.is_removed[i], "{n} {round} {p:?}");
                    assert!(!(visited[i] && tree.is_removed[i]));
                }
                tree.remove(next(n) as u32);
            }
        }
    }
}
