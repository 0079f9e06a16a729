// Compiled by `tsc`, never run: the types of the package as a user meets them.

import {
	Bvh, Hit, HitColumns, Mesh, Scene, View, buildInWorker, init, isReady, isSimd, type Faces, type Pick,
} from 'hitscan';

await init({ simd: false, readers: new URL('file:///readers.wasm') });
const file: Promise<Mesh> = Mesh.parse(new ArrayBuffer(8), 'a.obj');
const ready: boolean = isReady() && isSimd();
const mesh = new Mesh(new Float32Array(9), new Uint16Array([0, 1, 2]));
using bvh = new Bvh(mesh, { quality: 'fast', layout: 'compact', onProgress: (done) => done < 0.5 });
const hit: Hit | null = bvh.closestHit([0, 0, 1, 0, 0, -1], new Hit(), 'front');
const side: 'front' | 'back' | undefined = hit?.side;
const columns: HitColumns = bvh.closestHits(new Float32Array(8), { out: new HitColumns(1) });
const faces: Faces = 'both';
const bytes: Uint8Array = bvh.toCache();
const scene = new Scene();
const id = scene.insert({ bvh, transform: new Float64Array(16) });
const view = new View(new Array<number>(16).fill(0), { width: 800, height: 600 }, 'webgpu');
const pick: Pick | null = scene.pick(view, 1, 2, { kind: 'edge', radius: 4 });
const edge: [number, number] | undefined = pick?.edge;
const built: Promise<Bvh> = buildInWorker(new Float32Array(9), null, { onProgress: (done) => void done.toFixed() });
const { costNow }: { costNow: number } = bvh.update({ move: { vertices: new Uint16Array(1), positions: new Float32Array(3) } });
scene.update(id, { replace: { start: 0, end: 1 } });
const feature: 'face' | 'edge' | 'vertex' | undefined = bvh.sphereCast([0, 0, 1, 0, 0, -1], 0.5)?.feature;
const points: Float64Array[] = scene.section([0, 0, 0], [0, 0, 1]).map((polyline) => polyline.points);
const gap: number | undefined = bvh.meshDistance(bvh, { maxDistance: 1 })?.distance;
// @ts-expect-error: one edit at a time names its arrays
bvh.update({ moved: new Uint32Array(1) });
export { costNow, feature, gap, points };
export { built, bytes, columns, edge, faces, file, id, ready, side };

// @ts-expect-error: positions must be floats
new Mesh(new Int32Array(9));
new Mesh(new Float64Array(9));
// @ts-expect-error: no such side
bvh.isOccluded([0, 0, 1, 0, 0, -1], 'inside');
// @ts-expect-error: no such quality
new Bvh(mesh, { quality: 'best' });
const hitsOfThreads: Promise<HitColumns> = bvh.closestHitsAsync(new Float32Array(8), { faces: 'front' });
export { hitsOfThreads };
// @ts-expect-error: rays of a batch are a typed array
bvh.closestHits([0, 0, 1, 0, 0, -1, 0, 1]);
// @ts-expect-error: a hit may be missing
hit.t.toFixed();
