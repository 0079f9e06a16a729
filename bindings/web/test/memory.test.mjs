// The memory of the drop-in: given back at once, and addresses beyond 2 GiB.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import * as THREE from 'three';
import {
	computeBatchedBoundsTree, computeBoundsTree, disposeBatchedBoundsTree, disposeBoundsTree, MeshBVH, ObjectBVH, PointsBVH,
} from 'hitscan/three';
import { wasm } from '../dist/module.js';

const DOWN = new THREE.Ray(new THREE.Vector3(0.1, 0.05, 5), new THREE.Vector3(0, 0, -1));

function bytes() {
	return wasm.memory.buffer.byteLength;
}

/** The growth of the memory while something runs many times in one synchronous loop. */
function growth(run, times = 600) {
	// As many before: the allocator may take one more page before it settles.
	for (let i = 0; i < times; i++) run();
	const before = bytes();
	for (let i = 0; i < times; i++) run();
	return bytes() - before;
}

test('600 loads and unloads in one synchronous loop hold the memory', () => {
	const plane = new THREE.PlaneGeometry(1, 1, 9, 9);
	const load = () => {
		const geometry = plane.clone();
		computeBoundsTree.call(geometry);
		assert.equal(geometry.boundsTree.raycast(DOWN).length, 1);
		disposeBoundsTree.call(geometry);
		assert.equal(geometry.boundsTree, null);
	};
	assert.equal(growth(load), 0);
	const again = plane.clone();
	assert.equal(growth(() => computeBoundsTree.call(again)), 0, 'a tree in place of another');
	assert.equal(growth(() => computeBoundsTree.call(again, { type: PointsBVH })), 0, 'of another kind');
	const batched = new THREE.BatchedMesh(2, 2000, 6000, new THREE.MeshBasicMaterial());
	for (let i = 0; i < 2; i++) batched.addGeometry(plane);
	assert.equal(growth(() => computeBatchedBoundsTree.call(batched), 300), 0, 'of a batched mesh');
	assert.equal(growth(() => {
		computeBatchedBoundsTree.call(batched, 1);
		disposeBatchedBoundsTree.call(batched);
		assert.deepEqual(batched.boundsTrees, [null, null]);
	}, 300), 0, 'of a batched mesh, disposed');
	const scene = new THREE.Group().add(new THREE.Mesh(plane));
	assert.equal(growth(() => new ObjectBVH(scene).dispose()), 0, 'of objects');
});

test('a tree that disposeBoundsTree freed answers whoever still holds it', () => {
	const geometry = new THREE.TorusGeometry(1, 0.4, 20, 40);
	const tree = computeBoundsTree.call(geometry, { strategy: 2 });
	const expected = tree.raycast(DOWN, THREE.DoubleSide);
	const clone = geometry.clone();
	clone.boundsTree = tree;
	disposeBoundsTree.call(clone);
	assert.equal(tree.bvh.isDisposed, false, 'a clone borrows the tree of its original');
	const { bvh } = tree;
	clone.boundsTree = tree;
	disposeBoundsTree.call(geometry);
	assert.equal(bvh.isDisposed, true);
	assert.deepEqual(clone.boundsTree.raycast(DOWN, THREE.DoubleSide), expected);
	disposeBoundsTree.call(geometry);
	const copy = MeshBVH.deserialize(MeshBVH.serialize(tree), geometry);
	geometry.boundsTree = copy;
	computeBoundsTree.call(geometry);
	assert.deepEqual(copy.raycast(DOWN, THREE.DoubleSide), expected, 'restored');
	tree.dispose();
	assert.throws(() => tree.raycast(DOWN), /after dispose/);
	computeBoundsTree.call(geometry);
	const freed = geometry.boundsTree;
	disposeBoundsTree.call(geometry);
	freed.dispose();
	assert.throws(() => freed.raycast(DOWN), /MeshBVH was used after dispose/);
});

test('a freed tree of a part of a geometry is built again of the same part, also when it moved', () => {
	const geometry = new THREE.BoxGeometry(1, 1, 1).toNonIndexed();
	const tree = new MeshBVH(geometry, { range: { start: 24, count: 6 } });
	const count = () => {
		const triangles = [];
		tree.shapecast({ intersectsBounds: () => true, intersectsTriangle: (triangle, i) => void triangles.push(i) });
		return triangles;
	};
	assert.deepEqual(count(), [8, 9]);
	tree.shiftTriangleOffsets(-2);
	assert.deepEqual(count(), [6, 7]);
	geometry.boundsTree = tree;
	disposeBoundsTree.call(geometry);
	assert.deepEqual(count(), [6, 7]);
});

test('beyond 2 GiB the answers are the same; what does not fit in 4 GiB is an error, after which the module works', () => {
	const script = `
		import { init, Bvh, Mesh, Scene, View } from 'hitscan';
		import { MeshBVH } from 'hitscan/three';
		import * as THREE from 'three';
		import { wasm } from './dist/module.js';
		import { sphere } from './test/support/meshes.mjs';
		const pages = () => wasm.memory.buffer.byteLength / 65536;
		const ray = [0.1, 0.1, 5, 0, 0, -1];
		const tori = new THREE.TorusGeometry(1, 0.4, 100, 200);
		const [{ positions, triangles }, large] = [sphere(200, 100), sphere(800, 400)];
		const rays = new Float32Array(8 * 40_000).map((_, i) => [...ray, 0, 9][i % 8]);
		const answers = () => {
			const mesh = new Mesh(positions, triangles);
			const bvh = new Bvh(mesh);
			const scene = new Scene();
			scene.insert({ bvh });
			const { bounds } = mesh;
			const three = new MeshBVH(tori);
			let n = 0;
			three.shapecast({ intersectsBounds: (box) => box.max.x > 0, intersectsTriangle: () => void n++ });
			const view = new View([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -0.2, 0, 0, 0, -1, 1], { width: 100, height: 100 });
			const all = [
				bvh.closestHit(ray), Bvh.fromCache(bvh.toCache()).allHits(ray), bvh.closestHits(rays).at(39_999), mesh.positions.slice(-3),
				bvh.allHitsBatch(rays).starts.at(-1), bvh.overlappingBox([0, 0, 0], [1, 1, 1]).length, bvh.closestPoint([3, 0, 0]),
				bvh.section([0, 0, 0], [0, 0, 1])[0].points.length, scene.pick(view, 50, 50), bounds, n, mesh.triangles.slice(-3),
			];
			try { new Mesh(positions, Uint32Array.of(0, 1, 99999999)); } catch (error) { all.push(error.message); }
			return { all, end: () => { for (const object of [mesh, bvh, scene, three]) object.dispose(); } };
		};
		const first = answers();
		// Pages that nothing touches cost no memory. The next objects lie behind them.
		wasm.memory.grow(33_000);
		const second = answers();
		const isHigh = pages() > 33_000;
		second.end();
		wasm.memory.grow(65_536 - 500 - pages());
		const messages = [];
		for (let i = 0; i < 2; i++) {
			const mesh = new Mesh(large.positions, large.triangles);
			try {
				new Bvh(mesh);
			} catch (error) {
				messages.push(error.message);
			}
			mesh.dispose();
		}
		first.end();
		console.log(JSON.stringify([first.all, second.all, answers().all, isHigh, messages]));
	`;
	const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
		cwd: new URL('..', import.meta.url), encoding: 'utf8', maxBuffer: 1 << 26,
	});
	assert.equal(result.status, 0, result.stderr);
	const [first, second, last, isHigh, messages] = JSON.parse(result.stdout);
	assert.equal(isHigh, true);
	assert.deepEqual(second, first);
	assert.deepEqual(last, first);
	assert.equal(messages.length, 2);
	for (const message of messages) assert.match(message, /^hitscan: .*out of memory/);
});
