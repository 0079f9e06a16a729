// The nodes of a tree, as JavaScript reads and walks them for callbacks.

import { Box3 } from 'three';
import { VERSION } from '../bvh.js';
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

/** The children of one node of a walk. Its own memory, because a callback may start another walk. */
class Frame {
	boxes = Array.from({ length: width }, () => new Box3());
	references = new Int32Array(width);
	ids = new Int32Array(width);
	scores = new Float64Array(width);
	order = new Uint8Array(width);
	triangles = new Uint32Array(width * leafBlocks);
}

/** Frames that no walk uses. A callback that throws leaves those of its walk to the garbage collector. */
const frames = [];

/** A reader of the nodes of a `Bvh`. It looks up their place again after any change of the tree or the memory. */
export class Tree {
	#bvh;
	#version = -1;
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
		const triangles = new Uint32Array(width * leafBlocks);
		this.#everyLeaf(0, (reference) => {
			const count = this.readLeaf(reference, triangles);
			for (let i = 0; i < count; i++) {
				if (seen[triangles[i]]) repeated.add(triangles[i]);
				seen[triangles[i]] = 1;
			}
		});
		return repeated;
	}

	#everyLeaf(node, run) {
		for (let slot = 0; slot < width; slot++) {
			const reference = this.#child(node, slot);
			if (reference === noChild) continue;
			if (this.isLeaf(reference)) {
				run(reference);
			} else {
				this.#everyLeaf(reference, run);
			}
		}
	}

	/** Whether triangles stand in several leaves. */
	get hasSplit() {
		return this.#split !== null;
	}

	/** Whether a triangle stands in several leaves, whose boxes hold parts of it. */
	isSplit(triangle) {
		return this.#split?.has(triangle) ?? false;
	}

	/** The children of a node. */
	get width() {
		return width;
	}

	/** The triangles that a leaf may have. */
	get maxLeafSize() {
		return width * leafBlocks;
	}

	/** Whether a reference is that of a leaf. */
	isLeaf(reference) {
		return reference < 0;
	}

	/** Looks up where the tree is. */
	#locate() {
		checked('bvh_parts', this.#bvh.handle);
		views();
		this.#nodes = f64[numbers] / 4;
		this.#blocks = f64[numbers + 1] / 4;
		this.#scale = f64[numbers + 2];
		this.#version = this.#bvh[VERSION];
	}

	/** Looks it up again if a callback has moved the memory or the tree. */
	#sync() {
		if (f32.length === 0) views();
		if (this.#version !== this.#bvh[VERSION]) this.#locate();
	}

	/** The reference of the child in a slot: bit 31, its sign, marks a leaf. With a sign an engine boxes no number. */
	#child(node, slot) {
		return u32[this.#nodes + node * nodeWords + firstChild + slot] | 0;
	}

	/** Reads the children of a node into a frame, and returns their number. */
	#readNode(node, { boxes, references, ids, order }) {
		this.#sync();
		const floats = f32;
		const words = u32;
		const scale = this.#scale;
		const start = this.#nodes + node * nodeWords;
		const none = noChild;
		let n = 0;
		for (let slot = 0; slot < width; slot++) {
			const reference = words[start + firstChild + slot] | 0;
			if (reference === none) continue;
			const { min, max } = boxes[n];
			const bounds = start + slot;
			min.x = floats[bounds];
			max.x = floats[bounds + width];
			min.y = floats[bounds + 2 * width];
			max.y = floats[bounds + 3 * width];
			min.z = floats[bounds + 4 * width];
			max.z = floats[bounds + 5 * width];
			if (scale !== 1) {
				min.divideScalar(scale);
				max.divideScalar(scale);
			}
			references[n] = reference;
			ids[n] = idOf(node, slot);
			order[n] = n;
			n++;
		}
		return n;
	}

	/** Reads the children of a node as numbers: six of each box, its reference and its id. Returns their number. */
	readBounds(node, bounds, references, ids) {
		this.#sync();
		const [floats, scale] = [f32, this.#scale];
		const start = this.#nodes + node * nodeWords;
		let n = 0;
		for (let slot = 0; slot < width; slot++) {
			const reference = u32[start + firstChild + slot] | 0;
			if (reference === noChild) continue;
			const from = start + slot;
			for (let axis = 0; axis < 3; axis++) {
				bounds[6 * n + axis] = floats[from + 2 * axis * width] / scale;
				bounds[6 * n + 3 + axis] = floats[from + (2 * axis + 1) * width] / scale;
			}
			references[n] = reference;
			ids[n] = idOf(node, slot);
			n++;
		}
		return n;
	}

	/** Reads the triangles of a leaf, in any order, and returns their number. */
	readLeaf(reference, triangles) {
		this.#sync();
		const words = u32;
		const none = noTriangle;
		// The largest reference without a sign has all other bits.
		const blocks = reference & noChild;
		const first = Math.floor(blocks / leafBlocks);
		const last = first + blocks % leafBlocks;
		let n = 0;
		for (let block = first; block <= last; block++) {
			const end = this.#blocks + (block + 1) * this.#blockWords;
			for (let word = end - width; word < end; word++) {
				const triangle = words[word];
				if (triangle !== none) triangles[n++] = triangle;
			}
		}
		return n;
	}

	/**
	 * The vertices that have other positions now, of the triangles below some nodes. From the root down, children among the nodes
	 * count; below a node without such children all do.
	 */
	movedVertices(nodeIndices, positions) {
		const [seen, moved] = [new Set(), []];
		this.#sync();
		const [corners, before] = this.#meshParts();
		const look = (triangle) => {
			for (let corner = 3 * triangle; corner < 3 * triangle + 3; corner++) {
				const vertex = u32[corners + corner];
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
		this.#below(0, nodeIndices, new Uint32Array(this.maxLeafSize), look);
		return Uint32Array.from(moved);
	}

	/** Where the corners and positions of the mesh are, in words. */
	#meshParts() {
		const { handle } = this.#bvh;
		const parts = [call('mesh_triangles', handle) / 4, call('mesh_positions', handle) / 4];
		views();
		return parts;
	}

	#below(node, nodeIndices, triangles, look) {
		const slots = [];
		for (let slot = 0; slot < width; slot++) if (this.#child(node, slot) !== noChild) slots.push(slot);
		const named = slots.filter((slot) => nodeIndices.has(idOf(node, slot)));
		const isAll = named.length === 0;
		for (const slot of isAll ? slots : named) {
			const reference = this.#child(node, slot);
			if (this.isLeaf(reference)) {
				const n = this.readLeaf(reference, triangles);
				for (let i = 0; i < n; i++) look(triangles[i]);
			} else {
				this.#below(reference, isAll ? NONE : nodeIndices, triangles, look);
			}
		}
	}

	/** The box around the boxes of the root. */
	bounds(box) {
		const frame = frames.pop() ?? new Frame();
		const n = this.#readNode(0, frame);
		box.makeEmpty();
		for (let i = 0; i < n; i++) box.union(frame.boxes[i]);
		frames.push(frame);
		return box;
	}

	/**
	 * Walks the tree depth first. `enter(box, isLeaf, score, depth, id)` decides about each child, and
	 * `leaf(triangles, n, contained, depth, id, box)` ends the walk by returning true. With `order(box)`, children
	 * of lower scores come first. The leaf's list is valid until it returns.
	 */
	walk(enter, leaf, order) {
		return this.#visit(0, 1, false, enter, this.#split ? this.#once(leaf) : leaf, order);
	}

	/** A leaf's function that gets each split triangle once, and never as contained: a box holds a part of it. */
	#once(leaf) {
		const seen = new Set();
		return (triangles, n, contained, ...rest) => {
			const [whole, parts] = [[], []];
			for (let i = 0; i < n; i++) {
				const triangle = triangles[i];
				if (!this.#split.has(triangle)) {
					whole.push(triangle);
				} else if (!seen.has(triangle)) {
					seen.add(triangle);
					parts.push(triangle);
				}
			}
			return whole.length > 0 && leaf(whole, whole.length, contained, ...rest)
				|| parts.length > 0 && leaf(parts, parts.length, false, ...rest);
		};
	}

	#visit(node, depth, contained, enter, leaf, scoreOf) {
		const frame = frames.pop() ?? new Frame();
		const { boxes, references, ids, order, triangles } = frame;
		const n = this.#readNode(node, frame);
		const scored = scoreOf !== undefined && !contained;
		if (scored) sortByScore(frame, n, scoreOf);
		let stops = false;
		for (let i = 0; i < n && !stops; i++) {
			const child = order[i];
			const box = boxes[child];
			const reference = references[child];
			const id = ids[child];
			const isLeaf = reference < 0;
			const answer = contained ? CONTAINED : enter(box, isLeaf, scored ? frame.scores[child] : undefined, depth, id);
			if (!answer) continue;
			const inside = answer === CONTAINED;
			if (isLeaf) {
				const count = this.readLeaf(reference, triangles);
				stops = leaf(triangles, count, inside, depth, id, box);
			} else {
				stops = this.#visit(reference, depth + 1, inside, enter, leaf, scoreOf);
			}
		}
		frames.push(frame);
		return Boolean(stops);
	}
}

/** Orders the children of a frame by the scores of their boxes; equal ones stay in order. */
function sortByScore({ boxes, scores, order }, n, scoreOf) {
	for (let i = 0; i < n; i++) {
		const score = scoreOf(boxes[i]);
		scores[i] = score;
		let place = i;
		for (; place > 0 && scores[order[place - 1]] > score; place--) order[place] = order[place - 1];
		order[place] = i;
	}
}

/** Sorts the first `n` numbers of a list, which are few. */
export function sortFew(list, n) {
	for (let i = 1; i < n; i++) {
		const number = list[i];
		let place = i;
		for (; place > 0 && list[place - 1] > number; place--) list[place] = list[place - 1];
		list[place] = number;
	}
}

/** Calls a function with each run of consecutive numbers of an ascending list: its start and its length. */
export function someRun(numbersInOrder, n, run) {
	for (let i = 0; i < n;) {
		let end = i + 1;
		while (end < n && numbersInOrder[end] === numbersInOrder[end - 1] + 1) end++;
		if (run(numbersInOrder[i], end - i)) return true;
		i = end;
	}
	return false;
}
