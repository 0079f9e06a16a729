// Files: a new instance of the second module reads each file. Its memory ends with the instance.

import { newReaders, unsigned } from './module.js';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The arrays of a file, in the memory of the instance that read it. */
export async function readFile(file, name) {
	const wasm = await newReaders();
	const text = encoder.encode(name);
	const error = () => decoder.decode(bytesAt(wasm, unsigned(wasm.error_address()), wasm.error_length()));
	const stage = (room, bytes) => {
		const address = unsigned(room(bytes.length));
		if (address === 0 && bytes.length > 0) throw new Error(`hitscan: ${error()}`);
		new Uint8Array(wasm.memory.buffer).set(bytes, address);
	};
	let done;
	try {
		stage(wasm.stage_name, text);
		stage(wasm.stage_bytes, file);
		done = wasm.read_mesh();
	} catch (cause) {
		if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
		const refused = unsigned(wasm.refused_bytes());
		throw new Error(refused > 0
			? `hitscan: ${name}: out of memory: the module of the readers cannot grow by ${refused} bytes`
			: `hitscan: internal error: ${error() || cause.message}; please report it`, { cause });
	}
	if (done === 0) throw new Error(`hitscan: ${error()}`);
	const { buffer } = wasm.memory;
	const [positions, nPositions, triangles, nTriangles, nReport, nRecords, ...offset] =
		new Float64Array(buffer, unsigned(wasm.numbers_address()), 9);
	const answer = unsigned(wasm.bytes_address());
	return {
		positions: new Float32Array(buffer, positions, 3 * nPositions),
		triangles: new Uint32Array(buffer, triangles, 3 * nTriangles),
		offset,
		report: decoder.decode(bytesAt(wasm, answer, nReport)),
		records: bytesAt(wasm, answer + nReport, nRecords),
	};
}

function bytesAt(wasm, address, length) {
	return new Uint8Array(wasm.memory.buffer, address, length);
}
