// hitscan against three-mesh-bvh in one process, alternating. Usage: node bench/compare.mjs [FILE.obj ...] [--large N]

import { readFileSync } from 'node:fs';
import * as THREE from 'three';
import * as peer from 'three-mesh-bvh';
import { Bvh, Hit, HitColumns, init, Mesh, SurfacePoint } from 'hitscan';
import * as drop from 'hitscan/three';
import { random, terrain } from '../test/support/meshes.mjs';
import { compareQueries, compareSmall } from './queries.mjs';

/** Turns of each engine; the median counts. */
const TURNS = Number(process.env.TURNS ?? 7);
const N_RAYS = Number(process.env.RAYS ?? 20_000);

await init();

async function meshesOf(args) {
	const list = [];
	for (let i = 0; i < args.length; i++) {
		if (args[i] === '--large') {
			const n = Math.round(Math.sqrt(Number(args[++i]) / 2));
			list.push({ name: `terrain of ${2 * n * n} triangles`, ...terrain(n, n) });
		} else {
			const mesh = await Mesh.parse(readFileSync(args[i]), args[i]);
			list.push({ name: args[i].split('/').at(-1), positions: mesh.positions, triangles: mesh.triangles });
			mesh.dispose();
		}
	}
	return list;
}

function median(values) {
	return values.sort((a, b) => a - b)[values.length >> 1];
}

/** A turn repeats a function until it took this many milliseconds: the compiler of the engine is done by then. */
const LEAST = 40;

/** The time of the processors for a call, in milliseconds. Other programs do not count. */
function timeOf(run, isOnce) {
	const start = process.cpuUsage();
	for (let calls = 1; ; calls++) {
		run();
		const { user, system } = process.cpuUsage(start);
		const spent = (user + system) / 1000;
		if (isOnce || spent >= LEAST) return spent / calls;
	}
}

/** The median times of two functions, which take turns, after one turn that does not count. */
function byTurns(ours, theirs, isOnce = false) {
	const times = [[], []];
	for (let turn = isOnce ? 1 : 0; turn <= TURNS; turn++) {
		for (const [i, run] of [ours, theirs].entries()) {
			const time = timeOf(run, isOnce);
			if (turn > 0) times[i].push(time);
		}
	}
	return times.map(median);
}

function row(what, [ours, theirs], per, unit) {
	const scale = unit === 'µs' ? 1000 / per : 1 / per;
	console.log(`| ${what} | ${(ours * scale).toFixed(3)} ${unit} | ${(theirs * scale).toFixed(3)} ${unit} | ${(theirs / ours).toFixed(2)} × |`);
}

function geometryOf({ positions, triangles }) {
	const geometry = new THREE.BufferGeometry();
	geometry.setAttribute('position', new THREE.BufferAttribute(positions.slice(), 3));
	geometry.setIndex(new THREE.BufferAttribute(triangles.slice(), 1));
	return geometry;
}

/** Rays from outside to points of the box, as of a camera that looks around. */
function raysOf(box, n) {
	const next = random(1);
	const center = box.getCenter(new THREE.Vector3());
	const radius = box.getSize(new THREE.Vector3()).length() / 2;
	const list = [];
	for (let i = 0; i < n; i++) {
		const origin = new THREE.Vector3().randomDirection().set(next() - 0.5, next() - 0.5, next() - 0.5).normalize()
			.multiplyScalar(1.5 * radius).add(center);
		const target = new THREE.Vector3(next(), next(), next()).multiply(box.getSize(new THREE.Vector3())).add(box.min);
		list.push(new THREE.Ray(origin, target.sub(origin).normalize()));
	}
	return list;
}

function compare(mesh) {
	console.log(`\n${mesh.name}: ${mesh.triangles.length / 3} triangles\n\n| | hitscan | three-mesh-bvh | ratio |\n|---|---|---|---|`);
	const geometries = Array.from({ length: 2 * TURNS }, () => geometryOf(mesh));
	row('build', byTurns(
		() => new drop.MeshBVH(geometries.pop()).dispose(), () => new peer.MeshBVH(geometries.pop()), true,
	), 1, 'ms');
	const built = new Bvh(new Mesh(mesh.positions, mesh.triangles));
	const geometry = geometryOf(mesh);
	const theirs = new peer.MeshBVH(geometry);
	const ownGeometry = geometryOf(mesh);
	const dropped = new drop.MeshBVH(ownGeometry);
	geometry.computeBoundingBox();
	const list = raysOf(geometry.boundingBox, N_RAYS);
	const single = list.map(({ origin, direction }) => Float64Array.of(...origin, ...direction));
	const batch = new Float32Array(8 * list.length);
	single.forEach((ray, i) => batch.set([...ray, 0, Infinity], 8 * i));
	const [hit, columns] = [new Hit(), new HitColumns(list.length)];
	let sum = 0;
	const all = () => list.forEach((ray) => sum += theirs.raycastFirst(ray, THREE.DoubleSide) ? 1 : 0);
	row('raycastFirst, one ray', byTurns(() => {
		for (const ray of single) sum += built.closestHit(ray, hit) ? 1 : 0;
	}, all), list.length, 'µs');
	row('batch', byTurns(() => built.closestHits(batch, { out: columns }), all), list.length, 'µs');
	row('raycastFirst of hitscan/three', byTurns(
		() => list.forEach((ray) => sum += dropped.raycastFirst(ray, THREE.DoubleSide) ? 1 : 0), all,
	), list.length, 'µs');
	for (const first of [true, false]) {
		const cast = (tree, engine) => {
			const object = new THREE.Mesh(tree.geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
			tree.geometry.boundsTree = tree;
			object.raycast = engine.acceleratedRaycast;
			const raycaster = new THREE.Raycaster();
			raycaster.firstHitOnly = first;
			return () => list.forEach((ray) => {
				raycaster.ray.copy(ray);
				sum += raycaster.intersectObject(object).length;
			});
		};
		const name = first ? 'acceleratedRaycast, first hit' : 'acceleratedRaycast, all hits';
		row(name, byTurns(cast(dropped, drop), cast(theirs, peer)), list.length, 'µs');
	}
	const points = list.map((ray) => ray.at(ray.origin.length() * 0.8, new THREE.Vector3()));
	const plain = points.map(({ x, y, z }) => Float64Array.of(x, y, z));
	const [found, target] = [new SurfacePoint(), { point: new THREE.Vector3() }];
	row('closest point', byTurns(() => {
		for (const point of plain) sum += built.closestPoint(point, found).distance;
	}, () => points.forEach((point) => sum += theirs.closestPointToPoint(point, target).distance)), list.length, 'µs');
	check(built, theirs, single, list);
	compareQueries(dropped, theirs, { byTurns, row });
	compareSmall({ byTurns, row });
	built.mesh.dispose();
	built.dispose();
	dropped.dispose();
	return sum;
}

/** The answers agree, but for rays at edges: a bench that compares others times nothing. */
function check(ours, theirs, single, list) {
	let differences = 0;
	list.forEach((ray, i) => {
		const [a, b] = [ours.closestHit(single[i]), theirs.raycastFirst(ray, THREE.DoubleSide)];
		if (Boolean(a) !== Boolean(b) || a && Math.abs(a.t - b.distance) > 1e-4 * b.distance) differences++;
	});
	console.log(`\n${differences} of ${list.length} rays end elsewhere by more than 0.01 %.`);
	if (differences > list.length / 500) throw new Error('the engines do not agree');
}

for (const mesh of await meshesOf(process.argv.slice(2))) compare(mesh);
