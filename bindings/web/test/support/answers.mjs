// The answers of one engine as digests: equal digests are equal bits.

import { fiveMeshes, rays, terrain } from './meshes.mjs';

async function digest(...arrays) {
	const parts = arrays.map((array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
	const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', all));
	return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function columns({ t, u, v, triangle, side }) {
	return [t, u, v, triangle, side];
}

/** The closest hits, any hits, all hits and closest points, as digests, and the size of the tree. */
export async function answersOf(hitscan, { positions, triangles }, ofRays) {
	const mesh = new hitscan.Mesh(positions, triangles);
	const bvh = new hitscan.Bvh(mesh);
	// By threads where there are some.
	const ask = (name, ...args) => hitscan.threadCount() > 0 ? bvh[`${name}Async`](...args) : bvh[name](...args);
	const closest = await ask('closestHits', ofRays);
	const { starts, hits } = await ask('allHitsBatch', ofRays);
	// Single queries give the bits of the batch.
	const hit = new hitscan.Hit();
	for (let i = 0; i < ofRays.length / 8; i += 37) {
		const single = bvh.closestHit(ofRays.subarray(8 * i, 8 * i + 8), hit);
		const expected = closest.at(i);
		if (JSON.stringify(single) !== JSON.stringify(expected)) throw new Error(`ray ${i}: ${JSON.stringify([single, expected])}`);
	}
	const result = {
		closest: await digest(...columns(closest)),
		any: await digest(await ask('areOccluded', ofRays)),
		all: await digest(starts, ...columns(hits)),
		points: await digest(...Object.values(await ask('closestPoints', positions.slice(0, 999)))),
		bytes: bvh.stats.bytes,
	};
	bvh.dispose();
	mesh.dispose();
	return result;
}

/** The digests of five meshes with `n` rays each, and of one whose tree is larger than the caches. */
export async function allAnswers(hitscan, n) {
	const results = [];
	for (const [i, mesh] of fiveMeshes().entries()) {
		results.push(await answersOf(hitscan, mesh, rays(n, mesh.positions, 100 + i)));
	}
	const large = terrain(700, 600);
	results.push(await answersOf(hitscan, large, rays(2000, large.positions, 200)));
	return results;
}
