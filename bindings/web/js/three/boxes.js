// Trees over boxes: the engine holds triangles, so a box is a triangle between three of its corners.
//
// The three are those next to its least corner. Their triangle has half of each face of the box as its shadow, so the
// engine never cuts it into parts as it cuts a long triangle across the axes: parts leave out some of the box.

import { Box3, Vector3 } from 'three';
import { Bvh } from '../bvh.js';
import { Mesh as TriMesh } from '../mesh.js';
import { WALK } from './symbols.js';

const ORIGIN = new Vector3();

/** The tree over `n` boxes; `boxOf(i, target)` writes one. */
export function boxTree(n, boxOf) {
	const mesh = new TriMesh(boxCorners(n, boxOf));
	try {
		return new Bvh(mesh);
	} catch (error) {
		mesh.dispose();
		throw error;
	}
}

/** The three corners of each box, rounded outwards to f32. An empty box is the origin. */
export function boxCorners(n, boxOf) {
	const box = new Box3();
	const corners = new Float32Array(9 * n);
	for (let i = 0; i < n; i++) {
		boxOf(i, box);
		if (box.isEmpty()) box.set(ORIGIN, ORIGIN);
		const { min, max } = box;
		const [x, y, z] = [below(min.x), below(min.y), below(min.z)];
		corners.set([above(max.x), y, z, x, above(max.y), z, x, y, above(max.z)], 9 * i);
	}
	return corners;
}

/** The part of its size by which a box grows: the ray in its space rounds. */
const MARGIN = 1e-6;

const grown = new Box3();
const entry = new Vector3();

/** The primitives of a tree, ascending, whose leaves a ray in its space comes within a distance of. */
export function primitivesAlong(bvh, ray, distance = 0) {
	const reached = [];
	bvh[WALK]({
		intersectsBounds: (box) => {
			grown.copy(box).expandByScalar(distance + MARGIN * (distance + box.min.length() + box.max.length()));
			return grown.containsPoint(ray.origin) || ray.intersectBox(grown, entry) !== null;
		},
	}, (primitive) => void reached.push(primitive));
	return reached.sort((a, b) => a - b);
}

/** Appends intersections, or only the nearest with `raycaster.firstHitOnly`. */
export function append(found, intersects, { firstHitOnly }) {
	const list = firstHitOnly && found.length > 1 ? [found.reduce((a, b) => b.distance < a.distance ? b : a)] : found;
	for (const each of list) intersects.push(each);
	return intersects;
}

const words = new Float32Array(1);
const bits = new Int32Array(words.buffer);

/** The f32 next to a number that is not above it. */
function below(x) {
	words[0] = x;
	if (words[0] > x) step(-1);
	return words[0];
}

/** The f32 next to a number that is not below it. */
function above(x) {
	words[0] = x;
	if (words[0] < x) step(1);
	return words[0];
}

function step(direction) {
	if (words[0] === 0) {
		words[0] = direction * 1.401298464324817e-45;
	} else {
		bits[0] += words[0] > 0 === direction > 0 ? 1 : -1;
	}
}
