import { BufferGeometry } from 'three';
import type { BVHOptions, MeshBVH } from './index.js';

/** Builds one tree at a time in a worker. The geometry stays usable meanwhile. */
export class GenerateMeshBVHWorker {
	readonly running: boolean;
	generate(geometry: BufferGeometry, options?: BVHOptions): Promise<MeshBVH>;
	/** Ends the build that runs. */
	dispose(): void;
}

export class ParallelMeshBVHWorker extends GenerateMeshBVHWorker {
	/** Accepted and ignored. */
	maxWorkerCount: number;
}
