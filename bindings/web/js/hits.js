// Hits of single rays, lists and batches.

import { integer } from './arguments.js';
import { addressOf, f32, f64, numbers, u32, views } from './module.js';

const SIDES = ['front', 'back'];

/** A batch with an invalid ray. The script of a thread tells its index in a part. */
export class InvalidRay extends RangeError {
	constructor(index, text) {
		super(`hitscan: rays: ray ${index}: ${text}`);
		this.index = index;
		this.text = text;
	}
}

/** A hit of a ray on a triangle. Queries fill the one that they are given. */
export class Hit {
	/** The position on the ray, in units of its direction. */
	t = Infinity;
	/** The weights of the triangle's second and third corner. */
	u = 0;
	v = 0;
	/** The index of the triangle. */
	triangle = -1;
	/** The side that the ray came from: 'front' or 'back'. */
	side = 'front';
}

/** Fills a hit from the numbers of the last answer. */
export function fillHit(hit) {
	if (f64.length === 0) views();
	hit.t = f64[numbers];
	hit.u = f64[numbers + 1];
	hit.v = f64[numbers + 2];
	hit.triangle = f64[numbers + 3] | 0;
	hit.side = f64[numbers + 4] === 0 ? 'front' : 'back';
	return hit;
}

/** The columns of many hits. A miss has `t` infinite and `triangle` 0xffffffff. */
export class HitColumns {
	/** `t` is a Float32Array; with `isDouble`, as for a mesh with an offset, a Float64Array. */
	constructor(length, isDouble = false) {
		integer('length', length, 2 ** 32);
		this.t = isDouble ? new Float64Array(length) : new Float32Array(length);
		this.u = new Float32Array(length);
		this.v = new Float32Array(length);
		this.triangle = new Uint32Array(length);
		/** 0 for the front, 1 for the back. */
		this.side = new Uint8Array(length);
	}

	get length() {
		return this.t.length;
	}

	/** One hit of the columns, or null for a miss. */
	at(index, hit = new Hit()) {
		if (this.triangle[index] === 0xffffffff || !(index in this.t)) return null;
		hit.t = this.t[index];
		hit.u = this.u[index];
		hit.v = this.v[index];
		hit.triangle = this.triangle[index];
		hit.side = SIDES[this.side[index]];
		return hit;
	}
}

/** Copies the columns of the last answer. `t` in f64 is behind `nBefore` other f64. */
export function fillColumns(columns, n, nBefore = 0) {
	views();
	const start = addressOf('words_address') / 4;
	if (columns.t instanceof Float64Array) {
		const first = addressOf('doubles_address') / 8 + nBefore;
		columns.t.set(f64.subarray(first, first + n));
	} else {
		columns.t.set(f32.subarray(start, start + n));
	}
	columns.u.set(f32.subarray(start + n, start + 2 * n));
	columns.v.set(f32.subarray(start + 2 * n, start + 3 * n));
	columns.triangle.set(u32.subarray(start + 3 * n, start + 4 * n));
	columns.side.set(u32.subarray(start + 4 * n, start + 5 * n));
	return columns;
}

/** The nearest point of a surface. */
export class SurfacePoint {
	distance = Infinity;
	point = [0, 0, 0];
	u = 0;
	v = 0;
	triangle = -1;
}

/** Fills a point from the numbers of the last answer. */
export function fillPoint(found) {
	if (f64.length === 0) views();
	found.distance = f64[numbers];
	found.point[0] = f64[numbers + 1];
	found.point[1] = f64[numbers + 2];
	found.point[2] = f64[numbers + 3];
	found.u = f64[numbers + 4];
	found.v = f64[numbers + 5];
	found.triangle = f64[numbers + 6] | 0;
	return found;
}
