// Triangle meshes.

import { arrayOf, bytesOf, integer, typeError } from './arguments.js';
import {
	call, checked, f32, f64, numbers, outputBytes, stage, stageBytes, u32, views,
} from './module.js';
import { Handle, Owned } from './owned.js';
import { readFile } from './readers.js';

const decoder = new TextDecoder();

/** The method by which a tree tells its mesh of an edit. */
export const EDITED = Symbol('edited');

/** A triangle mesh in the memory of the module. */
export class Mesh extends Owned {
	#report = '';
	#vertexCount = 0;
	#triangleCount = 0;
	#offset = [0, 0, 0];

	/**
	 * Vertices of three numbers, and triangles of three indices; without `triangles`, three vertices each. Positions
	 * in f64 that f32 would move by more than a millionth of the mesh's size are stored relative to an offset.
	 */
	constructor(positions, triangles) {
		super(() => positions instanceof Handle ? positions.value : meshOf(positions, triangles));
		call('mesh_about', this.handle);
		views();
		this.#vertexCount = f64[numbers];
		this.#triangleCount = f64[numbers + 1];
		this.#offset = [...f64.subarray(numbers + 8, numbers + 11)];
	}

	/** Reads an OBJ, STL, PLY or glTF file from memory. The first call loads the readers. */
	static async parse(bytes, name = 'mesh') {
		const file = bytesOf('bytes', bytes);
		if (typeof name !== 'string') throw typeError('name', name, 'a file name, whose extension may tell the format');
		const { positions, triangles, offset, records, report } = await readFile(file, name);
		stageTriangles(triangles);
		stagePositions(positions);
		if (records.length > 0) stageBytes(records);
		const mesh = new Mesh(new Handle(checked('mesh_new', records.length > 0 ? 1 : 0, ...offset)));
		mesh.#report = report;
		return mesh;
	}

	/** The parts of the file that the reader skipped or repaired, a line each; empty if there are none. */
	get report() {
		return this.#report;
	}

	get vertexCount() {
		return this.#vertexCount;
	}

	get triangleCount() {
		return this.#triangleCount;
	}

	/** Follows an edit of the mesh to other numbers of vertices and triangles. */
	[EDITED](vertexCount, triangleCount) {
		this.#vertexCount = vertexCount;
		this.#triangleCount = triangleCount;
	}

	/** The box around all triangles: min and max in the coordinates of the file, or null without triangles. */
	get bounds() {
		call('mesh_about', this.handle);
		views();
		const [x0, y0, z0, x1, y1, z1] = f64.subarray(numbers + 2, numbers + 8);
		return x0 <= x1 ? { min: [x0, y0, z0], max: [x1, y1, z1] } : null;
	}

	/** The point that the stored f32 positions are relative to: x, y, z; zeros for most meshes. */
	get offset() {
		return [...this.#offset];
	}

	/** A copy of the positions: in f32, or with an offset in f64 and the coordinates of the file. */
	get positions() {
		const address = checked('mesh_positions', this.handle);
		views();
		const local = f32.slice(address / 4, address / 4 + 3 * this.#vertexCount);
		return isFar(this.#offset) ? Float64Array.from(local, (x, i) => x + this.#offset[i % 3]) : local;
	}

	/** A copy of the indices. */
	get triangles() {
		const address = checked('mesh_triangles', this.handle);
		views();
		return u32.slice(address / 4, address / 4 + 3 * this.#triangleCount);
	}

	/** The polygon of a triangle, and its object, group and material in the file. */
	names(triangle) {
		const length = checked('mesh_names', this.handle, integer('triangle', triangle, this.#triangleCount)) - 1;
		views();
		const polygon = f64[numbers];
		const [object, group, material] = decoder.decode(outputBytes(length)).split('\0');
		return { polygon, object: object || null, group: group || null, material: material || null };
	}

	/** The point at weights of a triangle, as of a hit. */
	point(at, target = new Float64Array(3)) {
		this.#surface(at);
		for (let i = 0; i < 3; i++) target[i] = f64[numbers + i];
		return target;
	}

	/** The unit normal of a triangle; zero for a triangle of zero area. */
	normal(triangle, target = new Float64Array(3)) {
		this.#surface({ triangle, u: 0, v: 0 });
		for (let i = 0; i < 3; i++) target[i] = f64[numbers + 3 + i];
		return target;
	}

	#surface({ triangle, u, v }) {
		checked('mesh_surface', this.handle, integer('triangle', triangle, this.#triangleCount), u, v);
		views();
	}
}

function meshOf(positions, triangles) {
	const nVertices = arrayOf('positions', positions, 3, [Float32Array, Float64Array], 'x, y and z of each vertex');
	let nTriangles;
	if (triangles === undefined || triangles === null) {
		if (nVertices % 3 !== 0) {
			throw new RangeError(`hitscan: positions has ${nVertices} vertices, expected a multiple of 3 without triangles`);
		}
		nTriangles = nVertices / 3;
		const address = stage('stage_triangles', nTriangles) / 4;
		for (let i = 0; i < nVertices; i++) u32[address + i] = i;
	} else {
		nTriangles = arrayOf(
			'triangles', triangles, 3, [Uint32Array, Uint16Array, Uint8Array], 'three indices of each triangle',
		);
		stageTriangles(triangles);
	}
	if (positions instanceof Float64Array) {
		const at = stage('stage_numbers', positions.length) / 8;
		f64.set(positions, at);
		return checked('mesh_from_f64');
	}
	stagePositions(positions);
	return checked('mesh_new', 0, 0, 0, 0);
}

/** Whether a mesh with this offset is far from the origin. */
export function isFar(offset) {
	return offset.some((x) => x !== 0);
}

/** Stages the corners of triangles that were checked. */
export function stageTriangles(triangles) {
	const at = stage('stage_triangles', triangles.length / 3) / 4;
	u32.set(triangles, at);
}

/** Stages positions that were checked, relative to an offset, which is subtracted in f64. */
export function stagePositions(positions, offset = null) {
	const at = stage('stage_positions', positions.length / 3) / 4;
	if (offset === null) {
		f32.set(positions, at);
	} else {
		for (let i = 0; i < positions.length; i++) f32[at + i] = positions[i] - offset[i % 3];
	}
}
