// Two trees walked together: the pairs of leaves, or of triangles, whose boxes touch.

import { Box3 } from 'three';
import { typeError } from '../arguments.js';
import { readCorners, setCorners } from './geometry.js';
import { PRIMITIVES, SLACK, TREE, WALK } from './symbols.js';
import { ExtendedTriangle } from './triangle.js';
import { someRun, sortFew } from './tree.js';

/** A part of the coordinates by which boxes grow: the transform rounds. */
const MARGIN = 1e-12;

const CORNER_NUMBERS = 9;
const BOX_NUMBERS = 6;
/** More than the triangles of any tree that fits into the memory, so that a pair has one number. */
const KEY = 2 ** 26;

/** The children of two nodes. */
class Level {
	constructor(width) {
		this.bounds = [new Float64Array(BOX_NUMBERS * width), new Float64Array(BOX_NUMBERS * width)];
		this.moved = new Float64Array(BOX_NUMBERS * width);
		this.references = [new Int32Array(width), new Int32Array(width)];
		this.ids = [new Int32Array(width), new Int32Array(width)];
	}
}

/** A leaf of a walk: its list, and for triangles their corners and boxes in the space of the first tree. */
class Leaf {
	reference = 0;
	n = 0;

	constructor(size) {
		this.list = new Uint32Array(size);
		this.isSplit = new Uint8Array(size);
		this.corners = new Float64Array(CORNER_NUMBERS * size);
		this.boxes = new Float64Array(BOX_NUMBERS * size);
	}
}

/** A walk of two trees. `matrix` takes the second to the space of the first. */
class PairWalk {
	#trees;
	#bvhs;
	#matrix;
	#levels = [];
	#leaves;
	#margin;
	#ranges;
	#triangles;
	#seen = null;
	#pair = [new ExtendedTriangle(), new ExtendedTriangle()];

	constructor(first, second, matrix, { intersectsRanges, intersectsTriangles }) {
		this.#bvhs = [first, second];
		this.#trees = [first[TREE], second[TREE]];
		this.#matrix = matrix;
		this.#ranges = intersectsRanges;
		this.#triangles = intersectsTriangles;
		const [own, other] = [first.getBoundingBox(new Box3()), second.getBoundingBox(new Box3())];
		other.applyMatrix4(matrix);
		this.#margin = MARGIN * (reach(own) + reach(other)) + first[SLACK] + second[SLACK] * matrix.getMaxScaleOnAxis();
		this.#leaves = this.#trees.map((tree) => new Leaf(tree.maxLeafSize));
		if (this.#trees.some((tree) => tree.hasSplit)) this.#seen = new Set();
		this.own = own;
		this.other = other;
	}

	run() {
		const { own, other } = this;
		if (own.isEmpty() || other.isEmpty() || !own.expandByScalar(this.#margin).intersectsBox(other)) return false;
		return this.#visit(0, 0, 0, 0, 0, 0, null, 0, null, 0);
	}

	/**
	 * Visits a pair of nodes or leaves. `id`s and boxes are those of the pair; `depth`s count from the roots. A leaf
	 * stays until the other side is a leaf, too.
	 */
	#visit(first, second, depth1, depth2, id1, id2, bounds1, at1, bounds2, at2) {
		const [isLeaf1, isLeaf2] = [this.#trees[0].isLeaf(first), this.#trees[1].isLeaf(second)];
		if (isLeaf1 && isLeaf2) return this.#pairOfLeaves(first, second, depth1, depth2, id1, id2, bounds1, at1, bounds2, at2);
		const level = this.#levels.pop() ?? new Level(this.#trees[0].width);
		const n1 = this.#children(level, 0, first, isLeaf1, id1, bounds1, at1);
		const n2 = this.#children(level, 1, second, isLeaf2, id2, bounds2, at2);
		const moved = isLeaf2 ? level.bounds[1] : level.moved;
		if (!isLeaf2) for (let j = 0; j < n2; j++) moveBox(level.bounds[1], BOX_NUMBERS * j, this.#matrix.elements, moved);
		const [d1, d2] = [isLeaf1 ? depth1 : depth1 + 1, isLeaf2 ? depth2 : depth2 + 1];
		let stops = false;
		for (let j = 0; j < n2 && !stops; j++) {
			for (let i = 0; i < n1 && !stops; i++) {
				if (!touch(level.bounds[0], BOX_NUMBERS * i, moved, BOX_NUMBERS * j, this.#margin)) continue;
				stops = this.#visit(
					level.references[0][i], level.references[1][j], d1, d2, level.ids[0][i], level.ids[1][j],
					level.bounds[0], BOX_NUMBERS * i, moved, BOX_NUMBERS * j,
				);
			}
		}
		this.#levels.push(level);
		return stops;
	}

	/** Reads the children of one side; a leaf is its own only child. */
	#children(level, side, reference, isLeaf, id, bounds, at) {
		if (!isLeaf) return this.#trees[side].readBounds(reference, level.bounds[side], level.references[side], level.ids[side]);
		for (let k = 0; k < BOX_NUMBERS; k++) level.bounds[side][k] = bounds[at + k];
		level.references[side][0] = reference;
		level.ids[side][0] = id;
		return 1;
	}

	#pairOfLeaves(first, second, depth1, depth2, id1, id2, bounds1, at1, bounds2, at2) {
		const [one, other] = this.#leaves;
		this.#read(0, first);
		this.#read(1, second);
		if (this.#ranges && someRun(one.list, one.n, (offset1, count1) => someRun(other.list, other.n, (offset2, count2) =>
			this.#ranges(offset1, count1, offset2, count2, depth1, id1, depth2, id2)))) return true;
		if (!this.#triangles) return false;
		for (let i = 0; i < one.n; i++) {
			if (!touch(one.boxes, BOX_NUMBERS * i, bounds2, at2, this.#margin)) continue;
			for (let j = 0; j < other.n; j++) {
				if (!touch(one.boxes, BOX_NUMBERS * i, other.boxes, BOX_NUMBERS * j, this.#margin)) continue;
				if (this.#seen !== null && (one.isSplit[i] || other.isSplit[j]) && this.#isRepeated(one.list[i], other.list[j])) continue;
				// Anew for each pair, because a callback may move them.
				setCorners(this.#pair[0], one.corners, CORNER_NUMBERS * i);
				setCorners(this.#pair[1], other.corners, CORNER_NUMBERS * j);
				if (this.#triangles(...this.#pair, one.list[i], other.list[j], depth1, id1, depth2, id2)) return true;
			}
		}
		return false;
	}

	/** Reads a leaf, if it is not the one that was read last. */
	#read(side, reference) {
		const leaf = this.#leaves[side];
		if (leaf.reference === reference) return;
		leaf.n = this.#trees[side].readLeaf(reference, leaf.list);
		sortFew(leaf.list, leaf.n);
		leaf.reference = reference;
		const bvh = this.#bvhs[side];
		for (let i = 0; i < leaf.n; i++) leaf.isSplit[i] = this.#trees[side].isSplit(leaf.list[i]) ? 1 : 0;
		bvh[PRIMITIVES](leaf.list, leaf.n);
		if (!this.#triangles) return;
		for (let i = 0; i < leaf.n; i++) {
			readCorners(bvh.geometry, leaf.list[i], leaf.corners, CORNER_NUMBERS * i);
			if (side === 1) movePoints(leaf.corners, CORNER_NUMBERS * i, this.#matrix.elements);
			boxOfCorners(leaf.corners, CORNER_NUMBERS * i, leaf.boxes, BOX_NUMBERS * i);
		}
	}

	/** Whether the pair was reported from other leaves, which hold other parts of it. */
	#isRepeated(first, second) {
		const key = first * KEY + second;
		if (this.#seen.has(key)) return true;
		this.#seen.add(key);
		return false;
	}
}

/** Walks two trees; `intersectsRanges` and `intersectsTriangles` end the walk by returning true. */
export function castPair(first, second, matrix, callbacks) {
	if (!second?.[WALK]) throw typeError('other', second, 'a tree of hitscan/three');
	if (!matrix?.isMatrix4) throw typeError('matrixToLocal', matrix, 'a Matrix4');
	return Boolean(new PairWalk(first, second, matrix, callbacks).run());
}

function reach({ min, max }) {
	return Math.max(...[min, max].flatMap(({ x, y, z }) => [Math.abs(x), Math.abs(y), Math.abs(z)]));
}

/** Whether two boxes come within a margin. */
function touch(a, i, b, j, margin) {
	return a[i] <= b[j + 3] + margin && b[j] <= a[i + 3] + margin
		&& a[i + 1] <= b[j + 4] + margin && b[j + 1] <= a[i + 4] + margin
		&& a[i + 2] <= b[j + 5] + margin && b[j + 2] <= a[i + 5] + margin;
}

/** The box around the image of a box. */
function moveBox(from, at, e, to) {
	for (let row = 0; row < 3; row++) {
		let [low, high] = [e[12 + row], e[12 + row]];
		for (let column = 0; column < 3; column++) {
			const factor = e[4 * column + row];
			const [a, b] = [factor * from[at + column], factor * from[at + 3 + column]];
			low += a < b ? a : b;
			high += a < b ? b : a;
		}
		to[at + row] = low;
		to[at + 3 + row] = high;
	}
}

function movePoints(corners, at, e) {
	for (let i = at; i < at + CORNER_NUMBERS; i += 3) {
		const [x, y, z] = [corners[i], corners[i + 1], corners[i + 2]];
		const w = 1 / (e[3] * x + e[7] * y + e[11] * z + e[15]);
		corners[i] = (e[0] * x + e[4] * y + e[8] * z + e[12]) * w;
		corners[i + 1] = (e[1] * x + e[5] * y + e[9] * z + e[13]) * w;
		corners[i + 2] = (e[2] * x + e[6] * y + e[10] * z + e[14]) * w;
	}
}

function boxOfCorners(corners, at, boxes, box) {
	for (let axis = 0; axis < 3; axis++) {
		const [a, b, c] = [corners[at + axis], corners[at + 3 + axis], corners[at + 6 + axis]];
		boxes[box + axis] = Math.min(a, b, c);
		boxes[box + 3 + axis] = Math.max(a, b, c);
	}
}
