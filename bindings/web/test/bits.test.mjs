// The same bits from every module, engine and machine.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as hitscan from 'hitscan';
import { allAnswers } from './support/answers.mjs';
import { browserPath, launch, serve } from './support/browser.mjs';
import { rays } from './support/meshes.mjs';
import { readNpz, writeNpy } from './support/npy.mjs';

/** Rays for each mesh. */
const N = Number(process.env.HITSCAN_RAYS ?? 20_000);

let expected;

before(async () => {
	await hitscan.init();
	expected = await allAnswers(hitscan, N);
});

test('Node has SIMD, and each answer differs from mesh to mesh', () => {
	assert.equal(hitscan.isSimd(), true);
	assert.equal(new Set(expected.map(({ closest }) => closest)).size, expected.length);
});

test('one tree is so large that its rays are interleaved', () => {
	assert.ok(expected.at(-1).bytes > 48 << 20, `${expected.at(-1).bytes} bytes`);
});

test('the scalar module gives the bits of SIMD', async () => {
	const worker = new Worker(new URL('./support/plain.mjs', import.meta.url), { workerData: { n: N, simd: false } });
	const found = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
	assert.deepEqual(found, expected);
});

test('Chromium gives the bits of Node', { skip: browserPath() === null && 'no browser' }, async () => {
	const server = await serve();
	const browser = await launch();
	try {
		const page = await browser.newPage();
		const errors = [];
		page.on('pageerror', (error) => errors.push(error.message));
		await page.goto(`${server.url}/test/page.html`);
		await page.waitForFunction(() => window.isLoaded).catch((error) => assert.fail(`${error}\n${errors.join('\n')}`));
		const found = await page.evaluate(async (n) => window.allAnswers(window.hitscan, n), N);
		assert.deepEqual(found, expected);
		assert.deepEqual(errors, []);
	} finally {
		await browser.close();
		server.close();
	}
});

const native = process.env.HITSCAN_NATIVE;
const MESHES = (process.env.HITSCAN_MESHES ?? '').split(':').filter(Boolean);
const MADE = [['sphere', '--triangles', '9000'], ['torus', '--triangles', '9000'], ['terrain', '--triangles', '9000'],
	['city', '--triangles', '9000'], ['soup', '--triangles', '9000']];

test('the native program gives the bits of the module', { skip: !native && 'HITSCAN_NATIVE is not set' }, async () => {
	const folder = mkdtempSync(join(tmpdir(), 'hitscan-'));
	try {
		const files = MESHES.length > 0 ? MESHES : MADE.map(([kind, ...rest]) => {
			const file = join(folder, `${kind}.obj`);
			execFileSync(native, ['make', kind, ...rest, '-o', file], { stdio: 'ignore' });
			return file;
		});
		for (const file of files) await compare(file, folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

/** Casts the same rays at the same file by the program and by the module. */
async function compare(file, folder) {
	const mesh = await hitscan.Mesh.parse(readFileSync(file), file);
	const bvh = new hitscan.Bvh(mesh);
	// The rays aim at the box from -1 to 1: moved and scaled to that of the mesh.
	const { min, max } = mesh.bounds;
	const center = min.map((x, i) => (x + max[i]) / 2);
	const half = Math.max(...min.map((x, i) => (max[i] - x) / 2));
	const local = Float32Array.from(mesh.positions, (x, i) => (x - center[i % 3]) / half);
	const cast = rays(N, local, 7);
	for (let i = 0; i < cast.length; i++) if (i % 8 < 6) cast[i] = cast[i] * half + (i % 8 < 3 ? center[i % 8] : 0);
	const [input, output] = [join(folder, 'rays.npy'), join(folder, 'hits.npz')];
	writeNpy(input, cast, 8);
	const run = (...flags) => {
		execFileSync(native, ['cast', file, '--rays', input, ...flags, '-o', output], { stdio: ['ignore', 'ignore', 'ignore'] });
		return readNpz(output);
	};
	const bits = (array) => new Uint32Array(array.buffer, array.byteOffset, array.length);
	const same = (found, npz, what) => {
		assert.deepEqual(bits(found.t), bits(npz.t_hit), `${what}: t`);
		assert.deepEqual(found.triangle, npz.primitive_ids, `${what}: triangle`);
		const uvs = Float32Array.from({ length: 2 * found.length }, (_, i) => i % 2 ? found.v[i >> 1] : found.u[i >> 1]);
		assert.deepEqual(bits(uvs), bits(npz.primitive_uvs), `${what}: u, v`);
	};
	same(bvh.closestHits(cast), run(), `${file}, closest`);
	assert.deepEqual(bvh.areOccluded(cast), run('--any').occluded, `${file}, any`);
	const { starts, hits } = bvh.allHitsBatch(cast);
	const all = run('--all');
	assert.deepEqual(Array.from(starts), Array.from(all.ray_splits, Number), `${file}, all: starts`);
	same(hits, all, `${file}, all`);
	assert.ok(hits.length > N / 10, `${file}: only ${hits.length} hits`);
	bvh.dispose();
	mesh.dispose();
}
