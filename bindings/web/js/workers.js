// Workers of the browser or of Node, behind one interface. The scripts of workers must not import this file: a bundler
// would have to name a script after itself.

/** The scripts. Bundlers look for `new Worker` and `new URL` with literals. */
const SCRIPTS = {
	build: {
		url: () => new URL('./worker.js', import.meta.url),
		open: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
	},
	thread: {
		url: () => new URL('./thread.js', import.meta.url),
		open: () => new Worker(new URL('./thread.js', import.meta.url), { type: 'module' }),
	},
};

/** Starts a worker with one of the scripts; `instead` says what to do where there are no workers. */
export function startWorker(script, instead) {
	const { url, open } = SCRIPTS[script];
	if (typeof Worker === 'function') {
		const worker = open();
		return {
			listen(onMessage, onError) {
				worker.onmessage = (event) => onMessage(event.data);
				worker.onerror = (event) => onError(event.message ?? 'its script cannot be loaded');
			},
			post: (message, transfer) => worker.postMessage(message, transfer),
			terminate: () => worker.terminate(),
			/** Whether the worker keeps the process alive. Pages end by themselves. */
			hold() {},
		};
	}
	const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads');
	if (!threads) throw new Error(`hitscan: this environment has no workers; ${instead}`);
	// A worker with the flag of `node --input-type=module -e` ends at once.
	const isText = process.execArgv.some((flag) => flag.startsWith('--input-type'));
	const worker = new threads.Worker(url(), isText ? { execArgv: [] } : {});
	return {
		listen(onMessage, onError) {
			worker.on('message', onMessage);
			worker.on('error', (error) => onError(error.message));
			worker.on('exit', (code) => onError(`it ended with code ${code}`));
		},
		post: (message, transfer) => worker.postMessage(message, transfer),
		terminate: () => worker.terminate(),
		hold: (isHeld) => isHeld ? worker.ref() : worker.unref(),
	};
}
