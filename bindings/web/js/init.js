// The start of the package on a main thread.

import { loadModule } from './module.js';
import { startThreads } from './threads.js';

/** Loads the module, once, and starts the threads that it may have. */
export function init(options) {
	return loadModule(options, startThreads);
}
