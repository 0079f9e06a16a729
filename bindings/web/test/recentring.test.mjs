// Coordinates that f32 cannot hold: the answers are those of the Rust library, to the last bit.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { Bvh, HitColumns, Mesh, Scene, buildInWorker, init } from 'hitscan';

/** Made by the Rust library: tests/integration/recentred_bindings.rs. */
const EXPECTED = JSON.parse(readFileSync(new URL('../../recentred.json', import.meta.url), 'utf8'));
const RAYS = Float64Array.from(EXPECTED.rays.flat());
const POINTS = Float64Array.from(EXPECTED.points.flat());

const lines = (kind) => EXPECTED.obj.split('\n').filter((line) => line.startsWith(`${kind} `))
	.flatMap((line) => line.split(' ').slice(1).map(Number));
const POSITIONS = Float64Array.from(lines('v'));
const TRIANGLES = Uint32Array.from(lines('f'), (index) => index - 1);

/** The mesh in every way that the package can get it. */
const WAYS = {
	'an array': () => new Bvh(new Mesh(POSITIONS, TRIANGLES)),
	'a file': async () => new Bvh(await Mesh.parse(Buffer.from(EXPECTED.obj), 'ball.obj')),
	'a cache file': () => Bvh.fromCache(new Bvh(new Mesh(POSITIONS, TRIANGLES)).toCache()),
	'a worker': () => buildInWorker(POSITIONS, TRIANGLES),
	'its own positions': () => {
		const { positions, triangles } = new Mesh(POSITIONS, TRIANGLES);
		return new Bvh(new Mesh(positions, triangles));
	},
	'a refit back and forth': () => {
		const bvh = new Bvh(new Mesh(POSITIONS, TRIANGLES));
		bvh.refit(POSITIONS.map((x) => x + 1));
		bvh.refit(POSITIONS);
		return bvh;
	},
};

before(() => init());

const plain = ({ t, u, v, triangle, front }) => ({ t, u, v, triangle, side: front ? 'front' : 'back' });
const fields = ({ t, u, v, triangle, side }) => ({ t, u, v, triangle, side });
const each = (run) => EXPECTED.rays.forEach((ray, i) => run(ray, i));

for (const [name, make] of Object.entries(WAYS)) {
	test(`rays at the mesh of ${name} have the answers of Rust`, async () => {
		const bvh = await make();
		assert.deepEqual(bvh.mesh.offset, EXPECTED.offset);
		const columns = bvh.closestHits(RAYS);
		assert.ok(columns.t instanceof Float64Array);
		const again = bvh.closestHits(RAYS, { out: new HitColumns(EXPECTED.rays.length, true) });
		const { starts, hits } = bvh.allHitsBatch(RAYS);
		const once = bvh.allHitsBatch(RAYS, { oncePerCrossing: true });
		assert.deepEqual([...bvh.areOccluded(RAYS)], EXPECTED.occluded.map(Number));
		each((ray, i) => {
			const expected = EXPECTED.closest[i] && plain(EXPECTED.closest[i]);
			const hit = bvh.closestHit(ray);
			assert.deepEqual(hit && fields(hit), expected);
			for (const found of [columns, again]) assert.deepEqual(found.at(i) && fields(found.at(i)), expected);
			if (hit) assert.deepEqual([...bvh.mesh.point(hit)], EXPECTED.closest[i].point);
			const all = EXPECTED.all[i].map(plain);
			assert.deepEqual(bvh.allHits(ray).map(fields), all);
			assert.deepEqual(all.map((_, j) => fields(hits.at(starts[i] + j))), all);
			assert.equal(once.starts[i + 1] - once.starts[i], EXPECTED.crossings[i]);
			assert.deepEqual(bvh.allHits(ray, { oncePerCrossing: true }).map(fields), EXPECTED.once[i].map(plain));
			assert.equal(bvh.isOccluded(ray), EXPECTED.occluded[i]);
			assert.equal(bvh.countCrossings(ray), EXPECTED.crossings[i]);
			assert.deepEqual(bvh.nearestHits(ray, 1).map(fields), all.slice(0, 1));
		});
	});
}

test('a scene has the answers of its mesh', () => {
	const scene = new Scene();
	scene.insert({ bvh: new Bvh(new Mesh(POSITIONS, TRIANGLES)) });
	const batch = scene.closestHits(RAYS);
	each((ray, i) => {
		const expected = EXPECTED.closest[i] && plain(EXPECTED.closest[i]);
		const hit = scene.closestHit(ray);
		assert.deepEqual(hit && fields(hit), expected);
		assert.deepEqual(batch[i] && fields(batch[i]), expected);
		assert.deepEqual(scene.nearestHits(ray, 1).map(fields), EXPECTED.all[i].slice(0, 1).map(plain));
		if (hit) assert.deepEqual(hit.point, EXPECTED.closest[i].point);
	});
});

test('points, boxes and planes are in the coordinates of the file', () => {
	const bvh = new Bvh(new Mesh(POSITIONS, TRIANGLES));
	const columns = bvh.closestPoints(POINTS);
	EXPECTED.nearest.forEach(({ distance, point, u, v, triangle }, i) => {
		const found = bvh.closestPoint(EXPECTED.points[i]);
		assert.deepEqual({ ...found }, { distance, point, u, v, triangle });
		assert.deepEqual([columns.distance[i], columns.x[i], columns.y[i], columns.z[i]], [distance, ...point]);
		assert.deepEqual([columns.u[i], columns.v[i], columns.triangle[i]], [u, v, triangle]);
	});
	const [min, max] = EXPECTED.bounds;
	const every = [...TRIANGLES.keys()].slice(0, TRIANGLES.length / 3);
	assert.deepEqual([...bvh.overlappingBox(min, max)], every);
	assert.equal(bvh.overlappingBox(max.map((x) => x + 0.01), max.map((x) => x + 1)).length, 0);
	assert.ok(bvh.overlappingSphere(POSITIONS.slice(0, 3), 1e-3).length > 2);
	assert.deepEqual([...bvh.overlappingConvex([1, 0, 0, -min[0]])], every);
	assert.equal(bvh.overlappingConvex([1, 0, 0, -max[0] - 0.01]).length, 0);
});

test('positions and bounds are in the coordinates of the file', () => {
	const mesh = new Mesh(POSITIONS, TRIANGLES);
	assert.deepEqual([mesh.bounds.min, mesh.bounds.max], EXPECTED.bounds);
	assert.ok(mesh.positions instanceof Float64Array);
	mesh.positions.forEach((x, i) => assert.ok(Math.abs(x - POSITIONS[i]) < 1e-6));
});

test('meshes near the origin have no offset, and keep their bits', () => {
	const near = Float64Array.of(-0, 0, 0, 1.1, 0, 0, 0, 1, 0);
	const bvh = new Bvh(new Mesh(near));
	assert.deepEqual(bvh.mesh.offset, [0, 0, 0]);
	assert.deepEqual(bvh.mesh.positions, Float32Array.from(near));
	const rays = Float64Array.of(0.3, 0.3, 1, 0, 0, -1, 0, Infinity);
	assert.deepEqual(bvh.closestHits(rays), bvh.closestHits(Float32Array.from(rays)));
	assert.throws(() => bvh.closestHits(rays, { out: new HitColumns(1, true) }), /out\.t is a Float64Array of length 1, expected a Float32Array: new HitColumns\(1\)/);
});

test('invalid rays and a wrong out are errors', () => {
	const bvh = new Bvh(new Mesh(POSITIONS, TRIANGLES));
	assert.throws(() => bvh.closestHit([0, 0, 0, 0, 0, 0]), /direction/);
	assert.throws(() => bvh.isOccluded([NaN, 0, 0, 0, 0, 1]), /origin/);
	assert.throws(() => bvh.allHits([0, 0, 0, 0, 0, 1, 2, 1]), /t_min|range/i);
	assert.throws(() => bvh.closestHits(Float64Array.of(...RAYS.slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 1)), /ray 1: .*direction/);
	assert.throws(() => bvh.closestHits(RAYS, { out: new HitColumns(EXPECTED.rays.length) }), /out\.t is a Float32Array.*a Float64Array, because the mesh has an offset/);
	assert.throws(() => new Mesh(Float64Array.of(1e300, 0, 0, 1, 0, 0, 0, 1, 0)), /vertex 0/);
});
