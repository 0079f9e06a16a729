// The nodes of a tree, as JavaScript walks them for callbacks.

import { Box3 } from 'three';
import { call, checked, f32, f64, numbers, u32, views } from '../module.js';
import { CONTAINED } from './constants.js';

// The layout of a tree, which the module tells: children of a node; words of a node, and the first of its children;
// blocks that a leaf may have; the references to no child and to no triangle.
let width = 0;
let nodeWords = 0;
let firstChild = 0;
let leafBlocks = 0;
let noChild = 0;
let noTriangle = 0;

const NONE = new Set();

/** The index of a child among all nodes and leaves, from 1 on; the root has none above it. */
function idOf(node, slot) {
	return node * width + slot + 1;
}

/** The boxes of nested walks: a callback may start another walk. */
class Pool {
	#free = [];

	take() {
		return this.#free.pop() ?? Array.from({ length: width }, () => new Box3());
	}

	put(boxes) {
		this.#free.push(boxes);
	}
}

const boxesOfNodes = new Pool();

/** A reader of the nodes of a `Bvh`. It holds no address, because the memory may move between calls. */
export class Tree {
	#bvh;
	#nodes = 0;
	#blocks = 0;
	#blockWords = 0;
	#scale = 1;
	/** The triangles that stand in several leaves; null if there are none. */
	#split = null;

	constructor(bvh) {
		this.#bvh = bvh;
		const { inLeaves, triangles } = bvh.stats;
		this.#locate();
		[width, nodeWords, firstChild, this.#blockWords, leafBlocks, noChild, noTriangle] =
			f64.subarray(numbers + 3, numbers + 10);
		if (inLeaves > triangles) this.#split = this.#repeated(triangles);
	}

	#repeated(n) {
		const [seen, repeated] = [new Uint8Array(n), new Set()];
		this.#everyLeaf(0, (reference) => {
			for (const triangle of this.#triangles(reference)) {
				if (seen[triangle]) repeated.add(triangle);
				seen[triangle] = 1;
			}
		});
		return repeated;
	}

	#everyLeaf(node, run) {
		if (node === 0) this.#locate();
		for (let slot = 0; slot < width; slot++) {
			const reference = this.#child(node, slot);
			if (reference > noChild) run(reference);
			if (reference < noChild) this.#everyLeaf(reference, run);
		}
	}

	/** Whether a triangle stands in several leaves, whose boxes hold parts of it. */
	isSplit(triangle) {
		return this.#split?.has(triangle) ?? false;
	}

	/** Looks up where the tree is. Call it before a walk. */
	#locate() {
		checked('bvh_parts', this.#bvh.handle);
		views();
		this.#nodes = f64[numbers] / 4;
		this.#blocks = f64[numbers + 1] / 4;
		this.#scale = f64[numbers + 2];
	}

	/** The reference of the child in a slot. */
	#child(node, slot) {
		return u32[this.#nodes + node * nodeWords + firstChild + slot];
	}

	#box(node, slot, box) {
		const bounds = this.#nodes + node * nodeWords + slot;
		box.min.set(f32[bounds], f32[bounds + 2 * width], f32[bounds + 4 * width]);
		box.max.set(f32[bounds + width], f32[bounds + 3 * width], f32[bounds + 5 * width]);
		if (this.#scale !== 1) {
			box.min.divideScalar(this.#scale);
			box.max.divideScalar(this.#scale);
		}
		return box;
	}

	/** The triangles of a leaf, ascending. */
	#triangles(reference) {
		const triangles = [];
		// Bit 31 marks a leaf, and the largest reference has all others.
		const blocks = reference & noChild;
		const first = Math.floor(blocks / leafBlocks);
		for (let block = first; block <= first + blocks % leafBlocks; block++) {
			const end = this.#blocks + (block + 1) * this.#blockWords;
			for (let word = end - width; word < end; word++) {
				if (u32[word] !== noTriangle) triangles.push(u32[word]);
			}
		}
		return triangles.sort((a, b) => a - b);
	}

	/**
	 * The vertices that have other positions now, of the triangles below some nodes. From the root down, children among the nodes
	 * count; below a node without such children all do.
	 */
	movedVertices(nodeIndices, positions) {
		const [seen, moved] = [new Set(), []];
		const [triangles, before] = this.#meshParts();
		const look = (triangle) => {
			for (let corner = 3 * triangle; corner < 3 * triangle + 3; corner++) {
				const vertex = u32[triangles + corner];
				if (seen.has(vertex)) continue;
				seen.add(vertex);
				for (let i = 3 * vertex; i < 3 * vertex + 3; i++) {
					if (f32[before + i] !== positions[i]) {
						moved.push(vertex);
						break;
					}
				}
			}
		};
		this.#locate();
		this.#below(0, nodeIndices, look);
		return Uint32Array.from(moved);
	}

	/** Where the corners and positions of the mesh are, in words. */
	#meshParts() {
		const { handle } = this.#bvh;
		const parts = [call('mesh_triangles', handle) / 4, call('mesh_positions', handle) / 4];
		views();
		return parts;
	}

	#below(node, nodeIndices, look) {
		const slots = [];
		for (let slot = 0; slot < width; slot++) if (this.#child(node, slot) !== noChild) slots.push(slot);
		const named = slots.filter((slot) => nodeIndices.has(idOf(node, slot)));
		const isAll = named.length === 0;
		for (const slot of isAll ? slots : named) {
			const reference = this.#child(node, slot);
			if (reference > noChild) {
				this.#triangles(reference).forEach(look);
			} else {
				this.#below(reference, isAll ? NONE : nodeIndices, look);
			}
		}
	}

	/** The box around the boxes of the root. */
	bounds(box) {
		this.#locate();
		box.makeEmpty();
		const child = new Box3();
		for (let slot = 0; slot < width; slot++) {
			if (this.#child(0, slot) !== noChild) box.union(this.#box(0, slot, child));
		}
		return box;
	}

	/**
	 * Walks the tree depth first. `enter(box, isLeaf, score, depth, id)` decides about each child, and
	 * `leaf(triangles, contained, depth, id, box)` ends the walk by returning true. With `order(box)`, children
	 * of lower scores come first.
	 */
	walk({ enter, leaf, order }) {
		this.#locate();
		return this.#visit(0, 1, false, enter, this.#split ? this.#once(leaf) : leaf, order);
	}

	/** A leaf's function that gets each split triangle once, and never as contained: a box holds a part of it. */
	#once(leaf) {
		const seen = new Set();
		return (triangles, contained, ...rest) => {
			const [whole, parts] = [[], []];
			for (const triangle of triangles) {
				if (!this.#split.has(triangle)) {
					whole.push(triangle);
				} else if (!seen.has(triangle)) {
					seen.add(triangle);
					parts.push(triangle);
				}
			}
			return whole.length > 0 && leaf(whole, contained, ...rest) || parts.length > 0 && leaf(parts, false, ...rest);
		};
	}

	#visit(node, depth, contained, enter, leaf, order) {
		const boxes = boxesOfNodes.take();
		const children = [];
		for (let slot = 0; slot < width; slot++) {
			const reference = this.#child(node, slot);
			if (reference === noChild) continue;
			const box = this.#box(node, slot, boxes[slot]);
			children.push({ reference, box, id: idOf(node, slot), score: undefined });
		}
		if (order && !contained) {
			for (const child of children) child.score = order(child.box);
			children.sort((a, b) => a.score - b.score);
		}
		let stops = false;
		for (const { reference, box, id, score } of children) {
			const isLeaf = reference > noChild;
			const answer = contained ? CONTAINED : enter(box, isLeaf, score, depth, id);
			if (!answer) continue;
			// The callback may have moved the memory, or the tree.
			this.#locate();
			const inside = answer === CONTAINED;
			stops = isLeaf
				? leaf(this.#triangles(reference), inside, depth, id, box)
				: this.#visit(reference, depth + 1, inside, enter, leaf, order);
			if (stops) break;
			this.#locate();
		}
		boxesOfNodes.put(boxes);
		return Boolean(stops);
	}
}

/** Calls a function with each run of consecutive numbers of an ascending list: its start and its length. */
export function someRun(numbersInOrder, run) {
	for (let i = 0; i < numbersInOrder.length;) {
		let end = i + 1;
		while (end < numbersInOrder.length && numbersInOrder[end] === numbersInOrder[end - 1] + 1) end++;
		if (run(numbersInOrder[i], end - i)) return true;
		i = end;
	}
	return false;
}
