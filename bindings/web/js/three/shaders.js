// The names of three-mesh-bvh's shaders, so that applications which import them link. Use of one is an error that says so:
// a shader that reads its nodes would read those of hitscan as nonsense.

import { absent, shader } from './absent.js';

export const MeshBVHUniformStruct = absent('MeshBVHUniformStruct');
export const VertexAttributeTexture = absent('VertexAttributeTexture');
export const FloatVertexAttributeTexture = absent('FloatVertexAttributeTexture');
export const UIntVertexAttributeTexture = absent('UIntVertexAttributeTexture');
export const IntVertexAttributeTexture = absent('IntVertexAttributeTexture');

export const BVHShaderGLSL = Object.freeze({
	bvh_distance_functions: shader('bvh_distance_functions'),
	bvh_ray_functions: shader('bvh_ray_functions'),
	bvh_struct_definitions: shader('bvh_struct_definitions'),
	common_functions: shader('common_functions'),
});

export const shaderStructs = shader('shaderStructs');
export const shaderDistanceFunction = shader('shaderDistanceFunction');
export const shaderIntersectFunction = shader('shaderIntersectFunction');
