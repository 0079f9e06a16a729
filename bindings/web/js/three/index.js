// The package `hitscan/three`: in place of three-mesh-bvh. `three.d.ts` documents it.
//
// The interface of three-mesh-bvh is synchronous, so this module waits for the engine when it is imported.

import { init } from '../module.js';

export { acceleratedRaycast, computeBatchedBoundsTree, computeBoundsTree, disposeBatchedBoundsTree, disposeBoundsTree }
	from './extension.js';
export { estimateMemoryInBytes, GeometryBVH, getBVHExtremes, MeshBVH, validateBounds } from './mesh-bvh.js';
export { ObjectBVH } from './object-bvh.js';
export { AVERAGE, CENTER, CONTAINED, INTERSECTED, NOT_INTERSECTED, SAH } from './constants.js';
export { ExtendedTriangle } from './triangle.js';
export { OrientedBox } from './oriented-box.js';
export { getTriangleHitPointInfo } from './hit-info.js';

await init();
