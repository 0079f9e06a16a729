// The script of the worker: one task, then its end.

import { Bvh } from './bvh.js';
import { Mesh } from './mesh.js';
import { init } from './module.js';

const port = globalThis.process?.getBuiltinModule?.('node:worker_threads')?.parentPort ?? null;
const post = (message, transfer) => (port ?? globalThis).postMessage(message, transfer);

/** Reports are at least this many milliseconds apart. */
const REPORT_INTERVAL = 30;

async function run({ positions, triangles, quality, layout, wasm, simd, report }) {
	try {
		await init({ wasm, simd });
		let last = -Infinity;
		const onProgress = report
			? (progress) => {
				const now = performance.now();
				if (now - last >= REPORT_INTERVAL || progress === 1) {
					last = now;
					post({ progress });
				}
			}
			: undefined;
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
