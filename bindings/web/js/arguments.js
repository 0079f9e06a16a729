// Checks of arguments. Each error names the argument, what it is and what it should be.

/** How an error shows a value. */
export function shown(value) {
	if (value === null || value === undefined) return String(value);
	if (typeof value === 'string') return `'${value}'`;
	if (typeof value === 'function') return `the function ${value.name}`;
	if (typeof value === 'object') {
		const name = value.constructor?.name ?? 'object';
		const article = /^[AEIO]/.test(name) ? 'an' : 'a';
		return typeof value.length === 'number' ? `${article} ${name} of length ${value.length}` : `${article} ${name}`;
	}
	if (typeof value === 'bigint') return `the BigInt ${value}`;
	return String(value);
}

export function typeError(name, value, expected) {
	return new TypeError(`hitscan: ${name} is ${shown(value)}, expected ${expected}`);
}

export function rangeError(name, value, expected) {
	return new RangeError(`hitscan: ${name} is ${shown(value)}, expected ${expected}`);
}

/** A typed array of one of these classes, whose buffer is attached. */
export function typedArray(name, value, classes) {
	if (!classes.some((type) => value instanceof type)) {
		throw typeError(name, value, classes.map((type) => type.name).join(' or '));
	}
	attached(name, value.buffer);
	return value;
}

function attached(name, buffer) {
	try {
		// The constructor refuses a detached buffer, in engines without `ArrayBuffer.prototype.detached` too.
		new Uint8Array(buffer, 0, 0);
	} catch {
		throw new TypeError(`hitscan: ${name} has a detached buffer, which was transferred; pass a copy that is still attached`);
	}
}

/** A typed array with a whole number of elements of `size` numbers. */
export function arrayOf(name, value, size, classes, element) {
	typedArray(name, value, classes);
	if (value.length % size !== 0) {
		throw rangeError(`${name}.length`, value.length, `a multiple of ${size}: ${element}`);
	}
	return value.length / size;
}

/** The bytes of a file. */
export function bytesOf(name, value) {
	if (value instanceof ArrayBuffer || typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer) {
		attached(name, value);
		return new Uint8Array(value);
	}
	if (ArrayBuffer.isView(value)) {
		attached(name, value.buffer);
		return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
	}
	throw typeError(name, value, 'an ArrayBuffer or a typed array');
}

/** Numbers in an array, a typed array or anything else with a length. */
export function numbersOf(name, value, n, what) {
	if (value === null || typeof value !== 'object' || value.length !== n) {
		throw typeError(name, value, `${n} numbers: ${what}`);
	}
	return value;
}

/** Six or eight numbers of a ray. Every query comes here. */
export function rayNumbers(ray) {
	if (ray === null || typeof ray !== 'object' || ray.length !== 6 && ray.length !== 8) {
		throw typeError('ray', ray, '6 or 8 numbers: origin and direction, then t_min and t_max if there are bounds');
	}
	for (let i = 0; i < ray.length; i++) if (typeof ray[i] !== 'number') throw typeError(`ray[${i}]`, ray[i], 'a number');
	return ray.length;
}

/** The object that a query fills. */
export function filled(name, value) {
	if (value === null || typeof value !== 'object') throw typeError(name, value, 'an object to fill; leave it out for a new one');
	return value;
}

/** The options of a call: an object, or undefined, with known names only. */
export function optionsOf(options, names, what = 'options') {
	if (options === undefined) return {};
	if (options === null || typeof options !== 'object') {
		throw typeError(what, options, 'an object; leave it out for the defaults');
	}
	for (const key in options) {
		if (!names.includes(key)) throw new TypeError(`hitscan: ${what}.${key} is no option, expected ${names.join(', ')}`);
	}
	return options;
}

export function boolean(name, value) {
	if (typeof value !== 'boolean') throw typeError(name, value, 'true or false');
	return value;
}

/** Corners of a box: no minimum above its maximum. */
export function boxCorners(min, max) {
	numbersOf('min', min, 3, 'x, y and z');
	numbersOf('max', max, 3, 'x, y and z');
	for (let i = 0; i < 3; i++) {
		number(`min[${i}]`, min[i]);
		number(`max[${i}]`, max[i]);
		if (min[i] > max[i]) throw rangeError(`min[${i}]`, min[i], `at most max[${i}], which is ${max[i]}`);
	}
}

export function number(name, value) {
	if (typeof value !== 'number' || Number.isNaN(value)) throw typeError(name, value, 'a number');
	return value;
}

export function finite(name, value) {
	if (typeof value !== 'number' || !Number.isFinite(value)) throw typeError(name, value, 'a finite number');
	return value;
}

export function integer(name, value, end) {
	if (!Number.isInteger(value) || value < 0 || value >= end) {
		throw rangeError(name, value, `a whole number from 0 to ${end - 1}`);
	}
	return value;
}

/** The code of a name. */
export function code(name, value, codes) {
	const found = Object.hasOwn(codes, value) ? codes[value] : undefined;
	if (found === undefined) {
		throw typeError(name, value, Object.keys(codes).map((key) => `'${key}'`).join(' or '));
	}
	return found;
}

export const FACES = { both: 0, front: 1, back: 2 };

export function facesCode(faces) {
	// The usual values first, because every query of a ray comes here.
	if (faces === undefined || faces === 'both') return 0;
	return code('faces', faces, FACES);
}

/** The number of points in an array of three finite numbers each. */
export function pointsOf(name, value) {
	const n = arrayOf(name, value, 3, [Float32Array, Float64Array], 'x, y and z of each point');
	for (let i = 0; i < value.length; i++) {
		if (!Number.isFinite(value[i])) finite(`${name}[${i}]`, value[i]);
	}
	return n;
}

/** The numbers of a point as the array of one. */
export function single(point) {
	return Float64Array.from(numbersOf('point', point, 3, 'x, y and z'));
}
