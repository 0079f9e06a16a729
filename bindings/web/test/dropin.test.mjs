// The names of three-mesh-bvh, all of them, and the classes beside `MeshBVH`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as THREE from 'three';
import * as peer from 'three-mesh-bvh';
import * as drop from 'hitscan/three';
import * as dropWebGpu from 'hitscan/three/webgpu';
import { GenerateMeshBVHWorker, ParallelMeshBVHWorker } from 'hitscan/three/worker';
import { random } from './support/meshes.mjs';

const everything = { intersectsBounds: () => true };

test('every name that three-mesh-bvh exports links, in all its entries', async () => {
	const missing = (theirs, ours) => Object.keys(theirs).filter((name) => !(name in ours));
	assert.deepEqual(missing(peer, drop), []);
	assert.deepEqual(missing(peer.BVHShaderGLSL, drop.BVHShaderGLSL), []);
	globalThis.self ??= globalThis;
	assert.deepEqual(missing(await import('three-mesh-bvh/webgpu'), dropWebGpu), []);
	const worker = await import('three-mesh-bvh/worker');
	assert.deepEqual(missing(worker, { GenerateMeshBVHWorker, ParallelMeshBVHWorker }), []);
	for (const name of ['MeshBVH', 'ObjectBVH', 'PointsBVH', 'LineBVH', 'OrientedBox', 'BVHHelper', 'StaticGeometryGenerator']) {
		// Private methods of three-mesh-bvh's build are no interface.
		const own = Object.getOwnPropertyNames(peer[name].prototype).filter((method) => !/^_|^(init|writePrimitive|getRoot|get|set)|Stride$|Buffer$|objectIndex|rimitive/.test(method));
		assert.deepEqual(own.filter((method) => !(method in drop[name].prototype)), [], name);
	}
});

test('names for shaders say what to do once they are used', () => {
	// drei makes one of each when it is imported.
	assert.throws(() => new drop.MeshBVHUniformStruct().updateFrom(), /hitscan\/three has no trees for shaders, so MeshBVHUniformStruct cannot be used/);
	assert.throws(() => new drop.FloatVertexAttributeTexture().updateFrom(), /FloatVertexAttributeTexture cannot be used/);
	assert.match(drop.shaderStructs, /^\n#error hitscan\/three .*shaderStructs/);
	assert.match(drop.BVHShaderGLSL.bvh_ray_functions, /#error/);
	assert.throws(() => new dropWebGpu.BVHComputeData(), /BVHComputeData cannot be used/);
	assert.throws(() => dropWebGpu.rayStruct.origin, /rayStruct cannot be used/);
	const tree = new drop.MeshBVH(new THREE.BoxGeometry());
	assert.equal(tree._roots.length, 1);
	assert.throws(() => tree._roots[0], /_roots have the layout of three-mesh-bvh; use traverse/);
});

/** Casts random rays at an object by three.js and by its tree. */
function compareRays(object, seed) {
	const raycaster = new THREE.Raycaster();
	raycaster.params.Points.threshold = 0.1;
	raycaster.params.Line.threshold = 0.08;
	object.position.set(0.3, 0.1, -0.2);
	object.scale.setScalar(1.4);
	object.updateMatrixWorld(true);
	const [own, next] = [object.raycast, random(seed)];
	let hits = 0;
	for (let i = 0; i < 40; i++) {
		raycaster.ray.origin.set(6 * next() - 3, 6 * next() - 3, 4);
		raycaster.ray.direction.set(2 * next() - 1, 2 * next() - 1, 0).sub(raycaster.ray.origin).normalize();
		raycaster.firstHitOnly = false;
		const expected = [];
		own.call(object, raycaster, expected);
		const found = [];
		drop.acceleratedRaycast.call(object, raycaster, found);
		assert.deepEqual(found, expected, `ray ${i}`);
		raycaster.firstHitOnly = true;
		const [first] = object.geometry.boundsTree.raycastObject3D(object, raycaster);
		assert.equal(first?.distance, expected.length > 0 ? Math.min(...expected.map(({ distance }) => distance)) : undefined);
		hits += expected.length;
	}
	assert.ok(hits > 5, `${hits} hits`);
}

function scattered(n, seed, isIndexed) {
	const next = random(seed);
	const geometry = new THREE.BufferGeometry();
	geometry.setAttribute('position', new THREE.BufferAttribute(Float32Array.from({ length: 3 * n }, () => 2 * next() - 1), 3));
	if (isIndexed) geometry.setIndex(Array.from({ length: n }, (_, i) => (7 * i) % n));
	return geometry;
}

test('points and lines are hit as three.js hits them, with an index, a draw range and groups', () => {
	for (const isIndexed of [false, true]) {
		for (const [Kind, Tree] of [
			[THREE.Points, drop.PointsBVH], [THREE.LineSegments, drop.LineSegmentsBVH], [THREE.LineLoop, drop.LineLoopBVH],
			[THREE.Line, drop.LineBVH],
		]) {
			const geometry = scattered(200, 3, isIndexed);
			drop.computeBoundsTree.call(geometry, { type: Tree });
			assert.ok(drop.validateBounds(geometry.boundsTree), Tree.name);
			compareRays(new Kind(geometry), 4);
			geometry.translate(0.4, 0, 0);
			assert.equal(drop.validateBounds(geometry.boundsTree), false);
			geometry.boundsTree.refit();
			compareRays(new Kind(geometry), 5);
			geometry.setDrawRange(40, 100);
			geometry.boundingSphere = null;
			drop.computeBoundsTree.call(geometry, { type: Tree });
			compareRays(new Kind(geometry), 6);
		}
	}
	const geometry = scattered(10, 3, false);
	const count = (tree, name) => {
		const seen = [];
		tree.shapecast({ ...everything, [name]: (primitive, i) => void seen.push(i) });
		return seen.sort((a, b) => a - b);
	};
	assert.deepEqual(count(new drop.LineLoopBVH(geometry), 'intersectsLine').length, 10);
	assert.deepEqual(count(new drop.LineBVH(geometry), 'intersectsLine').length, 9);
	assert.deepEqual(count(new drop.LineSegmentsBVH(geometry), 'intersectsLine'), [0, 1, 2, 3, 4]);
	geometry.addGroup(6, 2, 0);
	geometry.addGroup(1, 1, 0);
	assert.deepEqual(count(new drop.PointsBVH(geometry), 'intersectsPoint'), [1, 6, 7]);
});

/** A cylinder that bends at its middle. */
function skinnedCylinder() {
	const geometry = new THREE.CylinderGeometry(0.5, 0.5, 3, 12, 8);
	const { position } = geometry.attributes;
	const [indices, weights] = [[], []];
	for (let i = 0; i < position.count; i++) {
		const upper = Math.min(1, Math.max(0, position.getY(i) / 1.5 + 0.5));
		indices.push(0, 1, 0, 0);
		weights.push(1 - upper, upper, 0, 0);
	}
	geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(indices, 4));
	geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
	geometry.morphAttributes.position = [position.clone().applyMatrix4(new THREE.Matrix4().makeScale(1.5, 1, 1.5))];
	const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
	const [root, tip] = [new THREE.Bone(), new THREE.Bone()];
	root.add(tip);
	mesh.add(root);
	mesh.bind(new THREE.Skeleton([root, tip]));
	tip.rotation.z = 0.9;
	mesh.morphTargetInfluences[0] = 0.4;
	mesh.updateMatrixWorld(true);
	return mesh;
}

test('a skinned mesh is hit where its skeleton and its morph targets place it', () => {
	const mesh = skinnedCylinder();
	mesh.geometry.boundsTree = new drop.SkinnedMeshBVH(mesh);
	compareRays(mesh, 8);
	mesh.skeleton.bones[1].rotation.z = -0.7;
	mesh.updateMatrixWorld(true);
	mesh.computeBoundingSphere();
	mesh.computeBoundingBox();
	assert.equal(drop.validateBounds(mesh.geometry.boundsTree), false);
	mesh.geometry.boundsTree.refit();
	assert.equal(drop.validateBounds(mesh.geometry.boundsTree), true);
	compareRays(mesh, 9);
	assert.throws(() => new drop.SkinnedMeshBVH(mesh.geometry), /SkinnedMeshBVH: mesh is no Mesh/);
});

test('StaticGeometryGenerator bakes skins, morph targets and matrices as three-mesh-bvh does', () => {
	const skinned = skinnedCylinder();
	skinned.geometry.setAttribute('tangent', new THREE.Float32BufferAttribute(
		Array.from({ length: 4 * skinned.geometry.attributes.position.count }, (_, i) => i % 4 === 0 || i % 4 === 3 ? 1 : 0), 4,
	));
	const mirrored = new THREE.Mesh(new THREE.BoxGeometry(), new THREE.MeshBasicMaterial());
	mirrored.geometry.setAttribute('tangent', new THREE.Float32BufferAttribute(new Float32Array(4 * 24).fill(0.5), 4));
	mirrored.scale.set(-1, 2, 1);
	mirrored.position.set(1, 2, 3);
	const group = new THREE.Group().add(skinned, mirrored);
	group.rotation.y = 0.5;
	group.updateMatrixWorld(true);
	const [ours, theirs] = [new drop.StaticGeometryGenerator(group), new peer.StaticGeometryGenerator([group])];
	const check = (first, second) => {
		assert.deepEqual(Array.from(first.index.array), Array.from(second.index.array));
		assert.deepEqual(first.groups, second.groups);
		assert.deepEqual(Object.keys(first.attributes).sort(), Object.keys(second.attributes).sort());
		for (const name of Object.keys(first.attributes)) {
			const [a, b] = [first, second].map(({ attributes }) => attributes[name].array);
			a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-6, `${name} ${i}: ${x}, ${b[i]}`));
		}
	};
	const [a, b] = [ours.generate(), theirs.generate()];
	check(a, b);
	assert.deepEqual(ours.getMaterials(), theirs.getMaterials());
	skinned.skeleton.bones[1].rotation.z = -0.3;
	group.updateMatrixWorld(true);
	// The other generator sees a new pose only after the renderer's update.
	skinned.skeleton.update();
	const before = a.attributes.position.array;
	assert.equal(ours.generate(a), a);
	theirs.generate(b);
	check(a, b);
	assert.equal(a.attributes.position.array, before, 'in place');
	mirrored.geometry.deleteAttribute('uv');
	mirrored.name = 'box';
	assert.throws(() => ours.generate(new THREE.BufferGeometry()), /mesh 'box' has no attribute uv/);
	assert.throws(() => new drop.StaticGeometryGenerator(mirrored.geometry), /no Object3D/);
});

test('BVHHelper draws the boxes of a depth around all vertices, as edges and as faces', () => {
	const mesh = new THREE.Mesh(new THREE.TorusKnotGeometry(1, 0.3, 60, 12));
	drop.computeBoundsTree.call(mesh.geometry);
	mesh.position.set(1, 2, 3);
	const helper = new drop.BVHHelper(mesh, 20);
	const boxes = () => helper.children[0].geometry.attributes.position.count / 8;
	const [{ leafNodeCount, nodeCount, depth }] = drop.getBVHExtremes(mesh.geometry.boundsTree);
	assert.equal(boxes(), leafNodeCount);
	helper.displayParents = true;
	helper.update();
	assert.equal(boxes(), nodeCount);
	helper.depth = 1;
	helper.displayEdges = false;
	helper.update();
	assert.equal(boxes(), 1);
	assert.equal(helper.children[0].geometry.index.count, 36);
	const scene = new THREE.Scene().add(mesh, helper);
	scene.updateMatrixWorld(true);
	const around = new THREE.Box3().setFromObject(helper);
	const exact = new THREE.Box3().setFromObject(mesh, true);
	assert.ok(around.clone().expandByScalar(1e-5).containsBox(exact) && exact.expandByScalar(1e-5).containsBox(around));
	// Outward: the volume of the faces is that of the box.
	const { index, attributes: { position } } = helper.children[0].geometry;
	let volume = 0;
	const corner = (i) => new THREE.Vector3().fromBufferAttribute(position, index.getX(i));
	for (let i = 0; i < index.count; i += 3) volume += corner(i).dot(corner(i + 1).cross(corner(i + 2))) / 6;
	const size = around.getSize(new THREE.Vector3());
	assert.ok(Math.abs(volume - size.x * size.y * size.z) < 1e-3);
	assert.ok(depth.max >= 1);
	const tree = new drop.BVHHelper(mesh.geometry.boundsTree, 3);
	assert.deepEqual([tree.mesh, tree.depth], [null, 3]);
	assert.equal(new drop.BVHHelper(new THREE.Mesh(new THREE.BoxGeometry())).children.length, 0);
	assert.equal(helper.clone().children[0].geometry.index.count, 36);
	assert.equal(new THREE.Raycaster(new THREE.Vector3(1, 2, 9), new THREE.Vector3(0, 0, -1)).intersectObject(helper).length, 0);
	helper.dispose();
	assert.equal(helper.children.length, 0);
});

test('the structure as plain objects holds every triangle once, in boxes within boxes', () => {
	const tree = new drop.MeshBVH(new THREE.SphereGeometry(1, 30, 20));
	const seen = new Set();
	const visit = (node, above) => {
		assert.ok(above.containsBox(node.bounds));
		if (node.left) {
			visit(node.left, node.bounds);
			visit(node.right, node.bounds);
			return;
		}
		for (let i = node.offset; i < node.offset + node.count; i++) {
			assert.equal(seen.has(i), false);
			seen.add(i);
		}
	};
	const root = drop.getJSONStructure(tree);
	visit(root, root.bounds);
	assert.equal(seen.size, tree.geometry.index.count / 3);
	assert.ok(drop.estimateMemoryInBytes(tree) > 10_000);
	assert.equal(drop.estimateMemoryInBytes(tree._roots), tree.bvh.stats.bytes);
	assert.throws(() => drop.estimateMemoryInBytes([]), /bvh is an Array of length 0, expected a tree/);
	assert.deepEqual([...drop.generateIndirectBuffer([{ offset: 2, count: 2 }, { offset: 9, count: 1 }])], [2, 3, 9]);
});

test('a worker builds the tree of a geometry, which stays usable', async () => {
	const geometry = new THREE.TorusGeometry(1, 0.4, 40, 80);
	geometry.setDrawRange(300, 3000);
	const worker = new ParallelMeshBVHWorker();
	const reports = [];
	const promise = worker.generate(geometry, { strategy: drop.SAH, onProgress: (done) => reports.push(done) });
	assert.equal(worker.running, true);
	assert.ok(geometry.attributes.position.array.length > 0);
	await assert.rejects(worker.generate(geometry), /another build runs/);
	const tree = await promise;
	assert.equal(worker.running, false);
	assert.equal(reports.at(-1), 1);
	const ray = new THREE.Ray(new THREE.Vector3(1, 0.1, 5), new THREE.Vector3(0, 0, -1));
	assert.deepEqual(tree.raycast(ray, THREE.DoubleSide), new drop.MeshBVH(geometry).raycast(ray, THREE.DoubleSide));
	await assert.rejects(worker.generate(geometry, { onProgress: () => { throw new Error('mine'); } }), /^Error: mine$/);
	const ended = worker.generate(geometry);
	worker.dispose();
	await assert.rejects(ended, /dispose\(\) ended the build/);
	await assert.rejects(worker.generate(geometry), /after dispose/);
});

test('arguments that are wrong are errors with their names, and callbacks that throw leave the tree usable', () => {
	const geometry = new THREE.SphereGeometry(1, 30, 20);
	const tree = new drop.MeshBVH(geometry);
	const bad = [
		[() => new drop.MeshBVH(geometry, null), /MeshBVH: options is null, expected an object/],
		[() => new drop.MeshBVH(geometry, { stratgy: 2 }), /options\.stratgy is no option, expected maxDepth/],
		[() => new drop.MeshBVH(geometry, { strategy: 7 }), /options\.strategy is 7, expected CENTER, AVERAGE or SAH/],
		[() => new drop.MeshBVH(geometry, { onProgress: 1 }), /options\.onProgress is 1, expected a function/],
		[() => new drop.MeshBVH(geometry, { range: { start: 1 } }), /options\.range is an Object, expected an object with start/],
		[() => new drop.MeshBVH(new THREE.BufferGeometry()), /geometry has no attribute position/],
		[() => drop.computeBoundsTree.call(geometry, null), /computeBoundsTree: options is null/],
		[() => drop.computeBoundsTree.call(geometry, { type: 'MeshBVH' }), /options\.type is 'MeshBVH'/],
		[() => tree.shapecast({}), /callbacks\.intersectsBounds is undefined, expected a function/],
		[() => tree.shapecast({ ...everything, intersectsTriangle: true }), /callbacks\.intersectsTriangle is true/],
		[() => tree.bvhcast({}, new THREE.Matrix4(), {}), /other is an Object, expected a tree of hitscan\/three/],
		[() => tree.bvhcast(tree, null, {}), /matrixToLocal is null, expected a Matrix4/],
		[() => tree.refit(3), /nodeIndices is 3, expected an array or a Set/],
	];
	for (const [run, expected] of bad) assert.throws(run, expected);
	for (const name of ['intersectsBounds', 'intersectsTriangle', 'intersectsRange', 'boundsTraverseOrder']) {
		const callbacks = { ...everything, [name]: () => { throw new Error(name); } };
		for (let i = 0; i < 50; i++) assert.throws(() => tree.shapecast(callbacks), new RegExp(`^Error: ${name}$`));
	}
	const thrown = () => { throw new Error('pair'); };
	assert.throws(() => tree.bvhcast(tree, new THREE.Matrix4(), { intersectsTriangles: thrown }), /^Error: pair$/);
	let count = 0;
	tree.shapecast({ ...everything, intersectsTriangle: () => void count++ });
	assert.equal(count, geometry.index.count / 3);
	// Walks, builds and refits within a walk.
	const inner = [];
	tree.shapecast({
		...everything,
		intersectsTriangle: (triangle, i) => {
			if (i % 200 !== 0) return;
			const other = new drop.MeshBVH(geometry.clone());
			tree.refit();
			let n = 0;
			tree.shapecast({ ...everything, intersectsTriangle: () => void n++ });
			inner.push(n, other.raycast(new THREE.Ray(new THREE.Vector3(0, 0.1, 2), new THREE.Vector3(0, 0, -1))).length);
		},
	});
	assert.ok(inner.length >= 8 && inner.every((n, i) => n === (i % 2 === 0 ? count : 1)), `${inner}`);
});

/** Long triangles in all directions, which a build of the quality high splits. */
function needles(n, seed) {
	const next = random(seed);
	const numbers = Array.from({ length: 9 * n }, () => 2 * next() - 1);
	for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) numbers[9 * i + 6 + k] = numbers[9 * i + k] + 0.02 * next();
	return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(numbers, 3));
}

test('bvhcast reports each pair of triangles that touch once, also of split triangles, parts of geometries and any matrix', () => {
	const matrix = new THREE.Matrix4().compose(
		new THREE.Vector3(0.3, -0.2, 0.1), new THREE.Quaternion(0.3, 0.4, 0.1, 0.8).normalize(), new THREE.Vector3(1.2, -0.7, 0.9),
	);
	const [first, second] = [needles(150, 5), needles(120, 6)];
	const part = needles(200, 7);
	part.addGroup(90, 210, 0);
	let [splits, touching] = [0, 0];
	for (const quality of ['fast', 'high']) {
		for (const [a, b] of [[first, second], [part, second], [second, part]]) {
			const [one, other] = [new drop.MeshBVH(a, { quality }), new drop.MeshBVH(b, { quality })];
			splits += one.bvh.stats.inLeaves - one.bvh.stats.triangles;
			const trianglesOf = (tree, move) => {
				const list = [];
				tree.shapecast({ ...everything, intersectsTriangle: (triangle, i) => {
					const copy = triangle.clone();
					if (move) for (const corner of ['a', 'b', 'c']) copy[corner].applyMatrix4(matrix);
					list.push([copy, i]);
				} });
				return list;
			};
			const expected = new Set();
			const others = trianglesOf(other, true);
			for (const [p, i] of trianglesOf(one, false)) for (const [q, j] of others) if (p.intersectsTriangle(q)) expected.add(`${i} ${j}`);
			const found = [];
			one.bvhcast(other, matrix, { intersectsTriangles: (p, q, i, j) => {
				if (p.intersectsTriangle(q)) found.push(`${i} ${j}`);
			} });
			assert.equal(new Set(found).size, found.length, 'once');
			assert.deepEqual(found.sort(), [...expected].sort());
			touching += found.length;
			const ranges = new Set();
			one.bvhcast(other, matrix, { intersectsRanges: (start1, n1, start2, n2) => {
				for (let i = start1; i < start1 + n1; i++) for (let j = start2; j < start2 + n2; j++) ranges.add(`${i} ${j}`);
			} });
			for (const pair of expected) assert.ok(ranges.has(pair), pair);
		}
	}
	assert.ok(splits > 10 && touching > 100, `${splits} splits, ${touching} pairs`);
});

test('a nearest point within a threshold is found up to it, and none from it on', () => {
	const tree = new drop.MeshBVH(new THREE.BoxGeometry(2, 2, 2, 9, 9, 9).translate(50, 0, 0));
	const next = random(3);
	for (let i = 0; i < 200; i++) {
		const point = new THREE.Vector3(46 + 8 * next(), 4 * next() - 2, 4 * next() - 2);
		const exact = tree.closestPointToPoint(point);
		assert.equal(tree.closestPointToPoint(point, {}, 0, exact.distance), null);
		assert.equal(tree.closestPointToPoint(point, {}, 0, exact.distance * (1 + 1e-12) + 1e-12).distance, exact.distance);
	}
});

test('a tree of objects is in the space of its root, which may move, and takes 200,000 instances', () => {
	const geometry = new THREE.SphereGeometry(0.2, 8, 6);
	const root = new THREE.Group();
	root.position.set(5, 1, 0);
	root.rotation.z = 0.4;
	for (let i = 0; i < 20; i++) root.add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial()));
	root.children.forEach((child, i) => child.position.set(i % 5, Math.floor(i / 5), 0));
	root.updateMatrixWorld(true);
	const [ours, theirs] = [new drop.ObjectBVH(root), new peer.ObjectBVH(root)];
	const [a, b] = [ours, theirs].map((tree) => tree.getBoundingBox(new THREE.Box3()));
	assert.ok(a.min.distanceTo(b.min) < 1e-4 && a.max.distanceTo(b.max) < 1e-4);
	assert.equal(ours.matrixWorld, root.matrixWorld);
	root.position.x = -3;
	root.updateMatrixWorld(true);
	for (const child of root.children) {
		const center = child.getWorldPosition(new THREE.Vector3());
		const raycaster = new THREE.Raycaster(center.clone().setZ(5), new THREE.Vector3(0, 0, -1));
		assert.equal(ours.raycast(raycaster).length, raycaster.intersectObject(root, true).length);
	}
	const many = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial(), 200_000);
	assert.equal(new drop.ObjectBVH(many).bvh.stats.triangles, 200_000);
	assert.throws(() => new drop.ObjectBVH([root, null]), /ObjectBVH: root\[1\] is null, expected an Object3D/);
	assert.throws(() => new drop.ObjectBVH(root, { precice: true }), /options\.precice is no option/);
});
