// Matrices of 16 numbers, column by column.

/** The product `a b`. */
export function multiply(a, b) {
	const product = new Float64Array(16);
	for (let column = 0; column < 4; column++) {
		for (let row = 0; row < 4; row++) {
			for (let k = 0; k < 4; k++) product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
		}
	}
	return product;
}

/** A perspective projection with depth from -1 to 1. */
export function perspective(fovY, aspect, near, far) {
	const f = 1 / Math.tan(fovY / 2);
	return Float64Array.of(
		f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0,
	);
}

export function subtract(a, b) {
	return a.map((x, i) => x - b[i]);
}

export function dot(a, b) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a, b) {
	return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalize(a) {
	const length = Math.hypot(...a) || 1;
	return a.map((x) => x / length);
}

/** The matrix from the world to an eye that looks at a target. */
export function lookAt(eye, target, up) {
	const z = normalize(subtract(eye, target));
	const x = normalize(cross(up, z));
	const y = cross(z, x);
	return Float64Array.of(
		x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
	);
}
