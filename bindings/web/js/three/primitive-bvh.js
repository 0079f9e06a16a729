// Trees over the points and lines of a geometry.

import { BufferAttribute, BufferGeometry, Line, Line3, Matrix4, Points, Ray, Vector3 } from 'three';
import { GeometryBVH, optionalFunction } from './base.js';
import { append, boxCorners, boxTree, primitivesAlong } from './boxes.js';
import { cornerCount, includedRanges } from './geometry.js';
import { settingsOf } from './options.js';
import { BUILD, PRIMITIVES, WALK } from './symbols.js';

const ownPoints = Points.prototype.raycast;
const ownLine = Line.prototype.raycast;

const toLocal = new Matrix4();
const ray = new Ray();
const point = new Vector3();

/** What points and lines share: a tree over the boxes of the primitives in the draw range and groups. */
class PrimitiveBVH extends GeometryBVH {
	/** The primitive of each box; null if they are the same. */
	#ids = null;
	#n = 0;
	/** The first place in the index that three.js draws, and the end. */
	limits;

	constructor(geometry, options = {}) {
		const settings = settingsOf(new.target.name, options);
		super(geometry, settings);
		const { start, count } = settings.range ?? geometry.drawRange;
		this.limits = { start, end: Math.min(start + count, cornerCount(geometry)) };
		const ranges = this.includedPrimitives(settings.range);
		this.#n = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
		if (this.#n > 0 && (ranges.length > 1 || ranges[0].first > 0)) {
			this.#ids = Uint32Array.from(ranges.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, i) => first + i)));
		}
		void this.bvh;
		if (settings.setBoundingBox) this.fillBoundingBox();
	}

	[BUILD]() {
		return boxTree(this.#n, this.#boxOf);
	}

	[PRIMITIVES](list, n) {
		if (this.#ids !== null) for (let i = 0; i < n; i++) list[i] = this.#ids[list[i]];
	}

	#boxOf = (i, target) => target.setFromPoints(this.cornersOf(this.#ids === null ? i : this.#ids[i]));

	/** Reads the positions again, of all primitives. */
	refit() {
		this.bvh.refit(boxCorners(this.#n, this.#boxOf));
	}

	/** The vertex of a place in the index. */
	vertexAt(place) {
		const { index } = this.geometry;
		return index ? index.getX(place) : place;
	}

	/** The point of a place in the index. */
	pointAt(place, target = new Vector3()) {
		return target.fromBufferAttribute(this.geometry.attributes.position, this.vertexAt(place));
	}

	/** Casts by three.js's own function, at one primitive after the other in place of all. */
	castEach(object, raycaster, intersects, threshold, { standIn, raycast, place, index }) {
		toLocal.copy(object.matrixWorld).invert();
		ray.copy(raycaster.ray).applyMatrix4(toLocal);
		const { x, y, z } = object.scale;
		const reach = threshold / ((x + y + z) / 3);
		const found = [];
		if (this.geometry.boundingSphere === null) this.geometry.computeBoundingSphere();
		standIn.material = object.material;
		standIn.scale.copy(object.scale);
		standIn.matrixWorld.copy(object.matrixWorld);
		standIn.geometry.boundingSphere = this.geometry.boundingSphere;
		for (const primitive of primitivesAlong(this, ray, reach)) {
			place(primitive, standIn.geometry.attributes.position);
			const start = found.length;
			raycast.call(standIn, raycaster, found);
			for (let i = start; i < found.length; i++) Object.assign(found[i], { index: index(primitive), object });
		}
		return append(found, intersects, raycaster);
	}
}

/** A geometry of a few points in f64, as three.js reads those of any geometry. */
function geometryOf(n) {
	return new BufferGeometry().setAttribute('position', new BufferAttribute(new Float64Array(3 * n), 3));
}

const onePoint = new Points(geometryOf(1));
const oneLine = new Line(geometryOf(2));

/** A tree over points. */
export class PointsBVH extends PrimitiveBVH {
	includedPrimitives(range) {
		return includedRanges(this.geometry, range, 1);
	}

	cornersOf(primitive) {
		return [this.pointAt(primitive)];
	}

	/** Walks the tree with the caller's tests of boxes, runs of points and points. */
	shapecast(callbacks) {
		const { intersectsPoint } = callbacks;
		optionalFunction('callbacks.intersectsPoint', intersectsPoint);
		if (!intersectsPoint) return this[WALK](callbacks);
		const point = new Vector3();
		return this[WALK](callbacks, (i, contained, depth) => intersectsPoint(this.pointAt(i, point), i, contained, depth));
	}

	/** The intersections of a raycaster with points, as three.js finds them. */
	raycastObject3D(object, raycaster, intersects = []) {
		return this.castEach(object, raycaster, intersects, raycaster.params.Points.threshold, {
			standIn: onePoint,
			raycast: ownPoints,
			place: (i, position) => {
				const { x, y, z } = this.pointAt(i, point);
				position.setXYZ(0, x, y, z);
			},
			index: (i) => this.vertexAt(i),
		});
	}
}

/** What the kinds of lines share. */
class SegmentsBVH extends PrimitiveBVH {
	/** The places of the two ends of a segment. */
	endsOf(primitive) {
		return [primitive, primitive + 1];
	}

	cornersOf(primitive) {
		return this.endsOf(primitive).map((place) => this.pointAt(place));
	}

	/** Walks the tree with the caller's tests of boxes, runs of segments and segments. */
	shapecast(callbacks) {
		const { intersectsLine } = callbacks;
		optionalFunction('callbacks.intersectsLine', intersectsLine);
		if (!intersectsLine) return this[WALK](callbacks);
		const line = new Line3();
		return this[WALK](callbacks, (i, contained, depth) => {
			const [start, end] = this.endsOf(i);
			this.pointAt(start, line.start);
			this.pointAt(end, line.end);
			return intersectsLine(line, i, contained, depth);
		});
	}

	/** The intersections of a raycaster with lines, as three.js finds them. */
	raycastObject3D(object, raycaster, intersects = []) {
		return this.castEach(object, raycaster, intersects, raycaster.params.Line.threshold, {
			standIn: oneLine,
			raycast: ownLine,
			place: (i, position) => this.endsOf(i).forEach((at, k) => {
				const { x, y, z } = this.pointAt(at, point);
				position.setXYZ(k, x, y, z);
			}),
			index: (i) => this.endsOf(i)[0],
		});
	}
}

/** A tree over the segments of `LineSegments`: two vertices each. */
export class LineSegmentsBVH extends SegmentsBVH {
	includedPrimitives(range) {
		return includedRanges(this.geometry, range, 2);
	}

	endsOf(primitive) {
		return [2 * primitive, 2 * primitive + 1];
	}
}

/** A tree over the segments of a `LineLoop`. The last one returns to the start of the draw range. */
export class LineLoopBVH extends LineSegmentsBVH {
	constructor(geometry, options = {}) {
		super(geometry, { ...options, indirect: true });
	}

	includedPrimitives(range) {
		return includedRanges(this.geometry, range, 1);
	}

	endsOf(primitive) {
		const { start, end } = this.limits;
		return [primitive, primitive + 1 < end ? primitive + 1 : start];
	}
}

/** A tree over the segments of a `Line`: a loop without the last one. */
export class LineBVH extends LineLoopBVH {
	includedPrimitives(range) {
		return super.includedPrimitives(range)
			.map(({ first, end }) => ({ first, end: end - 1 }))
			.filter(({ first, end }) => first < end);
	}
}
