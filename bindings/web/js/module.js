// The WebAssembly module: loading, its memory, and its errors.

import { rangeError, typeError } from './arguments.js';
import { threadImports, threadsAllowed } from './shared-memory.js';

/** The exports of the module, once `init` has loaded it. @type {any} */
export let wasm = null;

/** Views of its memory. Growth replaces them: call `views()` first. */
export let f64 = new Float64Array(0);
export let f32 = new Float32Array(0);
export let u32 = new Uint32Array(0);
export let u8 = new Uint8Array(0);

/** The index in `f64` of the numbers of single answers and arguments. */
export let numbers = 0;

/** The threads; null without. */
export let pool = null;

/** The most threads that `init` starts. */
const MOST_THREADS = 64;

let asksThreads = false;
let loading = null;
let readersFrom = null;
let readers = null;
let stackTop = 0;
let usesSimd = false;
let isShared = false;
let refused = null;

/** A module whose only function returns an i32x4: engines without SIMD refuse it. */
const SIMD_PROBE = new Uint8Array([
	0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** The build that reports its progress: its function, what that threw, and the build that it interrupts. */
let build = null;

const imports = {
	env: {
		progress(done) {
			// The function may call the module again: a trap in there unwinds to here, not to the top of the stack.
			const [current, top] = [build, stackTop];
			stackTop = wasm.__stack_pointer.value;
			try {
				return current.onProgress(done) === false ? 1 : 0;
			} catch (error) {
				current.error = error;
				return 1;
			} finally {
				build = current;
				stackTop = top;
			}
		},
	},
};

/**
 * Loads the module, once. Later calls return the same promise; of their options only `readers` counts. `init.js` has the
 * function that starts threads: a worker, which calls this one, has no threads of its own.
 */
export function loadModule(options = {}, startThreads = null) {
	readersFrom = options.readers ?? readersFrom;
	const { threads, load: part } = options;
	if (part !== undefined && part !== 'all' && part !== 'rays') return Promise.reject(typeError('options.load', part, "'all' or 'rays'"));
	if (threads !== undefined && !(Number.isInteger(threads) && threads >= 0 && threads <= MOST_THREADS)) {
		return Promise.reject(rangeError('options.threads', threads, `a whole number from 0 to ${MOST_THREADS}`));
	}
	if (threads > 0 && loading !== null && !asksThreads) {
		return Promise.reject(new Error('hitscan: options.threads came after an init() without it, which chose the module; ' +
			'pass it to the first call, before the import of hitscan/three'));
	}
	asksThreads ||= threads > 0;
	loading ??= start(options, startThreads).catch((cause) => {
		loading = null;
		asksThreads = false;
		refused = cause;
		throw cause;
	});
	return loading;
}

/** Whether `init` has finished. */
export function isReady() {
	return wasm !== null;
}

/** The number of threads that answer batches; 0 where the calling thread does. */
export function threadCount() {
	ready();
	return pool === null ? 0 : pool.size;
}

/** Whether the loaded module uses SIMD. */
export function isSimd() {
	ready();
	return usesSimd;
}

async function start({ simd, wasm: source, load = 'all', threads = 0, threadsWasm }, startThreads) {
	const useSimd = simd ?? WebAssembly.validate(SIMD_PROBE);
	if (threads > 0 && useSimd && threadsAllowed()) {
		const module = await compiled(threadsWasm ?? new URL('./hitscan-threads.wasm', import.meta.url), 'threadsWasm');
		const started = await startThreads(module, threads, imports);
		connect(started.exports, true);
		pool = started.pool;
		isShared = true;
		wasm.start();
		return;
	}
	// Bundlers look for `new URL` with a literal.
	const own = {
		all: () => new URL('./hitscan.wasm', import.meta.url),
		rays: () => new URL('./hitscan-rays.wasm', import.meta.url),
		scalar: () => new URL('./hitscan-scalar.wasm', import.meta.url),
	};
	const from = source ?? own[useSimd ? load : 'scalar']();
	const exports = await instantiate(await compiled(from, 'wasm'));
	if (typeof exports.bvh_candidates !== 'function') {
		throw new Error('hitscan: options.wasm is another WebAssembly module; expected hitscan.wasm of this package');
	}
	connect(typeof exports.scene_new === 'function' ? exports : withoutScenes(exports), useSimd);
	wasm.start();
}

/** The exports of the module for rays: each function that it lacks is an error that says so. */
function withoutScenes(exports) {
	const absent = new Proxy({}, {
		get: (_, name) => () => {
			throw new Error(`hitscan: ${String(name)} is not in hitscan-rays.wasm, which has no scenes, views, insides, sphere casts, ` +
				"sections and pairs of meshes; leave out the option load: 'rays' of init()");
		},
	});
	return Object.setPrototypeOf({ ...exports }, absent);
}

/** Takes an instance into use. */
function connect(exports, useSimd) {
	wasm = exports;
	usesSimd = useSimd;
	stackTop = wasm.__stack_pointer.value;
	views();
	numbers = addressOf('numbers_address') / 8;
}

/** Makes this worker a thread: an instance over the memory of another thread, which found room for its own data. */
export async function joinThreads({ module, memory, statics, stackTop: top }) {
	const { exports } = await WebAssembly.instantiate(module, threadImports(module, memory, imports));
	exports.__stack_pointer.value = top;
	exports.__wasm_init_tls(statics);
	isShared = true;
	connect(exports, true);
}

/**
 * The exports of a new instance of the readers' module, whose memory ends with it. The module is compiled once.
 */
export async function newReaders() {
	ready();
	readers ??= compiled(readersFrom ?? new URL('./hitscan-readers.wasm', import.meta.url), 'readers').catch((cause) => {
		readers = null;
		throw cause;
	});
	const exports = await instantiate(await readers);
	if (typeof exports.read_mesh !== 'function') {
		readers = null;
		throw new Error('hitscan: options.readers is another WebAssembly module; expected hitscan-readers.wasm of this package');
	}
	exports.start();
	return exports;
}

/** The module of an address, bytes or a response, which the option `option` of `init` may name. */
async function compiled(from, option) {
	try {
		const source = await from;
		return source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await bytesFrom(source));
	} catch (cause) {
		const name = from instanceof URL || typeof from === 'string' ? `${from}` : `options.${option}`;
		throw new Error(`hitscan: cannot load the WebAssembly module ${name}: ${cause.message}; ` +
			`serve the .wasm files beside the script, or pass their address or bytes as init({ ${option} })`, { cause });
	}
}

async function instantiate(module) {
	return (await WebAssembly.instantiate(module, imports)).exports;
}

/** What a relative address starts from. In a worker webpack makes relative ones, and puts a file in place of the script. */
function base() {
	if (typeof document === 'object') return document.baseURI;
	const { location } = globalThis;
	return location?.protocol.startsWith('http') ? location.href : import.meta.url;
}

async function bytesFrom(source) {
	if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return source;
	if (typeof Response === 'function' && source instanceof Response) return bytesOfResponse(source);
	const url = new URL(source, base());
	if (url.protocol === 'file:') {
		// Node, Deno and Bun; without an import that bundlers would follow.
		const fs = globalThis.process?.getBuiltinModule?.('node:fs');
		if (!fs) throw new Error('this environment cannot read files');
		return fs.readFileSync(url);
	}
	return bytesOfResponse(await fetch(url));
}

async function bytesOfResponse(response) {
	if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`);
	// Not the streaming function: it refuses servers that do not know the type of .wasm files.
	return response.arrayBuffer();
}

/** Throws unless the module is loaded. */
export function ready() {
	if (wasm === null) {
		throw new Error(refused === null
			? 'hitscan: the module is not loaded; call and await init() first'
			: refused.message);
	}
}

const PAGE = 65_536;

/** Renews the views if the memory has grown. */
export function views() {
	// Another thread may have grown it. An engine may tell later than its addresses come here; it tells if asked to grow.
	if (isShared && f64.byteLength !== wasm.memory_pages() * PAGE) wasm.memory.grow(0);
	const { buffer } = wasm.memory;
	if (f64.buffer !== buffer) {
		f64 = new Float64Array(buffer);
		f32 = new Float32Array(buffer);
		u32 = new Uint32Array(buffer);
		u8 = new Uint8Array(buffer);
	}
}

/** A number of the module as JavaScript gets it, without a sign: an address from 2 GiB on arrives as a negative one. */
export function unsigned(word) {
	return word >>> 0;
}

/** The address that an export returns, in bytes. */
export function addressOf(name) {
	return unsigned(wasm[name]());
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The text of the last error of the module. */
export function errorText() {
	views();
	const address = addressOf('error_address');
	return decoder.decode(u8.slice(address, address + wasm.error_length()));
}

/** An error of the class that fits the text. */
export function failed() {
	return new Error(`hitscan: ${errorText()}`);
}

/**
 * The error for what a call of the module threw. A trap unwinds nothing, so it also resets the stack of the
 * module, which is usable afterwards.
 */
export function trapped(error) {
	if (!(error instanceof WebAssembly.RuntimeError)) return error;
	wasm.__stack_pointer.value = stackTop;
	const bytes = addressOf('refused_bytes');
	if (bytes > 0) {
		return new Error(`hitscan: out of memory: the module cannot grow by ${bytes} bytes; ` +
			'dispose() of meshes and trees that are no longer in use', { cause: error });
	}
	return new Error(`hitscan: internal error: ${errorText() || error.message}; please report it`, { cause: error });
}

/** Calls an export that returns a number from 0 on, and turns a trap into an error. */
export function call(name, ...args) {
	try {
		return unsigned(wasm[name](...args));
	} catch (error) {
		throw trapped(error);
	}
}

/** Calls an export that returns 0 for an error. */
export function checked(name, ...args) {
	const result = call(name, ...args);
	if (result === 0) throw failed();
	return result;
}

/** Asks for room by the name of a staging export, and returns its address. */
export function stage(name, n) {
	if (n === 0) {
		call(name, 0);
		return 0;
	}
	const address = checked(name, n);
	views();
	return address;
}

/** Stages the bytes of a file and its name. */
export function stageFile(bytes, name) {
	// The address first: `stage` may exchange the views.
	const text = encoder.encode(name);
	const nameAt = stage('stage_name', text.length);
	u8.set(text, nameAt);
	stageBytes(bytes);
}

/** Stages bytes. */
export function stageBytes(bytes) {
	const at = stage('stage_bytes', bytes.length);
	u8.set(bytes, at);
}

/** A copy of the bytes of the last answer. */
export function outputBytes(length) {
	views();
	const address = addressOf('bytes_address');
	return u8.slice(address, address + length);
}

/** A copy of the f64 of the last answer. */
export function outputDoubles(length) {
	views();
	const start = addressOf('doubles_address') / 8;
	return f64.slice(start, start + length);
}

/** Runs a build whose progress goes to a function, and throws what the function threw. */
export function withProgress(onProgress, run) {
	const outer = build;
	const own = build = { onProgress, error: null };
	try {
		return run();
	} catch (error) {
		throw own.error ?? error;
	} finally {
		build = outer;
	}
}
