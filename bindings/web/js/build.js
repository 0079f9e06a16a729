// Builds in a Web Worker, or in a worker thread of Node: the page stays responsive.

import { arrayOf, optionsOf, typeError } from './arguments.js';
import { Bvh } from './bvh.js';
import { ready } from './module.js';

/**
 * Builds a tree in a worker and returns a promise of it. The arrays are copied, unless `transfer` is set: then they are
 * detached afterwards.
 */
export function buildInWorker(positions, triangles, options = {}) {
	return cacheFromWorker(positions, triangles, options).then((bytes) => Bvh.fromCache(bytes, 'the tree of the worker'));
}

/** The bytes of the cache file of such a tree, which move from the worker without a copy. */
export function cacheFromWorker(positions, triangles, options = {}) {
	ready();
	optionsOf(options, ['quality', 'layout', 'onProgress', 'signal', 'transfer', 'wasm', 'simd']);
	arrayOf('positions', positions, 3, [Float32Array, Float64Array], 'x, y and z of each vertex');
	if (triangles !== undefined && triangles !== null) {
		arrayOf('triangles', triangles, 3, [Uint32Array, Uint16Array, Uint8Array], 'three indices of each triangle');
	}
	const { quality, layout, onProgress, signal, transfer = false, wasm, simd } = options;
	if (onProgress !== undefined && typeof onProgress !== 'function') {
		throw typeError('onProgress', onProgress, 'a function');
	}
	const moved = transfer ? [positions.buffer, ...triangles ? [triangles.buffer] : []] : [];
	const task = { positions, triangles, quality, layout, wasm, simd, report: onProgress !== undefined };
	return new Promise((resolve, reject) => {
		signal?.throwIfAborted();
		const worker = startWorker();
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
		worker.post(task, [...new Set(moved)]);
	});
}

/** A worker of the browser or of Node, behind one interface. */
function startWorker() {
	if (typeof Worker === 'function') {
		const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
		return {
			listen(onMessage, onError) {
				worker.onmessage = (event) => onMessage(event.data);
				worker.onerror = (event) => onError(event.message ?? 'its script cannot be loaded');
			},
			post: (message, transfer) => worker.postMessage(message, transfer),
			terminate: () => worker.terminate(),
		};
	}
	const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads');
	if (!threads) throw new Error('hitscan: this environment has no workers; use new Bvh(mesh) instead');
	const worker = new threads.Worker(new URL('./worker.js', import.meta.url));
	return {
		listen(onMessage, onError) {
			worker.on('message', onMessage);
			worker.on('error', (error) => onError(error.message));
		},
		post: (message, transfer) => worker.postMessage(message, transfer),
		terminate: () => worker.terminate(),
	};
}
