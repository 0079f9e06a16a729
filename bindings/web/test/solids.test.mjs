// Edits of meshes, balls along rays, sections and pairs of meshes.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Bvh, Mesh, Scene, init } from 'hitscan';
import { random, rays, soup, sphere } from './support/meshes.mjs';

before(() => init());

/** A cube from -1 to 1. */
function cube() {
	const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 4 ? 1 : -1, i & 2 ? 1 : -1, i & 1 ? 1 : -1]);
	const quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
	return new Bvh(new Mesh(
		new Float32Array(corners), new Uint16Array(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])),
	));
}

function moved(x, y, z) {
	return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
}

/** The arrays of a mesh, edited as `update` describes it. */
class Edited {
	constructor({ positions, triangles }) {
		this.positions = Array.from(positions);
		this.triangles = Array.from({ length: triangles.length / 3 }, (_, i) => Array.from(triangles.slice(3 * i, 3 * i + 3)));
	}

	update({ move, append, remove, replace }) {
		move?.vertices.forEach((vertex, i) => this.positions.splice(3 * vertex, 3, ...move.positions.slice(3 * i, 3 * i + 3)));
		this.positions.push(...append?.positions ?? []);
		const rows = (flat) => Array.from({ length: flat.length / 3 }, (_, i) => Array.from(flat.slice(3 * i, 3 * i + 3)));
		this.triangles.push(...rows(append?.triangles ?? []));
		for (const triangle of Array.from(remove ?? []).sort((a, b) => b - a)) {
			const last = this.triangles.pop();
			if (triangle < this.triangles.length) this.triangles[triangle] = last;
		}
		if (replace) {
			const list = rows(replace.triangles ?? []);
			const n = Math.min(replace.end - replace.start, list.length);
			this.triangles.splice(replace.start, n, ...list.slice(0, n));
			this.triangles.push(...list.slice(n));
			const rest = Array.from({ length: replace.end - replace.start - n }, (_, i) => replace.start + n + i);
			this.update({ remove: rest });
		}
	}

	bvh() {
		return new Bvh(new Mesh(new Float32Array(this.positions), new Uint32Array(this.triangles.flat())));
	}
}

function* editsOf(next, { positions, triangles }) {
	const [n, v] = [triangles.length, positions.length / 3];
	const some = (count, end) => Uint32Array.from(new Set(Array.from({ length: count }, () => Math.floor(next() * end))));
	const vertices = some(20, v);
	yield { move: { vertices, positions: Float32Array.from({ length: 3 * vertices.length }, () => 2 * next() - 1) } };
	const added = Float32Array.from({ length: 18 }, () => 2 * next() - 1);
	yield { append: { positions: added, triangles: new Uint32Array([v, v + 1, v + 2, 0, v + 3, v + 4, v + 5, 1, 2]) } };
	yield { remove: some(30, n) };
	const start = Math.floor(next() * (n - 100));
	yield { replace: { start, end: start + 9, triangles: new Uint16Array([3, 2, 1, 7, 8, 9]) } };
	yield { replace: { start, end: start + 1, triangles: some(60, v).slice(0, 12) } };
}

function sameAnswers(bvh, fresh, cast) {
	assert.deepEqual(bvh.closestHits(cast), fresh.closestHits(cast));
	assert.deepEqual(bvh.allHitsBatch(cast), fresh.allHitsBatch(cast));
	const point = [0.3, 0.2, 0.9];
	assert.deepEqual(bvh.closestPoint(point), fresh.closestPoint(point));
	assert.deepEqual(bvh.sphereCastAll(cast.slice(0, 8), 0.1), fresh.sphereCastAll(cast.slice(0, 8), 0.1));
}

test('an edited tree answers as a fresh one, and its mesh follows', () => {
	const mesh = new Edited(soup(1500, 21));
	const bvh = mesh.bvh();
	const cast = rays(1500, new Float32Array(mesh.positions), 22);
	const next = random(23);
	for (let round = 0; round < 3; round++) {
		for (const edit of editsOf(next, mesh)) {
			const { costWhenBuilt, costNow } = bvh.update(edit);
			assert.ok(costWhenBuilt > 0 && costNow > 0);
			mesh.update(edit);
			assert.deepEqual(Array.from(bvh.mesh.triangles), mesh.triangles.flat());
			assert.deepEqual(bvh.mesh.positions, new Float32Array(mesh.positions));
			assert.equal(bvh.stats.triangles, mesh.triangles.length);
			sameAnswers(bvh, mesh.bvh(), cast);
		}
	}
	sameAnswers(Bvh.fromCache(bvh.toCache()), mesh.bvh(), cast);
});

test('an edit reaches all instances of a mesh, and no tree or copy that shared it', () => {
	const mesh = new Edited(soup(1500, 31));
	const [bvh, scene] = [mesh.bvh(), new Scene()];
	const [near, far] = [scene.insert({ bvh }), scene.insert({ bvh, transform: moved(3, 0, 0) })];
	const copy = scene.clone();
	const before = new Edited({ positions: new Float32Array(mesh.positions), triangles: mesh.triangles.flat() }).bvh();
	const next = random(32);
	for (const edit of editsOf(next, mesh)) {
		scene.update(far, edit);
		mesh.update(edit);
	}
	const fresh = mesh.bvh();
	const placed = new Scene();
	const ids = [placed.insert({ bvh: fresh }), placed.insert({ bvh: fresh, transform: moved(3, 0, 0) })];
	const cast = Float64Array.from(rays(800, new Float32Array(mesh.positions), 33));
	assert.deepEqual([near, far], ids);
	assert.deepEqual(scene.closestHits(cast), placed.closestHits(cast));
	sameAnswers(scene.bvhOf(near), fresh, Float32Array.from(cast));
	sameAnswers(bvh, before, Float32Array.from(cast));
	sameAnswers(copy.bvhOf(near), before, Float32Array.from(cast));
	assert.notDeepEqual(copy.closestHits(cast), scene.closestHits(cast));
	assert.throws(() => scene.update(scene.insert(), { remove: new Uint8Array([0]) }), /no such instance with a mesh/);
});

test('of two trees of one mesh each has its own edits', () => {
	const mesh = new Mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]));
	const [first, second] = [new Bvh(mesh), new Bvh(mesh)];
	second.update({ move: { vertices: new Uint8Array([0]), positions: new Float32Array([0, 0, 1]) } });
	assert.deepEqual([first.mesh.positions[2], second.mesh.positions[2], mesh.positions[2]], [0, 1, 0]);
	first.update({ append: { triangles: new Uint8Array([0, 2, 1]) } });
	assert.deepEqual([mesh.triangleCount, first.mesh.triangleCount, second.mesh.triangleCount], [2, 2, 1]);
	mesh.dispose();
	first.update({ remove: new Uint8Array([0]) });
	assert.equal(first.mesh.triangleCount, 1);
});

test('edits and answers of a mesh with an offset are in the coordinates of its file', () => {
	const far = 1e7 + 0.25;
	const bvh = new Bvh(new Mesh(new Float64Array([far, 0, 0, far + 4, 0, 0, far, 4, 0])));
	assert.ok(bvh.mesh.offset.some((x) => x !== 0));
	bvh.update({
		append: { positions: new Float64Array([far, 0, 3, far + 4.5, 0, 3, far, 4, 3]), triangles: new Uint8Array([3, 4, 5]) },
	});
	const ray = [far + 1, 1, 9, 0, 0, -1];
	assert.equal(bvh.closestHit(ray).t, 6);
	assert.equal(bvh.mesh.positions[12], far + 4.5);
	const { t, point, feature } = bvh.sphereCast(ray, 0.5);
	assert.deepEqual([t, point, feature], [5.5, [far + 1, 1, 3], 'face']);
	const [line] = bvh.section([far + 1, 0, 0], [1, 0, 0]);
	assert.ok(line.points.every((x, i) => i % 3 !== 0 || x === far + 1) && !line.closed);
	const scene = new Scene();
	scene.update(scene.insert({ bvh }), { move: { vertices: new Uint8Array([3]), positions: new Float64Array([far, 0, 4]) } });
	assert.ok(scene.closestHit(ray).t < 6);
	assert.equal(bvh.meshDistance(bvh, { transform: moved(0, 0, 5) }).distance, 2);
});

test('edits that a mesh does not take name the argument and change nothing', async () => {
	const bvh = new Bvh(new Mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]), new Uint8Array([0, 1, 2, 2, 1, 3])));
	const scene = new Scene();
	const id = scene.insert({ bvh });
	const [one, corner] = [new Uint8Array([1]), new Float32Array(3)];
	for (const [edit, message] of [
		[null, /edit is null, expected an object with move or append or remove or replace/],
		[{}, /edit has none of move, append, remove, replace, expected one/],
		[{ remove: one, append: {} }, /edit has append and remove of/],
		[{ move: { vertices: one, positions: new Float32Array(6) } }, /move has 1 vertices and 2 positions/],
		[{ move: { vertices: new Uint8Array([9]), positions: corner } }, /move: the edit names vertex 9, expected less than 4/],
		[{ move: { vertices: one, positions: new Float32Array([0, NaN, 0]) } }, /move: .*vertex 1/],
		[{ move: { vertices: [1], positions: corner } }, /move\.vertices is an Array of length 1, expected Uint32Array/],
		[{ move: { vertices: new Uint8Array([1, 1]), positions: new Float32Array(6) } }, /move: the edit names vertex 1 twice/],
		[{ append: { positions: new Float32Array([0, 0, Infinity]) } }, /append: .*vertex 4/],
		[{ append: { triangles: new Uint8Array([0, 1, 4]) } }, /append: .*triangle 2/],
		[{ append: { triangles: new Uint8Array([0, 1]) } }, /append\.triangles\.length is 2, expected a multiple of 3/],
		[{ remove: new Uint8Array([2]) }, /remove: the edit names triangle 2, expected less than 2/],
		[{ remove: new Uint8Array([0, 0]) }, /remove: the edit names triangle 0 twice/],
		[{ replace: { start: 1, end: 3 } }, /replace: the edit names triangles 1\.\.3 of 2/],
		[{ replace: { start: -1, end: 3 } }, /replace\.start is -1, expected a whole number/],
	]) {
		assert.throws(() => bvh.update(edit), message);
		assert.throws(() => scene.update(id, edit), message);
	}
	assert.deepEqual([bvh.mesh.triangleCount, bvh.mesh.vertexCount], [2, 4]);
	const text = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n');
	const quad = new Bvh(await Mesh.parse(text, 'quad.obj'));
	assert.throws(() => quad.update({ remove: one }), /remove: the mesh has polygons.*new Mesh\(mesh\.positions/);
	quad.update({ move: { vertices: one, positions: corner } });
});

test('balls touch faces, edges and corners, in trees and scenes', () => {
	const [bvh, scene] = [cube(), new Scene()];
	const id = scene.insert({ bvh, transform: moved(10, 0, 0) });
	for (const [origin, feature, t, point] of [
		[[0.25, 0.5, 5], 'face', 3.5, [0.25, 0.5, 1]],
		[[1.3, 0.25, 5], 'edge', 3.6, [1, 0.25, 1]],
		[[1.1, 1.2, 5], 'vertex', 4 - Math.sqrt(0.2), [1, 1, 1]],
	]) {
		const found = bvh.sphereCast([...origin, 0, 0, -1], 0.5);
		assert.deepEqual([found.feature, found.point], [feature, point]);
		assert.ok(Math.abs(found.t - t) < 1e-12 && found.featureIndex >= 0 && found.featureIndex < 3);
		const there = scene.sphereCast([origin[0] + 10, origin[1], origin[2], 0, 0, -1], 0.5);
		assert.deepEqual([there.instance, there.feature], [id, feature]);
		assert.ok(Math.abs(there.t - t) < 1e-12);
		const all = bvh.sphereCastAll([...origin, 0, 0, -1], 0.5);
		assert.deepEqual(all[0], found);
		assert.ok(all.every((contact, i) => i === 0 || contact.t >= all[i - 1].t));
		assert.equal(bvh.sphereCastAny([...origin, 0, 0, -1], 0.5), true);
		assert.equal(scene.sphereCastAny([...origin, 0, 0, -1], 0.5), false);
	}
	const ray = [0.25, 0.5, 5, 0, 0, -1];
	assert.equal(bvh.sphereCast(ray, 0).t, bvh.closestHit(ray).t);
	assert.deepEqual([bvh.sphereCast([...ray, 0, 1], 0.5), scene.sphereCastAll(ray, 0.5)], [null, []]);
	for (const radius of [-1, NaN, Infinity]) assert.throws(() => bvh.sphereCast(ray, radius), /radius is .*expected a/);
	assert.throws(() => bvh.sphereCast([0, 0, 0, 0, 0, 0], 1), /direction/);
});

test('sections of closed meshes are closed, in trees and scenes', () => {
	const [bvh, scene] = [cube(), new Scene()];
	const id = scene.insert({ bvh, transform: moved(10, 0, 0) });
	const [outline, ...others] = bvh.section([0, 0, 0.25], [0, 0, 2]);
	assert.deepEqual([others.length, outline.closed, outline.points.length, outline.triangles.length], [0, true, 24, 8]);
	assert.ok(outline.points.every((x, i) => i % 3 === 2 ? x === 0.25 : Math.abs(x) <= 1));
	const [there] = scene.section([0, 0, 0.25], [0, 0, 2]);
	assert.deepEqual([there.instance, there.triangles], [id, outline.triangles]);
	assert.deepEqual(there.points, outline.points.map((x, i) => i % 3 === 0 ? x + 10 : x));
	assert.deepEqual(scene.section([0, 0, 9], [0, 0, 1]), []);
	assert.throws(() => bvh.section([0, 0, 0], [0, 0, 0]), /the normal of the plane is \(0, 0, 0\)/);
	assert.throws(() => scene.section([0, 0], [0, 0, 1]), /point is an Array of length 2/);
});

test('pairs of meshes overlap exactly where they touch', () => {
	const bvh = cube();
	assert.equal(bvh.overlapsMesh(bvh, moved(2, 0.5, 0.25)), true);
	assert.equal(bvh.overlapsMesh(bvh, moved(2 + 2 ** -51, 0.5, 0.25)), false);
	assert.ok(bvh.overlappingMesh(bvh, moved(2, 0.5, 0.25)).length >= 4);
	assert.equal(bvh.overlappingMesh(bvh, moved(3, 0, 0)).length, 0);
	const found = bvh.meshDistance(bvh, { transform: moved(5, 0.5, 0.25) });
	assert.deepEqual([found.distance, found.points[0][0], found.points[1][0]], [3, 1, 4]);
	assert.equal(bvh.meshDistance(bvh, { transform: moved(5, 0, 0), maxDistance: 2 }), null);
	const crossings = bvh.meshCrossings(bvh, moved(1, 1.25, 0.5));
	const ends = crossings.filter(({ segment: [a, b] }) => String(a) !== String(b)).flatMap(({ segment }) => segment.map(String));
	assert.ok(crossings.length > 6 && ends.every((end) => ends.filter((other) => other === end).length % 2 === 0));
	const pairs = bvh.overlappingMesh(bvh, moved(1, 1.25, 0.5));
	assert.equal(pairs.length % 2, 0);
	const ball = new Bvh(new Mesh(...Object.values(sphere(20, 10))));
	assert.equal(ball.overlapsMesh(bvh), true);
	assert.throws(() => bvh.overlapsMesh({}), /other is an Object, expected a Bvh/);
	assert.throws(() => bvh.meshDistance(bvh, { maxDistance: -1 }), /maxDistance is -1/);
	assert.throws(() => bvh.overlapsMesh(bvh, new Array(16).fill(1)), /transform: the last row/);
});

test('a cube, its turned copy and a cube without a face have the inside and the winding numbers of their kind', () => {
	const bvh = cube();
	const { positions, triangles } = bvh.mesh;
	const turned = new Bvh(new Mesh(positions, Uint32Array.from(triangles).reverse()));
	const open = new Bvh(new Mesh(positions, triangles.slice(0, 30)));
	const points = Float32Array.of(0, 0, 0, 0.75, -0.75, 0.5, 3, 0, 0);
	for (const tree of [bvh, turned]) {
		assert.deepEqual(Array.from(tree.areInside(points)), [1, 1, 0]);
		assert.deepEqual(Array.from(tree.signedDistances(points)), [-1, -0.25, 2]);
		assert.ok(tree.isInside([0.5, 0, 0]) && !tree.isInside([1.5, 0, 0]));
		assert.equal(tree.signedDistance([0.5, 0, 0]), -0.5);
	}
	assert.deepEqual(Array.from(bvh.windingNumbers(points), Math.round), [1, 1, 0]);
	assert.equal(Math.round(turned.windingNumber([0, 0, 0])), -1);
	assert.ok(Math.abs(open.windingNumber([0, 0, 0], { tolerance: 1e-6 }) - 5 / 6) < 1e-6);
	assert.ok(open.isInside([0, 0, 0]));
	assert.ok(Number.isNaN(new Bvh(new Mesh(new Float32Array(0), new Uint32Array(0))).signedDistance([0, 0, 0])));
});

test('points that are no points and a negative tolerance are errors that name them', () => {
	const bvh = cube();
	assert.throws(() => bvh.areInside(Float32Array.of(0, 1)), /points.length is 2/);
	assert.throws(() => bvh.signedDistance([0, NaN, 0]), /points\[1\]/);
	assert.throws(() => bvh.isInside([0, 0]), /point is /);
	assert.throws(() => bvh.windingNumber([0, 0, 0], { tolerance: -1 }), /tolerance is -1/);
});
