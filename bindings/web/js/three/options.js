// The options of three-mesh-bvh, checked: a name that is misspelt must not pass as a default.

import { rangeError, shown, typeError } from '../arguments.js';
import { AVERAGE, CENTER, SAH } from './constants.js';
import { RESTORED } from './symbols.js';

/** The quality that a strategy of three-mesh-bvh asks for: its default builds fast. */
const QUALITIES = new Map([[CENTER, 'fast'], [AVERAGE, 'balanced'], [SAH, 'high']]);

/** The options that set the layout of three-mesh-bvh's nodes, in any of its versions. They are accepted and have no effect. */
const IGNORED = [
	'maxDepth', 'maxLeafTris', 'maxLeafSize', 'targetLeafSize', 'useSharedArrayBuffer', 'verbose', 'packData', 'lazyGeneration',
];

const KNOWN = new Set([
	...IGNORED, 'strategy', 'setBoundingBox', 'indirect', 'onProgress', 'range', 'quality', 'layout', 'type',
	// Of ObjectBVH, which drei and others hand on with the rest.
	'precise', 'includeInstances', 'matrixWorld',
]);

/** The options of a tree with their defaults. */
export function settingsOf(name, options) {
	if (options === null || typeof options !== 'object') {
		throw typeError(`${name}: options`, options, 'an object; leave it out for the defaults');
	}
	for (const key of Object.keys(options)) {
		if (!KNOWN.has(key) && options[key] !== undefined) {
			throw new TypeError(`hitscan: ${name}: options.${key} is no option, expected ${[...KNOWN].join(', ')}`);
		}
	}
	const { strategy = CENTER, setBoundingBox = true, indirect = false, range = null, onProgress = null } = options;
	const quality = options.quality ?? QUALITIES.get(strategy);
	if (quality === undefined) {
		throw rangeError(`${name}: options.strategy`, strategy, `CENTER, AVERAGE or SAH (${[...QUALITIES.keys()].join(', ')})`);
	}
	if (onProgress !== null && typeof onProgress !== 'function') {
		throw typeError(`${name}: options.onProgress`, onProgress, 'a function');
	}
	if (range !== null && !(Number.isFinite(range?.start) && range.start >= 0 && range.count >= 0)) {
		throw new TypeError(`hitscan: ${name}: options.range is ${shown(range)}, expected an object with start and count from 0 on`);
	}
	return {
		setBoundingBox, indirect, range, quality, layout: options.layout, onProgress: onProgress ?? undefined,
		[RESTORED]: options[RESTORED],
	};
}
