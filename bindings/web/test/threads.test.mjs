// Batches on threads over one memory: the bits of one thread, also while the tree changes, and what fails.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as hitscan from 'hitscan';
import { wasm } from '../dist/module.js';
import { startThreads } from '../dist/threads.js';
import { allAnswers } from './support/answers.mjs';
import { browserPath, launch, serve } from './support/browser.mjs';
import { rays, sphere, torus } from './support/meshes.mjs';

const { Bvh, HitColumns, Mesh, Scene } = hitscan;
const skip = !existsSync(new URL('../dist/hitscan-threads.wasm', import.meta.url)) && 'the module of threads is not built';
const skipPage = skip || browserPath() === null && 'no browser';

/** Rays for each mesh. */
const N = Number(process.env.HITSCAN_RAYS ?? 100_000);
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

let expected;

before(async () => {
	if (skip) return;
	await hitscan.init({ threads: 2 });
	const worker = new Worker(new URL('./support/plain.mjs', import.meta.url), { workerData: { n: N, simd: true } });
	expected = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
});

function treeOf({ positions, triangles }) {
	return new Bvh(new Mesh(positions, triangles));
}

test('two threads give the bits of the module without threads', { skip }, async () => {
	assert.equal(hitscan.threadCount(), 2);
	assert.equal(hitscan.isSimd(), true);
	assert.deepEqual(await allAnswers(hitscan, N), expected);
});

test('insides, options, columns of the caller and meshes with an offset are those of the calling thread', { skip }, async () => {
	const { positions, triangles } = torus(80, 40);
	const far = Float64Array.from(positions, (x, i) => x + [5e6, -3e6, 40][i % 3]);
	const cast = Float64Array.from(rays(3000, positions, 5));
	for (const bvh of [treeOf({ positions, triangles }), treeOf({ positions: far, triangles })]) {
		const { offset } = bvh.mesh;
		const asked = cast.map((x, i) => i % 8 < 3 ? x + offset[i % 8] : x);
		const points = asked.filter((_, i) => i % 8 < 3);
		const [out, faces] = [new HitColumns(3000, offset[0] !== 0), 'back'];
		assert.equal(await bvh.closestHitsAsync(asked, { faces, out }), out);
		assert.deepEqual(out, bvh.closestHits(asked, { faces }));
		assert.deepEqual(await bvh.areOccludedAsync(asked, { faces }), bvh.areOccluded(asked, { faces }));
		const options = { faces, oncePerCrossing: true };
		assert.deepEqual(await bvh.allHitsBatchAsync(asked, options), bvh.allHitsBatch(asked, options));
		for (const method of ['areInside', 'signedDistances']) {
			assert.deepEqual(await bvh[`${method}Async`](points), bvh[method](points), method);
		}
		assert.deepEqual(await bvh.windingNumbersAsync(points, { tolerance: 0.1 }), bvh.windingNumbers(points, { tolerance: 0.1 }));
		assert.deepEqual(await bvh.closestPointsAsync(points, { maxDistance: 0.2 }), bvh.closestPoints(points, { maxDistance: 0.2 }));
		const scene = new Scene();
		scene.insert({ bvh });
		assert.deepEqual(await scene.closestHitsAsync(asked, { faces }), scene.closestHits(asked, { faces }));
	}
});

test('a batch answers for the tree, the scene and the rays at its call', { skip }, async () => {
	const { positions, triangles } = sphere(120, 60);
	const bvh = treeOf({ positions, triangles });
	const scene = new Scene();
	const id = scene.insert({ bvh });
	const cast = rays(20_000, positions, 6);
	const [before, inScene] = [bvh.closestHits(cast), scene.closestHits(Float64Array.from(cast))];
	const refit = bvh.closestHitsAsync(cast);
	const moved = scene.closestHitsAsync(Float64Array.from(cast));
	bvh.refit(positions.map((x) => 2 * x));
	scene.remove(id);
	const after = bvh.closestHits(cast);
	assert.notDeepEqual(after, before);
	assert.deepEqual(await refit, before, 'refit');
	assert.deepEqual(await moved, inScene, 'remove');
	const edited = bvh.closestHitsAsync(cast);
	bvh.update({ remove: Uint32Array.from({ length: 500 }, (_, i) => i) });
	assert.deepEqual(await edited, after, 'update');
	const last = bvh.closestHits(cast);
	const ended = bvh.closestHitsAsync(cast);
	cast.fill(0);
	bvh.mesh.dispose();
	bvh.dispose();
	assert.deepEqual(await ended, last, 'dispose');
	await assert.rejects(bvh.closestHitsAsync(cast), /Bvh was used after dispose/);
});

test('the memory of trees that ended during a batch is used again', { skip }, async () => {
	const ball = sphere(60, 30);
	const cast = rays(2000, ball.positions, 8);
	const run = async () => {
		const bvh = treeOf(ball);
		const hits = bvh.closestHitsAsync(cast);
		bvh.mesh.dispose();
		bvh.dispose();
		return hits;
	};
	for (let i = 0; i < 20; i++) await run();
	const pages = wasm.memory_pages();
	for (let i = 0; i < 300; i++) await run();
	assert.equal(wasm.memory_pages(), pages);
});

test('many batches at once are each their own, and a build meanwhile disturbs none', { skip }, async () => {
	const trees = [sphere(60, 30), torus(60, 30)].map((mesh) => ({ bvh: treeOf(mesh), cast: rays(6000, mesh.positions, 9) }));
	const alone = trees.map(({ bvh, cast }) => bvh.closestHits(cast));
	const all = Array.from({ length: 20 }, (_, i) => trees[i % 2].bvh.closestHitsAsync(trees[i % 2].cast));
	// The memory grows under the threads.
	const large = treeOf(sphere(700, 400));
	for (const [i, hits] of (await Promise.all(all)).entries()) assert.deepEqual(hits, alone[i % 2]);
	large.dispose();
});

test('a thread builds a tree, which comes without a copy', { skip }, async () => {
	const { positions, triangles } = sphere(300, 150);
	const cast = rays(2000, positions, 11);
	const expected = treeOf({ positions, triangles });
	const reports = [];
	const bvh = await hitscan.buildInWorker(positions, triangles, { quality: 'high', onProgress: (done) => reports.push(done) });
	assert.equal(reports.at(-1), 1);
	assert.deepEqual(bvh.closestHits(cast), expected.closestHits(cast));
	assert.deepEqual(bvh.mesh.triangles, triangles);
	assert.equal(bvh.refit(positions).costNow > 0, true);
	const moved = positions.slice();
	assert.deepEqual((await hitscan.buildInWorker(moved, triangles.slice(), { transfer: true })).mesh.positions, positions);
	assert.equal(moved.length, 0);
	await assert.rejects(hitscan.buildInWorker(positions, triangles, { signal: AbortSignal.abort(new Error('never')) }), /never/);
	const controller = new AbortController();
	const aborted = hitscan.buildInWorker(positions, triangles, { onProgress: () => controller.abort(new Error('enough')), signal: controller.signal });
	await assert.rejects(aborted, /enough/);
	await assert.rejects(hitscan.buildInWorker(positions, triangles, { onProgress() { throw new Error('mine'); } }), /mine/);
	await assert.rejects(hitscan.buildInWorker(positions, Uint32Array.of(0, 1, 1e6)), /triangle 0/);
	assert.deepEqual(await bvh.closestHitsAsync(cast), expected.closestHits(cast), 'the threads work on');
});

test('hitscan/three works over the shared memory', { skip }, async () => {
	const [THREE, { MeshBVH }] = await Promise.all([import('three'), import('hitscan/three')]);
	const geometry = new THREE.TorusGeometry(1, 0.4, 20, 40);
	const ray = new THREE.Ray(new THREE.Vector3(0.9, 0.1, 5), new THREE.Vector3(0, 0, -1));
	const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
	const raycaster = new THREE.Raycaster(ray.origin, ray.direction);
	const [distances, tree] = [raycaster.intersectObject(mesh).map(({ distance }) => distance), new MeshBVH(geometry)];
	assert.deepEqual(tree.raycast(ray, THREE.DoubleSide).map(({ distance }) => distance).sort((a, b) => a - b), distances);
	assert.equal(distances.length, 2);
	assert.equal(tree.intersectsSphere(new THREE.Sphere(new THREE.Vector3(1, 0, 0), 0.5)), true);
});

test('errors are those of the calling thread', { skip }, async () => {
	const ball = sphere(24, 12);
	const bvh = treeOf(ball);
	const cast = rays(5000, ball.positions, 10);
	const points = ball.positions.slice(0, 900);
	const broken = cast.map((x, i) => i === 8 * 3217 + 3 || i === 8 * 4800 + 4 ? NaN : x);
	const far = points.map((x, i) => i === 800 ? Infinity : x);
	for (const [method, ...args] of [
		['closestHits', broken], ['areOccluded', broken], ['allHitsBatch', broken], ['closestHits', cast, { face: 'front' }],
		['closestHits', cast, { faces: 'up' }], ['closestHits', cast, { out: new HitColumns(4999) }], ['closestHits', cast, null],
		['closestHits', [...cast]], ['closestHits', cast.subarray(1)], ['areOccluded', cast, { faces: () => 1 }],
		['closestPoints', far], ['signedDistances', far], ['closestPoints', points, { maxDistance: -1 }],
		['windingNumbers', points, { tolerance: NaN }],
	]) {
		let expected;
		assert.throws(() => bvh[method](...args), (error) => (expected = error, true));
		await assert.rejects(bvh[`${method}Async`](...args), (error) => {
			assert.equal(error.message, expected.message);
			assert.equal(error.name, expected.name);
			return true;
		});
	}
	assert.deepEqual(await bvh.closestHitsAsync(cast), bvh.closestHits(cast));
});

test('wrong numbers of threads, and threads that come late, are errors', { skip }, async () => {
	for (const threads of [-1, 1.5, '2', null, 65, NaN]) {
		await assert.rejects(hitscan.init({ threads }), /options\.threads is .*, expected a whole number from 0 to 64/);
	}
	const late = await import('../dist/module.js?late');
	await late.loadModule();
	await assert.rejects(late.loadModule({ threads: 2 }, startThreads), /options\.threads came after an init\(\) without it/);
	const other = await import('../dist/module.js?other');
	const file = new URL('../dist/hitscan-readers.wasm', import.meta.url);
	await assert.rejects(other.loadModule({ threads: 2, threadsWasm: file }, startThreads), /options\.threadsWasm is another WebAssembly module/);
	await other.loadModule({ threads: 0 }, startThreads);
	assert.equal(other.threadCount(), 0, 'another call works');
});

test('a thread that does not start, or ends at work, is an error', { skip }, async () => {
	const { Worker: before } = globalThis;
	let behaviour;
	globalThis.Worker = class {
		postMessage(message) {
			queueMicrotask(() => behaviour(this, message));
		}
		terminate() {}
	};
	try {
		behaviour = (worker) => worker.onerror({ message: 'no such script' });
		const refused = await import('../dist/module.js?refused');
		await assert.rejects(refused.loadModule({ threads: 2 }, startThreads), /^Error: hitscan: thread 1 of 2 failed: no such script$/);
		assert.equal(refused.isReady(), false);
		behaviour = (worker, { memory }) => memory ? worker.onmessage({ data: { isReady: true } }) : worker.onerror({ message: 'lost' });
		const lost = await import('../dist/module.js?lost');
		await lost.loadModule({ threads: 1 }, startThreads);
		await assert.rejects(lost.pool.run({}, []), /hitscan: thread 1 of 1 failed: lost/);
		await assert.rejects(lost.pool.run({}, []), /hitscan: thread 1 of 1 failed: lost/, 'no thread is left');
	} finally {
		if (before === undefined) delete globalThis.Worker;
		else globalThis.Worker = before;
	}
});

test('idle threads let the process end', { skip }, () => {
	const script = `
		import { Bvh, init, Mesh } from 'hitscan';
		import { rays, sphere } from './test/support/meshes.mjs';
		await init({ threads: 2 });
		const { positions, triangles } = sphere(24, 12);
		const hits = await new Bvh(new Mesh(positions, triangles)).closestHitsAsync(rays(5000, positions, 1));
		console.log(hits.length);
	`;
	const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
		cwd: new URL('..', import.meta.url), encoding: 'utf8', timeout: 60_000,
	});
	assert.deepEqual([stdout, status], ['5000\n', 0]);
});

test('no script of a worker imports the file that starts workers', () => {
	const dist = new URL('../dist/', import.meta.url);
	for (const script of ['worker.js', 'thread.js']) {
		const files = new Set([new URL(script, dist).href]);
		for (const file of files) {
			const text = readFileSync(new URL(file), 'utf8');
			assert.doesNotMatch(text, /new Worker\(/, `${script}: ${file}: webpack cannot name a script after itself`);
			for (const [, from] of text.matchAll(/from '(\..*)'/g)) files.add(new URL(from, file).href);
		}
		assert.ok(files.size > 5, script);
	}
});

/** Runs a function with a page of Chromium. */
async function withPage(headers, run) {
	const server = await serve(undefined, headers);
	const browser = await launch();
	try {
		const page = await browser.newPage();
		const errors = [];
		page.on('pageerror', (error) => errors.push(error.message));
		await run(page, `${server.url}/test/page.html?threads=2`, errors);
	} finally {
		await browser.close();
		server.close();
	}
}

test('an isolated page has threads, with the bits of Node', { skip: skipPage }, async () => {
	await withPage(ISOLATED, async (page, url, errors) => {
		await page.goto(url);
		await page.waitForFunction(() => window.isLoaded).catch((error) => assert.fail(`${error}\n${errors.join('\n')}`));
		assert.equal(await page.evaluate(() => window.hitscan.threadCount()), 2);
		assert.deepEqual(await page.evaluate(async (n) => window.allAnswers(window.hitscan, n), N), expected);
		assert.deepEqual(errors, []);
	});
});

test('a page that is not isolated answers alone', { skip: skipPage }, async () => {
	await withPage({}, async (page, url, errors) => {
		await page.goto(url);
		await page.waitForFunction(() => window.isLoaded).catch((error) => assert.fail(`${error}\n${errors.join('\n')}`));
		const [n, same] = await page.evaluate(async () => {
			const { Bvh, Mesh, threadCount } = window.hitscan;
			const { positions, triangles } = window.sphere(24, 12);
			const bvh = new Bvh(new Mesh(positions, triangles));
			const cast = new Float32Array(8 * 1000).map((_, i) => [0, 0.1, 3, 0, 0, -1, 0, Infinity][i % 8]);
			return [threadCount(), String((await bvh.closestHitsAsync(cast)).t) === String(bvh.closestHits(cast).t)];
		});
		assert.deepEqual([n, same], [0, true]);
		assert.deepEqual(errors, []);
	});
});

test('a page without the script of threads gets an error', { skip: skipPage }, async () => {
	await withPage(ISOLATED, async (page, url, errors) => {
		await page.route('**/dist/thread.js', (route) => route.fulfill({ status: 404 }));
		await page.goto(url);
		await page.waitForFunction(() => window.refused ?? window.isLoaded);
		assert.match(await page.evaluate(() => window.refused), /^hitscan: thread [12] of 2 failed: /);
		assert.deepEqual(errors, []);
	});
});

after(() => assert.ok(skip || hitscan.threadCount() === 2, 'no thread was lost'));
