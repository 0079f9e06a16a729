// The triangles of a geometry that a tree holds: those in its draw range and groups.

import { BufferAttribute } from 'three';

/** Gives a geometry an index, as three-mesh-bvh does. */
export function ensureIndex(geometry) {
	if (geometry.index) return;
	const { count } = geometry.attributes.position;
	const index = count > 65535 ? new Uint32Array(count) : new Uint16Array(count);
	for (let i = 0; i < count; i++) index[i] = i;
	geometry.setIndex(new BufferAttribute(index, 1));
}

/** The number of triangles of a geometry. */
export function triangleCount(geometry) {
	return Math.floor((geometry.index ? geometry.index.count : geometry.attributes.position.count) / 3);
}

/**
 * The ranges of triangles, disjoint and ascending: the draw range, or another one in its place, and within it
 * the union of the groups if there are any.
 */
export function includedRanges(geometry, range) {
	const all = triangleCount(geometry);
	const { start, count } = range ?? geometry.drawRange;
	const first = Math.max(0, Math.floor(start / 3));
	const end = Math.min(all, Math.floor((start + count) / 3));
	if (geometry.groups.length === 0) return first < end ? [{ first, end }] : [];
	const groups = geometry.groups
		.map((group) => ({
			first: Math.max(first, Math.floor(group.start / 3)),
			end: Math.min(end, Math.floor((group.start + group.count) / 3)),
		}))
		.filter((group) => group.first < group.end)
		.sort((a, b) => a.first - b.first);
	const ranges = [];
	for (const group of groups) {
		const last = ranges.at(-1);
		if (last && group.first <= last.end) {
			last.end = Math.max(last.end, group.end);
		} else {
			ranges.push(group);
		}
	}
	return ranges;
}

/**
 * The triangles of these ranges for a mesh of the module. `triangles` holds indices into `positions`, which
 * are those of the vertices from `firstVertex` on. `ids` has the triangle of the geometry of each triangle,
 * or is null if they are the same.
 */
export function extract(geometry, ranges) {
	const index = geometry.index?.array ?? null;
	const n = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
	const isWhole = ranges.length === 1 && ranges[0].first === 0;
	if (isWhole && (index instanceof Uint32Array || index instanceof Uint16Array)) {
		const triangles = index.subarray(0, 3 * n);
		const { low, high } = extent(triangles, geometry.attributes.position.count);
		// Without a copy, if no vertices before the first one are left out.
		if (low === 0) return { positions: positionsOf(geometry, 0, high + 1), triangles, ids: null, firstVertex: 0 };
	}
	const triangles = new Uint32Array(3 * n);
	const ids = isWhole ? null : new Uint32Array(n);
	let [i, low, high] = [0, Infinity, -1];
	for (const { first, end } of ranges) {
		for (let triangle = first; triangle < end; triangle++) {
			if (ids) ids[i / 3] = triangle;
			for (let corner = 3 * triangle; corner < 3 * triangle + 3; corner++) {
				const vertex = index ? index[corner] : corner;
				if (vertex < low) low = vertex;
				if (vertex > high) high = vertex;
				triangles[i++] = vertex;
			}
		}
	}
	const firstVertex = low === Infinity ? 0 : low;
	if (firstVertex > 0) {
		for (let corner = 0; corner < triangles.length; corner++) triangles[corner] -= firstVertex;
	}
	const vertexCount = high + 1 - firstVertex;
	const positions = positionsOf(geometry, firstVertex, Math.max(0, vertexCount));
	return { positions, triangles, ids, firstVertex };
}

/** The smallest and the largest of some indices of `vertexCount` vertices. */
function extent(indices, vertexCount) {
	// Most geometries use their first vertex early and their last one late, so both searches end at once.
	if (indices.includes(0) && indices.lastIndexOf(vertexCount - 1) >= 0) return { low: 0, high: vertexCount - 1 };
	let [low, high] = [Infinity, -1];
	for (let i = 0; i < indices.length; i++) {
		const index = indices[i];
		if (index < low) low = index;
		if (index > high) high = index;
	}
	return { low, high };
}

/** The positions of a run of vertices, as three.js reads them. */
export function positionsOf(geometry, firstVertex, vertexCount) {
	const attribute = geometry.attributes.position;
	const available = Math.max(0, Math.min(vertexCount, attribute.count - firstVertex));
	if (!attribute.isInterleavedBufferAttribute && attribute.array instanceof Float32Array && attribute.itemSize === 3) {
		return attribute.array.subarray(3 * firstVertex, 3 * (firstVertex + available));
	}
	const positions = new Float32Array(3 * available);
	for (let i = 0; i < available; i++) {
		positions[3 * i] = attribute.getX(firstVertex + i);
		positions[3 * i + 1] = attribute.getY(firstVertex + i);
		positions[3 * i + 2] = attribute.getZ(firstVertex + i);
	}
	return positions;
}

/** The rounding of f32, relative to a number. */
const ROUNDING = 2 ** -23;

/** The distance by which positions in f32 may differ from those that three.js reads: 0 if its array holds f32. */
export function slackOf(geometry, positions) {
	const { array, data } = geometry.attributes.position;
	if ((array ?? data.array) instanceof Float32Array) return 0;
	let largest = 0;
	for (const x of positions) largest = Math.max(largest, Math.abs(x));
	return largest * ROUNDING;
}

/** Sets a triangle to the corners of a triangle of a geometry. */
export function setTriangle(target, geometry, triangle) {
	const { index, attributes: { position } } = geometry;
	const corner = 3 * triangle;
	target.a.fromBufferAttribute(position, index ? index.getX(corner) : corner);
	target.b.fromBufferAttribute(position, index ? index.getX(corner + 1) : corner + 1);
	target.c.fromBufferAttribute(position, index ? index.getX(corner + 2) : corner + 2);
	target.needsUpdate = true;
	return target;
}
