// A mesh with its tree, and the queries.

import {
	arrayOf, boxCorners, bytesOf, code, facesCode, filled, finite, integer, number, numbersOf, optionsOf, pointsOf,
	rayNumbers, single, typeError,
} from './arguments.js';
import { Batches, COLUMNS, VERSION } from './batches.js';
import { stageEdit } from './edits.js';
import { fillColumns, fillHit, fillPoint, Hit, HitColumns, InvalidRay, SurfacePoint } from './hits.js';
import { EDITED, isFar, Mesh, stagePositions } from './mesh.js';
import {
	addressOf, call, checked, errorText, f32, f64, failed, numbers, outputBytes, outputDoubles, stage, stageFile, trapped, u32,
	views, wasm, withProgress,
} from './module.js';
import { Handle } from './owned.js';
import {
	allContacts, anyContact, crossingsOf, distanceOf, firstContact, overlapOf, sectionOf, writePair,
} from './solids.js';

const QUALITIES = { fast: 0, balanced: 1, high: 2 };
const LAYOUTS = { full: 0, compact: 1 };
const INVALID_RAY = 2;
const OTHER_MESH = 2;
const EVERY_HIT = 0xffffffff;
const RAY_NUMBERS = 8;
const ALL_HITS = ['faces', 'oncePerCrossing'];
const RAYS = 'origin, direction, t_min and t_max of each ray';

export { VERSION };

/** A mesh with its tree. */
export class Bvh extends Batches {
	[VERSION] = 0;
	#mesh;
	/** The offset of the mesh, or null. */
	#offset = null;

	/** Builds the tree of a mesh. */
	constructor(mesh, options = undefined) {
		super(() => mesh instanceof Handle ? mesh.value : build(mesh, options));
		this.#mesh = mesh instanceof Handle ? new Mesh(new Handle(checked('bvh_mesh', mesh.value))) : mesh;
		const { offset } = this.#mesh;
		if (isFar(offset)) this.#offset = offset;
	}

	/** A tree from the bytes of a cache file, of `toCache` or of `hitscan build`. Checks all of it. */
	static fromCache(bytes, name = 'cache') {
		const file = bytesOf('bytes', bytes);
		if (typeof name !== 'string') throw typeError('name', name, 'a name for errors');
		stageFile(file, name);
		return new Bvh(new Handle(checked('bvh_from_cache')));
	}

	/** The bytes of a cache file with the mesh and the tree. */
	toCache() {
		checked('bvh_to_cache', this.handle);
		views();
		const bytes = outputBytes(f64[numbers]);
		wasm.output_free();
		return bytes;
	}

	dispose() {
		this[VERSION]++;
		super.dispose();
	}

	/** The mesh. It stays usable after `dispose()` of the tree, and the tree after that of the mesh. */
	get mesh() {
		return this.#mesh;
	}

	/** The size of the tree. */
	get stats() {
		checked('bvh_about', this.handle);
		views();
		const [triangles, nodes, bytes, layout, simd, inLeaves] = f64.subarray(numbers, numbers + 6);
		return { triangles, nodes, bytes, layout: layout === 0 ? 'full' : 'compact', simd: simd !== 0, inLeaves };
	}

	/**
	 * The hit with the smallest `t`, written to `hit`; null for a miss. `ray` holds the origin, the direction
	 * and, if it has eight numbers, the bounds of `t`.
	 */
	closestHit(ray, hit = new Hit(), faces) {
		filled('hit', hit);
		writeRay(ray);
		let result;
		try {
			result = wasm.bvh_closest_hit(this.handle, facesCode(faces));
		} catch (error) {
			throw trapped(error);
		}
		if (result === 1) return fillHit(hit);
		if (result === INVALID_RAY) throw new RangeError(`hitscan: ${errorText()}`);
		return null;
	}

	/** Whether the ray hits anything. */
	isOccluded(ray, faces) {
		writeRay(ray);
		let result;
		try {
			result = wasm.bvh_is_occluded(this.handle, facesCode(faces));
		} catch (error) {
			throw trapped(error);
		}
		if (result === INVALID_RAY) throw new RangeError(`hitscan: ${errorText()}`);
		return result === 1;
	}

	/** All hits of a ray in order of `t`. */
	allHits(ray, options = undefined) {
		return this.#hits(ray, EVERY_HIT, options);
	}

	/** The first `n` hits of a ray. */
	nearestHits(ray, n, options = undefined) {
		return this.#hits(ray, integer('n', n, EVERY_HIT), options);
	}

	#hits(ray, n, options) {
		const { faces, oncePerCrossing = false } = optionsOf(options, ALL_HITS);
		writeRay(ray);
		const result = call('bvh_all_hits', this.handle, facesCode(faces), oncePerCrossing ? 1 : 0, n);
		if (result === INVALID_RAY) throw new RangeError(`hitscan: ${errorText()}`);
		if (result === 0) throw failed();
		views();
		const columns = fillColumns(this[COLUMNS](f64[numbers]), f64[numbers]);
		return Array.from(columns.t, (_, i) => columns.at(i));
	}

	/** The number of times that the ray crosses the surface. */
	countCrossings(ray) {
		writeRay(ray);
		const result = call('bvh_count_crossings', this.handle);
		if (result === INVALID_RAY) throw new RangeError(`hitscan: ${errorText()}`);
		views();
		return f64[numbers];
	}

	/** The crossings from the front to the back of the surface, less those from the back to the front. */
	signedCrossings(ray) {
		this.countCrossings(ray);
		return f64[numbers + 1];
	}

	/** The closest hits of rays, eight numbers each. */
	closestHits(rays, options = undefined) {
		const { faces, out } = optionsOf(options, ['faces', 'out']);
		const n = this.#stageRays(rays);
		const columns = this[COLUMNS](n, out);
		this.#batch('bvh_closest_hits', facesCode(faces));
		return fillColumns(columns, n);
	}

	/** Columns for hits, with `t` in f64 if the mesh has an offset: those of the caller, or new ones. */
	[COLUMNS](n, out = new HitColumns(n, this.#offset !== null)) {
		if (!(out instanceof HitColumns && out.length === n)) throw typeError('out', out, `HitColumns of length ${n}`);
		if (out.t instanceof Float64Array !== (this.#offset !== null)) {
			const [arrays, call] = this.#offset === null
				? ['a Float32Array', `new HitColumns(${n})`]
				: ['a Float64Array, because the mesh has an offset', `new HitColumns(${n}, true)`];
			throw typeError('out.t', out.t, `${arrays}: ${call}`);
		}
		return out;
	}

	/** Stages rays in f32; in f64 if the mesh has an offset. */
	#stageRays(rays) {
		const n = arrayOf('rays', rays, RAY_NUMBERS, [Float32Array, Float64Array], RAYS);
		if (this.#offset === null) {
			const at = stage('stage_rays', n) / 4;
			f32.set(rays, at);
		} else {
			const at = stage('stage_numbers', rays.length) / 8;
			f64.set(rays, at);
		}
		return n;
	}

	/** Whether rays hit anything: 1 or 0 each. */
	areOccluded(rays, options = undefined) {
		const { faces } = optionsOf(options, ['faces']);
		const n = this.#stageRays(rays);
		this.#batch('bvh_is_occluded_batch', facesCode(faces));
		return outputBytes(n);
	}

	/** All hits of rays. The hits of ray `i` are those from `starts[i]` to `starts[i + 1]`. */
	allHitsBatch(rays, options = undefined) {
		const { faces, oncePerCrossing = false } = optionsOf(options, ALL_HITS);
		const n = this.#stageRays(rays);
		this.#batch('bvh_all_hits_batch', facesCode(faces), oncePerCrossing ? 1 : 0);
		views();
		const nHits = f64[numbers];
		const starts = Uint32Array.from(outputDoubles(n + 1));
		return { starts, hits: fillColumns(this[COLUMNS](nHits), nHits, n + 1) };
	}

	#batch(name, ...args) {
		const result = call(name, this.handle, ...args);
		if (result === 0) throw failed();
		if (result === INVALID_RAY) {
			views();
			throw new InvalidRay(f64[numbers], errorText());
		}
	}

	/** The nearest point of the surface within a distance, or null. */
	closestPoint(point, found = new SurfacePoint(), maxDistance = Infinity) {
		filled('found', found);
		numbersOf('point', point, 3, 'x, y and z');
		if (f64.length === 0) views();
		for (let i = 0; i < 3; i++) {
			if (!Number.isFinite(point[i])) finite(`point[${i}]`, point[i]);
			f64[numbers + i] = point[i];
		}
		if (!(maxDistance >= 0)) throw typeError('maxDistance', maxDistance, 'a number from 0 on');
		f64[numbers + 3] = maxDistance;
		let result;
		try {
			result = wasm.bvh_closest_point(this.handle);
		} catch (error) {
			throw trapped(error);
		}
		return result === 1 ? fillPoint(found) : null;
	}

	/** The nearest points of many points, as columns. Without one, `distance` is infinite and `triangle` -1. */
	closestPoints(points, options = undefined) {
		const { maxDistance = Infinity } = optionsOf(options, ['maxDistance']);
		const n = pointsOf('points', points);
		if (!(maxDistance >= 0)) throw typeError('maxDistance', maxDistance, 'a number from 0 on');
		stagePositions(points, this.#offset);
		checked('bvh_closest_points', this.handle, maxDistance);
		const columns = outputDoubles(7 * n);
		const column = (i) => columns.subarray(i * n, (i + 1) * n);
		return {
			distance: column(0),
			x: column(1),
			y: column(2),
			z: column(3),
			u: Float32Array.from(column(4)),
			v: Float32Array.from(column(5)),
			triangle: Int32Array.from(column(6)),
		};
	}

	/** The triangles that touch a box, ascending. */
	overlappingBox(min, max) {
		boxCorners(min, max);
		return words(checked('bvh_overlap_box', this.handle, ...this.#local(min), ...this.#local(max)) - 1);
	}

	/** The triangles that touch a ball, ascending. */
	overlappingSphere(center, radius) {
		numbersOf('center', center, 3, 'x, y and z');
		for (let i = 0; i < 3; i++) finite(`center[${i}]`, center[i]);
		if (!(number('radius', radius) >= 0)) throw typeError('radius', radius, 'a number from 0 on');
		return words(checked('bvh_overlap_sphere', this.handle, ...this.#local(center), radius) - 1);
	}

	/** The triangles that touch the points with `a x + b y + c z + d >= 0` for all planes, four numbers each. */
	overlappingConvex(planes) {
		if (!Array.isArray(planes) && !ArrayBuffer.isView(planes) || planes.length % 4 !== 0) {
			throw typeError('planes', planes, 'four numbers of each plane');
		}
		for (let i = 0; i < planes.length; i++) finite(`planes[${i}]`, planes[i]);
		const at = stage('stage_numbers', planes.length) / 8;
		f64.set(planes, at);
		if (this.#offset !== null) {
			const [x, y, z] = this.#offset;
			for (let i = at; i < at + planes.length; i += 4) f64[i + 3] += f64[i] * x + f64[i + 1] * y + f64[i + 2] * z;
		}
		return words(checked('bvh_overlap_convex', this.handle) - 1);
	}

	/** A point relative to the offset of the mesh. */
	#local(point) {
		return this.#offset === null ? point : this.#offset.map((x, i) => point[i] - x);
	}

	/**
	 * Moves the vertices and refits the tree. Returns the costs of a ray when the tree was built and now: a
	 * rebuild pays once the second is much larger.
	 */
	refit(positions) {
		const n = arrayOf('positions', positions, 3, [Float32Array, Float64Array], 'x, y and z of each vertex');
		const { vertexCount } = this.#mesh;
		if (n !== vertexCount) {
			throw new RangeError(`hitscan: positions has ${n} vertices, expected ${vertexCount} as in the mesh`);
		}
		const { handle } = this;
		this[VERSION]++;
		stagePositions(positions, this.#offset);
		const mesh = this.#mesh.isDisposed ? 0 : this.#mesh.handle;
		if (call('bvh_refit', handle, mesh) === 0) throw new Error(`hitscan: positions: ${errorText()}`);
		views();
		return { costWhenBuilt: f64[numbers], costNow: f64[numbers + 1] };
	}

	/**
	 * Edits the mesh, and lets the tree follow at the cost of what changed: `move`, `append`, `remove` or `replace`.
	 * Returns the costs of a ray when the tree was built and now.
	 */
	update(edit) {
		const { handle } = this;
		this[VERSION]++;
		const args = stageEdit(edit, this.#offset);
		const mesh = this.#mesh.isDisposed ? 0 : this.#mesh.handle;
		const isOther = checked('bvh_update', handle, mesh, ...args) === OTHER_MESH;
		views();
		const [costWhenBuilt, costNow, vertexCount, triangleCount] = f64.subarray(numbers, numbers + 4);
		if (isOther && mesh !== 0) {
			// The mesh belongs to another tree, which keeps it.
			this.#mesh = new Mesh(new Handle(checked('bvh_mesh', handle)));
		} else {
			this.#mesh[EDITED](vertexCount, triangleCount);
		}
		return { costWhenBuilt, costNow };
	}

	/** The first contact of a ball that moves along a ray, or null. Rays and points are in f64. */
	sphereCast(ray, radius) {
		writeRay(ray);
		return firstContact('bvh_sphere_cast', this.handle, radius);
	}

	/** The contact with each triangle that the ball touches, in order. */
	sphereCastAll(ray, radius) {
		writeRay(ray);
		return allContacts('bvh_sphere_cast', this.handle, radius);
	}

	/** Whether the ball touches anything. */
	sphereCastAny(ray, radius) {
		writeRay(ray);
		return anyContact('bvh_sphere_cast', this.handle, radius);
	}

	/** Whether a point is inside. */
	isInside(point) {
		return this.areInside(single(point))[0] === 1;
	}

	/** Whether points, three numbers each, are inside: 1 or 0. */
	areInside(points) {
		return Uint8Array.from(this.#eachPoint('bvh_are_inside', points));
	}

	/** The distance of a point from the surface, negative inside. */
	signedDistance(point) {
		return this.signedDistances(single(point))[0];
	}

	/** The signed distances of points, three numbers each. */
	signedDistances(points) {
		return this.#eachPoint('bvh_signed_distances', points);
	}

	/** The winding number around a point. */
	windingNumber(point, options) {
		return this.windingNumbers(single(point), options)[0];
	}

	/** The winding numbers around points, three numbers each. */
	windingNumbers(points, options) {
		const { tolerance = 1e-3 } = optionsOf(options, ['tolerance']);
		if (!(tolerance >= 0)) throw typeError('tolerance', tolerance, 'a number from 0 on');
		return this.#eachPoint('bvh_winding_numbers', points, tolerance);
	}

	/** A number for each point. */
	#eachPoint(name, points, ...options) {
		const n = pointsOf('points', points);
		stagePositions(points, this.#offset);
		checked(name, this.handle, ...options);
		return outputDoubles(n);
	}

	/** The polylines in which a plane cuts the surface. */
	section(point, normal) {
		return sectionOf('bvh_section', this.handle, point, normal);
	}

	/** Whether this mesh and another have a point in common. `transform` takes the other to the space of this one. */
	overlapsMesh(other, transform) {
		return overlapOf(this.handle, pairWith(other, transform));
	}

	/** The pairs of triangles of this mesh and another that have a point in common, two indices each. */
	overlappingMesh(other, transform) {
		return words(checked('bvh_overlapping_mesh', this.handle, pairWith(other, transform)) - 1);
	}

	/** The segments in which triangles of this mesh and another cross. */
	meshCrossings(other, transform) {
		return crossingsOf(this.handle, pairWith(other, transform));
	}

	/** The distance of this mesh and another with its two points, or null beyond `maxDistance`. */
	meshDistance(other, options = undefined) {
		const { transform, maxDistance = Infinity } = optionsOf(options, ['transform', 'maxDistance']);
		return distanceOf(this.handle, pairWith(other, transform), maxDistance);
	}
}

/** The handle of a second tree, after its transform is written. */
function pairWith(other, transform) {
	if (!(other instanceof Bvh)) throw typeError('other', other, 'a Bvh');
	writePair(transform);
	return other.handle;
}

/** Writes a ray for the next query. In memory, because an engine may box each number of a call. */
function writeRay(ray) {
	const n = rayNumbers(ray);
	if (f64.length === 0) views();
	for (let i = 0; i < 6; i++) f64[numbers + i] = ray[i];
	f64[numbers + 6] = n === 6 ? 0 : ray[6];
	f64[numbers + 7] = n === 6 ? Infinity : ray[7];
}

function build(mesh, options) {
	if (!(mesh instanceof Mesh)) throw typeError('mesh', mesh, 'a Mesh');
	const { quality = 'balanced', layout = 'full', onProgress } = optionsOf(options, ['quality', 'layout', 'onProgress']);
	const codes = [code('quality', quality, QUALITIES), code('layout', layout, LAYOUTS)];
	if (onProgress === undefined || onProgress === null) return checked('bvh_build', mesh.handle, ...codes, 0);
	if (typeof onProgress !== 'function') throw typeError('onProgress', onProgress, 'a function');
	return withProgress(onProgress, () => checked('bvh_build', mesh.handle, ...codes, 1));
}

/** A copy of the words of the last answer. */
export function words(n) {
	views();
	const start = addressOf('words_address') / 4;
	return u32.slice(start, start + n);
}
