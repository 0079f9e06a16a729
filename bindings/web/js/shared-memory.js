// The memory that threads share, and what their module imports.

/**
 * The memory in pages of 64 kB: what it has first, as the build tells the linker, and what it may grow to. Engines that
 * cannot reserve the most get less.
 */
const FIRST_PAGES = 64;
const MOST_PAGES = [65_536, 32_768, 16_384];

/** The error of WASI for a function that is not there. */
const NO_FUNCTION = 52;

/** Whether this environment lets threads share memory: pages need the headers of cross-origin isolation. */
export function threadsAllowed() {
	return typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false;
}

export function sharedMemory() {
	for (const maximum of MOST_PAGES) {
		try {
			return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared: true });
		} catch (error) {
			if (maximum === MOST_PAGES.at(-1)) {
				throw new Error(`hitscan: options.threads needs shared memory, which this engine refuses: ${error.message}`, { cause: error });
			}
		}
	}
}

/**
 * The imports of the module of threads: those of the other ones, the memory, and functions of WASI that its standard
 * library names. There are no files, variables or clocks. Hash tables need no random seed.
 */
export function threadImports(module, memory, imports) {
	const wasi = {};
	for (const { module: from, name } of WebAssembly.Module.imports(module)) {
		if (from === 'wasi_snapshot_preview1') wasi[name] = () => NO_FUNCTION;
	}
	wasi.random_get = () => 0;
	wasi.environ_get = () => 0;
	wasi.environ_sizes_get = (...addresses) => {
		const words = new Uint32Array(memory.buffer);
		for (const address of addresses) words[address >>> 2] = 0;
		return 0;
	};
	return { ...imports, env: { ...imports.env, memory }, wasi_snapshot_preview1: wasi };
}
