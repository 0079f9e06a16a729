// The classes: answers by hand, bad input, and memory.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, test } from 'node:test';
import * as hitscan from 'hitscan';
import { rays, soup, sphere } from './support/meshes.mjs';

const { Bvh, Hit, HitColumns, Mesh, Scene, SceneHit, SurfacePoint, View } = hitscan;

before(() => hitscan.init());

const unit = () => new Mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), new Uint16Array([0, 1, 2]));

test('a ray hits a triangle, and the hit fills the object that it is given', () => {
	const bvh = new Bvh(unit());
	const hit = new Hit();
	assert.equal(bvh.closestHit([0.25, 0.5, 1, 0, 0, -1], hit), hit);
	assert.deepEqual({ ...hit }, { t: 1, u: 0.25, v: 0.5, triangle: 0, side: 'front' });
	assert.equal(bvh.closestHit([0.25, 0.5, -1, 0, 0, 2], hit).side, 'back');
	assert.equal(bvh.closestHit([0.25, 0.5, -1, 0, 0, 2], hit, 'front'), null);
	assert.equal(bvh.closestHit([0.25, 0.5, 1, 0, 0, -1, 0, 0.5]), null);
	assert.equal(bvh.isOccluded([0.25, 0.5, 1, 0, 0, -1]), true);
	assert.equal(bvh.isOccluded([2, 2, 1, 0, 0, -1]), false);
	assert.deepEqual([...bvh.mesh.point(hit)], [0.25, 0.5, 0]);
	assert.deepEqual([...bvh.mesh.normal(0)], [0, 0, 1]);
});

test('lists, counts, nearest points and overlaps agree with loops over the answers of single rays', () => {
	const { positions, triangles } = sphere(32, 16);
	const mesh = new Mesh(positions, triangles);
	for (const options of [{ quality: 'fast' }, { quality: 'high' }, { layout: 'compact' }]) {
		const bvh = new Bvh(mesh, options);
		const cast = rays(500, positions, 1);
		const { starts, hits } = bvh.allHitsBatch(cast);
		const any = bvh.areOccluded(cast);
		for (let i = 0; i < 500; i++) {
			const list = bvh.allHits(cast.subarray(8 * i, 8 * i + 8));
			assert.equal(list.length, starts[i + 1] - starts[i]);
			list.forEach((hit, j) => assert.deepEqual(hit, hits.at(starts[i] + j)));
			assert.equal(any[i], list.length > 0 ? 1 : 0);
			assert.deepEqual(bvh.nearestHits(cast.subarray(8 * i, 8 * i + 8), 1), list.slice(0, 1));
		}
		assert.equal(bvh.countCrossings([0, 0, 0, 1, 2, 3]) % 2, 1);
		assert.equal(bvh.countCrossings([0, 0, 0, 1, 2, 3, 0, 0.01]), 0);
		assert.deepEqual([0, 2, -2].map((x) => bvh.signedCrossings([x, 0.1, 0.2, -1, 0, 0])), [-1, 0, 0]);
		assert.equal(bvh.signedCrossings([2, 0.1, 0.2, -1, 0, 0, 0, 2]), 1);
		const found = bvh.closestPoint([0, 0, 2], new SurfacePoint());
		assert.ok(Math.abs(found.distance - 1) < 0.01 && found.point[2] > 0.99);
		assert.equal(bvh.closestPoint([0, 0, 2], undefined, 0.5), null);
		assert.deepEqual([...bvh.overlappingSphere([0, 0, 0], 3)], [...Array(mesh.triangleCount).keys()]);
		assert.equal(bvh.overlappingBox([2, 2, 2], [3, 3, 3]).length, 0);
		const above = bvh.overlappingConvex([0, 1, 0, -0.9]);
		assert.ok(above.length > 0 && above.length < mesh.triangleCount / 4);
		bvh.dispose();
	}
});

test('a refit moves the mesh and all handles of it', () => {
	const { positions, triangles } = soup(2000, 5);
	const mesh = new Mesh(positions, triangles);
	const bvh = new Bvh(mesh);
	const moved = positions.map((x, i) => i % 3 === 0 ? x + 10 : x);
	const { costNow, costWhenBuilt } = bvh.refit(moved);
	assert.ok(costNow > 0 && costWhenBuilt > 0);
	assert.deepEqual(mesh.positions, moved);
	const fresh = new Bvh(new Mesh(moved, triangles));
	const cast = rays(2000, positions, 9).map((x, i) => i % 8 === 0 ? x + 10 : x);
	assert.deepEqual(bvh.closestHits(cast), fresh.closestHits(cast));
	assert.throws(() => bvh.refit(moved.subarray(3)), /positions has 5999 vertices, expected 6000/);
});

test('files and cache files come from memory, with errors that name the line', async () => {
	const text = 'o roof\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
	const mesh = await Mesh.parse(new TextEncoder().encode(text), 'house.obj');
	assert.deepEqual(mesh.names(0), { polygon: 0, object: 'roof', group: null, material: null });
	const bvh = new Bvh(mesh);
	const copy = Bvh.fromCache(bvh.toCache().buffer, 'house.hitscan');
	assert.deepEqual(copy.closestHit([0.2, 0.2, 1, 0, 0, -1]), bvh.closestHit([0.2, 0.2, 1, 0, 0, -1]));
	assert.deepEqual(copy.mesh.positions, mesh.positions);
	const broken = bvh.toCache();
	broken[broken.length - 9] ^= 1;
	assert.throws(() => Bvh.fromCache(broken, 'house.hitscan'), /house\.hitscan/);
	await assert.rejects(Mesh.parse(new TextEncoder().encode('v 0 0\nf 1 2 3\n'), 'bad.obj'), /bad\.obj:1/);
	const stl = 'solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n';
	assert.equal((await Mesh.parse(new TextEncoder().encode(stl), 'a.stl')).triangleCount, 1);
	const ply = 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n' +
		'element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n';
	assert.equal((await Mesh.parse(new TextEncoder().encode(ply).buffer, 'a.ply')).triangleCount, 1);
	const data = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer).toString('base64');
	const gltf = {
		asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
		meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
		accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
		bufferViews: [{ buffer: 0, byteLength: 36 }],
		buffers: [{ byteLength: 36, uri: `data:application/octet-stream;base64,${data}` }],
	};
	assert.equal((await Mesh.parse(new TextEncoder().encode(JSON.stringify(gltf)), 'a.gltf')).triangleCount, 1);
});

test('scenes place, hide, pick and select', () => {
	const mesh = new Mesh(...Object.values(sphere(32, 16)));
	const bvh = new Bvh(mesh);
	const scene = new Scene();
	assert.equal(scene.bounds, null);
	const at = (x) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1];
	const [left, right] = [scene.insert({ bvh, transform: at(-2) }), scene.insert({ bvh, transform: at(2), layers: 2 })];
	assert.equal(scene.size, 2);
	const [[x0, ...min], [x1, ...max]] = [mesh.bounds.min, mesh.bounds.max].map((corner) => [...corner]);
	assert.deepEqual(scene.bounds, { min: [x0 - 2, ...min], max: [x1 + 2, ...max] });
	const ray = [2, 0.1, 5, 0, 0, -1];
	const hit = scene.closestHit(ray, new SceneHit());
	assert.equal(hit.instance, right);
	assert.ok(hit.point[2] > 0.9 && hit.normal[2] > 0.9);
	assert.equal(scene.closestHit(ray, undefined, { layers: 1 }), null);
	assert.equal(scene.allHits(ray).length, 2);
	assert.equal(scene.closestHits(new Float64Array([...ray, 0, Infinity, ...ray, 0, 1]))[1], null);
	assert.ok(Math.abs(scene.closestPoint([-2, 0, 4]).distance - 3) < 0.02);
	assert.equal(scene.overlappingSphere([2, 0, 0], 1.5).every(({ instance }) => instance === right), true);
	// An orthographic view: 10 world units over 100 pixels.
	const ortho = [0.2, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, -0.1, 0, 0, 0, 0, 1];
	const view = new View(ortho, { width: 100, height: 100 });
	assert.equal(scene.pick(view, 70, 50).instance, right);
	assert.equal(scene.pick(view, 50, 50), null);
	assert.equal(scene.pick(view, 30, 50, { kind: 'face' }).kind, 'face');
	assert.equal(scene.pickAll(view, 30, 50, { kind: 'face' }).length, 2);
	assert.equal(scene.snap(view, 70, 50, { radius: 20 }).target, 'vertex');
	assert.deepEqual(scene.select(view, { marquee: [0, 0, 50, 100] }), [{ instance: left, kind: 'object' }]);
	assert.equal(scene.select(view, { marquee: [0, 0, 100, 100] }, { mode: 'enclose', visibleOnly: true }).length, 2);
	assert.equal(scene.select(view, { lasso: [60, 40, 80, 40, 80, 60] }, { kind: 'vertex' }).length > 0, true);
	const { x, y } = view.project([2, 0, 0]);
	assert.deepEqual([Math.round(x), Math.round(y)], [70, 50]);
	const before = scene.clone();
	scene.remove(right);
	assert.equal(scene.closestHit(ray), null);
	assert.equal(before.closestHit(ray).instance, right);
	assert.throws(() => scene.setHidden(right, true), /not in the scene/);
	scene.setHidden(left, true);
	assert.equal(scene.pick(view, 30, 50), null);
	assert.equal(scene.pick(view, 30, 50, { includeHidden: true }).instance, left);
});

test('a worker builds the same tree, reports, and can be stopped', async () => {
	const { positions, triangles } = soup(30_000, 8);
	const reports = [];
	const bvh = await hitscan.buildInWorker(positions, triangles, { onProgress: (done) => reports.push(done) });
	assert.equal(reports.at(-1), 1);
	assert.deepEqual(reports, [...reports].sort((a, b) => a - b));
	const here = new Bvh(new Mesh(positions, triangles));
	const cast = rays(2000, positions, 4);
	assert.deepEqual(bvh.closestHits(cast), here.closestHits(cast));
	const stop = AbortSignal.abort(new Error('stopped'));
	await assert.rejects(hitscan.buildInWorker(positions, triangles, { signal: stop }), /stopped/);
	await assert.rejects(
		hitscan.buildInWorker(positions, new Uint32Array([0, 1, 999_999])), /999999/,
	);
	assert.throws(() => hitscan.buildInWorker([1, 2, 3]), /positions is an Array of length 3, expected Float32Array or Float64Array/);
	await hitscan.buildInWorker(positions, triangles, { transfer: true });
	assert.equal(positions.length, 0);
	assert.throws(() => new Mesh(positions, new Uint32Array([0, 1, 2])), /positions has a detached buffer/);
});

test('progress cancels a build, and what it throws comes out', () => {
	const mesh = new Mesh(...Object.values(soup(5000, 2)));
	assert.throws(() => new Bvh(mesh, { onProgress: () => false }), /the build was cancelled/);
	assert.throws(() => new Bvh(mesh, { onProgress: () => { throw new Error('mine'); } }), /^Error: mine$/);
	assert.equal(new Bvh(mesh).stats.triangles, 5000);
});

test('a build within the progress of another one changes nothing for either, also when it fails', () => {
	const [outer, inner] = [soup(5000, 2), soup(3000, 3)];
	const cast = rays(500, outer.positions, 4);
	const expected = [outer, inner].map(({ positions, triangles }) => new Bvh(new Mesh(positions, triangles)).closestHits(cast));
	let [nested, reports, failures] = [null, 0, 0];
	const bvh = new Bvh(new Mesh(outer.positions, outer.triangles), { onProgress: () => {
		if (++reports > 3) return;
		nested = new Bvh(new Mesh(inner.positions, inner.triangles), { onProgress: () => true });
		try {
			new Bvh(nested.mesh, { onProgress: () => { throw new Error('inner'); } });
		} catch (error) {
			failures += error.message === 'inner' ? 1 : 0;
		}
	} });
	assert.ok(reports > 3 && failures === 3);
	assert.deepEqual(bvh.closestHits(cast), expected[0]);
	assert.deepEqual(nested.closestHits(cast), expected[1]);
});

test('progress of a worker that throws refuses the promise', async () => {
	const { positions, triangles } = soup(30_000, 8);
	const onProgress = () => { throw new Error('mine'); };
	await assert.rejects(hitscan.buildInWorker(positions, triangles, { onProgress }), /^Error: mine$/);
	assert.throws(() => hitscan.buildInWorker(positions, triangles, null), /options is null/);
	assert.equal((await hitscan.buildInWorker(positions, triangles)).stats.triangles, 30_000);
});

const BAD = [
	['positions of integers', () => new Mesh(new Int32Array(9)), /positions is an Int32Array of length 9, expected Float32Array or Float64Array/],
	['a region of nothing', () => new Scene().select(null, {}), /region has neither or both of marquee and lasso/],
	['a marquee of one corner', () => new Scene().select(null, { marquee: [0, 0] }), /marquee is an Array of length 2, expected 4 numbers/],
	['too few nearest hits', (bvh) => bvh.nearestHits([0, 0, 1, 0, 0, -1], -1), /n is -1, expected a whole number/],
	['half a vertex', () => new Mesh(new Float32Array(10)), /positions\.length is 10, expected a multiple of 3/],
	['no triangles for two vertices', () => new Mesh(new Float32Array(6)), /positions has 2 vertices, expected a multiple of 3/],
	['an index out of range', () => new Mesh(new Float32Array(9), new Uint32Array([0, 1, 3])), /3/],
	['NaN in positions', () => new Mesh(new Float32Array([0, 0, 0, NaN, 0, 0, 0, 1, 0])), /vertex 1|NaN/],
	['signed indices', () => new Mesh(new Float32Array(9), new Int32Array([0, 1, 2])), /triangles is an Int32Array/],
	['a short ray', (bvh) => bvh.closestHit([1, 2, 3]), /ray is an Array of length 3, expected 6 or 8 numbers/],
	['NaN in a ray', (bvh) => bvh.closestHit([NaN, 0, 0, 0, 0, 1]), /ray origin \[NaN, 0\.0, 0\.0\] is not finite/],
	['no direction', (bvh) => bvh.isOccluded([0, 0, 0, 0, 0, 0]), /ray direction \[0\.0, 0\.0, 0\.0\] is zero/],
	['an empty range', (bvh) => bvh.allHits([0, 0, 0, 0, 0, 1, 2, 1]), /ray interval \[2, 1\]/],
	['NaN in the second ray', (bvh) => bvh.closestHits(new Float32Array([0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, NaN, 0, 0, 0, 1])),
		/rays: ray 1: ray direction \[NaN/],
	['rays of six numbers', (bvh) => bvh.closestHits(new Float32Array(6)), /rays\.length is 6, expected a multiple of 8/],
	['a wrong out', (bvh) => bvh.closestHits(new Float32Array([0, 0, 0, 0, 0, 1, 0, 1]), { out: new HitColumns(2) }), /out is/],
	['a wrong side', (bvh) => bvh.isOccluded([0, 0, 0, 0, 0, 1], 'inside'), /faces is 'inside', expected 'both' or 'front' or 'back'/],
	['a wrong quality', (bvh) => new Bvh(bvh.mesh, { quality: 'best' }), /quality is 'best'/],
	['a mesh that is none', () => new Bvh({}), /mesh is an Object, expected a Mesh/],
	['a point of two numbers', (bvh) => bvh.closestPoint([1, 2]), /point is an Array of length 2, expected 3 numbers/],
	['a NaN point', (bvh) => bvh.closestPoint([1, NaN, 2]), /point\[1\] is NaN, expected a finite number/],
	['a negative radius', (bvh) => bvh.overlappingSphere([0, 0, 0], -1), /radius is -1/],
	['a triangle out of range', (bvh) => bvh.mesh.names(1), /triangle is 1, expected a whole number from 0 to 0/],
	['no cache file', () => Bvh.fromCache(new Uint8Array(64), 'x.hitscan'), /x\.hitscan/],
	['a matrix of nine', () => new Scene().insert({ transform: new Float32Array(9) }), /transform is a Float32Array of length 9/],
	['a flat matrix', () => new Scene().insert({ transform: new Float32Array(16) }), /transform/],
	['no such instance', () => new Scene().remove(7), /7v0: not in the scene/],
	['no view', () => new Scene().pick({}, 1, 2), /view is an Object, expected a View/],
	['a singular view', () => new View(new Float64Array(16), { width: 1, height: 1 }), /hitscan/],
	['null for a hit', (bvh) => bvh.closestHit([0, 0, 1, 0, 0, -1], null), /hit is null, expected an object to fill/],
	['null for a point to fill', (bvh) => bvh.closestPoint([0, 0, 1], null), /found is null, expected an object to fill/],
	['null for options', (bvh) => bvh.allHits([0, 0, 1, 0, 0, -1], null), /options is null, expected an object/],
	['an unknown option', (bvh) => new Bvh(bvh.mesh, { qualty: 'high' }), /options\.qualty is no option, expected quality, layout, onProgress/],
	['an unknown option of a scene', () => new Scene().closestHit([0, 0, 1, 0, 0, -1], undefined, { xray: true }), /options\.xray is no option/],
	['a text of six letters', (bvh) => bvh.closestHit('000001'), /ray is '000001', expected 6 or 8 numbers/],
	['BigInts in a ray', (bvh) => bvh.closestHit([0n, 0n, 1n, 0n, 0n, 1n]), /ray\[0\] is the BigInt 0, expected a number/],
	['an inverted box', (bvh) => bvh.overlappingBox([0, 2, 0], [1, 1, 1]), /min\[1\] is 2, expected at most max\[1\], which is 1/],
	['an inverted box of a scene', () => new Scene().overlappingBox([0, 0, 2], [1, 1, 1]), /min\[2\] is 2/],
	['columns of a negative length', () => new HitColumns(-1), /length is -1, expected a whole number/],
	['NaN in a refit', (bvh) => bvh.refit(new Float32Array([0, 0, NaN, 0, 0, 0, 0, 0, 0])), /positions: .*(vertex|NaN)/],
	['a tree in place of an object', (bvh) => new Scene().insert(bvh), /what is a Bvh, expected an object such as \{ bvh, transform \}/],
	['a text for a flag', (bvh) => { const scene = new Scene(); scene.setHidden(scene.insert({ bvh }), 'yes'); }, /hidden is 'yes', expected true or false/],
	['a negative radius of a pick', () => new Scene().snap(new View([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1], { width: 9, height: 9 }), 1, 1, { radius: -1 }),
		/radius is -1, expected a number of pixels from 0 on/],
	['a handle beyond all', () => new Scene().remove(1e300), /id is 1e\+300, expected the handle of an instance/],
	['a viewport without size', () => new View(new Float64Array(16), { width: 0 }), /viewport\.height is undefined/],
];

test('bad input is an error that names the argument, and the module stays usable', () => {
	const bvh = new Bvh(unit());
	for (const [what, call, expected] of BAD) {
		assert.throws(() => call(bvh), (error) => {
			assert.ok(error instanceof Error && !(error instanceof WebAssembly.RuntimeError), what);
			assert.match(error.message, expected, what);
			return true;
		}, what);
		assert.equal(bvh.closestHit([0.25, 0.5, 1, 0, 0, -1]).t, 1, `after ${what}`);
	}
});

test('files that are none are errors, and so is a module of readers that is none', async () => {
	await assert.rejects(Mesh.parse('text'), /bytes is 'text', expected an ArrayBuffer/);
	await assert.rejects(Mesh.parse(new Uint8Array(4), 7), /name is 7, expected a file name/);
	await assert.rejects(Mesh.parse(new Uint8Array(0), 'empty.stl'), /empty\.stl/);
	const out = run(`
		import { readFileSync } from 'node:fs';
		import { init, Mesh } from 'hitscan';
		import { limited } from './test/support/limited.mjs';
		const messages = [];
		const attempt = async (readers, file = new Uint8Array(9)) => {
			await init({ readers });
			await Mesh.parse(file, 'a.obj').catch((error) => messages.push(error.message));
		};
		await attempt(new URL('file:///no/such/readers.wasm'));
		await attempt(new Uint8Array([0, 97, 115, 109, 9]));
		await attempt(readFileSync('dist/hitscan.wasm'));
		await attempt(limited(readFileSync('dist/hitscan-readers.wasm'), 400), new Uint8Array(20_000_000));
		const text = new TextEncoder().encode('v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n');
		console.log(JSON.stringify([messages, (await Mesh.parse(text, 'a.obj')).triangleCount]));
	`);
	const [messages, count] = JSON.parse(out);
	assert.match(messages[0], /cannot load the WebAssembly module file:\/\/\/no\/such\/readers\.wasm/);
	assert.match(messages[1], /cannot load the WebAssembly module options\.readers/);
	assert.match(messages[2], /options\.readers is another WebAssembly module/);
	assert.match(messages[3], /^hitscan: (bytes|a\.obj): out of memory, \d+ MB/);
	assert.deepEqual([messages.length, count], [4, 1]);
});

test('use after dispose is an error, and each of mesh and tree outlives the other', () => {
	const [mesh, second] = [unit(), unit()];
	const [bvh, other] = [new Bvh(mesh), new Bvh(second)];
	mesh.dispose();
	mesh.dispose();
	assert.equal(mesh.isDisposed, true);
	assert.equal(bvh.isOccluded([0.25, 0.5, 1, 0, 0, -1]), true);
	bvh.refit(new Float32Array([0, 0, 1, 1, 0, 1, 0, 1, 1]));
	assert.throws(() => mesh.positions, /Mesh was used after dispose\(\)/);
	other.dispose();
	assert.throws(() => other.isOccluded([0, 0, 0, 0, 0, 1]), /Bvh was used after dispose\(\)/);
	assert.deepEqual([...second.normal(0)], [0, 0, 1]);
	const scene = new Scene();
	assert.throws(() => scene.insert({ bvh: other }), /Bvh was used after dispose/);
	scene[Symbol.dispose]();
	assert.throws(() => scene.size, /Scene was used after dispose/);
});

/** Runs a script in a process of its own, whose module is fresh. */
function run(script, ...flags) {
	const result = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', script], {
		cwd: new URL('..', import.meta.url), encoding: 'utf8',
	});
	assert.equal(result.status, 0, result.stderr);
	return result.stdout.trim();
}

test('disposed objects give their memory back', () => {
	const out = run(`
		import { init, Bvh, Mesh } from 'hitscan';
		import { wasm } from './dist/module.js';
		import { sphere } from './test/support/meshes.mjs';
		await init();
		const { positions, triangles } = sphere(200, 100);
		const sizes = [];
		for (let i = 0; i < 60; i++) {
			const mesh = new Mesh(positions, triangles);
			const bvh = new Bvh(mesh);
			bvh.refit(positions);
			bvh.dispose();
			mesh.dispose();
			sizes.push(wasm.memory.buffer.byteLength);
		}
		console.log(sizes.at(-1) - sizes[5]);
	`);
	assert.equal(out, '0');
});

test('the garbage collector frees what was forgotten', () => {
	const out = run(`
		import { init, Bvh, Mesh } from 'hitscan';
		import { wasm } from './dist/module.js';
		import { sphere } from './test/support/meshes.mjs';
		await init();
		const { positions, triangles } = sphere(200, 100);
		const sizes = [];
		for (let i = 0; i < 60; i++) {
			new Bvh(new Mesh(positions, triangles));
			globalThis.gc();
			await new Promise((resolve) => setTimeout(resolve));
			sizes.push(wasm.memory.buffer.byteLength);
		}
		console.log(sizes.at(-1) - sizes[20]);
	`, '--expose-gc');
	assert.equal(out, '0');
});

test('memory that cannot grow is an error, and the module stays usable', () => {
	const out = run(`
		import { readFileSync } from 'node:fs';
		import { init, Bvh, Mesh } from 'hitscan';
		import { limited } from './test/support/limited.mjs';
		import { sphere } from './test/support/meshes.mjs';
		await init({ wasm: limited(readFileSync('dist/hitscan.wasm'), 400) });
		const { positions, triangles } = sphere(40, 20);
		const kept = new Bvh(new Mesh(positions, triangles));
		const failures = [];
		const attempt = (run) => { try { run(); } catch (error) { failures.push(error.message); } };
		// 40 MB: room for a mesh of 250,000 triangles, but not for the build of its tree.
		const large = sphere(500, 250);
		const mesh = new Mesh(large.positions, large.triangles);
		attempt(() => new Bvh(mesh));
		attempt(() => new Mesh(new Float32Array(3 * 10_000_000), new Uint32Array(0)));
		attempt(() => kept.closestHits(new Float32Array(8 * 2_000_000)));
		attempt(() => Bvh.fromCache(new Uint8Array(20_000_000), 'large.hitscan'));
		mesh.dispose();
		const again = new Bvh(new Mesh(positions, triangles));
		const ray = [0.1, 0.1, 5, 0, 0, -1];
		console.log(JSON.stringify([failures, kept.closestHit(ray).t === again.closestHit(ray).t]));
	`);
	const [failures, isSame] = JSON.parse(out);
	assert.equal(failures.length, 4);
	for (const failure of failures) assert.match(failure, /^hitscan: (bvh|positions|rays|bytes|large\.hitscan): out of memory, \d+ MB/);
	assert.equal(isSame, true);
});

test('the module for rays answers with the same bits, runs hitscan/three, and names what it lacks', () => {
	const [rays, all] = ['rays', 'all'].map((load) => JSON.parse(run(`
		import { init, Bvh, Mesh, Scene, View } from 'hitscan';
		import { answersOf } from './test/support/answers.mjs';
		import { rays, torus } from './test/support/meshes.mjs';
		await init({ load: '${load}' });
		const messages = [];
		const attempt = (run) => { try { run(); } catch (error) { messages.push(error.message); } };
		const mesh = torus(60, 30);
		const digests = await answersOf(await import('hitscan'), mesh, rays(3000, mesh.positions, 5));
		const bvh = new Bvh(new Mesh(mesh.positions, mesh.triangles));
		bvh.update({ move: { vertices: Uint32Array.of(0), positions: Float32Array.of(0, 0, 9) } });
		const moved = [bvh.closestHit([0, 0, 9.5, 0.01, 0.01, -1]), Bvh.fromCache(bvh.toCache()).stats.triangles];
		const [THREE, { MeshBVH }] = await Promise.all([import('three'), import('hitscan/three')]);
		const tree = new MeshBVH(new THREE.TorusGeometry(1, 0.4, 20, 40));
		const found = tree.raycastFirst(new THREE.Ray(new THREE.Vector3(1, 0.1, 5), new THREE.Vector3(0, 0, -1)), THREE.DoubleSide);
		attempt(() => new Scene());
		attempt(() => new View([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -0.2, 0, 0, 0, -1, 1], { width: 100, height: 100 }));
		attempt(() => bvh.isInside([0, 0, 0]));
		attempt(() => bvh.sphereCast([0, 0, 9, 0, 0, -1], 1));
		attempt(() => bvh.section([0, 0, 0], [0, 0, 1]));
		attempt(() => bvh.overlapsMesh(bvh));
		try { await init({ load: 'ray' }); } catch (error) { messages.push(error.message); }
		console.log(JSON.stringify([digests, moved, found.faceIndex, found.distance, messages]));
	`)));
	assert.deepEqual(rays.slice(0, -1), all.slice(0, -1));
	assert.deepEqual(all.at(-1), ["hitscan: options.load is 'ray', expected 'all' or 'rays'"]);
	const messages = rays.at(-1);
	assert.equal(messages.length, 7);
	for (const [i, name] of ['scene_new', 'view_check', 'bvh_are_inside', 'bvh_sphere_cast', 'bvh_section', 'bvh_overlaps_mesh'].entries()) {
		assert.ok(messages[i].startsWith(`hitscan: ${name} is not in hitscan-rays.wasm`), messages[i]);
	}
});

test('a module that fails to load is an error that says why, and init can be called again', () => {
	const out = run(`
		import { init, Mesh, isReady } from 'hitscan';
		const messages = [];
		const attempt = async (run) => { try { await run(); } catch (error) { messages.push(error.message); } };
		await attempt(() => new Mesh(new Float32Array(9)));
		await attempt(() => init({ wasm: new URL('file:///no/such/hitscan.wasm') }));
		await attempt(() => init({ wasm: new Uint8Array([0, 97, 115, 109, 9]) }));
		await attempt(() => init({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) }));
		await attempt(() => new Mesh(new Float32Array(9)));
		await init();
		console.log(JSON.stringify([messages, isReady(), new Mesh(new Float32Array(9)).triangleCount]));
	`);
	const [messages, ready, count] = JSON.parse(out);
	assert.match(messages[0], /call and await init\(\) first/);
	assert.match(messages[1], /cannot load the WebAssembly module file:\/\/\/no\/such\/hitscan\.wasm/);
	assert.match(messages[2], /cannot load the WebAssembly module options\.wasm/);
	assert.match(messages[3], /another WebAssembly module/);
	assert.match(messages[4], /another WebAssembly module/);
	assert.deepEqual([ready, count], [true, 3 / 3]);
});

test('single queries allocate nothing on the heap of JavaScript', () => {
	const N = 10_000;
	const out = run(`
		import { init, Bvh, Hit, Mesh, SurfacePoint } from 'hitscan';
		import { sphere } from './test/support/meshes.mjs';
		await init();
		const { positions, triangles } = sphere(40, 20);
		const bvh = new Bvh(new Mesh(positions, triangles));
		const [hit, found] = [new Hit(), new SurfacePoint()];
		const ray = new Float64Array([0.1, 0.2, 5, 0, 0, -1]);
		const point = new Float64Array([0.3, 0.4, 2]);
		const many = (n) => {
			for (let i = 0; i < n; i++) {
				ray[0] = point[0] = i / n;
				bvh.closestHit(ray, hit);
				bvh.isOccluded(ray);
				bvh.closestPoint(point, found);
			}
		};
		many(100_000);
		const grown = [];
		// On a busy machine the engine compiles the calls late, on another thread.
		for (let round = 0; round < 5 || (round < 100 && Math.min(...grown) >= ${4 * N}); round++) {
			if (round >= 5) await new Promise((resolve) => setTimeout(resolve, 100));
			globalThis.gc();
			const before = process.memoryUsage().heapUsed;
			many(${N});
			grown.push(process.memoryUsage().heapUsed - before);
		}
		console.log(Math.min(...grown));
	`, '--expose-gc');
	// The compiler of the engine allocates up to 600 kB while queries warm up, and 0.3 to 5 kB in the rounds after.
	// The smallest object takes 12 bytes: one for each call of a single method would be 12 N bytes. So few bytes
	// start no collection within a round.
	assert.ok(Number(out) < 4 * N, `${out} bytes`);
});
