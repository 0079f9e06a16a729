// The view of a camera: pixels to rays, points to pixels.

import { code, finite, number, numbersOf, typeError } from './arguments.js';
import { call, errorText, f64, numbers, ready, views } from './module.js';

/** Depth range (0 from 0 to 1, 1 reversed, 2 from -1 to 1) and the direction of pixel y (0 down, 1 up). */
const CONVENTIONS = {
	'three.js': [2, 0],
	webgpu: [0, 0],
	reversed: [1, 0],
	opengl: [2, 1],
	vulkan: [0, 1],
};

const INVALID = 2;

/** A view from a matrix, a viewport and a convention. Immutable, and not in the memory of the module. */
export class View {
	#numbers = new Float64Array(22);

	/** `worldToClip` has 16 numbers, column by column: `projectionMatrix * matrixWorldInverse` in three.js. */
	constructor(worldToClip, viewport, convention = 'three.js') {
		ready();
		numbersOf('worldToClip', worldToClip, 16, 'the matrix from world to clip space, column by column');
		if (viewport === null || typeof viewport !== 'object') {
			throw typeError('viewport', viewport, 'an object with width and height, in pixels');
		}
		const { x = 0, y = 0, width, height } = viewport;
		code('convention', convention, CONVENTIONS);
		this.#numbers.set(worldToClip);
		this.#numbers.set([
			finite('viewport.x', x), finite('viewport.y', y), finite('viewport.width', width),
			finite('viewport.height', height), ...CONVENTIONS[convention],
		], 16);
		this.write();
		if (call('view_check') === INVALID) throw new RangeError(`hitscan: ${errorText()}`);
	}

	/** Passes the view to the module, for the next call. */
	write() {
		views();
		f64.set(this.#numbers, numbers);
	}

	/** The ray of a pixel in world space, eight numbers: it ends at the far plane. */
	ray(x, y, target = new Float64Array(8)) {
		number('x', x);
		number('y', y);
		this.write();
		call('view_ray', x, y);
		for (let i = 0; i < 8; i++) target[i] = f64[numbers + i];
		return target;
	}

	/** The pixel of a point in world space with its depth and distance, or null beyond the planes. */
	project(point) {
		numbersOf('point', point, 3, 'x, y and z');
		this.write();
		if (call('view_project', ...point) !== 1) return null;
		const [x, y, depth, distance] = f64.subarray(numbers, numbers + 4);
		return { x, y, depth, distance };
	}
}
