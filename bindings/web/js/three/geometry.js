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
	return Math.floor(cornerCount(geometry) / 3);
}

/** The number of vertices that a geometry draws, in order. */
export function cornerCount({ index, attributes }) {
	return index ? index.count : attributes.position.count;
}

/**
 * The ranges of primitives of `size` corners, disjoint and ascending: the draw range, or another one in its place, and
 * within it the union of the groups if there are any.
 */
export function includedRanges(geometry, range, size = 3) {
	const { start, count } = range ?? geometry.drawRange;
	const first = Math.max(0, Math.floor(start / size));
	const end = Math.min(Math.floor(cornerCount(geometry) / size), Math.floor((start + count) / size));
	if (geometry.groups.length === 0) return first < end ? [{ first, end }] : [];
	const groups = geometry.groups
		.map((group) => ({
			first: Math.max(first, Math.floor(group.start / size)),
			end: Math.min(end, Math.floor((group.start + group.count) / size)),
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

const CORNERS = ['a', 'b', 'c'];

/** Whether three.js reads an attribute as the f32 of its array. */
function isPlain(attribute) {
	return attribute.array instanceof Float32Array && attribute.itemSize === 3 && attribute.normalized === false
		&& attribute.isInterleavedBufferAttribute !== true;
}

/** Sets a triangle to the corners of a triangle of a geometry. */
export function setTriangle(target, geometry, triangle) {
	return triangleReader(geometry)(target, triangle);
}

/** A function that does so for many triangles, while the geometry keeps its arrays. */
export function triangleReader({ index, attributes: { position } }) {
	const ids = index === null ? null : index.array;
	if (!isPlain(position)) {
		return (target, triangle) => {
			for (let i = 0; i < 3; i++) {
				const corner = 3 * triangle + i;
				target[CORNERS[i]].fromBufferAttribute(position, ids === null ? corner : ids[corner]);
			}
			target.needsUpdate = true;
			return target;
		};
	}
	const { array } = position;
	return (target, triangle) => {
		const corner = 3 * triangle;
		setPoint(target.a, array, 3 * (ids === null ? corner : ids[corner]));
		setPoint(target.b, array, 3 * (ids === null ? corner + 1 : ids[corner + 1]));
		setPoint(target.c, array, 3 * (ids === null ? corner + 2 : ids[corner + 2]));
		target.needsUpdate = true;
		return target;
	};
}

function setPoint(point, array, at) {
	point.x = array[at];
	point.y = array[at + 1];
	point.z = array[at + 2];
}

/** Writes the nine coordinates of a triangle of a geometry. */
export function readCorners(geometry, triangle, to, at) {
	const { index, attributes: { position } } = geometry;
	const isDirect = isPlain(position);
	for (let i = 0; i < 3; i++) {
		const corner = 3 * triangle + i;
		const vertex = index === null ? corner : index.array[corner];
		for (let axis = 0; axis < 3; axis++) {
			to[at + 3 * i + axis] = isDirect ? position.array[3 * vertex + axis] : position.getComponent(vertex, axis);
		}
	}
}

/** Sets a triangle to nine coordinates. */
export function setCorners(target, from, at) {
	target.a.set(from[at], from[at + 1], from[at + 2]);
	target.b.set(from[at + 3], from[at + 4], from[at + 5]);
	target.c.set(from[at + 6], from[at + 7], from[at + 8]);
	target.needsUpdate = true;
}

/** The primitives of some ranges, each with `offset` and `count`, one after the other. */
export function generateIndirectBuffer(ranges, useSharedArrayBuffer = false) {
	const n = ranges.reduce((sum, { count }) => sum + count, 0);
	const end = ranges.reduce((most, { offset, count }) => Math.max(most, offset + count), 0);
	const type = end > 2 ** 16 ? Uint32Array : Uint16Array;
	const bytes = n * type.BYTES_PER_ELEMENT;
	const list = new type(useSharedArrayBuffer ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
	let i = 0;
	for (const { offset, count } of ranges) for (let k = 0; k < count; k++) list[i++] = offset + k;
	return list;
}

/** The geometry of an instance of a batched mesh, also of versions of three.js without a method for it. */
export function geometryIdOf(batchedMesh, instance) {
	return batchedMesh.getGeometryIdAt?.(instance) ?? (batchedMesh._instanceInfo ?? batchedMesh._drawInfo)[instance]?.geometryIndex;
}
