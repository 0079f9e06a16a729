/**
 * In place of three-mesh-bvh: change the import, and leave the rest as it is.
 *
 * ```ts
 * import { acceleratedRaycast, computeBoundsTree, disposeBoundsTree } from 'hitscan/three';
 *
 * THREE.BufferGeometry.prototype.computeBoundsTree = computeBoundsTree;
 * THREE.BufferGeometry.prototype.disposeBoundsTree = disposeBoundsTree;
 * THREE.Mesh.prototype.raycast = acceleratedRaycast;
 * ```
 *
 * The intersections are those of three.js, digit for digit and in its order: the tree finds candidates, and
 * three.js's own code decides about each. The index of a geometry keeps its order. The layout of nodes is not
 * that of three-mesh-bvh: code that reads or subclasses it is not supported, and shaders that read it neither.
 */

import {
	BatchedMesh, Box3, BufferAttribute, BufferGeometry, Color, DataTexture, Group, Intersection, Line3, LineBasicMaterial, Material,
	Matrix4, Mesh, MeshBasicMaterial, Object3D, Ray, Raycaster, Side, SkinnedMesh, Sphere, Triangle, Vector2, Vector3,
} from 'three';
import type { Bvh } from '../index.js';

export type SplitStrategy = 0 | 1 | 2;
export const CENTER: 0;
export const AVERAGE: 1;
export const SAH: 2;
/** Accepted among no options: trees of this package always build. */
export const SKIP_GENERATION: unique symbol;

export type ShapecastIntersection = 0 | 1 | 2;
export const NOT_INTERSECTED: 0;
export const INTERSECTED: 1;
export const CONTAINED: 2;

export interface HitPointInfo {
	point: Vector3;
	distance: number;
	faceIndex: number;
}

/** The options of three-mesh-bvh. Only those with a comment have an effect. Any other name is an error. */
export interface BVHOptions {
	/** `CENTER`, the default, builds with the quality `fast`, `AVERAGE` with `balanced` and `SAH` with `high`. */
	strategy?: SplitStrategy;
	maxDepth?: number;
	maxLeafTris?: number;
	maxLeafSize?: number;
	targetLeafSize?: number;
	/** Whether to set `geometry.boundingBox` if it is null; on by default. */
	setBoundingBox?: boolean;
	useSharedArrayBuffer?: boolean;
	/** Whether to leave a geometry without an index. The index never changes its order, either way. */
	indirect?: boolean;
	verbose?: boolean;
	/** Receives the part that is done, from 0 to 1. */
	onProgress?: ((progress: number) => void) | null;
	/** Vertices of the index, in place of the draw range. */
	range?: { start: number; count: number } | null;
	/** As in hitscan, in place of that of the strategy. */
	quality?: 'fast' | 'balanced' | 'high';
	/** As in hitscan. */
	layout?: 'full' | 'compact';
}

export type MeshBVHOptions = BVHOptions;

export interface ComputeBVHOptions extends BVHOptions {
	type?: new (geometry: BufferGeometry, options?: BVHOptions) => GeometryBVH;
}

export interface SerializedBVH {
	version: string;
	roots: ArrayBuffer[];
	index: Int32Array | Uint32Array | Uint16Array | null;
	indirectBuffer: Uint32Array | Uint16Array | null;
}

export interface ShapecastCallbacks {
	intersectsBounds: (box: Box3, isLeaf: boolean, score: number | undefined, depth: number, nodeIndex: number) =>
		ShapecastIntersection | boolean;
	boundsTraverseOrder?: (box: Box3) => number;
	/** Runs of triangles of the geometry, in its own order. A leaf may have several. */
	intersectsRange?: (
		offset: number, count: number, contained: boolean, depth: number, nodeIndex: number, box: Box3,
	) => boolean;
	intersectsTriangle?: (
		triangle: ExtendedTriangle, triangleIndex: number, contained: boolean, depth: number,
	) => boolean | void;
}

export interface BVHCastCallbacks {
	intersectsRanges?: (
		offset1: number, count1: number, offset2: number, count2: number, depth1: number, index1: number, depth2: number,
		index2: number,
	) => boolean;
	intersectsTriangles?: (
		triangle1: ExtendedTriangle, triangle2: ExtendedTriangle, i1: number, i2: number, depth1: number, index1: number,
		depth2: number, index2: number,
	) => boolean;
}

type Bounds = Omit<ShapecastCallbacks, 'intersectsTriangle'>;

/** What all trees have. */
export class BVH implements Disposable {
	/** hitscan's own tree, for its exact answers. With groups or draw ranges, see `MeshBVH.triangleOf`. */
	readonly bvh: Bvh;
	/** A list of length 1. Its entry has no layout that code for three-mesh-bvh could read, and throws. */
	readonly _roots: readonly unknown[];
	/** Frees the memory at once, and a later use is an error. The garbage collector frees forgotten trees later. */
	dispose(): void;
	[Symbol.dispose](): void;
	refit(nodeIndices?: number[] | Set<number>): void;
	traverse(
		callback: (
			depth: number, isLeaf: boolean, boundingData: Float32Array, offsetOrSplit: number, count: number,
		) => void | boolean,
		rootIndex?: number,
	): void;
	getBoundingBox(target: Box3): Box3;
	shapecast(callbacks: Bounds): boolean;
	bvhcast(other: BVH, matrixToLocal: Matrix4, callbacks: Pick<BVHCastCallbacks, 'intersectsRanges'>): boolean;
}

/** The base of the trees of geometries. */
export class GeometryBVH extends BVH {
	constructor(geometry: BufferGeometry, options?: BVHOptions);
	readonly geometry: BufferGeometry;
	readonly indirect: boolean;
	/** The primitive itself, since the index keeps its order. */
	readonly resolvePrimitiveIndex: (i: number) => number;
	raycastObject3D(object: Object3D, raycaster: Raycaster, intersects?: Intersection[]): Intersection[] | void;
}

export class MeshBVH extends GeometryBVH {
	static serialize(bvh: MeshBVH, options?: { cloneBuffers?: boolean }): SerializedBVH;
	static deserialize(
		data: SerializedBVH, geometry: BufferGeometry, options?: { setIndex?: boolean; indirect?: boolean },
	): MeshBVH;
	constructor(geometry: BufferGeometry, options?: BVHOptions);
	/** The triangle itself, since the index keeps its order. */
	readonly resolveTriangleIndex: (i: number) => number;
	/** The triangle of the geometry for a triangle of `bvh`. */
	triangleOf(triangle: number): number;
	/** Whether the leaves hold a triangle in parts. */
	isSplit(triangle: number): boolean;
	shiftTriangleOffsets(offset: number): void;
	shiftPrimitiveOffsets(offset: number): void;
	raycast(ray: Ray, materialOrSide?: Side | Material[] | Material, near?: number, far?: number): Intersection[];
	raycastFirst(ray: Ray, materialOrSide?: Side | Material[] | Material, near?: number, far?: number): Intersection | null;
	intersectsSphere(sphere: Sphere): boolean;
	intersectsBox(box: Box3, boxToMesh?: Matrix4): boolean;
	intersectsGeometry(geometry: BufferGeometry, geometryToBvh: Matrix4): boolean;
	closestPointToPoint(
		point: Vector3, target?: Partial<HitPointInfo>, minThreshold?: number, maxThreshold?: number,
	): HitPointInfo | null;
	closestPointToGeometry(
		geometry: BufferGeometry, geometryToBvh: Matrix4, target1?: Partial<HitPointInfo>, target2?: Partial<HitPointInfo>,
		minThreshold?: number, maxThreshold?: number,
	): HitPointInfo | null;
	shapecast(callbacks: ShapecastCallbacks): boolean;
	/** Pairs of triangles whose boxes touch, or of runs in leaves whose boxes touch. `matrixToLocal` is affine. */
	bvhcast(other: MeshBVH, matrixToLocal: Matrix4, callbacks: BVHCastCallbacks): boolean;
}

/** A tree of a mesh in the pose of its skeleton and morph targets. `refit()` follows the pose. */
export class SkinnedMeshBVH extends GeometryBVH {
	constructor(mesh: SkinnedMesh | Mesh, options?: BVHOptions);
	readonly mesh: SkinnedMesh | Mesh;
	shapecast(callbacks: ShapecastCallbacks): boolean;
}

/** A tree over points. `computeBoundsTree({ type: PointsBVH })`, and `Points.prototype.raycast = acceleratedRaycast`. */
export class PointsBVH extends GeometryBVH {
	shapecast(callbacks: Bounds & {
		intersectsPoint?: (point: Vector3, pointIndex: number, contained: boolean, depth: number) => boolean | void;
	}): boolean;
}

/** A tree over the segments of `LineSegments`. */
export class LineSegmentsBVH extends GeometryBVH {
	shapecast(callbacks: Bounds & {
		intersectsLine?: (line: Line3, lineIndex: number, contained: boolean, depth: number) => boolean | void;
	}): boolean;
}

/** A tree over the segments of a `LineLoop`. */
export class LineLoopBVH extends LineSegmentsBVH {}

/** A tree over the segments of a `Line`. */
export class LineBVH extends LineLoopBVH {}

/** A tree over objects and their instances, in the space of `matrixWorld`: that of a single root, or the world for a list. */
export class ObjectBVH extends BVH {
	constructor(
		root: Object3D | Object3D[], options?: BVHOptions & { precise?: boolean; includeInstances?: boolean; matrixWorld?: Matrix4 },
	);
	readonly objects: Object3D[];
	readonly matrixWorld: Matrix4;
	readonly precise: boolean;
	readonly includeInstances: boolean;
	getObjectFromId(id: number): Object3D;
	getInstanceFromId(id: number): number;
	shapecast(callbacks: Bounds & {
		intersectsObject?: (object: Object3D, instanceId: number, contained: boolean, depth: number) => boolean | void;
	}): boolean;
	raycast(raycaster: Raycaster, intersects?: Intersection[]): Intersection[];
}

export class ExtendedTriangle extends Triangle {
	needsUpdate: boolean;
	intersectsTriangle(other: Triangle, target?: Line3 | null): boolean;
	intersectsSphere(sphere: Sphere): boolean;
	closestPointToSegment(segment: Line3, target1?: Vector3 | null, target2?: Vector3 | null): number;
	distanceToPoint(point: Vector3): number;
	distanceToTriangle(triangle: Triangle, target1?: Vector3 | null, target2?: Vector3 | null): number;
}

export class OrientedBox {
	min: Vector3;
	max: Vector3;
	matrix: Matrix4;
	needsUpdate: boolean;
	constructor(min?: Vector3, max?: Vector3, matrix?: Matrix4);
	set(min: Vector3, max: Vector3, matrix: Matrix4): this;
	copy(other: OrientedBox): this;
	intersectsBox(box: Box3): boolean;
	intersectsTriangle(triangle: Triangle): boolean;
	closestPointToPoint(point: Vector3, target?: Vector3): Vector3;
	distanceToPoint(point: Vector3): number;
	distanceToBox(box: Box3, threshold?: number, target1?: Vector3 | null, target2?: Vector3 | null): number;
}

export interface HitTriangleInfo {
	face: { a: number; b: number; c: number; materialIndex: number; normal: Vector3 };
	uv: Vector2 | null;
	barycoord: Vector3;
}

export function getTriangleHitPointInfo(
	point: Vector3, geometry: BufferGeometry, triangleIndex: number, target?: Partial<HitTriangleInfo>,
): HitTriangleInfo;

export function computeBoundsTree(this: BufferGeometry, options?: ComputeBVHOptions): GeometryBVH;
/**
 * Frees the memory of the tree at once, if it is that of the geometry and not borrowed from another one. Code that still
 * holds the tree may use it: that builds it again.
 */
export function disposeBoundsTree(this: BufferGeometry): void;
export function computeBatchedBoundsTree(
	this: BatchedMesh, index?: number, options?: BVHOptions,
): MeshBVH | (MeshBVH | null)[] | null;
export function disposeBatchedBoundsTree(this: BatchedMesh, index?: number): void;
export function acceleratedRaycast(this: Object3D, raycaster: Raycaster, intersects: Intersection[]): void;

/** Whether the boxes hold the primitives as they are now. */
export function validateBounds(bvh: BVH): boolean;
/** The bytes that a tree and its copy of the mesh take, or of its `_roots` the tree alone. */
export function estimateMemoryInBytes(bvh: BVH | readonly unknown[]): number;

export interface ExtremeInfo {
	nodeCount: number;
	leafNodeCount: number;
	surfaceAreaScore: number;
	depth: { min: number; max: number };
	primitives: { min: number; max: number };
	/** The same, by its name in former versions. */
	tris: { min: number; max: number };
	splits: [number, number, number];
}

export function getBVHExtremes(bvh: BVH): ExtremeInfo[];

/** A node has `left` and `right`, a leaf `offset` and `count`. */
export interface TreeNode {
	bounds: Box3;
	offset?: number;
	count?: number;
	left?: TreeNode;
	right?: TreeNode;
}

export function getJSONStructure(bvh: BVH): TreeNode;

/** The boxes of a tree, drawn. Call `update()` after a change. */
export class BVHHelper extends Group {
	constructor(meshOrBVH: Object3D | BVH, depth?: number);
	constructor(mesh?: Object3D | null, bvh?: BVH | null, depth?: number);
	mesh: Object3D | null;
	bvh: BVH | null;
	depth: number;
	opacity: number;
	instanceId: number;
	displayParents: boolean;
	displayEdges: boolean;
	edgeMaterial: LineBasicMaterial;
	meshMaterial: MeshBasicMaterial;
	readonly color: Color;
	update(): void;
	dispose(): void;
}

/** The former name of `BVHHelper`. */
export class MeshBVHHelper extends BVHHelper {}

/** Bakes meshes with their skeletons, morph targets and matrices into one geometry. */
export class StaticGeometryGenerator {
	constructor(objects: Object3D | Object3D[]);
	meshes: Mesh[];
	useGroups: boolean;
	attributes: string[];
	applyWorldTransforms: boolean;
	getMaterials(): Material[];
	generate(target?: BufferGeometry): BufferGeometry;
}

export function generateIndirectBuffer(
	ranges: readonly { offset: number; count: number }[], useSharedArrayBuffer?: boolean,
): Uint16Array | Uint32Array;

// The parts for shaders: they link, and use of one is an error that says so.

export class VertexAttributeTexture extends DataTexture {
	overrideItemSize: number | null;
	updateFrom(attribute: BufferAttribute): void;
}

export class FloatVertexAttributeTexture extends VertexAttributeTexture {}
export class UIntVertexAttributeTexture extends VertexAttributeTexture {}
export class IntVertexAttributeTexture extends VertexAttributeTexture {}

export class MeshBVHUniformStruct {
	updateFrom(bvh: MeshBVH): void;
	dispose(): void;
}

/** Shaders that do not compile: an `#error` says why. */
export const BVHShaderGLSL: {
	bvh_distance_functions: string;
	bvh_ray_functions: string;
	bvh_struct_definitions: string;
	common_functions: string;
};
export const shaderStructs: string;
export const shaderDistanceFunction: string;
export const shaderIntersectFunction: string;

declare module 'three' {
	interface BufferGeometry {
		boundsTree?: GeometryBVH | null;
		computeBoundsTree: typeof computeBoundsTree;
		disposeBoundsTree: typeof disposeBoundsTree;
	}
	interface BatchedMesh {
		boundsTrees?: (GeometryBVH | null)[] | null;
		computeBoundsTree: typeof computeBatchedBoundsTree;
		disposeBoundsTree: typeof disposeBatchedBoundsTree;
	}
	interface Raycaster {
		/** Whether each object reports its nearest intersection only. */
		firstHitOnly?: boolean;
	}
}
