// Questions about solids: balls along rays, sections and pairs of meshes, as the classes of trees and scenes ask them.

import { finite, number, numbersOf, typeError } from './arguments.js';
import { checked, errorText, f64, numbers, outputDoubles, views } from './module.js';

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const CONTACT_NUMBERS = 10;
const CROSSING_NUMBERS = 8;
const INVALID = 2;
const BEYOND = 2;
const FIRST = 0;
const ALL = 1;
const ANY = 2;
/** By the code of a feature: its name, and the code of the first of its kind. */
const FEATURES = [['face', 0], ['edge', 1], ['edge', 1], ['edge', 1], ['vertex', 4], ['vertex', 4], ['vertex', 4]];

/** The first contact of the ball along the ray that is written, or null. */
export function firstContact(name, handle, radius, ...options) {
	return contacts(name, handle, radius, FIRST, options)[0] ?? null;
}

/** All its contacts. */
export function allContacts(name, handle, radius, ...options) {
	return contacts(name, handle, radius, ALL, options);
}

/** Whether it touches anything. */
export function anyContact(name, handle, radius, ...options) {
	return cast(name, handle, radius, ANY, options) !== 0;
}

function cast(name, handle, radius, which, options) {
	if (!(number('radius', radius) >= 0 && radius < Infinity)) throw typeError('radius', radius, 'a finite number from 0 on');
	f64[numbers + 8] = radius;
	if (checked(name, handle, which, ...options) === INVALID) throw new RangeError(`hitscan: ${errorText()}`);
	views();
	return f64[numbers];
}

function contacts(name, handle, radius, which, options) {
	const n = cast(name, handle, radius, which, options);
	const found = outputDoubles(n * CONTACT_NUMBERS);
	return Array.from({ length: n }, (_, i) => {
		const [t, x, y, z, a, b, c, triangle, code, instance] = found.subarray(i * CONTACT_NUMBERS, (i + 1) * CONTACT_NUMBERS);
		const [feature, first] = FEATURES[code];
		const contact = { t, point: [x, y, z], normal: [a, b, c], triangle, feature, featureIndex: code - first };
		if (instance >= 0) contact.instance = instance;
		return contact;
	});
}

/** The polylines of a plane. */
export function sectionOf(name, handle, point, normal, ...options) {
	numbersOf('point', point, 3, 'x, y and z');
	numbersOf('normal', normal, 3, 'x, y and z');
	views();
	for (let i = 0; i < 3; i++) {
		f64[numbers + i] = finite(`point[${i}]`, point[i]);
		f64[numbers + 3 + i] = finite(`normal[${i}]`, normal[i]);
	}
	checked(name, handle, ...options);
	views();
	const [n, length] = f64.subarray(numbers, numbers + 2);
	const found = outputDoubles(length);
	let at = 0;
	return Array.from({ length: n }, () => {
		const [instance, closed, nPoints, nTriangles] = found.subarray(at, at + 4);
		at += 4;
		const points = found.slice(at, at += 3 * nPoints);
		const polyline = { points, triangles: Uint32Array.from(found.subarray(at, at += nTriangles)), closed: closed === 1 };
		if (instance >= 0) polyline.instance = instance;
		return polyline;
	});
}

/** Writes the transform of a second mesh to the space of a first one. */
export function writePair(transform = IDENTITY) {
	numbersOf('transform', transform, 16, 'a matrix, column by column');
	views();
	for (let i = 0; i < 16; i++) f64[numbers + i] = finite(`transform[${i}]`, transform[i]);
}

/** The segments in which two meshes cross. */
export function crossingsOf(first, second) {
	checked('bvh_mesh_crossings', first, second);
	views();
	const n = f64[numbers];
	const found = outputDoubles(n * CROSSING_NUMBERS);
	return Array.from({ length: n }, (_, i) => {
		const [a, b, ...ends] = found.subarray(i * CROSSING_NUMBERS, (i + 1) * CROSSING_NUMBERS);
		return { triangles: [a, b], segment: [ends.slice(0, 3), ends.slice(3)] };
	});
}

/** The distance of two meshes, or null. */
export function distanceOf(first, second, maxDistance) {
	if (!(number('maxDistance', maxDistance) >= 0)) throw typeError('maxDistance', maxDistance, 'a number from 0 on');
	if (checked('bvh_mesh_distance', first, second, maxDistance) === BEYOND) return null;
	views();
	const [distance, a, b, ...points] = f64.subarray(numbers, numbers + 9);
	return { distance, triangles: [a, b], points: [points.slice(0, 3), points.slice(3)] };
}

/** Whether two meshes overlap. */
export function overlapOf(first, second) {
	checked('bvh_overlaps_mesh', first, second);
	views();
	return f64[numbers] !== 0;
}
