// A box with a transform, for the box queries.

import { Box3, Line3, Matrix4, Vector3 } from 'three';
import { closestPointsOfSegments } from './triangle.js';

const ZERO = new Vector3();
const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];

/** The pairs of corners that are the edges of a box; bit `i` of a corner is its side on axis `i`. */
const EDGES = [0, 1, 2].flatMap((axis) =>
	[...Array(8).keys()].filter((corner) => !(corner >> axis & 1)).map((corner) => [corner, corner | 1 << axis]));

/** A box under an affine matrix, with the interface of three-mesh-bvh. */
export class OrientedBox {
	isOrientedBox = true;
	min = new Vector3();
	max = new Vector3();
	matrix = new Matrix4();
	/** Set it after a change of `min`, `max` or `matrix`. */
	needsUpdate = true;

	#inverse = new Matrix4();
	#corners = Array.from({ length: 8 }, () => new Vector3());
	#axes = [];

	constructor(min, max, matrix) {
		if (min) this.min.copy(min);
		if (max) this.max.copy(max);
		if (matrix) this.matrix.copy(matrix);
	}

	set(min, max, matrix) {
		this.min.copy(min);
		this.max.copy(max);
		this.matrix.copy(matrix);
		this.needsUpdate = true;
		return this;
	}

	copy(other) {
		return this.set(other.min, other.max, other.matrix);
	}

	update() {
		this.needsUpdate = false;
		this.#inverse.copy(this.matrix).invert();
		const { min, max } = this;
		this.#corners.forEach((corner, i) => {
			corner.set(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z).applyMatrix4(this.matrix);
		});
		const sides = [new Vector3(), new Vector3(), new Vector3()];
		this.matrix.extractBasis(...sides);
		const faces = sides.map((_, i) => new Vector3().crossVectors(sides[(i + 1) % 3], sides[(i + 2) % 3]));
		const crossed = sides.flatMap((side) => AXES.map((axis) => new Vector3().crossVectors(side, axis)));
		this.#axes = [...AXES, ...faces, ...crossed].filter((axis) => axis.lengthSq() > 0);
	}

	#updated() {
		if (this.needsUpdate) this.update();
	}

	/** Whether the box touches an axis-aligned one: no axis separates them. */
	intersectsBox(box) {
		this.#updated();
		if (box.isEmpty() || this.min.x > this.max.x) return false;
		return this.#axes.every((axis) => {
			let [low, high] = [Infinity, -Infinity];
			for (const corner of this.#corners) {
				const at = corner.dot(axis);
				low = Math.min(low, at);
				high = Math.max(high, at);
			}
			let [boxLow, boxHigh] = [0, 0];
			for (const key of ['x', 'y', 'z']) {
				const [a, b] = [box.min[key] * axis[key], box.max[key] * axis[key]];
				boxLow += Math.min(a, b);
				boxHigh += Math.max(a, b);
			}
			return low <= boxHigh && boxLow <= high;
		});
	}

	/** Whether the box touches a triangle. */
	intersectsTriangle(triangle) {
		this.#updated();
		const local = triangle.clone();
		for (const corner of ['a', 'b', 'c']) local[corner].applyMatrix4(this.#inverse);
		return new Box3(this.min, this.max).intersectsTriangle(local);
	}

	/** The point of the box nearest to a point. */
	closestPointToPoint(point, target = new Vector3()) {
		this.#updated();
		target.copy(point).applyMatrix4(this.#inverse).clamp(this.min, this.max).applyMatrix4(this.matrix);
		return target;
	}

	distanceToPoint(point) {
		return this.closestPointToPoint(point, new Vector3()).distanceTo(point);
	}

	/** The distance to an axis-aligned box; a value below `threshold` may be returned at once. */
	distanceToBox(box, threshold = 0, target1 = null, target2 = null) {
		this.#updated();
		const [on1, on2] = [new Vector3(), new Vector3()];
		if (this.intersectsBox(box)) {
			box.getCenter(on2);
			this.closestPointToPoint(on2, on1);
			box.clampPoint(on1, on2);
			target1?.copy(on1);
			target2?.copy(on2);
			return 0;
		}
		let best = Infinity;
		const consider = (distance) => {
			if (distance >= best) return;
			best = distance;
			target1?.copy(on1);
			target2?.copy(on2);
		};
		const boxCorners = this.#corners.map((_, i) => new Vector3(
			i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z,
		));
		for (let i = 0; i < 8; i++) {
			box.clampPoint(on1.copy(this.#corners[i]), on2);
			consider(on1.distanceToSquared(on2));
			this.closestPointToPoint(on2.copy(boxCorners[i]), on1);
			consider(on1.distanceToSquared(on2));
			if (best < threshold * threshold) return Math.sqrt(best);
		}
		const [edge1, edge2] = [new Line3(ZERO, ZERO), new Line3(ZERO, ZERO)];
		for (const [from, to] of EDGES) {
			edge1.set(this.#corners[from], this.#corners[to]);
			for (const [start, end] of EDGES) {
				edge2.set(boxCorners[start], boxCorners[end]);
				consider(closestPointsOfSegments(edge1, edge2, on1, on2));
			}
		}
		return Math.sqrt(best);
	}
}
