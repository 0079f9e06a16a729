// Rays by three.js's own arithmetic: the tree finds candidates, and three.js tests each of them.

import { BackSide, FrontSide, Matrix4, Mesh, Vector3 } from 'three';
import { f64, numbers, trapped, u32, views, wasm } from '../module.js';

const meshRaycast = Mesh.prototype.raycast;
const computeIntersections = Mesh.prototype._computeIntersections;

const BOTH = 0;
const FRONT = 1;
const BACK = 2;

/** Part by which the range of a ray is widened: three.js rounds otherwise. */
const MARGIN = 1e-9;

const direction = new Vector3();
const single = { start: 0, count: 3 };
const identity = new Matrix4();
let candidates = new Uint32Array(64);

/** The side that rays hit by a material, or null if materials differ. */
function sideOf(material) {
	if (!Array.isArray(material)) {
		return material.side === FrontSide ? FRONT : material.side === BackSide ? BACK : BOTH;
	}
	let common;
	for (const each of material) {
		const side = each ? sideOf(each) : undefined;
		if (common !== undefined && side !== common) return null;
		common = side;
	}
	return common ?? null;
}

/**
 * A mesh that stands for another one. `Mesh.raycast` of three.js tests the bounds and brings the ray to the
 * geometry; then, in place of all triangles, it gets the candidates of the tree.
 */
export class Caster extends Mesh {
	#bvh = null;
	#first = false;

	/** Appends the intersections of an object whose geometry has this tree. */
	static cast(bvh, object, raycaster, intersects) {
		const caster = free.pop() ?? new Caster();
		const start = intersects.length;
		try {
			caster.#bvh = bvh;
			caster.#first = Boolean(raycaster.firstHitOnly);
			caster.geometry = object.geometry;
			caster.material = object.material;
			caster.matrixWorld = object.matrixWorld;
			meshRaycast.call(caster, raycaster, intersects);
			for (let i = start; i < intersects.length; i++) intersects[i].object = object;
		} finally {
			caster.#release();
		}
	}

	/** The intersections of a ray in the space of the geometry, without an object. */
	static castLocal(bvh, ray, material, near, far, first) {
		const caster = free.pop() ?? new Caster();
		const intersects = [];
		try {
			caster.#bvh = bvh;
			caster.#first = first;
			caster.geometry = bvh.geometry;
			caster.material = material;
			caster.matrixWorld = identity;
			caster._computeIntersections({ ray, near, far }, intersects, ray);
			for (const intersection of intersects) delete intersection.object;
		} finally {
			caster.#release();
		}
		return intersects;
	}

	#release() {
		this.#bvh = null;
		this.geometry = null;
		this.material = null;
		free.push(this);
	}

	/** Tests the candidates, one at a time, as the draw range of the geometry. */
	_computeIntersections(raycaster, intersects, ray) {
		const { geometry } = this;
		const n = this.#find(raycaster, ray);
		if (n === 0) return;
		const start = intersects.length;
		const { drawRange } = geometry;
		const end = drawRange.start + drawRange.count;
		const inOrder = !Array.isArray(this.material) || areInOrder(geometry.groups);
		try {
			geometry.drawRange = single;
			if (inOrder) {
				for (let i = 0; i < n; i++) this.#test(candidates[i], drawRange.start, end, raycaster, intersects, ray);
			} else {
				this.#testByGroup(n, drawRange.start, end, raycaster, intersects, ray);
			}
		} finally {
			geometry.drawRange = drawRange;
		}
		if (this.#first && intersects.length > start + 1) keepNearest(intersects, start);
	}

	#test(triangle, start, end, raycaster, intersects, ray) {
		single.start = 3 * triangle;
		if (single.start >= start && single.start < end) computeIntersections.call(this, raycaster, intersects, ray);
	}

	/** Groups that overlap, or that do not ascend: the order of three.js is that of the groups. */
	#testByGroup(n, start, end, raycaster, intersects, ray) {
		const { geometry } = this;
		const { groups } = geometry;
		try {
			for (const group of groups) {
				geometry.groups = [group];
				for (let i = 0; i < n; i++) this.#test(candidates[i], start, end, raycaster, intersects, ray);
			}
		} finally {
			geometry.groups = groups;
		}
	}

	/** Finds candidates and returns their number. They are ascending. */
	#find(raycaster, ray) {
		const side = sideOf(this.material);
		const scale = scaleOf(this.matrixWorld, ray.direction);
		const { origin, direction: along } = ray;
		if (f64.length === 0) views();
		f64[numbers] = origin.x;
		f64[numbers + 1] = origin.y;
		f64[numbers + 2] = origin.z;
		f64[numbers + 3] = along.x;
		f64[numbers + 4] = along.y;
		f64[numbers + 5] = along.z;
		f64[numbers + 6] = scale > 0 ? raycaster.near / scale * (1 - MARGIN) : 0;
		f64[numbers + 7] = scale > 0 ? raycaster.far / scale * (1 + MARGIN) : Infinity;
		f64[numbers + 8] = this.#bvh.slack;
		const nearest = this.#first && side !== null ? 1 : 0;
		let n;
		try {
			n = wasm.bvh_candidates(this.#bvh.bvh.handle, side ?? BOTH, nearest) - 1;
		} catch (error) {
			throw trapped(error);
		}
		if (n <= 0) return 0;
		if (n > candidates.length) candidates = new Uint32Array(2 * n);
		// The memory may have grown.
		if (f64.length === 0) views();
		const start = f64[numbers] / 4;
		for (let i = 0; i < n; i++) candidates[i] = this.#bvh.triangleOf(u32[start + i]);
		return n;
	}
}

/** Free casters: a callback of a material may cast again. */
const free = [];

/** The length in the world of a unit of `t`. */
function scaleOf(matrixWorld, along) {
	const e = matrixWorld.elements;
	const { x, y, z } = along;
	direction.set(e[0] * x + e[4] * y + e[8] * z, e[1] * x + e[5] * y + e[9] * z, e[2] * x + e[6] * y + e[10] * z);
	return direction.length();
}

function areInOrder(groups) {
	for (let i = 1; i < groups.length; i++) {
		if (groups[i].start < groups[i - 1].start + groups[i - 1].count) return false;
	}
	return true;
}

/** Keeps the first of the nearest intersections from a place on, as a stable sort would. */
function keepNearest(intersects, start) {
	let nearest = intersects[start];
	for (let i = start + 1; i < intersects.length; i++) {
		if (intersects[i].distance < nearest.distance) nearest = intersects[i];
	}
	intersects[start] = nearest;
	intersects.length = start + 1;
}
