// Objects in the memory of the module, with their end.

import { ready, wasm } from './module.js';

const registry = new FinalizationRegistry((handle) => wasm.object_free(handle));

// Node 20 has the symbol, browsers of 2024 do not.
Symbol.dispose ??= Symbol('Symbol.dispose');

/** The handle of an object that is being made: a `new` with it takes an existing object of the module. */
export class Handle {
	constructor(value) {
		this.value = value;
	}
}

/** An object of the module. `dispose()` frees it at once, the garbage collector at last. */
export class Owned {
	#handle = 0;

	constructor(make) {
		ready();
		this.#handle = make();
		registry.register(this, this.#handle, this);
	}

	/** The number of the object in the module. Throws after `dispose()`. */
	get handle() {
		if (this.#handle === 0) {
			throw new Error(`hitscan: ${this.constructor.name} was used after dispose(); keep it until its last use`);
		}
		return this.#handle;
	}

	/** Whether `dispose()` has freed the object. */
	get isDisposed() {
		return this.#handle === 0;
	}

	/** Frees the memory of the object. A second call does nothing. */
	dispose() {
		if (this.#handle === 0) return;
		registry.unregister(this);
		wasm.object_free(this.#handle);
		this.#handle = 0;
	}

	[Symbol.dispose]() {
		this.dispose();
	}
}
