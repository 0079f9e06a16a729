// Edits of meshes: from an argument of `update` to the staged arrays.

import { arrayOf, integer, typedArray, typeError } from './arguments.js';
import { stagePositions, stageTriangles } from './mesh.js';
import { stage, u32 } from './module.js';

const KINDS = ['move', 'append', 'remove', 'replace'];
const INDICES = [Uint32Array, Uint16Array, Uint8Array];
const POSITIONS = [Float32Array, Float64Array];
const END = 2 ** 32;

/** Stages the one edit of an object, and returns the numbers that the module takes: its kind, and a range. */
export function stageEdit(edit, offset) {
	if (edit === null || typeof edit !== 'object') throw typeError('edit', edit, `an object with ${KINDS.join(' or ')}`);
	const given = KINDS.filter((kind) => edit[kind] !== undefined && edit[kind] !== null);
	if (given.length !== 1) {
		const found = given.length === 0 ? 'none' : given.join(' and ');
		throw new TypeError(`hitscan: edit has ${found} of ${KINDS.join(', ')}, expected one`);
	}
	const [kind] = given;
	const [value, args] = [edit[kind], [KINDS.indexOf(kind), 0, 0]];
	if (kind === 'remove') {
		stageIndices('remove', value);
		return args;
	}
	if (typeof value !== 'object') throw typeError(kind, value, 'an object');
	if (kind === 'move') {
		const n = arrayOf('move.positions', value.positions, 3, POSITIONS, 'x, y and z of each vertex');
		typedArray('move.vertices', value.vertices, INDICES);
		if (value.vertices.length !== n) {
			throw new RangeError(`hitscan: move has ${value.vertices.length} vertices and ${n} positions, expected as many`);
		}
		stageIndices('move.vertices', value.vertices);
		stagePositions(value.positions, offset);
		return args;
	}
	const { positions = new Float32Array(0), triangles = new Uint32Array(0) } = value;
	arrayOf(`${kind}.triangles`, triangles, 3, INDICES, 'three indices of each triangle');
	if (kind === 'append') {
		arrayOf('append.positions', positions, 3, POSITIONS, 'x, y and z of each vertex');
		stagePositions(positions, offset);
	} else {
		args[1] = integer('replace.start', value.start, END);
		args[2] = integer('replace.end', value.end, END);
	}
	stageTriangles(triangles);
	return args;
}

function stageIndices(name, indices) {
	typedArray(name, indices, INDICES);
	const at = stage('stage_indices', indices.length) / 4;
	u32.set(indices, at);
}
