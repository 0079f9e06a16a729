// The entry `hitscan/three/worker`: trees that a worker builds, so that the page stays responsive.

import { typeError } from '../arguments.js';
import { cacheFromWorker } from '../build.js';
import { extract, includedRanges } from './geometry.js';
import { MeshBVH } from './index.js';
import { settingsOf } from './options.js';
import { RESTORED } from './symbols.js';

/** Builds one tree at a time in a worker. The geometry stays usable meanwhile: the worker gets a copy. */
export class GenerateMeshBVHWorker {
	#running = null;
	#isDisposed = false;

	/** Whether a build runs. */
	get running() {
		return this.#running !== null;
	}

	/** A promise of the tree of a geometry, by the options of `MeshBVH`. */
	async generate(geometry, options = {}) {
		const { name } = this.constructor;
		if (this.#isDisposed) throw new Error(`${name}: generate() was called after dispose()`);
		if (this.running) throw new Error(`${name}: another build runs; await its promise first, or use a second worker`);
		if (!geometry?.isBufferGeometry) throw typeError(`${name}: geometry`, geometry, 'a BufferGeometry');
		const { quality, layout, onProgress, range } = settingsOf(name, options);
		const { positions, triangles, ids, firstVertex } = extract(geometry, includedRanges(geometry, range));
		this.#running = new AbortController();
		try {
			const { signal } = this.#running;
			const bytes = await cacheFromWorker(positions, triangles, { quality, layout, onProgress, signal });
			return new MeshBVH(geometry, { ...options, onProgress: null, [RESTORED]: { roots: [bytes], ids, firstVertex } });
		} finally {
			this.#running = null;
		}
	}

	/** Ends the build that runs; its promise is refused. */
	dispose() {
		this.#isDisposed = true;
		this.#running?.abort(new Error(`${this.constructor.name}: dispose() ended the build`));
	}
}

/** As `GenerateMeshBVHWorker`: one worker builds a tree, because two share no memory here. */
export class ParallelMeshBVHWorker extends GenerateMeshBVHWorker {
	/** Accepted and ignored. */
	maxWorkerCount = 1;
}
