// The drop-in for three-mesh-bvh: the intersections of three.js, digit for digit.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as THREE from 'three';
import {
	acceleratedRaycast, computeBatchedBoundsTree, computeBoundsTree, CONTAINED, disposeBoundsTree, ExtendedTriangle, INTERSECTED,
	LineSegmentsBVH, MeshBVH, NOT_INTERSECTED, ObjectBVH, OrientedBox, validateBounds,
} from 'hitscan/three';
import { random } from './support/meshes.mjs';

const own = { mesh: THREE.Mesh.prototype.raycast, batched: THREE.BatchedMesh.prototype.raycast };

/** The intersections of a raycaster by three.js alone, and by the trees. */
function both(raycaster, object) {
	THREE.Mesh.prototype.raycast = own.mesh;
	THREE.BatchedMesh.prototype.raycast = own.batched;
	const expected = raycaster.intersectObject(object, true);
	THREE.Mesh.prototype.raycast = acceleratedRaycast;
	THREE.BatchedMesh.prototype.raycast = acceleratedRaycast;
	raycaster.firstHitOnly = false;
	const found = raycaster.intersectObject(object, true);
	raycaster.firstHitOnly = true;
	const first = raycaster.intersectObject(object, true);
	return { expected, found, first };
}

/** Casts rays at an object: many aim at vertices and at middles of edges, where triangles meet. */
function compare(object, geometry, seed, n = 300, prepare = () => {}, what = '') {
	const next = random(seed);
	const raycaster = new THREE.Raycaster();
	object.updateMatrixWorld(true);
	const { position } = geometry.attributes;
	const target = new THREE.Vector3();
	const second = new THREE.Vector3();
	let hits = 0;
	for (let i = 0; i < n; i++) {
		const vertex = Math.floor(next() * (position.count - 1));
		target.fromBufferAttribute(position, vertex);
		if (i % 3 === 1) target.lerp(second.fromBufferAttribute(position, vertex + 1), 0.5);
		target.applyMatrix4(object.matrixWorld);
		if (i % 3 === 2) target.set(4 * next() - 2, 4 * next() - 2, 4 * next() - 2);
		raycaster.ray.origin.set(12 * next() - 6, 12 * next() - 6, 12 * next() - 6);
		raycaster.ray.direction.copy(target).sub(raycaster.ray.origin).normalize();
		raycaster.near = i % 5 === 0 ? 4 : 0;
		raycaster.far = i % 4 === 0 ? 7 : Infinity;
		prepare(raycaster, i);
		const { expected, found, first } = both(raycaster, object);
		hits += expected.length;
		assert.deepEqual(found, expected, `${what} ray ${i}`);
		assert.deepEqual(first[0], expected[0], `ray ${i}, first hit`);
	}
	return hits;
}

function placed(object) {
	object.position.set(0.3, -0.2, 0.5);
	object.rotation.set(0.4, 1.1, -0.6);
	object.scale.set(1.3, 0.7, -1.1);
	return object;
}

function withTree(geometry, options) {
	computeBoundsTree.call(geometry, options);
	return geometry;
}

const SIDES = [THREE.FrontSide, THREE.BackSide, THREE.DoubleSide];

test('every side, with and without an index, interleaved and normalized', () => {
	const torus = new THREE.TorusGeometry(1, 0.5, 24, 48);
	const interleaved = torus.clone();
	const data = new THREE.InterleavedBuffer(new Float32Array(6 * torus.attributes.position.count), 6);
	const attribute = new THREE.InterleavedBufferAttribute(data, 3, 2);
	for (let i = 0; i < attribute.count; i++) attribute.setXYZ(i, ...[0, 1, 2].map((k) => torus.attributes.position.getComponent(i, k)));
	interleaved.setAttribute('position', attribute);
	const normalized = torus.clone();
	normalized.setAttribute('position', new THREE.BufferAttribute(
		Int16Array.from(torus.attributes.position.array, (x) => Math.round(x / 1.5 * 32767)), 3, true,
	));
	let hits = 0;
	for (const [i, geometry] of [torus, interleaved, normalized, torus.toNonIndexed()].entries()) {
		for (const side of SIDES) {
			withTree(geometry, { indirect: i === 3 });
			if (i === 3) assert.equal(geometry.index, null);
			hits += compare(placed(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side }))), geometry, 10 + i, 300, undefined, `geometry ${i}, side ${side}`);
		}
	}
	assert.ok(hits > 1000, `${hits} hits`);
});

test('tiny, huge and distant meshes, distant origins, and rays along axes', () => {
	const next = random(5);
	const raycaster = new THREE.Raycaster();
	const target = new THREE.Vector3();
	let hits = 0;
	for (const [scale, offset] of [[1, 0], [1e-13, 0], [1e14, 0], [1, 5e4], [1e-5, 1]]) {
		const geometry = new THREE.TorusGeometry(1, 0.5, 32, 96).scale(scale, scale, scale).translate(offset, -offset, offset);
		const object = new THREE.Mesh(withTree(geometry), new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
		const { position } = geometry.attributes;
		for (let i = 0; i < 200; i++) {
			const distance = scale * [0.1, 3, 1e3, 1e7][i % 4];
			target.fromBufferAttribute(position, Math.floor(next() * position.count));
			const axis = i % 3 === 0 ? 'xyz'[Math.floor(next() * 3)] : null;
			raycaster.ray.direction.set(next() - 0.5, next() - 0.5, next() - 0.5);
			if (axis) raycaster.ray.direction.set(0, 0, 0)[axis] = i % 2 === 0 ? 1 : -1;
			raycaster.ray.direction.normalize();
			raycaster.ray.origin.copy(target).addScaledVector(raycaster.ray.direction, -distance);
			const { expected, found, first } = both(raycaster, object);
			hits += expected.length;
			assert.deepEqual(found, expected, `scale ${scale}, offset ${offset}, ray ${i}`);
			assert.deepEqual(first[0], expected[0], `scale ${scale}, offset ${offset}, ray ${i}, first hit`);
		}
	}
	assert.ok(hits > 1000, `${hits} hits`);
});

test('groups, materials and draw ranges', () => {
	const geometry = new THREE.SphereGeometry(1, 24, 16);
	const count = geometry.index.count;
	const materials = SIDES.map((side) => new THREE.MeshBasicMaterial({ side }));
	// Overlapping groups, out of order: three.js reports a triangle once for each.
	for (const groups of [[[0, count / 2, 0], [count / 2, count / 2, 1]], [[300, 600, 2], [0, 450, 1], [900, Infinity, 0]]]) {
		geometry.clearGroups();
		for (const group of groups) geometry.addGroup(...group);
		withTree(geometry);
		assert.ok(compare(placed(new THREE.Mesh(geometry, materials)), geometry, 20) > 100);
	}
	geometry.clearGroups();
	geometry.setDrawRange(120, 1200);
	withTree(geometry);
	assert.ok(compare(placed(new THREE.Mesh(geometry, materials[2])), geometry, 21) > 50);
});

test('triangles outside all groups are never hit', () => {
	const geometry = new THREE.BoxGeometry();
	geometry.clearGroups();
	geometry.addGroup(0, 6, 0);
	withTree(geometry);
	const raycaster = new THREE.Raycaster(new THREE.Vector3(0.1, 0.2, 5), new THREE.Vector3(0, 0, -1));
	THREE.Mesh.prototype.raycast = acceleratedRaycast;
	assert.equal(raycaster.intersectObject(new THREE.Mesh(geometry)).length, 0);
	raycaster.set(new THREE.Vector3(5, 0.2, 0.1), new THREE.Vector3(-1, 0, 0));
	assert.equal(raycaster.intersectObject(new THREE.Mesh(geometry)).length, 1);
});

test('instanced and batched meshes', () => {
	const geometry = withTree(new THREE.TorusKnotGeometry(0.6, 0.2, 60, 8));
	const next = random(5);
	const matrix = () => placed(new THREE.Object3D()).matrix.compose(
		new THREE.Vector3(4 * next() - 2, 4 * next() - 2, 4 * next() - 2),
		new THREE.Quaternion(next(), next(), next(), next()).normalize(),
		new THREE.Vector3(0.5 + next(), 0.5 + next(), 0.5 + next()),
	);
	const instanced = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial(), 12);
	for (let i = 0; i < 12; i++) instanced.setMatrixAt(i, matrix().clone());
	assert.ok(compare(instanced, geometry, 30) > 50);
	const batched = new THREE.BatchedMesh(12, 4000, 12000, new THREE.MeshBasicMaterial());
	const ids = [new THREE.TorusGeometry(0.7, 0.3, 12, 24), new THREE.SphereGeometry(0.7, 16, 12)].map((g) => batched.addGeometry(g));
	for (let i = 0; i < 12; i++) batched.setMatrixAt(batched.addInstance(ids[i % 2]), matrix().clone());
	batched.setVisibleAt(3, false);
	computeBatchedBoundsTree.call(batched);
	assert.equal(batched.boundsTrees.length, 2);
	assert.ok(compare(batched, geometry, 31) > 50);
	batched.boundsTrees[1] = null;
	assert.ok(compare(batched, geometry, 32) > 50);
	const scene = new THREE.Scene();
	scene.add(instanced, batched, placed(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial())));
	scene.updateMatrixWorld(true);
	const tree = new ObjectBVH(scene);
	assert.equal(validateBounds(tree), true);
	const raycaster = new THREE.Raycaster();
	for (let i = 0; i < 200; i++) {
		raycaster.ray.origin.set(12 * next() - 6, 12 * next() - 6, 12 * next() - 6);
		raycaster.ray.direction.copy(raycaster.ray.origin).negate().normalize();
		raycaster.firstHitOnly = false;
		const found = tree.raycast(raycaster).sort((a, b) => a.distance - b.distance);
		const { expected } = both(raycaster, scene);
		assert.deepEqual(found, expected);
	}
});

test('morphed and skinned meshes are those of three.js', () => {
	const geometry = new THREE.SphereGeometry(1, 16, 8);
	geometry.morphAttributes.position = [geometry.attributes.position.clone().applyMatrix4(new THREE.Matrix4().makeScale(2, 2, 2))];
	withTree(geometry);
	const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial());
	mesh.morphTargetInfluences[0] = 0.5;
	assert.ok(compare(mesh, geometry, 40, 100) > 10);
});

test('far from the origin, tiny and huge', () => {
	for (const [scale, offset] of [[1e-6, 0], [1e6, 0], [1, 1e5]]) {
		const geometry = withTree(new THREE.SphereGeometry(1, 24, 16).scale(scale, scale, scale).translate(offset, offset, 0));
		const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial());
		mesh.scale.setScalar(1 / scale);
		mesh.position.set(-offset / scale, -offset / scale, 0);
		mesh.updateMatrixWorld(true);
		assert.ok(compare(mesh, geometry, 50, 200) > 20);
	}
});

test('direct rays, refit and serialize', () => {
	const geometry = new THREE.TorusGeometry(1, 0.4, 20, 40);
	const bvh = new MeshBVH(geometry);
	const ray = new THREE.Ray(new THREE.Vector3(1, 0.01, 3), new THREE.Vector3(0, 0, -1));
	const all = bvh.raycast(ray, THREE.DoubleSide);
	assert.equal(all.length, 2);
	const first = bvh.raycastFirst(ray, THREE.DoubleSide);
	assert.deepEqual(first, all.reduce((a, b) => a.distance <= b.distance ? a : b));
	assert.equal('object' in first, false);
	assert.equal(bvh.raycastFirst(ray, THREE.FrontSide, 0, 1), null);
	const copy = MeshBVH.deserialize(structuredClone(MeshBVH.serialize(bvh)), geometry.clone());
	assert.deepEqual(copy.raycastFirst(ray, THREE.DoubleSide), first);
	geometry.translate(5, 0, 0);
	assert.equal(validateBounds(bvh), false);
	bvh.refit();
	assert.equal(validateBounds(bvh), true);
	assert.equal(bvh.raycastFirst(ray), null);
	bvh.dispose();
	assert.throws(() => bvh.raycastFirst(ray), /after dispose/);
});

test('a refit of some nodes moves what a brush moved, as three-mesh-bvh does', () => {
	const plain = new THREE.SphereGeometry(1, 80, 60);
	const [geometry, expected] = [plain.clone(), plain.clone()];
	const [bvh, whole] = [new MeshBVH(geometry), new MeshBVH(expected)];
	const brush = new THREE.Sphere(new THREE.Vector3(), 0.2);
	const { position } = geometry.attributes;
	for (let stroke = 0; stroke < 12; stroke++) {
		brush.center.set(Math.cos(stroke), Math.sin(stroke), 0).normalize();
		const [nodes, vertices, triangles] = [new Set(), new Set(), new Set()];
		bvh.shapecast({
			intersectsBounds: (box, isLeaf, score, depth, nodeIndex) => {
				nodes.add(nodeIndex);
				return brush.intersectsBox(box) ? INTERSECTED : NOT_INTERSECTED;
			},
			intersectsTriangle: (triangle, index) => {
				assert.equal(triangles.has(index), false, 'once');
				triangles.add(index);
				for (let i = 0; i < 3; i++) vertices.add(geometry.index.getX(3 * index + i));
			},
		});
		assert.ok(vertices.size > 20);
		for (const vertex of vertices) position.setX(vertex, position.getX(vertex) * (1 + 0.1 * ((stroke + vertex) % 3)));
		bvh.refit(stroke % 2 === 0 ? nodes : Array.from(nodes));
		assert.equal(validateBounds(bvh), true, `stroke ${stroke}`);
		expected.attributes.position.copy(position);
		whole.refit();
		const ray = new THREE.Ray(new THREE.Vector3(3, 0.2, 0.1), brush.center.clone().sub(new THREE.Vector3(3, 0.2, 0.1)).normalize());
		assert.deepEqual(bvh.raycast(ray, THREE.DoubleSide), whole.raycast(ray, THREE.DoubleSide));
	}
	// No node is named: all are.
	geometry.translate(2, 0, 0);
	bvh.refit([]);
	assert.equal(validateBounds(bvh), true);
	let count = 0;
	bvh.shapecast({ intersectsBounds: () => CONTAINED, intersectsTriangle: () => void count++ });
	assert.equal(count, geometry.index.count / 3);
});

test('regions, nearest points and casts of trees', () => {
	const geometry = new THREE.SphereGeometry(1, 40, 30);
	const bvh = new MeshBVH(geometry);
	assert.equal(bvh.intersectsSphere(new THREE.Sphere(new THREE.Vector3(0, 1, 0), 0.01)), true);
	assert.equal(bvh.intersectsSphere(new THREE.Sphere(new THREE.Vector3(0, 0, 0), 0.9)), false);
	const cube = new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
	assert.equal(bvh.intersectsBox(cube, new THREE.Matrix4().makeTranslation(0, 1.9, 0)), true);
	assert.equal(bvh.intersectsBox(cube, new THREE.Matrix4().makeTranslation(0, 2.1, 0)), false);
	const { distance, faceIndex } = bvh.closestPointToPoint(new THREE.Vector3(0, 3, 0));
	assert.equal(distance, 2);
	assert.ok(Number.isInteger(faceIndex));
	assert.equal(bvh.closestPointToPoint(new THREE.Vector3(0, 3, 0), {}, 0, 1), null);
	let contained = 0;
	bvh.shapecast({
		intersectsBounds: (box) => box.min.x > 0 ? CONTAINED : box.max.x > 0,
		intersectsTriangle: (triangle, index, inside) => {
			if (inside) contained++;
		},
	});
	assert.ok(contained > 300 && contained < geometry.index.count / 3);
	const other = new THREE.SphereGeometry(1, 20, 15);
	const matrix = new THREE.Matrix4().makeTranslation(3, 0, 0);
	assert.equal(bvh.intersectsGeometry(other, matrix), false);
	const near = bvh.closestPointToGeometry(other, matrix);
	assert.ok(Math.abs(near.distance - 1) < 0.02, `${near.distance}`);
	matrix.makeTranslation(1.5, 0, 0);
	assert.equal(bvh.intersectsGeometry(other, matrix), true);
	other.boundsTree = new MeshBVH(other);
	assert.equal(bvh.intersectsGeometry(other, matrix), true);
	assert.equal(new OrientedBox(cube.min, cube.max, matrix).distanceToPoint(new THREE.Vector3(4.5, 0, 0)), 2);
	disposeBoundsTree.call(other);
	assert.equal(other.boundsTree, null);
});

test('triangles against triangles', () => {
	const triangle = (...numbers) => new ExtendedTriangle(...[0, 3, 6].map((i) => new THREE.Vector3(...numbers.slice(i, i + 3))));
	const flat = triangle(0, 0, 0, 1, 0, 0, 0, 1, 0);
	const cases = [
		['across', triangle(0.2, 0.2, -1, 0.2, 0.2, 1, 0.3, 0.3, 1), true, 0],
		['above', triangle(0, 0, 1, 1, 0, 1, 0, 1, 1), false, 1],
		['at a corner', triangle(0, 0, 0, -1, 0, 1, 0, -1, 1), true, 0],
		['in its plane, inside', triangle(0.1, 0.1, 0, 0.2, 0.1, 0, 0.1, 0.2, 0), true, 0],
		['in its plane, apart', triangle(2, 0, 0, 3, 0, 0, 2, 1, 0), false, 1],
		['beside its edge', triangle(0.5, -0.5, -1, 0.5, -0.5, 1, 0.5, -1, 0), false, 0.5],
	];
	for (const [what, other, touches, distance] of cases) {
		assert.equal(flat.intersectsTriangle(other), touches, what);
		assert.equal(other.intersectsTriangle(flat), touches, what);
		assert.ok(Math.abs(flat.distanceToTriangle(other) - distance) < 1e-12, what);
	}
	// Coplanar triangles share an area, not a segment; their nearest points are still one of both.
	const [inside, segment] = [cases[3][1], new THREE.Line3(new THREE.Vector3(7, 7, 7), new THREE.Vector3(8, 8, 8))];
	assert.equal(flat.intersectsTriangle(inside, segment), true);
	assert.deepEqual([...segment.start, ...segment.end], [0, 0, 0, 0, 0, 0]);
	const [on1, on2] = [new THREE.Vector3(), new THREE.Vector3()];
	assert.equal(flat.distanceToTriangle(inside, on1, on2), 0);
	assert.ok(on1.equals(on2) && inside.containsPoint(on1) && on1.x >= 0.1);
});

test('bad input is an error that says what to pass', () => {
	assert.throws(() => new MeshBVH(new THREE.Mesh()), /geometry is no BufferGeometry/);
	const geometry = new THREE.BoxGeometry();
	geometry.attributes.position.setX(3, NaN);
	assert.throws(() => new MeshBVH(geometry), /NaN|vertex 3/);
	assert.throws(() => MeshBVH.deserialize({ version: 1, roots: [] }, new THREE.BoxGeometry()), /three-mesh-bvh/);
});

test('long primitives across the axes lose no intersection', () => {
	const next = random(12);
	const points = [];
	const place = (size) => [0, 1, 2].map(() => size * (next() - 0.5));
	for (let i = 0; i < 2000; i++) {
		const [at, step] = [place(10), place(0.1)];
		points.push(at, at.map((x, axis) => x + step[axis]));
	}
	for (let i = 0; i < 200; i++) points.push(place(10), place(10));
	const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(points.flat(), 3));
	const lines = new THREE.LineSegments(geometry);
	const tree = new LineSegmentsBVH(geometry);
	assert.equal(tree.bvh.stats.inLeaves, 2200, 'no box is split: a part of it is not where the primitive is');
	assert.equal(validateBounds(tree), true);
	const raycaster = new THREE.Raycaster();
	raycaster.params.Line.threshold = 0.01;
	let n = 0;
	for (let i = 0; i < 200; i++) {
		const [a, b] = points.slice(4000 + 2 * i).map((point) => new THREE.Vector3(...point));
		raycaster.ray.origin.set(0, 0, 30);
		raycaster.ray.direction.lerpVectors(a, b, next()).sub(raycaster.ray.origin).normalize();
		const [found, expected] = [[], []];
		tree.raycastObject3D(lines, raycaster, found);
		THREE.LineSegments.prototype.raycast.call(lines, raycaster, expected);
		assert.deepEqual(found.map(({ index }) => index).sort(), expected.map(({ index }) => index).sort());
		n += found.length;
	}
	assert.ok(n >= 200, `${n}`);
});
