// The entry `hitscan/three/webgpu`: the names of `three-mesh-bvh/webgpu`, so that applications which import them link. Use
// of one is an error that says so.

import { absent, absentObject } from './absent.js';

export const BVHComputeData = absent('BVHComputeData');
export const ContextNodeProxy = absent('ContextNodeProxy');
export const NodeProxy = absent('NodeProxy');
export const WGSLTagCodeNode = absent('WGSLTagCodeNode');
export const WGSLTagFnNode = absent('WGSLTagFnNode');
export const bvhIntersectFirstHit = absent('bvhIntersectFirstHit');
export const closestPointToPoint = absent('closestPointToPoint');
export const contextProxy = absent('contextProxy');
export const contextProxyFn = absent('contextProxyFn');
export const distanceSqToBVHNodeBoundsPoint = absent('distanceSqToBVHNodeBoundsPoint');
export const distanceSqToBounds = absent('distanceSqToBounds');
export const distanceToTriangles = absent('distanceToTriangles');
export const getVertexAttribute = absent('getVertexAttribute');
export const glslTagCode = absent('glslTagCode');
export const glslTagFn = absent('glslTagFn');
export const intersectRayTriangle = absent('intersectRayTriangle');
export const intersectTriangles = absent('intersectTriangles');
export const intersectsBounds = absent('intersectsBounds');
export const intersectsTriangle = absent('intersectsTriangle');
export const ndcToCameraRay = absent('ndcToCameraRay');
export const proxy = absent('proxy');
export const proxyFn = absent('proxyFn');
export const wgslTagCode = absent('wgslTagCode');
export const wgslTagFn = absent('wgslTagFn');

export const BVH_STACK_DEPTH = absentObject('BVH_STACK_DEPTH');
export const bvhNodeBoundsStruct = absentObject('bvhNodeBoundsStruct');
export const bvhNodeStruct = absentObject('bvhNodeStruct');
export const closestPointToPointResultStruct = absentObject('closestPointToPointResultStruct');
export const closestPointToTriangleResultStruct = absentObject('closestPointToTriangleResultStruct');
export const constants = absentObject('constants');
export const intersectionResultStruct = absentObject('intersectionResultStruct');
export const pointQueryResultStruct = absentObject('pointQueryResultStruct');
export const rayIntersectionResultStruct = absentObject('rayIntersectionResultStruct');
export const rayStruct = absentObject('rayStruct');
export const transformStruct = absentObject('transformStruct');
