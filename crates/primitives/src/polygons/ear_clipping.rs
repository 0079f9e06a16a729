//! Triangulation by clipping ears, without testing every corner against every other.

use std::collections::VecDeque;

use super::{
    point_tree::PointTree,
    projection::{Point, turn},
};

const NONE: u32 = u32::MAX;

/// Cuts a polygon by clipping ears (Meisters, "Polygons Have Ears", 1975).
///
/// Three measures keep the work below quadratic on combs, spirals and stars:
///
/// - A tree finds the corners inside a triangle.
/// - A corner is tested again only after a change that concerns it. If another corner blocks its
///   triangle, it waits for that corner (the watched literals of SAT solvers).
/// - A queue takes the corners round-robin, so that triangles stay compact.
///
/// Repeated corners, spikes, and the bridges that join holes to the outline count as limits of simple
/// polygons. A corner that only touches a triangle blocks it only if the outline continues into its
/// inside. Triangles without area are cut off where corners repeat or the outline folds back. Corners in
/// the middle of a straight side remain for triangles with area.
///
/// The strict rules cut every simple polygon. If the outline touches or crosses itself, they may leave
/// no ear; two further steps then relax them. If even these leave no ear, or the budget of work is spent,
/// the clipper cuts the remaining corners in order. It always emits n - 2 triangles.
#[derive(Debug, Default)]
pub(super) struct EarClipper {
    prev: Vec<u32>,
    next: Vec<u32>,
    is_queued: Vec<bool>,
    queue: VecDeque<u32>,
    suspects: Vec<u32>,
    pub(super) tree: PointTree,
    watchers: Watchers,
}

/// The current state of a corner.
enum Verdict {
    /// Cut it off.
    Ear,
    /// Not convex, or straight. Only a change of its neighbours can make it an ear.
    NoEar,
    /// Another corner lies in its triangle, or touches it from inside.
    Blocked { by: u32, touches: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    Strict,
    /// A corner on the cut does not block it if the outline stays behind; straight corners are ears.
    Relaxed,
    /// Only a corner inside a triangle blocks it.
    Desperate,
}

impl EarClipper {
    /// Calls `emit` with n - 2 triangles. The points run counter-clockwise.
    pub(super) fn clip(&mut self, points: &[Point], emit: &mut dyn FnMut([u32; 3])) {
        // Seven times the maximum known for a simple polygon. The limit is for thousands of corners at
        // one point, because every search visits all of them.
        let max_steps = 4096 * points.len() as u64 + 100_000;
        self.clip_within(max_steps, points, emit);
    }

    /// [`clip`](Self::clip) with a limit of about `max_steps` visited boxes of the tree.
    fn clip_within(&mut self, max_steps: u64, points: &[Point], emit: &mut dyn FnMut([u32; 3])) {
        let n = points.len() as u32;
        self.prev.clear();
        self.prev.extend((0..n).map(|i| (i + n - 1) % n));
        self.next.clear();
        self.next.extend((0..n).map(|i| (i + 1) % n));
        self.is_queued.clear();
        self.is_queued.resize(n as usize, false);
        self.queue.clear();
        self.tree.build(points);
        self.watchers.reset(n);
        (1..n).chain([0]).for_each(|corner| self.enqueue(corner));

        let mut n_left = n;
        let mut alive = 0;
        for corner in 0..n {
            if self.next[corner as usize] != NONE {
                alive = self.cut_folds(points, [corner; 2], &mut n_left, emit);
            }
        }
        let mut rules = Rules::Strict;
        let mut budget = 64 * u64::from(n) + 10_000;
        while n_left > 3 && budget > 0 && self.tree.n_steps < max_steps {
            let Some(b) = self.queue.pop_front() else {
                rules = match rules {
                    Rules::Strict => Rules::Relaxed,
                    Rules::Relaxed => Rules::Desperate,
                    Rules::Desperate => break,
                };
                self.enqueue_all(alive);
                continue;
            };
            self.is_queued[b as usize] = false;
            if self.next[b as usize] == NONE {
                continue;
            }
            budget -= 1;
            match self.judge(points, b, rules, budget as u32) {
                Verdict::NoEar => {}
                Verdict::Blocked { by, touches } => self.watchers.add(b, by, touches),
                Verdict::Ear => {
                    let neighbours = self.cut(b, emit);
                    n_left -= 1;
                    alive = self.cut_folds(points, neighbours, &mut n_left, emit);
                }
            }
        }
        while n_left >= 3 {
            [_, alive] = self.cut(alive, emit);
            n_left -= 1;
        }
    }

    /// Cuts off corners that repeat a neighbour or at which the outline folds back, while more than
    /// three are left. Begins with `suspects` and follows the changes. Returns a remaining corner.
    ///
    /// The clipper does this at once, because next to a fold the inside of the polygon is not defined.
    fn cut_folds(
        &mut self,
        points: &[Point],
        suspects: [u32; 2],
        n_left: &mut u32,
        emit: &mut dyn FnMut([u32; 3]),
    ) -> u32 {
        let mut alive = suspects[0];
        self.suspects.extend(suspects);
        while let Some(b) = self.suspects.pop() {
            if self.next[b as usize] == NONE || *n_left <= 3 {
                continue;
            }
            let triangle = [self.prev[b as usize], b, self.next[b as usize]]
                .map(|corner| points[corner as usize]);
            let [a, b_point, c] = triangle;
            if turn(a, b_point, c) == 0.0 && !is_strictly_between(triangle) {
                let neighbours = self.cut(b, emit);
                *n_left -= 1;
                alive = neighbours[0];
                self.suspects.extend(neighbours);
            }
        }
        alive
    }

    fn enqueue(&mut self, corner: u32) {
        if !std::mem::replace(&mut self.is_queued[corner as usize], true) {
            self.queue.push_back(corner);
        }
    }

    fn enqueue_all(&mut self, alive: u32) {
        let mut corner = alive;
        loop {
            self.enqueue(corner);
            corner = self.next[corner as usize];
            if corner == alive {
                break;
            }
        }
    }

    /// Cuts a corner off, and queues the corners that the cut concerns. Returns its neighbours.
    fn cut(&mut self, b: u32, emit: &mut dyn FnMut([u32; 3])) -> [u32; 2] {
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        emit([a, b, c]);
        self.next[a as usize] = c;
        self.prev[c as usize] = a;
        self.next[b as usize] = NONE;
        self.tree.remove(b);
        self.enqueue(a);
        self.enqueue(c);
        // The cut frees the corners that b blocked, and changes how a and c touch triangles.
        for (blocker, touches) in [(b, false), (b, true), (a, true), (c, true)] {
            while let Some(corner) = self.watchers.take(blocker, touches) {
                if self.next[corner as usize] != NONE {
                    self.enqueue(corner);
                }
            }
        }
        [a, c]
    }

    fn judge(&mut self, points: &[Point], b: u32, rules: Rules, seed: u32) -> Verdict {
        let at = |corner: u32| points[corner as usize];
        let (a, c) = (self.prev[b as usize], self.next[b as usize]);
        let triangle = [at(a), at(b), at(c)];
        let area = turn(triangle[0], triangle[1], triangle[2]);
        if area == 0.0 {
            return if rules == Rules::Strict { Verdict::NoEar } else { Verdict::Ear };
        }
        if area < 0.0 {
            return Verdict::NoEar;
        }
        let (prev, next) = (&self.prev, &self.next);
        let neighbours = |corner: u32| [prev[corner as usize], next[corner as usize]];
        if rules != Rules::Desperate {
            // The sides that continue from the triangle's own corners.
            for (corner, beyond) in [(a, prev[a as usize]), (c, next[c as usize])] {
                if enters(triangle, at(corner), at(beyond)) {
                    return Verdict::Blocked { by: beyond, touches: true };
                }
            }
        }
        // Each search has a different order. In a fixed order, the corners of a spiral would all wait
        // for the corner that is cut next, and then for the one after it.
        let blocker = self.tree.find_near(triangle, seed, |corner| {
            if corner == a || corner == b || corner == c {
                return None;
            }
            let point = at(corner);
            let [ab, bc, ca] = turns(triangle, point);
            if ab < 0.0 || bc < 0.0 || ca < 0.0 {
                return None;
            }
            if ab > 0.0 && bc > 0.0 && ca > 0.0 {
                return Some((corner, false));
            }
            let on_the_cut = ca == 0.0 && ab > 0.0 && bc > 0.0;
            let goes_in =
                || neighbours(corner).iter().any(|&other| enters(triangle, point, at(other)));
            let blocks = match rules {
                Rules::Strict => on_the_cut || goes_in(),
                Rules::Relaxed => goes_in(),
                Rules::Desperate => false,
            };
            blocks.then_some((corner, true))
        });
        match blocker {
            Some((by, touches)) => Verdict::Blocked { by, touches },
            None => Verdict::Ear,
        }
    }
}

/// The orientation of a point relative to each side of a triangle, as of [`turn`].
fn turns([a, b, c]: [Point; 3], point: Point) -> [f64; 3] {
    [turn(a, b, point), turn(b, c, point), turn(c, a, point)]
}

/// Whether the segment from a point on the outline of a triangle to another point begins inside.
fn enters(triangle: [Point; 3], from: Point, to: Point) -> bool {
    let (from, to) = (turns(triangle, from), turns(triangle, to));
    from.iter().zip(to).all(|(&from, to)| from > 0.0 || to > 0.0)
}

/// Whether the middle one of three points in a line lies between the others.
fn is_strictly_between([a, b, c]: [Point; 3]) -> bool {
    let between = |a: f64, b: f64, c: f64| (a < b && b < c) || (a > b && b > c);
    between(a.x, b.x, c.x) || between(a.y, b.y, c.y)
}

/// The waiting corners. Each blocking corner has two lists: corners whose triangle it lies in, and
/// corners whose triangle it touches.
#[derive(Debug, Default)]
struct Watchers {
    heads: [Vec<u32>; 2],
    /// Each entry is a waiting corner and the index of the next entry.
    entries: Vec<(u32, u32)>,
    free: Vec<u32>,
}

impl Watchers {
    fn reset(&mut self, n: u32) {
        for heads in &mut self.heads {
            heads.clear();
            heads.resize(n as usize, NONE);
        }
        self.entries.clear();
        self.free.clear();
    }

    fn add(&mut self, corner: u32, blocker: u32, touches: bool) {
        let head = &mut self.heads[usize::from(touches)][blocker as usize];
        let entry = (corner, *head);
        *head = match self.free.pop() {
            Some(index) => {
                self.entries[index as usize] = entry;
                index
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
    }

    fn take(&mut self, blocker: u32, touches: bool) -> Option<u32> {
        let head = &mut self.heads[usize::from(touches)][blocker as usize];
        let index = *head;
        if index == NONE {
            return None;
        }
        let (corner, next) = self.entries[index as usize];
        *head = next;
        self.free.push(index);
        Some(corner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Square holes along an arc, all joined to the outline by bridges from its first corner.
    fn holes_from_one_corner(n_holes: u32) -> Vec<Point> {
        let mut points = vec![];
        let mut add = |x: f64, y: f64| points.push(Point { x, y });
        for hole in 0..n_holes {
            let angle = 1.5 * f64::from(hole + 1) / f64::from(n_holes + 2);
            let (y, x) = angle.sin_cos();
            let size = 0.2 / f64::from(n_holes);
            add(0.0, 0.0);
            let corners = [(x, y), (x, y + size), (x + size, y + size), (x + size, y), (x, y)];
            corners.into_iter().for_each(|(x, y)| add(x, y));
        }
        for (x, y) in [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)] {
            add(x, y);
        }
        points
    }

    #[test]
    fn bounded_work_ends_and_gives_all_triangles() {
        let points = holes_from_one_corner(300);
        let clip = |max_steps: u64| {
            let (mut clipper, mut n_triangles) = (EarClipper::default(), 0);
            clipper.clip_within(max_steps, &points, &mut |_| n_triangles += 1);
            assert_eq!(n_triangles, points.len() - 2);
            clipper.tree.n_steps
        };
        let needed = clip(u64::MAX);
        // A search that has begun may exceed the limit.
        let slack = points.len() as u64;
        assert!(clip(needed / 4) < needed / 4 + slack, "{needed}");
        assert_eq!(clip(needed + slack), needed);
    }
}
