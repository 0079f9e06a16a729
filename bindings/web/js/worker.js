// The script of the worker: one task, then its end.

import { Bvh } from './bvh.js';
import { Mesh } from './mesh.js';
import { loadModule } from './module.js';
import { reportsOf } from './progress.js';

const port = globalThis.process?.getBuiltinModule?.('node:worker_threads')?.parentPort ?? null;
const post = (message, transfer) => (port ?? globalThis).postMessage(message, transfer);

async function run({ positions, triangles, quality, layout, wasm, simd, report }) {
	try {
		await loadModule({ wasm, simd });
		const onProgress = report ? reportsOf(post) : undefined;
		const bvh = new Bvh(new Mesh(positions, triangles), { quality, layout, onProgress });
		const bytes = bvh.toCache();
		post({ bytes }, [bytes.buffer]);
	} catch (error) {
		post({ error: error.message });
	}
}

if (port) {
	port.once('message', run);
} else {
	globalThis.onmessage = (event) => run(event.data);
}
