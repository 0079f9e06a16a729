// A tree over the triangles of a mesh as its skeleton and morph targets place them.

import { Matrix4, Mesh, Ray } from 'three';
import { GeometryBVH, optionalFunction } from './base.js';
import { append, boxCorners, boxTree, primitivesAlong } from './boxes.js';
import { includedRanges } from './geometry.js';
import { settingsOf } from './options.js';
import { BUILD, PRIMITIVES, WALK } from './symbols.js';
import { ExtendedTriangle } from './triangle.js';

const computeIntersections = Mesh.prototype._computeIntersections;

const toLocal = new Matrix4();
const ray = new Ray();
const single = { start: 0, count: 3 };

/** A tree of a posed mesh. `refit()` follows the pose. */
export class SkinnedMeshBVH extends GeometryBVH {
	#ids;
	#triangle = new ExtendedTriangle();

	constructor(mesh, options = {}) {
		if (!mesh?.isMesh) throw new Error('SkinnedMeshBVH: mesh is no Mesh; pass the SkinnedMesh itself');
		const settings = settingsOf('SkinnedMeshBVH', options);
		super(mesh.geometry, settings);
		this.mesh = mesh;
		const ranges = includedRanges(mesh.geometry, settings.range);
		this.#ids = Uint32Array.from(ranges.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, i) => first + i)));
		void this.bvh;
		if (settings.setBoundingBox) this.fillBoundingBox();
	}

	[BUILD]() {
		return boxTree(this.#ids.length, this.#boxOf);
	}

	[PRIMITIVES](list, n) {
		for (let i = 0; i < n; i++) list[i] = this.#ids[list[i]];
	}

	#boxOf = (i, target) => target.setFromPoints(this.cornersOf(this.#ids[i]));

	/** The corners of a triangle in the pose. */
	cornersOf(triangle) {
		const { a, b, c } = this.#pose(triangle, this.#triangle);
		return [a, b, c];
	}

	#pose(triangle, target) {
		const { index } = this.geometry;
		for (const [i, corner] of [target.a, target.b, target.c].entries()) {
			const place = 3 * triangle + i;
			this.mesh.getVertexPosition(index ? index.getX(place) : place, corner);
		}
		target.needsUpdate = true;
		return target;
	}

	/** Reads the pose again, of all triangles. */
	refit() {
		this.bvh.refit(boxCorners(this.#ids.length, this.#boxOf));
	}

	/** Walks the tree with the caller's tests of boxes, runs of triangles and triangles of the pose. */
	shapecast(callbacks) {
		const { intersectsTriangle } = callbacks;
		optionalFunction('callbacks.intersectsTriangle', intersectsTriangle);
		if (!intersectsTriangle) return this[WALK](callbacks);
		const triangle = new ExtendedTriangle();
		return this[WALK](callbacks, (i, contained, depth) => intersectsTriangle(this.#pose(i, triangle), i, contained, depth));
	}

	/** The intersections of a raycaster with the mesh in its pose, by three.js's own test of each candidate. */
	raycastObject3D(object, raycaster, intersects = []) {
		if (object.material === undefined) return intersects;
		toLocal.copy(object.matrixWorld).invert();
		ray.copy(raycaster.ray).applyMatrix4(toLocal);
		const { geometry } = this;
		const { drawRange } = geometry;
		const found = [];
		// A test may change the ray, so it gets its own.
		const own = ray.clone();
		try {
			geometry.drawRange = single;
			for (const triangle of primitivesAlong(this, ray)) {
				single.start = 3 * triangle;
				computeIntersections.call(object, raycaster, found, own);
			}
		} finally {
			geometry.drawRange = drawRange;
		}
		return append(found, intersects, raycaster);
	}
}
