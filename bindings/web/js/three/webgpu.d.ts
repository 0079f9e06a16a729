// The names of `three-mesh-bvh/webgpu`: they link, and use of one is an error that says so.

type Absent = (new (...args: never[]) => never) & ((...args: never[]) => never);

export const BVHComputeData: Absent;
export const ContextNodeProxy: Absent;
export const NodeProxy: Absent;
export const WGSLTagCodeNode: Absent;
export const WGSLTagFnNode: Absent;
export const bvhIntersectFirstHit: Absent;
export const closestPointToPoint: Absent;
export const contextProxy: Absent;
export const contextProxyFn: Absent;
export const distanceSqToBVHNodeBoundsPoint: Absent;
export const distanceSqToBounds: Absent;
export const distanceToTriangles: Absent;
export const getVertexAttribute: Absent;
export const glslTagCode: Absent;
export const glslTagFn: Absent;
export const intersectRayTriangle: Absent;
export const intersectTriangles: Absent;
export const intersectsBounds: Absent;
export const intersectsTriangle: Absent;
export const ndcToCameraRay: Absent;
export const proxy: Absent;
export const proxyFn: Absent;
export const wgslTagCode: Absent;
export const wgslTagFn: Absent;
export const BVH_STACK_DEPTH: never;
export const bvhNodeBoundsStruct: never;
export const bvhNodeStruct: never;
export const closestPointToPointResultStruct: never;
export const closestPointToTriangleResultStruct: never;
export const constants: never;
export const intersectionResultStruct: never;
export const pointQueryResultStruct: never;
export const rayIntersectionResultStruct: never;
export const rayStruct: never;
export const transformStruct: never;
