// The names of three-mesh-bvh's shaders, so that applications which import them link. Use of one is an error that says so:
// a shader that reads its nodes would read those of hitscan as nonsense.

import { DataTexture } from 'three';
import { refuse, shader } from './absent.js';

/** Libraries make one when they are imported, so only filling it is an error. */
export class MeshBVHUniformStruct {
	updateFrom() {
		refuse('MeshBVHUniformStruct');
	}

	dispose() {}
}

/** The same for the textures of vertex attributes. */
export class VertexAttributeTexture extends DataTexture {
	overrideItemSize = null;

	updateFrom() {
		refuse(this.constructor.name);
	}
}

export class FloatVertexAttributeTexture extends VertexAttributeTexture {}
export class UIntVertexAttributeTexture extends VertexAttributeTexture {}
export class IntVertexAttributeTexture extends VertexAttributeTexture {}

export const BVHShaderGLSL = Object.freeze({
	bvh_distance_functions: shader('bvh_distance_functions'),
	bvh_ray_functions: shader('bvh_ray_functions'),
	bvh_struct_definitions: shader('bvh_struct_definitions'),
	common_functions: shader('common_functions'),
});

export const shaderStructs = shader('shaderStructs');
export const shaderDistanceFunction = shader('shaderDistanceFunction');
export const shaderIntersectFunction = shader('shaderIntersectFunction');
