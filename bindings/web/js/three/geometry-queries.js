// A tree against another geometry: whether they touch, and their nearest points.

import { Box3, Matrix4, Vector3 } from 'three';
import { setTriangle, triangleCount } from './geometry.js';
import { OrientedBox } from './oriented-box.js';
import { ExtendedTriangle } from './triangle.js';

const CORNERS = ['a', 'b', 'c'];

/** Calls a function with each triangle of a geometry in the space of the tree, until it returns true. */
function someTriangle(geometry, matrix, test) {
	const triangle = new ExtendedTriangle();
	const n = triangleCount(geometry);
	for (let i = 0; i < n; i++) {
		setTriangle(triangle, geometry, i);
		for (const corner of CORNERS) triangle[corner].applyMatrix4(matrix);
		if (test(triangle, i)) return true;
	}
	return false;
}

export function intersectsGeometry(bvh, geometry, geometryToBvh) {
	if (geometry.boundsTree?.bvhcast) {
		return bvh.bvhcast(geometry.boundsTree, geometryToBvh, {
			intersectsTriangles: (first, second) => first.intersectsTriangle(second),
		});
	}
	if (geometry.boundingBox === null) geometry.computeBoundingBox();
	const { min, max } = geometry.boundingBox;
	const around = new OrientedBox(min, max, geometryToBvh);
	if (!around.intersectsBox(bvh.getBoundingBox(new Box3()))) return false;
	const box = new Box3();
	return someTriangle(geometry, geometryToBvh, (other) => {
		box.setFromPoints([other.a, other.b, other.c]);
		return bvh.shapecast({
			intersectsBounds: (bounds) => bounds.intersectsBox(box),
			intersectsTriangle: (triangle) => triangle.intersectsTriangle(other),
		});
	});
}

export function closestPointToGeometry(bvh, geometry, geometryToBvh, target1, target2, minThreshold, maxThreshold) {
	const best = { distance: maxThreshold, on1: new Vector3(), on2: new Vector3(), face1: -1, face2: -1 };
	const [on1, on2, box] = [new Vector3(), new Vector3(), new Box3()];
	someTriangle(geometry, geometryToBvh, (other, face2) => {
		box.setFromPoints([other.a, other.b, other.c]);
		bvh.shapecast({
			boundsTraverseOrder: (bounds) => distanceOfBoxes(bounds, box),
			intersectsBounds: (bounds, isLeaf, score) => score < best.distance,
			intersectsTriangle: (triangle, face1) => {
				const distance = triangle.distanceToTriangle(other, on1, on2);
				if (distance < best.distance) {
					Object.assign(best, { distance, face1, face2 });
					best.on1.copy(on1);
					best.on2.copy(on2);
				}
				return best.distance <= minThreshold;
			},
		});
		return best.distance <= minThreshold;
	});
	if (best.face1 < 0) return null;
	(target1.point ??= new Vector3()).copy(best.on1);
	target1.distance = best.distance;
	target1.faceIndex = best.face1;
	if (target2) {
		(target2.point ??= new Vector3()).copy(best.on2).applyMatrix4(new Matrix4().copy(geometryToBvh).invert());
		target2.distance = target2.point.distanceTo(best.on1.clone().applyMatrix4(new Matrix4().copy(geometryToBvh).invert()));
		target2.faceIndex = best.face2;
	}
	return target1;
}

function distanceOfBoxes(a, b) {
	let square = 0;
	for (const key of ['x', 'y', 'z']) {
		const gap = Math.max(0, a.min[key] - b.max[key], b.min[key] - a.max[key]);
		square += gap * gap;
	}
	return Math.sqrt(square);
}
