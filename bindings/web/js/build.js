// Builds in a Web Worker, or in a worker thread of Node: the page stays responsive.

import { arrayOf, optionsOf, typeError } from './arguments.js';
import { Bvh } from './bvh.js';
import { call, checked, pool, ready } from './module.js';
import { Handle } from './owned.js';
import { startWorker } from './workers.js';

/**
 * Builds a tree in a worker and returns a promise of it. The arrays are copied, unless `transfer` is set: then they are
 * detached afterwards. One of the threads of `init` is the worker where there are some; its tree needs no copy.
 */
export function buildInWorker(positions, triangles, options = {}) {
	const task = taskOf(positions, triangles, options);
	if (pool !== null) return buildInThread(task, options);
	return cacheOf(task, options).then((bytes) => Bvh.fromCache(bytes, 'the tree of the worker'));
}

/** The bytes of the cache file of such a tree, which move from the worker without a copy. */
export function cacheFromWorker(positions, triangles, options = {}) {
	return cacheOf(taskOf(positions, triangles, options), options);
}

/** The message to a worker, after its checks. */
function taskOf(positions, triangles, options) {
	ready();
	optionsOf(options, ['quality', 'layout', 'onProgress', 'signal', 'transfer', 'wasm', 'simd']);
	arrayOf('positions', positions, 3, [Float32Array, Float64Array], 'x, y and z of each vertex');
	if (triangles !== undefined && triangles !== null) {
		arrayOf('triangles', triangles, 3, [Uint32Array, Uint16Array, Uint8Array], 'three indices of each triangle');
	}
	const { quality, layout, onProgress, wasm, simd } = options;
	if (onProgress !== undefined && typeof onProgress !== 'function') {
		throw typeError('onProgress', onProgress, 'a function');
	}
	return { positions, triangles, quality, layout, wasm, simd, report: onProgress !== undefined };
}

/** The buffers that a task moves. */
function movedBy({ positions, triangles }, { transfer = false }) {
	return transfer ? [...new Set([positions.buffer, ...triangles ? [triangles.buffer] : []])] : [];
}

/** Builds in one of the threads, which hands over the tree as it is. */
async function buildInThread({ wasm, simd, ...build }, options) {
	const { onProgress, signal } = options;
	signal?.throwIfAborted();
	// The thread looks at it when the build reports its progress.
	const isEnded = new Int32Array(new SharedArrayBuffer(4));
	let refuse;
	const refused = new Promise((_, reject) => {
		refuse = (reason) => {
			Atomics.store(isEnded, 0, 1);
			reject(reason);
		};
	});
	const report = (progress) => {
		try {
			if (Atomics.load(isEnded, 0) === 0) onProgress(progress);
		} catch (error) {
			refuse(error);
		}
	};
	const abort = () => refuse(signal.reason);
	signal?.addEventListener('abort', abort);
	try {
		const built = pool.run({ build: { ...build, isEnded } }, movedBy(build, options), report).then(({ share, error }) => {
			if (error !== undefined) throw error;
			// If nobody waits for the tree any more, the end of its share frees it.
			const handle = Atomics.load(isEnded, 0) === 0 ? checked('object_of_share', share) : 0;
			call('share_free', share);
			return handle;
		});
		return new Bvh(new Handle(await Promise.race([built, refused])));
	} finally {
		signal?.removeEventListener('abort', abort);
	}
}

/** Builds in a worker of its own. */
function cacheOf(task, options) {
	const { onProgress, signal } = options;
	return new Promise((resolve, reject) => {
		signal?.throwIfAborted();
		const worker = startWorker('build', 'use new Bvh(mesh) instead');
		const end = (settle, value) => {
			worker.terminate();
			signal?.removeEventListener('abort', abort);
			settle(value);
		};
		const abort = () => end(reject, signal.reason);
		signal?.addEventListener('abort', abort);
		worker.listen(({ progress, bytes, error }) => {
			if (error !== undefined) return end(reject, new Error(error));
			if (bytes !== undefined) return end(resolve, bytes);
			try {
				onProgress(progress);
			} catch (failure) {
				end(reject, failure);
			}
		}, (message) => end(reject, new Error(`hitscan: the worker failed: ${message}`)));
		worker.post(task, movedBy(task, options));
	});
}
