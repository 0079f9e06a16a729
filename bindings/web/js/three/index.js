// The package `hitscan/three`: in place of three-mesh-bvh. `index.d.ts` documents it.
//
// The interface of three-mesh-bvh is synchronous, so this module waits for the engine when it is imported.

import { init } from '../init.js';

export { acceleratedRaycast, computeBatchedBoundsTree, computeBoundsTree, disposeBatchedBoundsTree, disposeBoundsTree }
	from './extension.js';
export { BVH, GeometryBVH } from './base.js';
export { MeshBVH } from './mesh-bvh.js';
export { LineBVH, LineLoopBVH, LineSegmentsBVH, PointsBVH } from './primitive-bvh.js';
export { SkinnedMeshBVH } from './skinned-bvh.js';
export { ObjectBVH } from './object-bvh.js';
export { AVERAGE, CENTER, CONTAINED, INTERSECTED, NOT_INTERSECTED, SAH, SKIP_GENERATION } from './constants.js';
export { ExtendedTriangle } from './triangle.js';
export { OrientedBox } from './oriented-box.js';
export { getTriangleHitPointInfo } from './hit-info.js';
export { estimateMemoryInBytes, getBVHExtremes, getJSONStructure, validateBounds } from './debug.js';
export { BVHHelper, MeshBVHHelper } from './helper.js';
export { StaticGeometryGenerator } from './static-geometry.js';
export { generateIndirectBuffer } from './geometry.js';
export {
	BVHShaderGLSL, FloatVertexAttributeTexture, IntVertexAttributeTexture, MeshBVHUniformStruct, shaderDistanceFunction,
	shaderIntersectFunction, shaderStructs, UIntVertexAttributeTexture, VertexAttributeTexture,
} from './shaders.js';

await init();
