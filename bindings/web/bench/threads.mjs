// Batches on threads against the calling thread, in one process, alternating. Usage: node bench/threads.mjs [threads]

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Bvh, init, Mesh, threadCount } from 'hitscan';
import { rays, soup, sphere, terrain } from '../test/support/meshes.mjs';

/** Turns of each; the median counts. */
const TURNS = Number(process.env.TURNS ?? 9);
const N = Number(process.env.RAYS ?? 200_000);

await init({ threads: Number(process.argv[2] ?? availableParallelism()) });

async function timeOf(run) {
	const start = performance.now();
	await run();
	return performance.now() - start;
}

/** The median times of the calling thread and of the threads, which take turns, after one turn that does not count. */
async function byTurns(alone, together) {
	assert.deepEqual(await together(), alone());
	const times = [[], []];
	for (let turn = 0; turn < TURNS; turn++) {
		times[0].push(await timeOf(alone));
		times[1].push(await timeOf(together));
	}
	return times.map((list) => list.sort((a, b) => a - b)[list.length >> 1]);
}

/** The work that all threads do in the time of one alone, in plain JavaScript: what the machine has to give. */
async function control() {
	const script = `const { parentPort } = require('node:worker_threads');
		parentPort.on('message', () => { let x = 0; for (let i = 0; i < 2e8; i++) x += i % 7; parentPort.postMessage(x); });`;
	const workers = Array.from({ length: threadCount() }, () => new Worker(script, { eval: true }));
	const count = (worker) => new Promise((resolve) => {
		worker.once('message', resolve);
		worker.postMessage(0);
	});
	await Promise.all(workers.map(count));
	const one = await timeOf(() => count(workers[0]));
	const all = await timeOf(() => Promise.all(workers.map(count)));
	workers.forEach((worker) => worker.terminate());
	return threadCount() * one / all;
}

console.log(`Workers that only count get ${(await control()).toFixed(2)} times as far as one.`);
console.log(`${threadCount()} threads, ${N} rays, ${N / 10} points\n\n| | calling thread | threads | ratio |\n|---|---|---|---|`);
for (const [name, { positions, triangles }] of Object.entries({
	'sphere of 120,000 triangles': sphere(300, 200), 'terrain of 1,000,000': terrain(1000, 500), 'soup of 100,000': soup(100_000, 3),
})) {
	const bvh = new Bvh(new Mesh(positions, triangles));
	const cast = rays(N, positions, 5);
	const points = Float32Array.from({ length: 3 * N / 10 }, (_, i) => cast[8 * Math.floor(i / 3) + i % 3]);
	for (const [method, items] of [
		['closestHits', cast], ['areOccluded', cast], ['allHitsBatch', cast], ['closestPoints', points], ['signedDistances', points],
	]) {
		const [one, many] = await byTurns(() => bvh[method](items), () => bvh[`${method}Async`](items));
		console.log(`| ${name}: \`${method}\` | ${one.toFixed(1)} ms | ${many.toFixed(1)} ms | ${(one / many).toFixed(2)} |`);
	}
	bvh.mesh.dispose();
	bvh.dispose();
}
