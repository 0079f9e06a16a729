// Meshes and rays from seeds, the same in Node and in browsers.

/** Numbers from 0 to 1 (Mulberry32). */
export function random(seed) {
	let state = seed >>> 0;
	return () => {
		state = state + 0x6d2b79f5 >>> 0;
		let x = Math.imul(state ^ state >>> 15, 1 | state);
		x = x + Math.imul(x ^ x >>> 7, 61 | x) ^ x;
		return ((x ^ x >>> 14) >>> 0) / 4294967296;
	};
}

/** A grid of quads, two triangles each, whose vertices are a function of two numbers from 0 to 1. */
function grid(columns, rows, vertex) {
	const positions = new Float32Array(3 * (columns + 1) * (rows + 1));
	for (let i = 0, at = 0; i <= rows; i++) {
		for (let j = 0; j <= columns; j++, at += 3) positions.set(vertex(j / columns, i / rows), at);
	}
	const triangles = new Uint32Array(6 * columns * rows);
	for (let i = 0, at = 0; i < rows; i++) {
		for (let j = 0; j < columns; j++, at += 6) {
			const a = i * (columns + 1) + j;
			triangles.set([a, a + 1, a + columns + 1, a + 1, a + columns + 2, a + columns + 1], at);
		}
	}
	return { positions, triangles };
}

export function sphere(columns, rows) {
	return grid(columns, rows, (u, v) => {
		const [longitude, latitude] = [2 * Math.PI * u, Math.PI * v];
		return [Math.cos(longitude) * Math.sin(latitude), Math.cos(latitude), Math.sin(longitude) * Math.sin(latitude)];
	});
}

export function torus(columns, rows) {
	return grid(columns, rows, (u, v) => {
		const [a, b] = [2 * Math.PI * u, 2 * Math.PI * v];
		const radius = 0.7 + 0.3 * Math.cos(b);
		return [radius * Math.cos(a), radius * Math.sin(a), 0.3 * Math.sin(b)];
	});
}

export function terrain(columns, rows) {
	return grid(columns, rows, (u, v) => [
		2 * u - 1, 0.2 * Math.sin(9 * u) * Math.cos(7 * v) + 0.02 * Math.sin(80 * u + 60 * v), 2 * v - 1,
	]);
}

export function plane(columns, rows) {
	return grid(columns, rows, (u, v) => [2 * u - 1, 0, 2 * v - 1]);
}

export function soup(n, seed) {
	const next = random(seed);
	const positions = new Float32Array(9 * n);
	for (let i = 0; i < n; i++) {
		const center = [next(), next(), next()];
		for (let j = 0; j < 9; j++) positions[9 * i + j] = 2 * center[j % 3] - 1 + 0.2 * (next() - 0.5);
	}
	return { positions, triangles: Uint32Array.from({ length: 3 * n }, (_, i) => i) };
}

/** Five meshes of different kinds. */
export function fiveMeshes() {
	return [sphere(96, 48), torus(160, 60), terrain(120, 120), plane(40, 40), soup(6000, 3)];
}

/** Rays through the box from -1 to 1: many random ones, many at vertices, some along axes, some bounded. */
export function rays(n, positions, seed) {
	const next = random(seed);
	const result = new Float32Array(8 * n);
	const vertices = positions.length / 3;
	for (let i = 0; i < n; i++) {
		const origin = [0, 1, 2].map(() => 4 * next() - 2);
		const at = 3 * Math.floor(next() * vertices);
		const target = i % 3 === 0 ? positions.subarray(at, at + 3) : [0, 1, 2].map(() => 2 * next() - 1);
		let direction = [0, 1, 2].map((axis) => Math.fround(target[axis]) - Math.fround(origin[axis]));
		if (i % 16 === 1) direction = [0, 1, 2].map((axis) => axis === i % 3 ? 1 : 0);
		result.set([...origin, ...direction, i % 5 === 0 ? -0.5 : 0, i % 7 === 0 ? 0.9 : Infinity], 8 * i);
	}
	return result;
}
