// Arrays of NumPy, which the program `hitscan cast` reads and writes.

import { readFileSync, writeFileSync } from 'node:fs';

const TYPES = {
	'<f4': Float32Array, '<f8': Float64Array, '<u4': Uint32Array, '<i4': Int32Array, '|u1': Uint8Array, '|b1': Uint8Array,
	'<u8': BigUint64Array, '<i8': BigInt64Array,
};

/** Writes rows of f32. */
export function writeNpy(file, values, columns) {
	const shape = `(${values.length / columns}, ${columns})`;
	const text = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
	const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + '\n';
	const head = Buffer.from(`\x93NUMPY\x01\x00__${padded}`, 'latin1');
	head.writeUInt16LE(padded.length, 8);
	writeFileSync(file, Buffer.concat([head, Buffer.from(values.buffer, values.byteOffset, values.byteLength)]));
}

function parseNpy(bytes) {
	const length = bytes.readUInt16LE(8);
	const header = bytes.toString('latin1', 10, 10 + length);
	const type = TYPES[/'descr': '([^']*)'/.exec(header)[1]];
	const data = Uint8Array.from(bytes.subarray(10 + length));
	return new type(data.buffer);
}

/** The arrays of an uncompressed `.npz` file by name. */
export function readNpz(file) {
	const bytes = readFileSync(file);
	const arrays = {};
	// The central directory, from its end.
	let end = bytes.length - 22;
	while (bytes.readUInt32LE(end) !== 0x06054b50) end--;
	let at = bytes.readUInt32LE(end + 16);
	for (let i = bytes.readUInt16LE(end + 10); i > 0; i--) {
		const [size, nameLength] = [bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28)];
		const extra = bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
		const local = bytes.readUInt32LE(at + 42);
		const name = bytes.toString('utf8', at + 46, at + 46 + nameLength).replace(/\.npy$/, '');
		const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
		arrays[name] = parseNpy(bytes.subarray(start, start + size));
		at += 46 + nameLength + extra;
	}
	return arrays;
}
