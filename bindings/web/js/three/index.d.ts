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
 * that of three-mesh-bvh: code that reads or subclasses it is not supported.
 */

import {
	BatchedMesh, Box3, BufferGeometry, Intersection, Line3, Material, Matrix4, Object3D, Ray, Raycaster, Side, Sphere,
	Triangle, Vector2, Vector3,
} from 'three';
import type { Bvh } from '../index.js';

/** Accepted and ignored: the tree is the same for all of them. */
export type SplitStrategy = 0 | 1 | 2;
export const CENTER: 0;
export const AVERAGE: 1;
export const SAH: 2;

export type ShapecastIntersection = 0 | 1 | 2;
export const NOT_INTERSECTED: 0;
export const INTERSECTED: 1;
export const CONTAINED: 2;

export interface HitPointInfo {
	point: Vector3;
	distance: number;
	faceIndex: number;
}

/** The options of three-mesh-bvh. Only those with a comment have an effect. */
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

export class GeometryBVH {
	readonly geometry: BufferGeometry;
}

export class MeshBVH extends GeometryBVH implements Disposable {
	static serialize(bvh: MeshBVH, options?: { cloneBuffers?: boolean }): SerializedBVH;
	static deserialize(
		data: SerializedBVH, geometry: BufferGeometry, options?: { setIndex?: boolean; indirect?: boolean },
	): MeshBVH;
	constructor(geometry: BufferGeometry, options?: BVHOptions);
	/** hitscan's own tree, for its exact answers. With groups or draw ranges, see `triangleOf`. */
	readonly bvh: Bvh;
	readonly indirect: boolean;
	/** The triangle itself, since the index keeps its order. */
	readonly resolveTriangleIndex: (i: number) => number;
	/** The triangle of the geometry for a triangle of `bvh`. */
	triangleOf(triangle: number): number;
	/** Whether the leaves hold a triangle in parts. */
	isSplit(triangle: number): boolean;
	/** Frees the memory at once; the garbage collector does so later. */
	dispose(): void;
	[Symbol.dispose](): void;
	shiftTriangleOffsets(offset: number): void;
	shiftPrimitiveOffsets(offset: number): void;
	refit(nodeIndices?: number[] | Set<number>): void;
	traverse(
		callback: (
			depth: number, isLeaf: boolean, boundingData: Float32Array, offsetOrSplit: number, count: number,
		) => void | boolean,
		rootIndex?: number,
	): void;
	getBoundingBox(target: Box3): Box3;
	raycastObject3D(object: Object3D, raycaster: Raycaster, intersects: Intersection[]): void;
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
	bvhcast(other: MeshBVH, matrixToLocal: Matrix4, callbacks: BVHCastCallbacks): boolean;
}

/** A tree over objects and their instances. */
export class ObjectBVH {
	constructor(
		root: Object3D | Object3D[], options?: { precise?: boolean; includeInstances?: boolean; matrixWorld?: Matrix4 },
	);
	readonly objects: Object3D[];
	getObjectFromId(id: number): Object3D;
	getInstanceFromId(id: number): number;
	getBoundingBox(target: Box3): Box3;
	refit(): void;
	dispose(): void;
	shapecast(callbacks: Omit<ShapecastCallbacks, 'intersectsTriangle'> & {
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
export function disposeBoundsTree(this: BufferGeometry): void;
export function computeBatchedBoundsTree(
	this: BatchedMesh, index?: number, options?: BVHOptions,
): MeshBVH | (MeshBVH | null)[] | null;
export function disposeBatchedBoundsTree(this: BatchedMesh, index?: number): void;
export function acceleratedRaycast(this: Object3D, raycaster: Raycaster, intersects: Intersection[]): void;

export function validateBounds(bvh: MeshBVH | ObjectBVH): boolean;
export function estimateMemoryInBytes(bvh: MeshBVH): number;

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
