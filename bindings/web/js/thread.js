// The script of a thread: it joins the memory of the main thread, then answers parts of batches and builds trees.

import { Bvh } from './bvh.js';
import { InvalidRay } from './hits.js';
import { Mesh } from './mesh.js';
import { checked, joinThreads } from './module.js';
import { Handle } from './owned.js';
import { reportsOf } from './progress.js';
import { hitNumbers, Scene } from './scene.js';

const port = globalThis.process?.getBuiltinModule?.('node:worker_threads')?.parentPort ?? null;
const post = (message, transfer) => (port ?? globalThis).postMessage(message, transfer);

let hasJoined = false;

async function receive(message) {
	if (hasJoined) {
		const answer = message.build === undefined ? answerOf(message) : built(message.build);
		post(answer, [...new Set(buffersOf(answer.answer))]);
		return;
	}
	try {
		await joinThreads(message);
		hasJoined = true;
		post({ isReady: true });
	} catch (error) {
		post({ failure: error.message });
	}
}

/** The answer to a part of a batch, or its error. The thread then lets go of the object. */
function answerOf({ share, isBvh, method, items, options }) {
	let object = null;
	try {
		const handle = new Handle(checked('object_of_share', share));
		object = isBvh ? new Bvh(handle) : new Scene(handle);
		return { answer: isBvh ? object[method](items, options) : hitNumbers(object, items, options) };
	} catch (error) {
		return error instanceof InvalidRay ? { invalid: { index: error.index, text: error.text } } : { error };
	} finally {
		object?.mesh?.dispose();
		object?.dispose();
	}
}

/** Builds a tree and offers it to the main thread. */
function built({ positions, triangles, quality, layout, report, isEnded }) {
	let mesh = null;
	let bvh = null;
	try {
		mesh = new Mesh(positions, triangles);
		const progress = reportsOf(post);
		const onProgress = (done) => {
			if (report) progress(done);
			return Atomics.load(isEnded, 0) === 0;
		};
		bvh = new Bvh(mesh, { quality, layout, onProgress });
		return { share: checked('object_share', bvh.handle) };
	} catch (error) {
		return { error };
	} finally {
		bvh?.dispose();
		mesh?.dispose();
	}
}

/** The buffers of an answer, which move to the main thread without a copy. */
function buffersOf(answer) {
	if (ArrayBuffer.isView(answer)) return [answer.buffer];
	return answer === undefined ? [] : Object.values(answer).flatMap(buffersOf);
}

if (port) {
	port.on('message', receive);
} else {
	globalThis.onmessage = (event) => receive(event.data);
}
