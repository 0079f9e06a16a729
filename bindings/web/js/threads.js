// The threads: workers that are instances of one module over one memory, and the queue of their tasks.

import { sharedMemory, threadImports } from './shared-memory.js';
import { startWorker } from './workers.js';

/** The stack of a thread, as large as that of the main one. */
const STACK = 1 << 20;

/** Instantiates the module over a new memory and starts `n` threads. Returns the exports and the pool. */
export async function startThreads(module, n, imports) {
	const memory = sharedMemory();
	const { exports } = await WebAssembly.instantiate(module, threadImports(module, memory, imports));
	if (typeof exports.object_share !== 'function') {
		throw new Error('hitscan: options.threadsWasm is another WebAssembly module; expected hitscan-threads.wasm of this package');
	}
	exports.__wasm_call_ctors();
	const pool = new Pool();
	try {
		await Promise.all(Array.from({ length: n }, (_, i) => pool.start({ module, memory, ...roomIn(exports) }, `${i + 1} of ${n}`)));
	} catch (error) {
		pool.end();
		throw error;
	}
	return { exports, pool };
}

/** The addresses of a new thread: its statics, and the end of its stack above them. */
function roomIn(exports) {
	const statics = Math.ceil(exports.__tls_size.value / 16) * 16;
	const address = exports.thread_memory(statics + STACK) >>> 0;
	if (address === 0) throw new Error('hitscan: options.threads: out of memory; ask for fewer threads');
	return { statics: address, stackTop: address + statics + STACK };
}

/** Threads that take tasks in order. */
class Pool {
	#threads = new Set();
	#idle = [];
	#queue = [];
	#failure = null;

	/** The number of threads that run. */
	get size() {
		return this.#threads.size;
	}

	/** Starts a thread and waits until it is ready. */
	start(message, name) {
		return new Promise((resolve, reject) => {
			const worker = startWorker('thread', 'leave out options.threads');
			const thread = { worker, task: null };
			this.#threads.add(thread);
			worker.listen((answer) => {
				if (answer.failure !== undefined) return this.#lose(thread, reject, name, answer.failure);
				if (answer.progress !== undefined) return thread.task.onProgress(answer.progress);
				if (answer.isReady) {
					resolve();
				} else {
					const { task } = thread;
					thread.task = null;
					task.resolve(answer);
				}
				this.#next(thread);
			}, (text) => this.#lose(thread, reject, name, text));
			worker.post(message, []);
		});
	}

	/** Sends a message to the next idle thread. The promise is that of its answer, before which it may report progress. */
	run(message, transfer, onProgress) {
		return new Promise((resolve, reject) => {
			if (this.#threads.size === 0) return reject(new Error(this.#failure));
			this.#queue.push({ message, transfer, onProgress, resolve, reject });
			const thread = this.#idle.pop();
			if (thread !== undefined) this.#next(thread);
		});
	}

	#next(thread) {
		const task = this.#queue.shift();
		thread.worker.hold(task !== undefined);
		if (task === undefined) {
			this.#idle.push(thread);
			return;
		}
		try {
			thread.worker.post(task.message, task.transfer);
			thread.task = task;
		} catch (error) {
			task.reject(error);
			this.#next(thread);
		}
	}

	/** A thread that failed takes no further task. Its task is refused, and with the last thread all that wait. */
	#lose(thread, reject, name, text) {
		if (!this.#threads.delete(thread)) return;
		thread.worker.terminate();
		this.#idle = this.#idle.filter((other) => other !== thread);
		this.#failure = `hitscan: thread ${name} failed: ${text}`;
		const lost = this.#threads.size === 0 ? this.#queue.splice(0) : [];
		if (thread.task !== null) lost.push(thread.task);
		for (const task of lost) task.reject(new Error(this.#failure));
		reject(new Error(this.#failure));
	}

	/** Ends threads that have no task. */
	end() {
		for (const { worker } of this.#threads) worker.terminate();
		this.#threads.clear();
	}
}
