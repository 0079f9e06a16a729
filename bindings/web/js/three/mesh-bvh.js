// The tree of a geometry, with the interface of three-mesh-bvh.

import { BackSide, Box3, DoubleSide, FrontSide, Matrix4, MeshBasicMaterial, Vector3 } from 'three';
import { Bvh } from '../bvh.js';
import { SurfacePoint } from '../hits.js';
import { Mesh as TriMesh } from '../mesh.js';
import { Caster } from './caster.js';
import { AVERAGE, CENTER, SAH } from './constants.js';
import { closestPointToGeometry, intersectsGeometry } from './geometry-queries.js';
import { ensureIndex, extract, includedRanges, positionsOf, setTriangle, slackOf } from './geometry.js';
import { OrientedBox } from './oriented-box.js';
import { someRun, Tree } from './tree.js';
import { ExtendedTriangle } from './triangle.js';

/** The version of the data of `serialize`. */
const VERSION = 'hitscan-1';

const DEFAULTS = {
	strategy: 0,
	maxDepth: 40,
	targetLeafSize: 10,
	setBoundingBox: true,
	useSharedArrayBuffer: false,
	indirect: false,
	verbose: true,
	onProgress: null,
	range: null,
};

/** The quality that a strategy of three-mesh-bvh asks for: its default builds fast. */
const QUALITIES = new Map([[CENTER, 'fast'], [AVERAGE, 'balanced'], [SAH, 'high']]);

/** Free triangles of callbacks, which may nest. */
const triangles = [];
const found = new SurfacePoint();
const queryPoint = [0, 0, 0];

/** The base of the trees of geometries. */
export class GeometryBVH {
	/** The geometry that the tree was built of. */
	geometry;
}

/** A tree over the triangles of a geometry. It never changes the order of the geometry's index. */
export class MeshBVH extends GeometryBVH {
	#bvh;
	#tree;
	#ids;
	#firstVertex;
	#offset = 0;
	#isIndirect;
	#slack = 0;

	/** The cache file of the tree, and what the tree needs of its geometry. */
	static serialize(bvh, { cloneBuffers = true } = {}) {
		const index = bvh.geometry.getIndex();
		return {
			version: VERSION,
			roots: [bvh.#bvh.toCache().buffer],
			index: index === null ? null : cloneBuffers ? index.array.slice() : index.array,
			indirectBuffer: bvh.#isIndirect ? bvh.#ids?.slice() ?? new Uint32Array(0) : null,
			ids: bvh.#ids?.slice() ?? null,
			firstVertex: bvh.#firstVertex,
		};
	}

	/** The tree of `serialize` for the same geometry. */
	static deserialize(data, geometry, { setIndex = true, indirect = Boolean(data.indirectBuffer) } = {}) {
		if (data.version !== VERSION) {
			throw new Error('MeshBVH.deserialize: data is of three-mesh-bvh or of another version of hitscan; ' +
				'build the tree again, or serialize it by this package');
		}
		if (setIndex && data.index !== null) {
			const index = geometry.getIndex();
			if (index === null) {
				geometry.setIndex(Array.from(data.index));
				geometry.index.array = data.index.slice();
			} else if (index.array !== data.index) {
				index.array.set(data.index);
				index.needsUpdate = true;
			}
		}
		return new this(geometry, { indirect, setBoundingBox: false, [RESTORED]: data });
	}

	constructor(geometry, options = {}) {
		if (!geometry?.isBufferGeometry) throw new Error('MeshBVH: geometry is no BufferGeometry; pass mesh.geometry');
		if (geometry.index?.isInterleavedBufferAttribute) {
			throw new Error('MeshBVH: geometry.index is interleaved, expected a BufferAttribute');
		}
		super();
		const settings = { ...DEFAULTS, ...options };
		this.geometry = geometry;
		this.#isIndirect = Boolean(settings.indirect);
		if (!this.#isIndirect) ensureIndex(geometry);
		if (options[RESTORED]) {
			const { roots, ids, firstVertex } = options[RESTORED];
			this.#bvh = Bvh.fromCache(roots[0], 'data.roots[0]');
			const { offset } = this.#bvh.mesh;
			if (offset.some((x) => x !== 0)) {
				throw new Error(`MeshBVH: data.roots[0] has a mesh with the offset ${offset}, expected one of serialize()`);
			}
			this.#ids = ids;
			this.#firstVertex = firstVertex;
			this.#slack = slackOf(geometry, this.#bvh.mesh.positions);
		} else {
			this.#build(settings);
		}
		this.#tree = new Tree(this.#bvh);
		if (settings.setBoundingBox && geometry.boundingBox === null) {
			geometry.boundingBox = this.getBoundingBox(new Box3());
		}
	}

	#build({ range, strategy, quality = QUALITIES.get(strategy) ?? 'fast', layout, onProgress }) {
		const { geometry } = this;
		const { positions, triangles: indices, ids, firstVertex } = extract(geometry, includedRanges(geometry, range));
		const mesh = new TriMesh(positions, indices);
		this.#bvh = new Bvh(mesh, { quality, layout, onProgress: onProgress ?? undefined });
		this.#ids = ids;
		this.#firstVertex = firstVertex;
		this.#slack = slackOf(geometry, positions);
	}

	/** The exact engine below: its answers are hitscan's, in the space of the geometry. */
	get bvh() {
		return this.#bvh;
	}

	/** The distance by which the engine's corners may differ from those of three.js. */
	get slack() {
		return this.#slack;
	}

	get indirect() {
		return this.#isIndirect;
	}

	/** The triangle of the geometry for a triangle of a callback: the same, since the index keeps its order. */
	get resolveTriangleIndex() {
		return same;
	}

	get resolvePrimitiveIndex() {
		return same;
	}

	/** The triangle of the geometry for a triangle of the engine. */
	triangleOf(triangle) {
		return (this.#ids === null ? triangle : this.#ids[triangle]) + this.#offset;
	}

	/** Frees the tree. Without it the garbage collector does so later. */
	dispose() {
		this.#bvh.mesh.dispose();
		this.#bvh.dispose();
	}

	[Symbol.dispose]() {
		this.dispose();
	}

	/** Moves the tree to other triangles of the geometry, which hold the same positions. */
	shiftTriangleOffsets(offset) {
		this.#offset += offset;
	}

	shiftPrimitiveOffsets(offset) {
		this.#offset += offset;
	}

	/**
	 * Reads the positions again. With `nodeIndices`, a set or array of the node indices that callbacks of `shapecast` got, only
	 * those of the triangles in these nodes. A node of which no child is among them stands for all below it.
	 */
	refit(nodeIndices = null) {
		const positions = positionsOf(this.geometry, this.#firstVertex, this.#bvh.mesh.vertexCount);
		if (nodeIndices === null || nodeIndices === undefined) {
			this.#slack = slackOf(this.geometry, positions);
			this.#bvh.refit(positions);
			return;
		}
		const moved = this.#tree.movedVertices(new Set(nodeIndices), positions);
		if (moved.length === 0) return;
		const corners = new Float32Array(3 * moved.length);
		moved.forEach((vertex, i) => corners.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * i));
		this.#slack = Math.max(this.#slack, slackOf(this.geometry, corners));
		const { costWhenBuilt, costNow } = this.#bvh.update({ move: { vertices: moved, positions: corners } });
		// A tree that was built anew may split other triangles.
		if (costNow === costWhenBuilt) this.#tree = new Tree(this.#bvh);
	}

	getBoundingBox(target) {
		return this.#tree.bounds(target);
	}

	/** Whether the leaves hold a triangle in parts, so that no box holds all of it. */
	isSplit(triangle) {
		const own = triangle - this.#offset;
		return this.#tree.isSplit(this.#ids === null ? own : this.#ids.indexOf(own));
	}

	/** Calls a function with each node: boxes as six numbers, and the runs of triangles of each leaf. */
	traverse(callback, rootIndex = 0) {
		if (rootIndex > 0) return;
		const root = this.getBoundingBox(new Box3());
		callback(0, false, boundsOf(root), 0);
		this.#tree.walk({
			enter: (box, isLeaf, score, depth) => isLeaf || !callback(depth, false, boundsOf(box), 0),
			leaf: (list, contained, depth, id, box) => {
				this.#someRun(list, (offset, count) => void callback(depth, true, boundsOf(box), offset, count));
			},
		});
	}

	#someRun(list, run) {
		return someRun(list.map((triangle) => this.triangleOf(triangle)), run);
	}

	/** The intersections of a raycaster with an object of this geometry, as three.js finds them. */
	raycastObject3D(object, raycaster, intersects) {
		Caster.cast(this, object, raycaster, intersects);
	}

	/** All intersections of a ray in the space of the geometry, as three.js finds them, sorted by triangle. */
	raycast(ray, materialOrSide = FrontSide, near = 0, far = Infinity) {
		return Caster.castLocal(this, ray, materialOf(materialOrSide), near, far, false);
	}

	/** The nearest of them, or null. */
	raycastFirst(ray, materialOrSide = FrontSide, near = 0, far = Infinity) {
		return Caster.castLocal(this, ray, materialOf(materialOrSide), near, far, true)[0] ?? null;
	}

	/** Whether a ball touches the surface. */
	intersectsSphere(sphere) {
		return this.shapecast({
			intersectsBounds: (box) => sphere.intersectsBox(box),
			intersectsTriangle: (triangle) => triangle.intersectsSphere(sphere),
		});
	}

	/** Whether a box under a matrix touches the surface. */
	intersectsBox(box, boxToMesh = new Matrix4()) {
		const oriented = new OrientedBox(box.min, box.max, boxToMesh);
		return this.shapecast({
			intersectsBounds: (bounds) => oriented.intersectsBox(bounds),
			intersectsTriangle: (triangle) => oriented.intersectsTriangle(triangle),
		});
	}

	/** Whether another geometry under a matrix touches the surface. */
	intersectsGeometry(geometry, geometryToBvh) {
		return intersectsGeometry(this, geometry, geometryToBvh);
	}

	/** The nearest point of the surface: `point`, `distance` and `faceIndex`. */
	closestPointToPoint(point, target = {}, minThreshold = 0, maxThreshold = Infinity) {
		void minThreshold; // The exact nearest point is a point within any threshold.
		queryPoint[0] = point.x;
		queryPoint[1] = point.y;
		queryPoint[2] = point.z;
		// The engine takes the point in f32, so near ties may end otherwise than in f64; the distance is that in f64.
		if (this.#bvh.closestPoint(queryPoint, found) === null) return null;
		const faceIndex = this.triangleOf(found.triangle);
		target.point ??= new Vector3();
		const triangle = triangles.pop() ?? new ExtendedTriangle();
		setTriangle(triangle, this.geometry, faceIndex).closestPointToPoint(point, closest);
		triangles.push(triangle);
		const distance = closest.distanceTo(point);
		if (distance >= maxThreshold) return null;
		target.point.copy(closest);
		target.distance = distance;
		target.faceIndex = faceIndex;
		return target;
	}

	/** The nearest points of the surface and of another geometry under a matrix. */
	closestPointToGeometry(geometry, geometryToBvh, target1 = {}, target2 = {}, minThreshold = 0, maxThreshold = Infinity) {
		return closestPointToGeometry(this, geometry, geometryToBvh, target1, target2, minThreshold, maxThreshold);
	}

	/** Walks the tree with the caller's tests of boxes, runs of triangles and triangles. */
	shapecast({ boundsTraverseOrder, intersectsBounds, intersectsRange, intersectsTriangle }) {
		const triangle = triangles.pop() ?? new ExtendedTriangle();
		try {
			return this.#tree.walk({
				enter: intersectsBounds,
				order: boundsTraverseOrder,
				leaf: (list, contained, depth, id, box) => {
					if (intersectsRange) {
						const stops = this.#someRun(list, (offset, count) =>
							intersectsRange(offset, count, contained, depth, id, box));
						if (stops || !intersectsTriangle) return stops;
					}
					if (!intersectsTriangle) return contained;
					return list.some((number) => {
						const index = this.triangleOf(number);
						setTriangle(triangle, this.geometry, index);
						return intersectsTriangle(triangle, index, contained, depth);
					});
				},
			});
		} finally {
			triangles.push(triangle);
		}
	}

	/** Walks two trees together: pairs of leaves whose boxes touch. */
	bvhcast(other, matrixToLocal, { intersectsRanges, intersectsTriangles }) {
		const oriented = new OrientedBox();
		const bounds = this.getBoundingBox(new Box3());
		const touches = (box) => oriented.set(box.min, box.max, matrixToLocal).intersectsBox(bounds);
		return other.shapecast({
			intersectsBounds: touches,
			intersectsRange: (offset2, count2, contained2, depth2, index2, box2) => {
				oriented.set(box2.min, box2.max, matrixToLocal);
				return this.shapecast({
					intersectsBounds: (box) => oriented.intersectsBox(box),
					intersectsRange: (offset1, count1, contained1, depth1, index1) =>
						intersectsRanges?.(offset1, count1, offset2, count2, depth1, index1, depth2, index2)
						|| intersectsTriangles
						&& this.#pairs(other, matrixToLocal, intersectsTriangles,
							{ offset1, count1, offset2, count2, depth1, index1, depth2, index2 }),
				});
			},
		});
	}

	#pairs(other, matrix, test, { offset1, count1, offset2, count2, depth1, index1, depth2, index2 }) {
		const [first, second] = [new ExtendedTriangle(), new ExtendedTriangle()];
		for (let i2 = offset2; i2 < offset2 + count2; i2++) {
			setTriangle(second, other.geometry, i2);
			for (const corner of ['a', 'b', 'c']) second[corner].applyMatrix4(matrix);
			for (let i1 = offset1; i1 < offset1 + count1; i1++) {
				setTriangle(first, this.geometry, i1);
				if (test(first, second, i1, i2, depth1, index1, depth2, index2)) return true;
			}
		}
		return false;
	}
}

/** The key of the data of `deserialize` among the options. */
const RESTORED = Symbol('restored');
const closest = new Vector3();
const sides = new Map([FrontSide, BackSide, DoubleSide].map((side) => [side, new MeshBasicMaterial({ side })]));

function same(triangle) {
	return triangle;
}

function materialOf(materialOrSide) {
	return sides.get(materialOrSide) ?? materialOrSide;
}

function boundsOf({ min, max }) {
	return new Float32Array([min.x, min.y, min.z, max.x, max.y, max.z]);
}

/** Whether the boxes of the tree hold the triangles of the geometry as they are now. */
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

/** The bytes that the tree and its copy of the mesh take. */
export function estimateMemoryInBytes(bvh) {
	const { mesh, stats } = bvh.bvh;
	return stats.bytes + 12 * mesh.vertexCount + 12 * mesh.triangleCount;
}

/** Counts of nodes, leaves and depths, as a list with one entry. */
export function getBVHExtremes(bvh) {
	const depth = { min: Infinity, max: 0 };
	const primitives = { min: Infinity, max: 0 };
	let [nodeCount, leafNodeCount] = [1, 0];
	bvh.shapecast({
		intersectsBounds: () => {
			nodeCount++;
			return true;
		},
		intersectsRange: (offset, count, contained, at) => {
			leafNodeCount++;
			depth.min = Math.min(depth.min, at);
			depth.max = Math.max(depth.max, at);
			primitives.min = Math.min(primitives.min, count);
			primitives.max = Math.max(primitives.max, count);
			return false;
		},
	});
	return [{ nodeCount, leafNodeCount, depth, primitives, splits: [0, 0, 0], surfaceAreaScore: 0 }];
}
