// A box with a transform, for the box queries.

import { Box3, Line3, Matrix4, Triangle, Vector3 } from 'three';
import { closestPointsOfSegments } from './triangle.js';

const ZERO = new Vector3();
const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];

/** The pairs of corners that are the edges of a box; bit `i` of a corner is its side on axis `i`. */
const EDGES = [0, 1, 2].flatMap((axis) =>
	[...Array(8).keys()].filter((corner) => !(corner >> axis & 1)).map((corner) => [corner, corner | 1 << axis]));

/** Three of the upright box, three of this one, and nine across both. */
const MAX_AXES = 15;
const AXIS_NUMBERS = 5;

const sides = [new Vector3(), new Vector3(), new Vector3()];
const across = new Vector3();
const local = new Triangle();
const upright = new Box3();

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
	/** Of each axis that may separate the box from an upright one: its direction, and the interval of the box on it. */
	#axes = new Float64Array(MAX_AXES * AXIS_NUMBERS);
	#nAxes = 0;

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
		this.#nAxes = 0;
		this.matrix.extractBasis(...sides);
		for (const axis of AXES) this.#addAxis(axis);
		for (let i = 0; i < 3; i++) this.#addAxis(across.crossVectors(sides[(i + 1) % 3], sides[(i + 2) % 3]));
		for (const side of sides) for (const axis of AXES) this.#addAxis(across.crossVectors(side, axis));
	}

	/** Adds an axis that may separate the box from an upright one, unless it is zero. */
	#addAxis(axis) {
		if (axis.lengthSq() === 0) return;
		let [low, high] = [Infinity, -Infinity];
		for (const corner of this.#corners) {
			const at = corner.dot(axis);
			if (at < low) low = at;
			if (at > high) high = at;
		}
		const start = this.#nAxes++ * AXIS_NUMBERS;
		this.#axes[start] = axis.x;
		this.#axes[start + 1] = axis.y;
		this.#axes[start + 2] = axis.z;
		this.#axes[start + 3] = low;
		this.#axes[start + 4] = high;
	}

	#updated() {
		if (this.needsUpdate) this.update();
	}

	/** Whether the box touches an axis-aligned one: no axis separates them. */
	intersectsBox(box) {
		this.#updated();
		const { min, max } = box;
		if (min.x > max.x || min.y > max.y || min.z > max.z || this.min.x > this.max.x) return false;
		const axes = this.#axes;
		const end = this.#nAxes * AXIS_NUMBERS;
		for (let i = 0; i < end; i += AXIS_NUMBERS) {
			const x = axes[i];
			const y = axes[i + 1];
			const z = axes[i + 2];
			const low = x * (x > 0 ? min.x : max.x) + y * (y > 0 ? min.y : max.y) + z * (z > 0 ? min.z : max.z);
			const high = x * (x > 0 ? max.x : min.x) + y * (y > 0 ? max.y : min.y) + z * (z > 0 ? max.z : min.z);
			if (axes[i + 3] > high || low > axes[i + 4]) return false;
		}
		return true;
	}

	/** Whether the box touches a triangle. */
	intersectsTriangle(triangle) {
		this.#updated();
		local.a.copy(triangle.a).applyMatrix4(this.#inverse);
		local.b.copy(triangle.b).applyMatrix4(this.#inverse);
		local.c.copy(triangle.c).applyMatrix4(this.#inverse);
		upright.min = this.min;
		upright.max = this.max;
		return upright.intersectsTriangle(local);
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
