// A tree over the objects of a scene.

import { Box3, Matrix4, Mesh, Sphere, Vector3 } from 'three';
import { typeError } from '../arguments.js';
import { BVH, optionalFunction } from './base.js';
import { boxCorners, boxTree } from './boxes.js';
import { geometryIdOf } from './geometry.js';
import { settingsOf } from './options.js';
import { BUILD, WALK } from './symbols.js';

const matrix = new Matrix4();
const toLocal = new Matrix4();
const point = new Vector3();

/** An entry of the tree: an object, or an instance of one. */
class Entry {
	constructor(object, instance) {
		this.object = object;
		this.instance = instance;
	}

	/** The box in world space, of the geometry's box, or of all vertices if `precise`. */
	box(target, precise) {
		const { object, instance } = this;
		if (object.isBatchedMesh) {
			object.getMatrixAt(instance, matrix).premultiply(object.matrixWorld);
			object.getBoundingBoxAt(geometryIdOf(object, instance), target);
			return target.applyMatrix4(matrix);
		}
		matrix.copy(object.matrixWorld);
		if (object.isInstancedMesh) {
			object.getMatrixAt(instance, matrix);
			matrix.premultiply(object.matrixWorld);
		} else if (object.isSkinnedMesh || object.morphTargetInfluences) {
			object.computeBoundingBox?.();
			if (object.boundingBox) return target.copy(object.boundingBox).applyMatrix4(matrix);
		}
		const { geometry } = object;
		if (!precise) {
			if (geometry.boundingBox === null) geometry.computeBoundingBox();
			return target.copy(geometry.boundingBox).applyMatrix4(matrix);
		}
		target.makeEmpty();
		const { position } = geometry.attributes;
		for (let i = 0; i < position.count; i++) {
			target.expandByPoint(point.fromBufferAttribute(position, i).applyMatrix4(matrix));
		}
		return target;
	}
}

/** The entries of an object: one, or one for each of its instances. */
function* entriesOf(object, includeInstances) {
	if (!object.geometry?.attributes?.position && !object.isBatchedMesh) return;
	if (includeInstances && object.isInstancedMesh) {
		for (let i = 0; i < object.count; i++) yield new Entry(object, i);
	} else if (includeInstances && object.isBatchedMesh) {
		const { length } = object._instanceInfo;
		for (let i = 0; i < length; i++) {
			if (object._instanceInfo[i].active) yield new Entry(object, i);
		}
	} else {
		yield new Entry(object, 0);
	}
}

/**
 * A tree over objects and their instances, in the space of `options.matrixWorld`; without it that of a single root, or the
 * world for a list of roots.
 */
export class ObjectBVH extends BVH {
	#entries = [];
	#toLocal = new Matrix4();

	constructor(root, options = {}) {
		super();
		settingsOf('ObjectBVH', options);
		const roots = Array.isArray(root) ? root : [root];
		roots.forEach((object, i) => {
			const name = Array.isArray(root) ? `root[${i}]` : 'root';
			if (!object?.isObject3D) throw typeError(`ObjectBVH: ${name}`, object, 'an Object3D');
		});
		this.precise = options.precise ?? false;
		this.includeInstances = options.includeInstances ?? true;
		/** From the space of the tree to the world: that of a single root, which may move. */
		this.matrixWorld = options.matrixWorld ?? (Array.isArray(root) ? new Matrix4() : root.matrixWorld);
		const add = (object) => {
			for (const entry of entriesOf(object, this.includeInstances)) this.#entries.push(entry);
		};
		for (const object of roots) object.traverse(add);
		void this.bvh;
		this.objects = [...new Set(this.#entries.map(({ object }) => object))];
	}

	[BUILD]() {
		this.#toLocal.copy(this.matrixWorld).invert();
		return boxTree(this.#entries.length, this.#boxOf);
	}

	#boxOf = (i, target) => this.#entries[i].box(target, this.precise).applyMatrix4(this.#toLocal);

	/** Reads the places of the objects again. */
	refit() {
		const { bvh } = this;
		this.#toLocal.copy(this.matrixWorld).invert();
		bvh.refit(boxCorners(this.#entries.length, this.#boxOf));
	}

	getObjectFromId(id) {
		return this.#entries[id].object;
	}

	getInstanceFromId(id) {
		return this.#entries[id].instance;
	}

	/** The corners of an entry's box, for `validateBounds`. */
	cornersOf(id) {
		const { min, max } = this.#boxOf(id, new Box3());
		return [min, max];
	}

	/** Walks the tree with the caller's tests of boxes and objects. */
	shapecast(callbacks) {
		const { intersectsObject } = callbacks;
		optionalFunction('callbacks.intersectsObject', intersectsObject);
		if (!intersectsObject) return this[WALK](callbacks);
		return this[WALK](callbacks, (entry, contained, depth) => {
			const { object, instance } = this.#entries[entry];
			return intersectsObject(object, instance, contained, depth);
		});
	}

	/** The intersections with all objects, or the first with `raycaster.firstHitOnly`. */
	raycast(raycaster, intersects = []) {
		const ray = raycaster.ray.clone().applyMatrix4(toLocal.copy(this.matrixWorld).invert());
		const grown = new Box3();
		const reached = new Set();
		this.shapecast({
			intersectsBounds: (box) => {
				// A box without thickness may be missed by rounding.
				grown.copy(box).expandByScalar(1e-7 * (box.min.length() + box.max.length()));
				return grown.containsPoint(ray.origin) || ray.intersectsBox(grown);
			},
			intersectsRange: (first, count) => {
				for (let entry = first; entry < first + count; entry++) reached.add(entry);
				return false;
			},
		});
		const found = [];
		for (const entry of [...reached].sort((a, b) => a - b)) this.#cast(this.#entries[entry], raycaster, found);
		if (raycaster.firstHitOnly) {
			found.sort((a, b) => a.distance - b.distance);
			found.length = Math.min(found.length, 1);
		}
		for (const each of found) intersects.push(each);
		return intersects;
	}

	/** Casts at one entry: an instance of a mesh is cast at as a mesh, by whatever raycast meshes have. */
	#cast({ object, instance }, raycaster, found) {
		if (object.isInstancedMesh) {
			object.getMatrixAt(instance, part.matrixWorld);
			part.matrixWorld.premultiply(object.matrixWorld);
			part.geometry = object.geometry;
			part.material = object.material;
			this.#castPart(object, raycaster, found, { instanceId: instance });
		} else if (object.isBatchedMesh) {
			if (!object.getVisibleAt(instance)) return;
			const id = geometryIdOf(object, instance);
			const { start, count } = object.getGeometryRangeAt(id);
			const { drawRange, boundsTree, boundingBox, boundingSphere } = object.geometry;
			object.getMatrixAt(instance, part.matrixWorld).premultiply(object.matrixWorld);
			part.geometry = object.geometry;
			part.material = object.material;
			part.geometry.drawRange = { start, count };
			part.geometry.boundsTree = object.boundsTrees?.[id] ?? null;
			part.geometry.boundingBox = object.getBoundingBoxAt(id, new Box3());
			part.geometry.boundingSphere = object.getBoundingSphereAt(id, new Sphere());
			try {
				this.#castPart(object, raycaster, found, { batchId: instance });
			} finally {
				Object.assign(object.geometry, { drawRange, boundsTree, boundingBox, boundingSphere });
			}
		} else {
			object.raycast(raycaster, found);
		}
	}

	#castPart(object, raycaster, found, names) {
		const start = found.length;
		part.raycast(raycaster, found);
		for (let i = start; i < found.length; i++) Object.assign(found[i], { object, ...names });
	}
}

const part = new Mesh();
