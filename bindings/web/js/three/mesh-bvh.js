// The tree of a geometry, with the interface of three-mesh-bvh.

import { BackSide, DoubleSide, FrontSide, Matrix4, MeshBasicMaterial, Vector3 } from 'three';
import { typeError } from '../arguments.js';
import { Bvh } from '../bvh.js';
import { SurfacePoint } from '../hits.js';
import { Mesh as TriMesh } from '../mesh.js';
import { GeometryBVH, optionalFunction } from './base.js';
import { Caster } from './caster.js';
import { closestPointToGeometry, intersectsGeometry } from './geometry-queries.js';
import { ensureIndex, extract, includedRanges, positionsOf, setTriangle, slackOf, triangleReader } from './geometry.js';
import { settingsOf } from './options.js';
import { OrientedBox } from './oriented-box.js';
import { castPair } from './pair-walk.js';
import { BUILD, PRIMITIVES, RESTORED, SLACK, TREE, WALK } from './symbols.js';
import { someRun } from './tree.js';
import { ExtendedTriangle } from './triangle.js';

/** The version of the data of `serialize`. */
const VERSION = 'hitscan-1';

/** The rounding of a point to f32, relative to its largest coordinate, generously. */
const ROUNDING = 1e-6;

/** Free triangles of callbacks, which may nest. */
const triangles = [];
const found = new SurfacePoint();
const queryPoint = [0, 0, 0];

/** A tree over the triangles of a geometry. It never changes the order of the geometry's index. */
export class MeshBVH extends GeometryBVH {
	/** The ranges of triangles that the tree was built of. */
	#ranges;
	#settings;
	#ids = null;
	#firstVertex = 0;
	#offset = 0;
	#slack = 0;

	/** The cache file of the tree, and what the tree needs of its geometry. */
	static serialize(bvh, { cloneBuffers = true } = {}) {
		const index = bvh.geometry.getIndex();
		return {
			version: VERSION,
			roots: [bvh.bvh.toCache().buffer],
			index: index === null ? null : cloneBuffers ? index.array.slice() : index.array,
			indirectBuffer: bvh.indirect ? bvh.#ids?.slice() ?? new Uint32Array(0) : null,
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
		const settings = settingsOf('MeshBVH', options);
		super(geometry, settings);
		if (!this.indirect) ensureIndex(geometry);
		const { [RESTORED]: restored, onProgress, ...rest } = settings;
		this.#ranges = restored?.ids ? rangesOf(restored.ids) : includedRanges(geometry, settings.range);
		this.#settings = { ...rest, restored, onProgress };
		// Builds, or restores. A later build, after `disposeBoundsTree`, is of the geometry and reports no progress.
		void this.bvh;
		this.#settings = rest;
		if (settings.setBoundingBox) this.fillBoundingBox();
	}

	[BUILD]() {
		const { geometry } = this;
		const { quality, layout, onProgress, restored } = this.#settings;
		if (restored) {
			const bvh = Bvh.fromCache(restored.roots[0], 'data.roots[0]');
			const { offset } = bvh.mesh;
			if (offset.some((x) => x !== 0)) {
				throw new Error(`MeshBVH: data.roots[0] has a mesh with the offset ${offset}, expected one of serialize()`);
			}
			this.#ids = restored.ids;
			this.#firstVertex = restored.firstVertex;
			this.#slack = slackOf(geometry, bvh.mesh.positions);
			return bvh;
		}
		const shift = this.#offset;
		const ranges = this.#ranges.map(({ first, end }) => ({ first: first + shift, end: end + shift }));
		const { positions, triangles: indices, ids, firstVertex } = extract(geometry, ranges);
		const mesh = new TriMesh(positions, indices);
		let bvh;
		try {
			bvh = new Bvh(mesh, { quality, layout, onProgress });
		} catch (error) {
			mesh.dispose();
			throw error;
		}
		this.#ranges = ranges;
		this.#offset = 0;
		this.#ids = ids;
		this.#firstVertex = firstVertex;
		this.#slack = slackOf(geometry, positions);
		return bvh;
	}

	get [SLACK]() {
		return this.#slack;
	}

	/** The distance by which the engine's corners may differ from those of three.js. */
	get slack() {
		return this.#slack;
	}

	/** The triangle of the geometry for a triangle of a callback: the same, since the index keeps its order. */
	get resolveTriangleIndex() {
		return this.resolvePrimitiveIndex;
	}

	/** The triangle of the geometry for a triangle of the engine. */
	triangleOf(triangle) {
		return (this.#ids === null ? triangle : this.#ids[triangle]) + this.#offset;
	}

	[PRIMITIVES](list, n) {
		if (this.#ids === null && this.#offset === 0) return;
		for (let i = 0; i < n; i++) list[i] = this.triangleOf(list[i]);
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
		const { bvh } = this;
		const positions = positionsOf(this.geometry, this.#firstVertex, bvh.mesh.vertexCount);
		if (nodeIndices === null || nodeIndices === undefined) {
			this.#slack = slackOf(this.geometry, positions);
			bvh.refit(positions);
			return;
		}
		if (!Array.isArray(nodeIndices) && !(nodeIndices instanceof Set)) {
			throw typeError('nodeIndices', nodeIndices, 'an array or a Set of node indices');
		}
		const moved = this[TREE].movedVertices(new Set(nodeIndices), positions);
		if (moved.length === 0) return;
		const corners = new Float32Array(3 * moved.length);
		moved.forEach((vertex, i) => corners.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * i));
		this.#slack = Math.max(this.#slack, slackOf(this.geometry, corners));
		const { costWhenBuilt, costNow } = bvh.update({ move: { vertices: moved, positions: corners } });
		// A tree that was built anew may split other triangles.
		if (costNow === costWhenBuilt) this[TREE] = null;
	}

	/** Whether the leaves hold a triangle in parts, so that no box holds all of it. */
	isSplit(triangle) {
		const own = triangle - this.#offset;
		return this[TREE].isSplit(this.#ids === null ? own : this.#ids.indexOf(own));
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
	intersectsBox(box, boxToMesh = identity) {
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

	/**
	 * The nearest point of the surface: `point`, `distance` and `faceIndex`; null from `maxThreshold` on. It is exact, so a
	 * point within `minThreshold` is found as well.
	 */
	closestPointToPoint(point, target = {}, minThreshold = 0, maxThreshold = Infinity) {
		void minThreshold;
		const { bvh } = this;
		queryPoint[0] = point.x;
		queryPoint[1] = point.y;
		queryPoint[2] = point.z;
		if (!(maxThreshold > 0)) return null;
		// The engine takes the point in f32, so near ties may end otherwise than in f64; the distance is that in f64.
		const size = Math.abs(point.x) + Math.abs(point.y) + Math.abs(point.z) + maxThreshold;
		const within = maxThreshold + ROUNDING * size + 2 * this.#slack;
		if (bvh.closestPoint(queryPoint, found, within) === null) return null;
		const faceIndex = this.triangleOf(found.triangle);
		const triangle = triangles.pop() ?? new ExtendedTriangle();
		setTriangle(triangle, this.geometry, faceIndex).closestPointToPoint(point, closest);
		triangles.push(triangle);
		const distance = closest.distanceTo(point);
		if (distance >= maxThreshold) return null;
		(target.point ??= new Vector3()).copy(closest);
		target.distance = distance;
		target.faceIndex = faceIndex;
		return target;
	}

	/** The nearest points of the surface and of another geometry under a matrix. */
	closestPointToGeometry(geometry, geometryToBvh, target1 = {}, target2 = {}, minThreshold = 0, maxThreshold = Infinity) {
		return closestPointToGeometry(this, geometry, geometryToBvh, target1, target2, minThreshold, maxThreshold);
	}

	/** Walks the tree with the caller's tests of boxes, runs of triangles and triangles. */
	shapecast(callbacks) {
		const { intersectsTriangle } = callbacks;
		if (!intersectsTriangle) return this[WALK](callbacks);
		optionalFunction('callbacks.intersectsTriangle', intersectsTriangle);
		const read = triangleReader(this.geometry);
		const triangle = triangles.pop() ?? new ExtendedTriangle();
		try {
			return this[WALK](callbacks, intersectsTriangle, read, triangle);
		} finally {
			triangles.push(triangle);
		}
	}

	/** Walks two trees together: runs or pairs of triangles of leaves whose boxes touch. `matrixToLocal` is affine. */
	bvhcast(other, matrixToLocal, { intersectsRanges, intersectsTriangles }) {
		optionalFunction('callbacks.intersectsRanges', intersectsRanges);
		optionalFunction('callbacks.intersectsTriangles', intersectsTriangles);
		return castPair(this, other, matrixToLocal, { intersectsRanges, intersectsTriangles });
	}
}

const closest = new Vector3();
const identity = new Matrix4();
const sides = new Map([FrontSide, BackSide, DoubleSide].map((side) => [side, new MeshBasicMaterial({ side })]));

function materialOf(materialOrSide) {
	return sides.get(materialOrSide) ?? materialOrSide;
}

/** The ranges of ascending triangles. */
function rangesOf(ids) {
	const ranges = [];
	someRun(ids, ids.length, (first, count) => void ranges.push({ first, end: first + count }));
	return ranges;
}
