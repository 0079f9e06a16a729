// The queries of the drop-in with callbacks, regions and other geometries, against three-mesh-bvh.

import * as THREE from 'three';
import * as peer from 'three-mesh-bvh';
import * as drop from 'hitscan/three';

const N = 60;

/** Places along the surface: every one is a vertex. */
function places(geometry, n) {
	const { position } = geometry.attributes;
	return Array.from({ length: n }, (_, i) => new THREE.Vector3().fromBufferAttribute(position, Math.floor((i + 0.5) * position.count / n)));
}

/** The rows: a name, the number of queries, and a function of a library and a tree. It returns a number, the same for both. */
function queries(geometry, size) {
	const at = places(geometry, N);
	const radius = 0.03 * size;
	const sphere = new THREE.Sphere(new THREE.Vector3(), radius);
	const box = new THREE.Box3(new THREE.Vector3().setScalar(-radius), new THREE.Vector3().setScalar(radius));
	const turned = (place) => new THREE.Matrix4().makeRotationFromEuler(new THREE.Euler(0.3, 0.7, 0.2)).setPosition(place);
	const other = new THREE.TorusKnotGeometry(2 * radius, 0.4 * radius, 200, 16);
	const far = turned(new THREE.Vector3(0, 0, 0));
	const sum = (run) => (library, tree) => at.reduce((total, place) => total + Number(run(place, library, tree)), 0);
	const counted = (tree, callbacks) => {
		let n = 0;
		tree.shapecast({ ...callbacks, intersectsTriangle: (triangle) => void (n += callbacks.test(triangle) ? 1 : 0) });
		return n;
	};
	const plane = new THREE.Plane();
	const [line, onTriangle, onLine] = [new THREE.Line3(), new THREE.Vector3(), new THREE.Vector3()];
	const withTree = new Map([drop, peer].map((library) => {
		const copy = other.clone();
		copy.boundsTree = new library.MeshBVH(copy);
		return [library, copy];
	}));
	return [
		['intersectsSphere, beside', N, sum((place, library, tree) => {
			sphere.center.copy(place).multiplyScalar(1.2);
			return tree.intersectsSphere(sphere);
		})],
		['intersectsSphere, touching', N, sum((place, library, tree) => {
			sphere.center.copy(place);
			return tree.intersectsSphere(sphere);
		})],
		['intersectsBox, oriented, touching', N, sum((place, library, tree) => tree.intersectsBox(box, turned(place)))],
		['intersectsBox, oriented, beside', N, sum((place, library, tree) =>
			tree.intersectsBox(box, turned(place.clone().multiplyScalar(1.2))))],
		['shapecast, triangles in a sphere', N, sum((place, library, tree) => {
			sphere.center.copy(place);
			return counted(tree, { intersectsBounds: (bounds) => sphere.intersectsBox(bounds), test: (triangle) => triangle.intersectsSphere(sphere) });
		})],
		['shapecast, triangles on a plane', N, sum((place, library, tree) => {
			plane.setFromNormalAndCoplanarPoint(new THREE.Vector3(0.3, 0.5, 0.8).normalize(), place);
			return counted(tree, {
				intersectsBounds: (bounds) => plane.intersectsBox(bounds),
				test: ({ a, b, c }) => {
					const [p, q, r] = [plane.distanceToPoint(a), plane.distanceToPoint(b), plane.distanceToPoint(c)];
					return Math.min(p, q, r) <= 0 && Math.max(p, q, r) >= 0;
				},
			});
		})],
		['shapecast, capsule', N, sum((place, library, tree) => {
			line.start.copy(place);
			line.end.copy(place).addScalar(2 * radius);
			const around = new THREE.Box3().setFromPoints([line.start, line.end]).expandByScalar(radius);
			return counted(tree, {
				intersectsBounds: (bounds) => bounds.intersectsBox(around),
				test: (triangle) => triangle.closestPointToSegment(line, onTriangle, onLine) < radius,
			});
		})],
		['shapecast, ordered, the nearest', N, sum((place, library, tree) => {
			let best = Infinity;
			const point = place.clone().multiplyScalar(1.1);
			tree.shapecast({
				boundsTraverseOrder: (bounds) => bounds.distanceToPoint(point),
				intersectsBounds: (bounds, isLeaf, score) => score < best,
				intersectsTriangle: (triangle) => void (best = Math.min(best, triangle.closestPointToPoint(point, onTriangle).distanceTo(point))),
			});
			return best;
		})],
		['closestPointToPoint, within 0.05', N * 20, (library, tree) => {
			let total = 0;
			const target = {};
			for (let i = 0; i < 20; i++) {
				for (const place of at) {
					onLine.copy(place).multiplyScalar(1 + 0.005 * i);
					total += tree.closestPointToPoint(onLine, target, 0, 0.05 * size) === null ? 0 : 1;
				}
			}
			return total;
		}],
		['closestPointToPoint', N * 20, (library, tree) => {
			let total = 0;
			const target = {};
			for (let i = 0; i < 20; i++) {
				for (const place of at) {
					onLine.copy(place).multiplyScalar(1 + 0.02 * i);
					total += tree.closestPointToPoint(onLine, target).distance;
				}
			}
			return total;
		}],
		['bvhcast, all pairs', 4, (library, tree) => {
			let total = 0;
			for (const place of at.slice(0, 4)) {
				tree.bvhcast(withTree.get(library).boundsTree, turned(place), {
					intersectsTriangles: (first, second) => void (total += first.intersectsTriangle(second) ? 1 : 0),
				});
			}
			return total;
		}],
		['intersectsGeometry, both with trees', N, sum((place, library, tree) =>
			tree.intersectsGeometry(withTree.get(library), turned(place.clone().multiplyScalar(1.05))))],
		['intersectsGeometry, a geometry without a tree', 4, (library, tree) => at.slice(0, 4).reduce((total, place) =>
			total + Number(tree.intersectsGeometry(other, turned(place.clone().multiplyScalar(1.1)))), 0)],
		['closestPointToGeometry, both with trees', 2, (library, tree) => at.slice(0, 2).reduce((total, place) =>
			total + tree.closestPointToGeometry(withTree.get(library), turned(place.clone().multiplyScalar(1.6))).distance, 0)],
		['refit', 1, (library, tree) => {
			tree.refit();
			return far.elements[15];
		}],
	];
}

/** Compares all queries, after their answers. */
export function compareQueries(ours, theirs, { byTurns, row }) {
	const size = new THREE.Box3().setFromBufferAttribute(ours.geometry.attributes.position).getSize(new THREE.Vector3()).length();
	for (const [name, per, run] of queries(ours.geometry, size)) {
		const [a, b] = [run(drop, ours), run(peer, theirs)];
		if (Math.abs(a - b) > 1e-4 * Math.abs(b)) console.log(`${name}: hitscan answers ${a}, three-mesh-bvh ${b}`);
		row(name, byTurns(() => run(drop, ours), () => run(peer, theirs)), per, 'µs');
	}
}

/** Rays at a tree of a cube, where the time outside the search counts. */
export function compareSmall({ byTurns, row }) {
	const trees = [new drop.MeshBVH(new THREE.BoxGeometry()), new peer.MeshBVH(new THREE.BoxGeometry())];
	const ray = new THREE.Ray(new THREE.Vector3(0.1, 0.2, 5), new THREE.Vector3(0, 0, -1));
	const n = 20_000;
	const run = (tree) => () => {
		for (let i = 0; i < n; i++) tree.raycastFirst(ray, THREE.DoubleSide);
	};
	row('raycastFirst at a cube', byTurns(...trees.map(run)), n, 'µs');
	const sphere = new THREE.Sphere(new THREE.Vector3(0.5, 0.5, 0.5), 0.1);
	const touch = (tree) => () => {
		for (let i = 0; i < n; i++) tree.intersectsSphere(sphere);
	};
	row('intersectsSphere at a cube', byTurns(...trees.map(touch)), n, 'µs');
}
