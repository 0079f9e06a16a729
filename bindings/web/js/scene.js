// Instances of meshes in a world, queries and picks.

import {
	arrayOf, boolean, boxCorners, code, facesCode, filled, finite, integer, number, numbersOf, optionsOf, rangeError, rayNumbers,
	typeError,
} from './arguments.js';
import { answersOfThreads, isSplit, joined } from './batches.js';
import { Bvh } from './bvh.js';
import { stageEdit } from './edits.js';
import { InvalidRay } from './hits.js';
import { isFar } from './mesh.js';
import { call, checked, errorText, f64, failed, numbers, outputDoubles, stage, views } from './module.js';
import { Handle, Owned } from './owned.js';
import { allContacts, anyContact, firstContact, sectionOf } from './solids.js';
import { View } from './view.js';

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const ALL_LAYERS = 0xffffffff;
const INVALID = 2;
const KINDS = { object: 0, face: 1, edge: 2, vertex: 3 };
const KIND_NAMES = Object.keys(KINDS);
const TARGETS = ['vertex', 'edgeMidpoint', 'edge', 'face'];
const MODES = { touch: 0, enclose: 16 };
const HIT_NUMBERS = 6;
const PICK_NUMBERS = 13;
const ELEMENT_NUMBERS = 4;
const RAY_NUMBERS = 8;
const EVERY_HIT = 0xffffffff;
/** In place of a tree: the scene has edited the mesh. */
const EDITED = Symbol('edited');

/** A hit in a scene: `point` and `normal` are in world space. Queries fill the one that they are given. */
export class SceneHit {
	t = Infinity;
	u = 0;
	v = 0;
	triangle = -1;
	side = 'front';
	/** The handle of the instance, as `insert` returned it. */
	instance = -1;
	point = [0, 0, 0];
	normal = [0, 0, 0];
}

/** A scene of instances. */
export class Scene extends Owned {
	/** The trees by instance, which the facts about a hit come from. */
	#meshes = new Map();

	constructor(handle) {
		super(() => handle instanceof Handle ? handle.value : checked('scene_new'));
	}

	/** A copy, which shares all that later edits do not change: keep one for undo. */
	clone() {
		const copy = new Scene(new Handle(checked('scene_clone', this.handle)));
		copy.#meshes = new Map(this.#meshes);
		return copy;
	}

	/** Adds an instance and returns its handle. Without `bvh` it is a group. */
	insert(what = undefined) {
		if (what instanceof Owned) throw typeError('what', what, 'an object such as { bvh, transform }');
		const names = ['bvh', 'transform', 'parent', 'layers'];
		const { bvh = null, transform = IDENTITY, parent = null, layers = 1 } = optionsOf(what, names, 'what');
		const mesh = bvh === null ? 0 : handleOf('bvh', bvh);
		const of = parent === null ? -1 : instance('parent', parent);
		writeMatrix('transform', transform);
		checked('scene_insert', this.handle, mesh, of, layerBits(layers));
		views();
		const id = f64[numbers];
		this.#meshes.set(id, bvh);
		return id;
	}

	/** The tree that an instance was inserted with, or null. After `update`, a new handle of the edited tree. */
	bvhOf(id) {
		const bvh = this.#meshes.get(instance('id', id)) ?? null;
		return bvh === EDITED ? new Bvh(new Handle(checked('scene_bvh', this.handle, id))) : bvh;
	}

	/**
	 * Edits the mesh of an instance, and of all other instances with the same mesh, as `Bvh.update` does. The tree that was
	 * inserted keeps its mesh.
	 */
	update(id, edit) {
		const { handle } = this;
		const before = checked('scene_bvh', handle, instance('id', id));
		let offset;
		try {
			call('mesh_about', before);
			views();
			offset = [...f64.subarray(numbers + 8, numbers + 11)];
		} finally {
			// A handle that stays would make the edit copy the tree.
			call('object_free', before);
		}
		checked('scene_update', handle, id, ...stageEdit(edit, isFar(offset) ? offset : null));
		views();
		const [costWhenBuilt, costNow, n] = f64.subarray(numbers, numbers + 3);
		for (const sharing of outputDoubles(n)) this.#meshes.set(sharing, EDITED);
		return { costWhenBuilt, costNow };
	}

	/** Removes an instance with its descendants. */
	remove(id) {
		checked('scene_remove', this.handle, instance('id', id));
		this.#meshes.delete(id);
	}

	/** Places an instance in the space of its parent. */
	setTransform(id, transform) {
		writeMatrix('transform', transform);
		checked('scene_set_transform', this.handle, instance('id', id), 0);
	}

	/** Places an instance in the world, whatever its parents. */
	setWorldTransform(id, transform) {
		writeMatrix('transform', transform);
		checked('scene_set_transform', this.handle, instance('id', id), 1);
	}

	/** Moves an instance to another parent, or to none, in place unless `keepLocal`. */
	reparent(id, parent, options = undefined) {
		const { keepLocal = false } = optionsOf(options, ['keepLocal']);
		const of = parent === null ? -1 : instance('parent', parent);
		checked('scene_reparent', this.handle, instance('id', id), of, boolean('options.keepLocal', keepLocal) ? 1 : 0);
	}

	/** Exchanges the mesh of an instance, or takes it away. After a `refit` of a tree, instances keep the old one. */
	setMesh(id, bvh) {
		checked('scene_set_mesh', this.handle, instance('id', id), bvh === null ? 0 : handleOf('bvh', bvh));
		this.#meshes.set(id, bvh);
	}

	setHidden(id, hidden) {
		checked('scene_set_hidden', this.handle, instance('id', id), boolean('hidden', hidden) ? 1 : 0);
	}

	setLocked(id, locked) {
		checked('scene_set_locked', this.handle, instance('id', id), boolean('locked', locked) ? 1 : 0);
	}

	setLayers(id, layers) {
		checked('scene_set_layers', this.handle, instance('id', id), layerBits(layers));
	}

	/** The number of instances. */
	get size() {
		call('scene_size', this.handle);
		views();
		return f64[numbers];
	}

	/** The exact box around everything in world space, hidden or not: of the images of all vertices in f64. Or null. */
	get bounds() {
		call('scene_bounds', this.handle);
		views();
		const [x0, y0, z0, x1, y1, z1] = f64.subarray(numbers, numbers + 6);
		return x0 <= x1 ? { min: [x0, y0, z0], max: [x1, y1, z1] } : null;
	}

	/** The first hit of a ray in world space, or null. */
	closestHit(ray, hit = new SceneHit(), options = undefined) {
		filled('hit', hit);
		writeRay(ray);
		const result = call('scene_closest_hit', this.handle, facesCode(options?.faces), ...included(options, 'faces'));
		if (result !== 1) return missed(result);
		views();
		fillSceneHit(hit, f64, numbers);
		for (let i = 0; i < 3; i++) {
			hit.point[i] = f64[numbers + HIT_NUMBERS + i];
			hit.normal[i] = f64[numbers + HIT_NUMBERS + 3 + i];
		}
		return hit;
	}

	/** Whether a ray hits anything. */
	isOccluded(ray, options = undefined) {
		writeRay(ray);
		const result = call('scene_is_occluded', this.handle, facesCode(options?.faces), ...included(options, 'faces'));
		return result === 1 || missed(result) !== null;
	}

	/** All hits of a ray in order, without points and normals. */
	allHits(ray, options = undefined) {
		return this.#hits(ray, EVERY_HIT, options);
	}

	/** The first `n` hits of a ray, without points and normals. */
	nearestHits(ray, n, options = undefined) {
		return this.#hits(ray, integer('n', n, EVERY_HIT), options);
	}

	#hits(ray, n, options) {
		writeRay(ray);
		const once = options?.oncePerCrossing ? 1 : 0;
		const result = call('scene_all_hits', this.handle, facesCode(options?.faces), once, n, ...included(options, 'faces', 'oncePerCrossing'));
		if (result !== 1) missed(result);
		views();
		const found = outputDoubles(f64[numbers] * HIT_NUMBERS);
		return listOf(found, HIT_NUMBERS, (first) => plainHit(found, first));
	}

	/** The first hits of rays, eight numbers each; null for a miss. */
	closestHits(rays, options = undefined) {
		return hitsOf(hitNumbers(this, rays, options));
	}

	/** `closestHits` by threads. */
	async closestHitsAsync(rays, options = undefined) {
		if (!(rays instanceof Float64Array && isSplit(rays, RAY_NUMBERS))) return this.closestHits(rays, options);
		return hitsOf(joined(await answersOfThreads(this, 'closestHits', rays, RAY_NUMBERS, options)));
	}

	/** The nearest point of any surface, or null. */
	closestPoint(point, options = undefined) {
		const { maxDistance = Infinity } = options ?? {};
		numbersOf('point', point, 3, 'x, y and z');
		for (let i = 0; i < 3; i++) finite(`point[${i}]`, point[i]);
		if (!(maxDistance >= 0)) throw typeError('maxDistance', maxDistance, 'a number from 0 on');
		if (call('scene_closest_point', this.handle, ...point, maxDistance, ...included(options, 'maxDistance')) !== 1) return null;
		views();
		const [distance, x, y, z, u, v, triangle, id] = f64.subarray(numbers, numbers + 8);
		return { distance, point: [x, y, z], u, v, triangle, instance: id };
	}

	/** The first contact of a ball that moves along a ray in world space, or null. */
	sphereCast(ray, radius, options = undefined) {
		writeRay(ray);
		return firstContact('scene_sphere_cast', this.handle, radius, ...included(options));
	}

	/** The contact with each triangle that the ball touches, in order. */
	sphereCastAll(ray, radius, options = undefined) {
		writeRay(ray);
		return allContacts('scene_sphere_cast', this.handle, radius, ...included(options));
	}

	/** Whether the ball touches anything. */
	sphereCastAny(ray, radius, options = undefined) {
		writeRay(ray);
		return anyContact('scene_sphere_cast', this.handle, radius, ...included(options));
	}

	/** The polylines in which a plane cuts the instances. */
	section(point, normal, options = undefined) {
		return sectionOf('scene_section', this.handle, point, normal, ...included(options));
	}

	/** The triangles that touch a ball in world space. */
	overlappingSphere(center, radius, options = undefined) {
		numbersOf('center', center, 3, 'x, y and z');
		for (let i = 0; i < 3; i++) finite(`center[${i}]`, center[i]);
		if (!(number('radius', radius) >= 0)) throw typeError('radius', radius, 'a number from 0 on');
		checked('scene_overlap_sphere', this.handle, ...center, radius, ...included(options));
		return pairs();
	}

	/** The triangles that touch a box in world space. */
	overlappingBox(min, max, options = undefined) {
		boxCorners(min, max);
		views();
		for (let i = 0; i < 3; i++) {
			f64[numbers + i] = min[i];
			f64[numbers + 3 + i] = max[i];
		}
		checked('scene_overlap_box', this.handle, ...included(options));
		return pairs();
	}

	/** The visible object, face, edge or vertex at a pixel, or null. */
	pick(view, x, y, options = undefined) {
		const result = call('scene_pick', ...pickArguments(this.handle, view, x, y, options));
		if (result !== 1) return null;
		views();
		return pickOf(f64, numbers);
	}

	/** All such elements at a pixel, through all surfaces, nearest first. */
	pickAll(view, x, y, options = undefined) {
		call('scene_pick_all', ...pickArguments(this.handle, view, x, y, options));
		views();
		const found = outputDoubles(f64[numbers] * PICK_NUMBERS);
		return listOf(found, PICK_NUMBERS, (first) => pickOf(found, first));
	}

	/** The vertex, midpoint, edge or surface to snap to at a pixel, or null. */
	snap(view, x, y, options = undefined) {
		writeView(view);
		const { radius = 8 } = options ?? {};
		if (!(number('radius', radius) >= 0)) throw rangeError('radius', radius, 'a number of pixels from 0 on');
		const args = [number('x', x), number('y', y), radius, ...included(options, 'radius')];
		if (call('scene_snap', this.handle, ...args) !== 1) return null;
		views();
		return { target: TARGETS[f64[numbers + PICK_NUMBERS]], ...pickOf(f64, numbers) };
	}

	/**
	 * The elements in a region of pixels: the rectangle `marquee` between x and y of two corners, or the outline `lasso`
	 * of x and y of each corner.
	 */
	select(view, region, options = undefined) {
		const { marquee, lasso } = region ?? {};
		if (marquee === undefined === (lasso === undefined)) {
			throw new TypeError('hitscan: region has neither or both of marquee and lasso, expected one');
		}
		const corners = marquee ?? lasso;
		if (marquee !== undefined) {
			numbersOf('marquee', marquee, 4, 'x and y of two corners');
			for (let i = 0; i < 4; i++) finite(`marquee[${i}]`, marquee[i]);
		} else if (!Array.isArray(lasso) && !ArrayBuffer.isView(lasso) || lasso.length % 2 !== 0) {
			throw typeError('lasso', lasso, 'x and y of each corner');
		}
		const isLasso = marquee === undefined ? 1 : 0;
		const { kind = 'object', mode = 'touch', visibleOnly = false, faces } = options ?? {};
		const [layers, flags] = included(options, 'kind', 'mode', 'visibleOnly', 'faces');
		const bits = flags | (boolean('options.visibleOnly', visibleOnly) ? 8 : 0) | code('mode', mode, MODES);
		const at = stage('stage_numbers', corners.length) / 8;
		f64.set(corners, at);
		writeView(view);
		const args = [isLasso, code('kind', kind, KINDS), facesCode(faces), layers, bits];
		if (call('scene_select', this.handle, ...args) === INVALID) throw new RangeError(`hitscan: ${errorText()}`);
		views();
		const found = outputDoubles(f64[numbers] * ELEMENT_NUMBERS);
		return listOf(found, ELEMENT_NUMBERS, (first) => elementOf(found, first));
	}
}

/** The first hits of rays as numbers, in the way of threads. */
export function hitNumbers(scene, rays, options) {
	const n = arrayOf('rays', rays, RAY_NUMBERS, [Float64Array], 'origin, direction, t_min and t_max of each ray');
	const at = stage('stage_numbers', rays.length) / 8;
	f64.set(rays, at);
	const result = call('scene_closest_hits', scene.handle, facesCode(options?.faces), ...included(options, 'faces'));
	if (result === 0) throw failed();
	if (result === INVALID) {
		views();
		throw new InvalidRay(f64[numbers], errorText());
	}
	return outputDoubles(n * HIT_NUMBERS);
}

function hitsOf(found) {
	return listOf(found, HIT_NUMBERS, (first) => found[first + 5] < 0 ? null : plainHit(found, first));
}

function handleOf(name, bvh) {
	if (!(bvh instanceof Bvh)) throw typeError(name, bvh, 'a Bvh');
	return bvh.handle;
}

function instance(name, id) {
	if (!Number.isSafeInteger(id) || id < 0) throw typeError(name, id, 'the handle of an instance, from insert');
	return id;
}

function layerBits(layers) {
	return integer('layers', layers, ALL_LAYERS + 1);
}

/** The codes of the instances that a query includes: layers and flags. */
function included(options, ...others) {
	const names = ['layers', 'includeHidden', 'includeLocked', 'xRay', ...others];
	const { layers = ALL_LAYERS, includeHidden = false, includeLocked = false, xRay = false } = optionsOf(options, names);
	return [layerBits(layers), (includeHidden ? 1 : 0) | (includeLocked ? 2 : 0) | (xRay ? 4 : 0)];
}

function writeMatrix(name, matrix) {
	numbersOf(name, matrix, 16, 'a matrix, column by column');
	views();
	for (let i = 0; i < 16; i++) f64[numbers + i] = finite(`${name}[${i}]`, matrix[i]);
}

function writeRay(ray) {
	const n = rayNumbers(ray);
	views();
	for (let i = 0; i < 6; i++) f64[numbers + i] = ray[i];
	f64[numbers + 6] = n === 6 ? 0 : ray[6];
	f64[numbers + 7] = n === 6 ? Infinity : ray[7];
}

function writeView(view) {
	if (!(view instanceof View)) throw typeError('view', view, 'a View');
	view.write();
}

function missed(result) {
	if (result === INVALID) throw new RangeError(`hitscan: ${errorText()}`);
	return null;
}

function fillSceneHit(hit, from, first) {
	hit.t = from[first];
	hit.u = from[first + 1];
	hit.v = from[first + 2];
	hit.triangle = from[first + 3] | 0;
	hit.side = from[first + 4] === 0 ? 'front' : 'back';
	hit.instance = from[first + 5];
	return hit;
}

function plainHit(from, first) {
	return fillSceneHit({ t: 0, u: 0, v: 0, triangle: 0, side: 'front', instance: 0 }, from, first);
}

function listOf(found, width, make) {
	return Array.from({ length: found.length / width }, (_, i) => make(i * width));
}

function pairs() {
	views();
	const found = outputDoubles(2 * f64[numbers]);
	return listOf(found, 2, (first) => ({ instance: found[first], triangle: found[first + 1] }));
}

function elementOf(from, first) {
	const kind = KIND_NAMES[from[first + 1]];
	const [a, b] = [from[first + 2], from[first + 3]];
	const element = { instance: from[first], kind };
	if (kind === 'face') element.face = a;
	if (kind === 'edge') element.edge = [a, b];
	if (kind === 'vertex') element.vertex = a;
	return element;
}

function pickOf(from, first) {
	const [x, y, z, pixelX, pixelY, pixelDistance, distance, triangle, side] = from.slice(first + 4, first + PICK_NUMBERS);
	return {
		...elementOf(from, first),
		point: [x, y, z],
		pixel: [pixelX, pixelY],
		pixelDistance,
		distance,
		triangle: triangle < 0 ? null : triangle,
		side: side < 0 ? null : side === 0 ? 'front' : 'back',
	};
}

function pickArguments(handle, view, x, y, options) {
	const { kind = 'object', radius, faces } = options ?? {};
	if (radius !== undefined && !(number('radius', radius) >= 0)) throw rangeError('radius', radius, 'a number of pixels from 0 on');
	writeView(view);
	return [
		handle, number('x', x), number('y', y), code('kind', kind, KINDS), radius ?? -1, facesCode(faces),
		...included(options, 'kind', 'radius', 'faces'),
	];
}
