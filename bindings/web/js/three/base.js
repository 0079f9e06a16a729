// What all trees of the drop-in share: the engine's tree, its end, and the walks of callbacks.

import { Box3 } from 'three';
import { typeError } from '../arguments.js';
import { castPair } from './pair-walk.js';
import { BUILD, OWNER, PRIMITIVES, RELEASE, SLACK, TREE, WALK } from './symbols.js';
import { someRun, sortFew, Tree } from './tree.js';

/** A tree. Its primitives are triangles, lines, points or objects; each is a triangle of the engine. */
export class BVH {
	#bvh = null;
	#tree = null;
	#isDisposed = false;

	/** Builds the engine's tree. Each class has its own way. */
	[BUILD]() {
		throw new Error('BVH: this class has no tree of its own; use MeshBVH, PointsBVH, LineBVH or ObjectBVH');
	}

	/** Exchanges the triangles of the engine in a list for primitives of the geometry. Ascending ones stay ascending. */
	[PRIMITIVES]() {}

	/** The distance by which the engine's corners may differ from those of three.js. */
	get [SLACK]() {
		return 0;
	}

	/** The exact engine below: its answers are hitscan's, in the space of the geometry. */
	get bvh() {
		if (this.#bvh === null) {
			if (this.#isDisposed) throw new Error(`${this.constructor.name} was used after dispose(); keep it until its last use`);
			this.#bvh = this[BUILD]();
		}
		return this.#bvh;
	}

	get [TREE]() {
		return this.#tree ??= new Tree(this.bvh);
	}

	/** Reads the tree anew at the next use: an edit may have split other triangles. */
	set [TREE](tree) {
		this.#tree = tree;
	}

	/** Frees the tree at once; a later use is an error. Without it the garbage collector frees the memory. */
	dispose() {
		this.#isDisposed = true;
		this.#bvh?.mesh.dispose();
		this.#bvh?.dispose();
	}

	[Symbol.dispose]() {
		this.dispose();
	}

	/** Frees the memory at once. A later use builds the tree again, so code that still holds it gets its answers. */
	[RELEASE]() {
		if (this.#isDisposed || this.#bvh === null) return;
		this.#bvh.mesh.dispose();
		this.#bvh.dispose();
		this.#bvh = null;
		this.#tree = null;
	}

	/** A list with one entry, whose length some helpers read. */
	get _roots() {
		const roots = Object.assign([], { [OWNER]: this });
		return Object.defineProperty(roots, 0, {
			enumerable: true,
			get() {
				throw new Error('hitscan/three: the nodes of _roots have the layout of three-mesh-bvh; ' +
					'use traverse() or shapecast(), which read those of hitscan');
			},
		});
	}

	getBoundingBox(target) {
		return this[TREE].bounds(target);
	}

	/** Calls a function with each node: boxes as six numbers, and the runs of primitives of each leaf. */
	traverse(callback, rootIndex = 0) {
		if (typeof callback !== 'function') throw typeError('callback', callback, 'a function');
		if (rootIndex > 0) return;
		const root = this.getBoundingBox(new Box3());
		if (callback(0, false, boundsOf(root), 0)) return;
		this[WALK]({
			intersectsBounds: (box, isLeaf, score, depth) => isLeaf || !callback(depth, false, boundsOf(box), 0),
			intersectsRange: (offset, count, contained, depth, id, box) => {
				callback(depth, true, boundsOf(box), offset, count);
				return false;
			},
		});
	}

	/**
	 * Walks the tree with the caller's tests of boxes and runs of primitives, and `each(primitive, contained, depth)`; or with a
	 * `read(target, primitive)`, `each(read(target, primitive), primitive, contained, depth)`.
	 */
	[WALK]({ boundsTraverseOrder, intersectsBounds, intersectsRange }, each, read, target) {
		if (typeof intersectsBounds !== 'function') throw typeError('callbacks.intersectsBounds', intersectsBounds, 'a function');
		optionalFunction('callbacks.boundsTraverseOrder', boundsTraverseOrder);
		optionalFunction('callbacks.intersectsRange', intersectsRange);
		const leaf = (list, n, contained, depth, id, box) => {
			this[PRIMITIVES](list, n);
			if (intersectsRange) {
				sortFew(list, n);
				const stops = someRun(list, n, (offset, count) => intersectsRange(offset, count, contained, depth, id, box));
				if (stops || !each) return stops;
			}
			if (!each) return contained;
			if (!read) {
				for (let i = 0; i < n; i++) if (each(list[i], contained, depth)) return true;
				return false;
			}
			// Not by a function around both: a call less for each primitive.
			for (let i = 0; i < n; i++) {
				const primitive = list[i];
				if (each(read(target, primitive), primitive, contained, depth)) return true;
			}
			return false;
		};
		return this[TREE].walk(intersectsBounds, leaf, boundsTraverseOrder ?? undefined);
	}

	/** Walks the tree with the caller's tests. The classes add those of their primitives. */
	shapecast(callbacks) {
		return this[WALK](callbacks);
	}

	/** Walks two trees together: runs of primitives in pairs of leaves whose boxes touch. */
	bvhcast(other, matrixToLocal, { intersectsRanges }) {
		optionalFunction('callbacks.intersectsRanges', intersectsRanges);
		return castPair(this, other, matrixToLocal, { intersectsRanges });
	}
}

/** The base of the trees of geometries. */
export class GeometryBVH extends BVH {
	/** The geometry that the tree was built of. */
	geometry;
	/** Whether the geometry stays without an index. */
	indirect = false;

	constructor(geometry, options) {
		super();
		const { name } = new.target;
		if (!geometry?.isBufferGeometry) throw new Error(`${name}: geometry is no BufferGeometry; pass mesh.geometry`);
		if (!geometry.attributes.position) {
			throw new Error(`${name}: geometry has no attribute position; set it before the tree is built`);
		}
		if (geometry.index?.isInterleavedBufferAttribute) {
			throw new Error(`${name}: geometry.index is interleaved, expected a BufferAttribute`);
		}
		this.geometry = geometry;
		this.indirect = Boolean(options.indirect);
	}

	/** The primitive of the geometry for a primitive of a callback: the same, since the index keeps its order. */
	get resolvePrimitiveIndex() {
		return same;
	}

	raycastObject3D() {
		throw new Error(`${this.constructor.name}.raycastObject3D is missing; use the class for the kind of object`);
	}

	/** Sets `geometry.boundingBox` if it is null. */
	fillBoundingBox() {
		if (this.geometry.boundingBox === null) this.geometry.boundingBox = this.getBoundingBox(new Box3());
	}
}

export function optionalFunction(name, value) {
	if (value !== undefined && value !== null && typeof value !== 'function') throw typeError(name, value, 'a function');
}

function same(primitive) {
	return primitive;
}

function boundsOf({ min, max }) {
	return new Float32Array([min.x, min.y, min.z, max.x, max.y, max.z]);
}
