// What the debugging functions of three-mesh-bvh tell about a tree.

import { Box3 } from 'three';
import { typeError } from '../arguments.js';
import { setTriangle } from './geometry.js';
import { OWNER } from './symbols.js';
import { ExtendedTriangle } from './triangle.js';

/** The weights of three-mesh-bvh's score: of a test of a primitive, and of a visit of a node. */
const PRIMITIVE_COST = 1.25;
const NODE_COST = 1;

/** Whether the boxes of the tree hold the primitives of the geometry as they are now. */
export function validateBounds(bvh) {
	const [triangle, box] = [new ExtendedTriangle(), new Box3()];
	return !bvh.shapecast({
		intersectsBounds: () => true,
		intersectsRange: (offset, count, contained, depth, id, bounds) => {
			for (let i = offset; i < offset + count; i++) {
				box.setFromPoints(bvh.cornersOf?.(i) ?? points(setTriangle(triangle, bvh.geometry, i)));
				if (!bounds.containsBox(box) && !(bvh.isSplit?.(i) && bounds.intersectsBox(box))) return true;
			}
			return false;
		},
	});
}

function points({ a, b, c }) {
	return [a, b, c];
}

/** The bytes that a tree and its copy of the mesh take, or of its `_roots` the tree alone. */
export function estimateMemoryInBytes(tree) {
	const owner = tree?.[OWNER];
	const { bvh } = owner ?? tree ?? {};
	if (!bvh?.stats) throw typeError('bvh', tree, 'a tree of hitscan/three');
	const { mesh, stats } = bvh;
	return owner ? stats.bytes : stats.bytes + 12 * mesh.vertexCount + 12 * mesh.triangleCount;
}

/** Counts of nodes, leaves and depths, as a list with one entry. */
export function getBVHExtremes(bvh) {
	const [depths, primitives] = [range(), range()];
	const splits = [0, 0, 0];
	let [nodeCount, leafNodeCount, score] = [0, 0, 0];
	visitNodes(bvh, ({ depth, bounds, children, runs }) => {
		nodeCount++;
		if (children) {
			splits[longestAxis(bounds)]++;
			score += areaOf(bounds) * NODE_COST;
			return;
		}
		leafNodeCount++;
		const count = runs.reduce((sum, run) => sum + run.count, 0);
		include(depths, depth);
		include(primitives, count);
		score += areaOf(bounds) * PRIMITIVE_COST * count;
	});
	const [depth, perLeaf] = [whole(depths), whole(primitives)];
	// Former versions of three-mesh-bvh have `tris`, and its documentation still does.
	return [{ nodeCount, leafNodeCount, depth, primitives: perLeaf, tris: perLeaf, splits, surfaceAreaScore: score }];
}

/**
 * The tree as plain objects: `bounds`, and `left` and `right`, or `offset` and `count` of a run of primitives. The up to
 * eight children of a node, and the runs of a leaf, stand in pairs below each other.
 */
export function getJSONStructure(bvh) {
	const toPairs = (nodes) => {
		if (nodes.length === 1) return nodes[0];
		const middle = nodes.length >> 1;
		const [left, right] = [toPairs(nodes.slice(0, middle)), toPairs(nodes.slice(middle))];
		return { bounds: left.bounds.clone().union(right.bounds), left, right };
	};
	const plain = ({ bounds, children, runs }) => children
		? toPairs(children.map(plain))
		: toPairs(runs.map(({ offset, count }) => ({ bounds, count, offset })));
	return plain(nodesOf(bvh));
}

/** The nodes of a tree: `depth`, `bounds`, and the `children` of a node or the `runs` of a leaf. */
export function nodesOf(bvh) {
	const root = { depth: 0, bounds: bvh.getBoundingBox(new Box3()), children: [] };
	// The nodes above the one that the walk visits, by depth.
	const path = [root];
	bvh.shapecast({
		intersectsBounds: (box, isLeaf, score, depth) => {
			const node = { depth, bounds: box.clone(), children: isLeaf ? null : [], runs: isLeaf ? [] : null };
			path.length = depth;
			path.at(-1).children.push(node);
			path.push(node);
			return true;
		},
		intersectsRange: (offset, count) => {
			path.at(-1).runs.push({ offset, count });
			return false;
		},
	});
	return root;
}

/** Calls a function with each node, parents first. */
export function visitNodes(bvh, visit) {
	const waiting = [nodesOf(bvh)];
	while (waiting.length > 0) {
		const node = waiting.pop();
		visit(node);
		if (node.children) waiting.push(...[...node.children].reverse());
	}
}

function range() {
	return { min: Infinity, max: -Infinity };
}

function include(range, value) {
	range.min = Math.min(range.min, value);
	range.max = Math.max(range.max, value);
}

/** A range that nothing was included in is that of zero. */
function whole(range) {
	return range.min <= range.max ? range : { min: 0, max: 0 };
}

function sizesOf({ min, max }) {
	return [max.x - min.x, max.y - min.y, max.z - min.z];
}

function longestAxis(bounds) {
	const sizes = sizesOf(bounds);
	return sizes.indexOf(Math.max(...sizes));
}

function areaOf(bounds) {
	const [x, y, z] = sizesOf(bounds);
	return bounds.isEmpty() ? 0 : 2 * (x * y + y * z + z * x);
}
