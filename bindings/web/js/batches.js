// Batches that threads answer in parts. Without threads the calling one answers, at once.

import { optionsOf, pointsOf } from './arguments.js';
import { InvalidRay } from './hits.js';
import { call, checked, pool } from './module.js';
import { Owned } from './owned.js';

/** The number of changes of a tree, for readers that keep addresses of its nodes. */
export const VERSION = Symbol('version');

/** The method for the columns of hits: those of the caller, checked, or new ones. */
export const COLUMNS = Symbol('columns');

const RAY_NUMBERS = 8;
const POINT_NUMBERS = 3;

/** The least rays or points of a part. Fewer take no longer than the message about them. */
const LEAST = 256;

/** The parts for each thread: the last ones are short where some take longer than others. */
const PARTS = 4;

/** Whether threads answer a batch. One that is wrong goes to the calling thread, for its error. */
export function isSplit(items, width) {
	const isArray = items instanceof Float32Array || items instanceof Float64Array;
	return pool !== null && isArray && items.length % width === 0 && items.length > LEAST * width;
}

/**
 * The answers of the parts of a batch, in order. The parts are copies, and the threads share the object: both may change
 * meanwhile.
 */
export async function answersOfThreads(object, method, items, width, options) {
	// The errors of the options, and of an object after its end.
	object[method](items.subarray(0, 0), options);
	const n = items.length / width;
	const size = Math.max(LEAST, Math.ceil(n / PARTS / Math.max(1, pool.size) / LEAST) * LEAST);
	const share = checked('object_share', object.handle);
	try {
		const runs = [];
		for (let start = 0; start < n; start += size) {
			const part = items.slice(start * width, (start + size) * width);
			const message = { share, isBvh: object instanceof Batches, method, items: part, options };
			runs.push(pool.run(message, [part.buffer]));
		}
		const answers = [];
		for (const [i, { status, value, reason }] of (await Promise.allSettled(runs)).entries()) {
			if (status === 'rejected') throw reason;
			if (value.invalid !== undefined) throw new InvalidRay(i * size + value.invalid.index, value.invalid.text);
			if (value.error !== undefined) throw value.error;
			answers.push(value.answer);
		}
		return answers;
	} finally {
		call('share_free', share);
	}
}

/** Writes typed arrays to another one, end to end. */
function write(whole, arrays) {
	let at = 0;
	for (const array of arrays) {
		whole.set(array, at);
		at += array.length;
	}
	return whole;
}

/** Typed arrays end to end. */
export function joined(arrays) {
	return write(new arrays[0].constructor(arrays.reduce((sum, { length }) => sum + length, 0)), arrays);
}

/** Objects of typed arrays, end to end. */
function joinedColumns(parts) {
	return Object.fromEntries(Object.keys(parts[0]).map((key) => [key, joined(parts.map((part) => part[key]))]));
}

/** Writes the hits of parts to columns. */
function fill(columns, parts) {
	for (const key of ['t', 'u', 'v', 'triangle', 'side']) write(columns[key], parts.map((part) => part[key]));
	return columns;
}

/** The batches of a tree. */
export class Batches extends Owned {
	/** The version whose insides are prepared. */
	#prepared = -1;

	async closestHitsAsync(rays, options = undefined) {
		if (!isSplit(rays, RAY_NUMBERS)) return this.closestHits(rays, options);
		const { out, ...others } = optionsOf(options, ['faces', 'out']);
		const columns = this[COLUMNS](rays.length / RAY_NUMBERS, out);
		return fill(columns, await answersOfThreads(this, 'closestHits', rays, RAY_NUMBERS, others));
	}

	async areOccludedAsync(rays, options = undefined) {
		if (!isSplit(rays, RAY_NUMBERS)) return this.areOccluded(rays, options);
		return joined(await answersOfThreads(this, 'areOccluded', rays, RAY_NUMBERS, options));
	}

	async allHitsBatchAsync(rays, options = undefined) {
		if (!isSplit(rays, RAY_NUMBERS)) return this.allHitsBatch(rays, options);
		const parts = await answersOfThreads(this, 'allHitsBatch', rays, RAY_NUMBERS, options);
		const starts = new Uint32Array(rays.length / RAY_NUMBERS + 1);
		let [at, nHits] = [0, 0];
		for (const part of parts) {
			for (const start of part.starts) starts[at++] = nHits + start;
			// The end of a part is the start of the next one.
			at--;
			nHits += part.hits.t.length;
		}
		return { starts, hits: fill(this[COLUMNS](nHits), parts.map(({ hits }) => hits)) };
	}

	async closestPointsAsync(points, options = undefined) {
		if (!isSplit(points, POINT_NUMBERS)) return this.closestPoints(points, options);
		pointsOf('points', points);
		return joinedColumns(await answersOfThreads(this, 'closestPoints', points, POINT_NUMBERS, options));
	}

	async areInsideAsync(points) {
		return this.#insides('areInside', points);
	}

	async signedDistancesAsync(points) {
		return this.#insides('signedDistances', points);
	}

	async windingNumbersAsync(points, options = undefined) {
		return this.#insides('windingNumbers', points, options);
	}

	async #insides(method, points, options) {
		if (!isSplit(points, POINT_NUMBERS)) return this[method](points, options);
		pointsOf('points', points);
		if (this.#prepared !== this[VERSION]) {
			// Here, because a thread that waits for another one to prepare the mesh sleeps, which that of a page must not. The
			// tolerance makes it prepare all.
			this.windingNumbers(points.subarray(0, POINT_NUMBERS), { tolerance: Number.MIN_VALUE });
			this.#prepared = this[VERSION];
		}
		return joined(await answersOfThreads(this, method, points, POINT_NUMBERS, options));
	}
}
