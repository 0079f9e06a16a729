// Triangles with the tests that callbacks of shapecast use.

import { Line3, Plane, Sphere, Triangle, Vector3 } from 'three';

const CORNERS = ['a', 'b', 'c'];

/** The part of a size below which a distance counts as zero. */
const FLAT = 1e-14;

const pointA = new Vector3();
const pointB = new Vector3();
const best1 = new Vector3();
const best2 = new Vector3();
const edge1 = new Line3();
const edge2 = new Line3();

/** The nearest points of two segments; returns the square of their distance. */
export function closestPointsOfSegments(first, second, target1, target2) {
	const d1 = first.delta(new Vector3());
	const d2 = second.delta(new Vector3());
	const between = new Vector3().subVectors(first.start, second.start);
	const [a, e, f] = [d1.lengthSq(), d2.lengthSq(), d2.dot(between)];
	let s = 0;
	let t = 0;
	if (a > 0 || e > 0) {
		if (a === 0) {
			t = clamp(f / e);
		} else {
			const c = d1.dot(between);
			if (e === 0) {
				s = clamp(-c / a);
			} else {
				const b = d1.dot(d2);
				const determinant = a * e - b * b;
				if (determinant > FLAT * a * e) s = clamp((b * f - c * e) / determinant);
				t = (b * s + f) / e;
				if (t < 0 || t > 1) {
					t = clamp(t);
					s = clamp((b * t - c) / a);
				}
			}
		}
	}
	target1.copy(first.start).addScaledVector(d1, s);
	target2.copy(second.start).addScaledVector(d2, t);
	return target1.distanceToSquared(target2);
}

function clamp(x) {
	return Math.min(1, Math.max(0, x));
}

/** A triangle of three.js with the further tests of three-mesh-bvh. */
export class ExtendedTriangle extends Triangle {
	isExtendedTriangle = true;
	/** Set it after a change of a corner. No test of this class needs it. */
	needsUpdate = true;

	update() {
		this.needsUpdate = false;
	}

	intersectsSphere(sphere) {
		this.closestPointToPoint(sphere.center, pointA);
		return pointA.distanceToSquared(sphere.center) <= sphere.radius * sphere.radius;
	}

	distanceToPoint(point) {
		return this.closestPointToPoint(point, pointA).distanceTo(point);
	}

	/** The nearest points of the triangle and a segment; returns their distance. */
	closestPointToSegment(segment, target1 = null, target2 = null) {
		let best = Infinity;
		const consider = (distance, onTriangle, onSegment) => {
			if (distance >= best) return;
			best = distance;
			target1?.copy(onTriangle);
			target2?.copy(onSegment);
		};
		const crossing = crossingOfSegment(this, segment, new Vector3());
		if (crossing) {
			consider(0, crossing, crossing);
			return 0;
		}
		const [on1, on2] = [new Vector3(), new Vector3()];
		for (let i = 0; i < 3; i++) {
			const side = new Line3(this[CORNERS[i]], this[CORNERS[(i + 1) % 3]]);
			consider(closestPointsOfSegments(side, segment, on1, on2), on1, on2);
		}
		for (const end of [segment.start, segment.end]) {
			this.closestPointToPoint(end, on1);
			consider(on1.distanceToSquared(end), on1, end);
		}
		return Math.sqrt(best);
	}

	/**
	 * Whether two triangles touch; `target` receives the segment that they share, or a point of it twice. Two
	 * triangles of one plane share an area: the target of both ends is zero, as in three-mesh-bvh.
	 */
	intersectsTriangle(other, target = null) {
		return triangleTouch(this, other, target, toZero);
	}

	/** The distance of two triangles, and their nearest points. */
	distanceToTriangle(other, target1 = null, target2 = null) {
		const shared = new Line3();
		if (triangleTouch(this, other, shared, sharedPoint)) {
			shared.getCenter(pointA);
			target1?.copy(pointA);
			target2?.copy(pointA);
			return 0;
		}
		let best = Infinity;
		const consider = (distance, on1, on2) => {
			if (distance < best) {
				best = distance;
				best1.copy(on1);
				best2.copy(on2);
			}
		};
		for (const corner of CORNERS) {
			this.closestPointToPoint(other[corner], pointA);
			consider(pointA.distanceToSquared(other[corner]), pointA, other[corner]);
			other.closestPointToPoint(this[corner], pointA);
			consider(pointA.distanceToSquared(this[corner]), this[corner], pointA);
		}
		for (let i = 0; i < 3; i++) {
			edge1.set(this[CORNERS[i]], this[CORNERS[(i + 1) % 3]]);
			for (let j = 0; j < 3; j++) {
				edge2.set(other[CORNERS[j]], other[CORNERS[(j + 1) % 3]]);
				consider(closestPointsOfSegments(edge1, edge2, pointA, pointB), pointA, pointB);
			}
		}
		target1?.copy(best1);
		target2?.copy(best2);
		return Math.sqrt(best);
	}
}

/** The point where a segment crosses a triangle's plane within the triangle, or null. */
function crossingOfSegment(triangle, segment, target) {
	const plane = triangle.getPlane(new Plane());
	const point = plane.intersectLine(segment, target);
	return point && triangle.containsPoint(point) ? point : null;
}

/**
 * Whether the triangles touch: the intervals of both on the line of their planes overlap, or they lie in one plane.
 * Then `coplanar(first, second, target)` writes the target.
 */
function triangleTouch(first, second, target, coplanar) {
	if (areApart(first, second)) return false;
	const normal1 = first.getNormal(new Vector3());
	const normal2 = second.getNormal(new Vector3());
	const size = sizeOf(first, second);
	const heights2 = heights(second, normal1, first.a, size);
	const heights1 = heights(first, normal2, second.a, size);
	const isFlat = normal1.lengthSq() === 0 || normal2.lengthSq() === 0;
	if (isFlat) return flatTouch(first, second, target);
	if (isOneSided(heights1) || isOneSided(heights2)) return false;
	const along = new Vector3().crossVectors(normal1, normal2);
	if (heights1.every((h) => h === 0) || heights2.every((h) => h === 0) || along.lengthSq() < FLAT) {
		if (!coplanarTouch(first, second, normal1)) return false;
		if (target) coplanar(first, second, target);
		return true;
	}
	const part1 = partOnPlane(first, heights1, along);
	const part2 = partOnPlane(second, heights2, along);
	const start = part1[0].at > part2[0].at ? part1[0] : part2[0];
	const end = part1[1].at < part2[1].at ? part1[1] : part2[1];
	if (start.at > end.at) return false;
	target?.set(start.point, end.point);
	return true;
}

/** Whether the plane of one triangle leaves the other on one side. Most pairs end here, so it allocates nothing. */
function areApart(first, second) {
	const margin = 4 * FLAT * Math.max(largest(first), largest(second));
	return isBeside(first, second, margin) || isBeside(second, first, margin);
}

function largest({ a, b, c }) {
	return Math.max(
		Math.abs(a.x), Math.abs(a.y), Math.abs(a.z), Math.abs(b.x), Math.abs(b.y), Math.abs(b.z), Math.abs(c.x), Math.abs(c.y),
		Math.abs(c.z),
	);
}

/** Whether a triangle is on one side of the plane of a triangle with an area, by more than a margin. */
function isBeside({ a, b, c }, other, margin) {
	const [ux, uy, uz] = [b.x - a.x, b.y - a.y, b.z - a.z];
	const [vx, vy, vz] = [c.x - a.x, c.y - a.y, c.z - a.z];
	const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
	const length = Math.sqrt(x * x + y * y + z * z);
	// A product that rounds to zero decides nothing.
	if (!(length > 0)) return false;
	const far = margin * length;
	const [p, q, r] = [other.a, other.b, other.c];
	const height1 = (p.x - a.x) * x + (p.y - a.y) * y + (p.z - a.z) * z;
	const height2 = (q.x - a.x) * x + (q.y - a.y) * y + (q.z - a.z) * z;
	const height3 = (r.x - a.x) * x + (r.y - a.y) * y + (r.z - a.z) * z;
	return height1 > far && height2 > far && height3 > far || height1 < -far && height2 < -far && height3 < -far;
}

function sizeOf(...triangles) {
	let size = 0;
	for (const triangle of triangles) {
		for (const corner of CORNERS) {
			const { x, y, z } = triangle[corner];
			size = Math.max(size, Math.abs(x), Math.abs(y), Math.abs(z));
		}
	}
	return size;
}

/** The signed distances of the corners from a plane, zero within the rounding. */
function heights(triangle, normal, point, size) {
	return CORNERS.map((corner) => {
		const height = pointA.subVectors(triangle[corner], point).dot(normal);
		return Math.abs(height) <= 4 * FLAT * size ? 0 : height;
	});
}

function isOneSided(values) {
	return values.every((h) => h > 0) || values.every((h) => h < 0);
}

/** The two ends of the part of a triangle in a plane, ordered along a line. */
function partOnPlane(triangle, heightsOfCorners, along) {
	const ends = [];
	for (let i = 0; i < 3; i++) {
		const j = (i + 1) % 3;
		const [h1, h2] = [heightsOfCorners[i], heightsOfCorners[j]];
		const [from, to] = [triangle[CORNERS[i]], triangle[CORNERS[j]]];
		if (h1 === 0) ends.push(from.clone());
		if (h1 * h2 < 0) ends.push(new Vector3().lerpVectors(from, to, h1 / (h1 - h2)));
	}
	const points = ends.map((point) => ({ point, at: point.dot(along) })).sort((a, b) => a.at - b.at);
	return [points[0], points.at(-1)];
}

/** Two triangles in one plane: no side of either separates them. */
function coplanarTouch(first, second, normal) {
	for (const [one, other] of [[first, second], [second, first]]) {
		for (let i = 0; i < 3; i++) {
			const from = one[CORNERS[i]];
			const axis = pointA.subVectors(one[CORNERS[(i + 1) % 3]], from).cross(normal);
			const inside = Math.sign(pointB.subVectors(one[CORNERS[(i + 2) % 3]], from).dot(axis)) || 1;
			if (CORNERS.every((corner) => inside * pointB.subVectors(other[corner], from).dot(axis) < 0)) return false;
		}
	}
	return true;
}

function toZero(first, second, target) {
	target.start.set(0, 0, 0);
	target.end.set(0, 0, 0);
}

/** A point that two triangles of one plane share, as both ends of a segment. */
function sharedPoint(first, second, target) {
	for (const [one, other] of [[first, second], [second, first]]) {
		for (const corner of CORNERS) {
			if (other.containsPoint(one[corner])) {
				target.set(one[corner], one[corner]);
				return;
			}
		}
	}
	for (let i = 0; i < 3; i++) {
		for (let j = 0; j < 3; j++) {
			const [from, to] = [new Vector3(), new Vector3()];
			edge1.set(first[CORNERS[i]], first[CORNERS[(i + 1) % 3]]);
			edge2.set(second[CORNERS[j]], second[CORNERS[(j + 1) % 3]]);
			if (closestPointsOfSegments(edge1, edge2, from, to) <= FLAT * edge1.distanceSq()) {
				target.set(from, from);
				return;
			}
		}
	}
	target.set(first.a, first.a);
}

/** A triangle without area against another: its sides are segments. */
function flatTouch(first, second, target) {
	const size = sizeOf(first, second);
	for (const [one, other] of [[first, second], [second, first]]) {
		if (one.getArea() > 0) continue;
		for (let i = 0; i < 3; i++) {
			edge1.set(one[CORNERS[i]], one[CORNERS[(i + 1) % 3]]);
			const [on1, on2] = [new Vector3(), new Vector3()];
			const distance = ExtendedTriangle.prototype.closestPointToSegment.call(other, edge1.clone(), on1, on2);
			if (distance <= 4 * FLAT * size) {
				target?.set(on1, on1);
				return true;
			}
		}
	}
	return false;
}

/** Whether a ball touches a triangle. */
export function sphereIntersectTriangle(sphere, triangle) {
	return ExtendedTriangle.prototype.intersectsSphere.call(triangle, sphere ?? new Sphere());
}
