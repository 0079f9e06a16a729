/**
 * Exact and watertight ray casting over triangle meshes, in WebAssembly.
 *
 * ```ts
 * import { Bvh, Mesh, init } from 'hitscan';
 *
 * await init();
 * const mesh = new Mesh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), new Uint32Array([0, 1, 2]));
 * const bvh = new Bvh(mesh);
 * const hit = bvh.closestHit([0.25, 0.25, 1, 0, 0, -1]);
 * console.log(hit?.triangle, hit?.t); // 0 1
 * ```
 *
 * Every answer is that of the Rust crate, to the last bit. Meshes, trees and scenes live in the memory of the
 * module: `dispose()` or `using` frees them at once, the garbage collector at last. Every function throws an
 * `Error` that names the argument for what it does not accept.
 */

/** Where the module comes from. */
export interface InitOptions {
	/** The module: an address, its bytes, a response or a compiled module. By default the file of the package. */
	wasm?: string | URL | BufferSource | Response | WebAssembly.Module | Promise<Response>;
	/** Whether to load the module with SIMD; by default if the engine has it. */
	simd?: boolean;
	/**
	 * `rays` loads a module of 60 % of the size: without `Scene`, `View`, and of `Bvh` without insides, signed distances, winding
	 * numbers, sphere casts, sections and pairs of meshes. Calls of these throw. It has all that `hitscan/three` uses. Engines
	 * without SIMD, and threads, load a whole module. Counts at the first call only.
	 */
	load?: 'all' | 'rays';
	/**
	 * The number of threads that answer the methods in `Async`: workers over one memory. A page needs cross-origin isolation
	 * for it. Without that, or without SIMD, the calling thread answers, with the same bits. Counts at the first call only.
	 */
	threads?: number;
	/** The module of threads, as for `wasm`. */
	threadsWasm?: string | URL | BufferSource | Response | WebAssembly.Module | Promise<Response>;
	/** Where `Mesh.parse` finds its module, as for `wasm`. Any call of `init` before the first file may set it. */
	readers?: string | URL | BufferSource | Response | WebAssembly.Module | Promise<Response>;
}

/** Loads the module. Await it before anything else; later calls do nothing. */
export function init(options?: InitOptions): Promise<void>;

/** Whether `init` has finished. */
export function isReady(): boolean;

/** Whether the loaded module uses SIMD. The answers are the same. */
export function isSimd(): boolean;

/** The number of threads that answer batches; 0 where the calling thread does. */
export function threadCount(): number;

/** The sides of triangles that a ray hits. The corners of a front run counter-clockwise. */
export type Faces = 'both' | 'front' | 'back';

/** A side of a triangle. */
export type Side = 'front' | 'back';

/** Three numbers: x, y, z. */
export type Vector = ArrayLike<number>;

/**
 * A ray: origin and direction (6 numbers), then the smallest and the largest `t` (8 numbers). `t` is in units of
 * the direction, which may have any length but zero.
 */
export type Ray = ArrayLike<number>;

/** An axis-aligned box. */
export interface Bounds {
	min: [number, number, number];
	max: [number, number, number];
}

/** An object in the memory of the module. Use after `dispose()` throws. */
declare abstract class Owned implements Disposable {
	/** Whether `dispose()` was called. */
	readonly isDisposed: boolean;
	/** Frees the memory. A second call does nothing. */
	dispose(): void;
	[Symbol.dispose](): void;
}

/** A triangle mesh. */
export class Mesh extends Owned {
	/**
	 * @param positions x, y and z of each vertex, all finite. In f64, a mesh that f32 would move by more than a
	 * millionth of its size gets an `offset`.
	 * @param triangles Three indices of each triangle; without them, each three vertices are one.
	 */
	constructor(positions: Float32Array | Float64Array, triangles?: Uint32Array | Uint16Array | Uint8Array | null);
	/**
	 * Reads an OBJ, STL, PLY or glTF file. glTF files that refer to other files are an error. The first call loads a
	 * second WebAssembly module, that of the readers.
	 * @param name The name of the file in errors. Its extension matters only where the content leaves a doubt.
	 */
	static parse(bytes: ArrayBuffer | ArrayBufferView, name?: string): Promise<Mesh>;
	/** The parts of the file that the reader skipped or repaired. */
	readonly report: string;
	readonly vertexCount: number;
	readonly triangleCount: number;
	/** The box around all triangles, in the coordinates of the file; null without any. */
	readonly bounds: Bounds | null;
	/**
	 * The point that the stored f32 positions are relative to; zeros for most meshes. Positions, bounds, rays, points
	 * and answers are in the coordinates of the file: those of the stored positions plus the offset, in f64.
	 */
	readonly offset: [number, number, number];
	/** A copy of the positions: in f32, or with an `offset` in f64. */
	readonly positions: Float32Array | Float64Array;
	/** A copy of the indices. */
	readonly triangles: Uint32Array;
	/** The polygon of a triangle before triangulation, and its names in the file. */
	names(triangle: number): { polygon: number; object: string | null; group: string | null; material: string | null };
	/** The point of a hit on its triangle, in f64. */
	point(hit: { triangle: number; u: number; v: number }, target?: Float64Array): Float64Array;
	/** The unit normal of a triangle; zeros for a triangle of zero area. */
	normal(triangle: number, target?: Float64Array): Float64Array;
}

/** A hit. Queries fill the one that they are given, so a loop allocates nothing. */
export class Hit {
	/** The position on the ray, in units of its direction. */
	t: number;
	/** The weight of the triangle's second corner. */
	u: number;
	/** The weight of the triangle's third corner. */
	v: number;
	triangle: number;
	/** The side that the ray came from. */
	side: Side;
}

/** The hits of many rays as columns. A miss has `t` infinite and `triangle` 0xffffffff. */
export class HitColumns {
	/** @param isDouble Whether `t` is in f64, as for a mesh with an offset. */
	constructor(length: number, isDouble?: boolean);
	/** In f64 if the mesh has an offset. */
	readonly t: Float32Array | Float64Array;
	readonly u: Float32Array;
	readonly v: Float32Array;
	readonly triangle: Uint32Array;
	/** 0 for the front, 1 for the back. */
	readonly side: Uint8Array;
	readonly length: number;
	/** One of the hits; null for a miss. */
	at(index: number, hit?: Hit): Hit | null;
}

/** The point of a surface nearest to another. */
export class SurfacePoint {
	distance: number;
	point: [number, number, number];
	u: number;
	v: number;
	triangle: number;
}

/** The nearest points of many points, as columns. Without one, `distance` is infinite and `triangle` -1. */
export interface SurfacePointColumns {
	distance: Float64Array;
	x: Float64Array;
	y: Float64Array;
	z: Float64Array;
	u: Float32Array;
	v: Float32Array;
	triangle: Int32Array;
}

export interface BuildOptions {
	/** The time to spend on a better tree. The answers are the same. */
	quality?: 'fast' | 'balanced' | 'high';
	/** `compact` takes half the memory, and its queries 1.3 to 2.4 times as long. */
	layout?: 'full' | 'compact';
	/** Receives the part that is done, from 0 to 1. A build ends with an error if it returns false. */
	onProgress?: (done: number) => boolean | void;
}

export interface ListOptions {
	faces?: Faces;
	/** Whether a ray through a shared edge or vertex counts once, rather than once for each triangle. */
	oncePerCrossing?: boolean;
}

/** The expected costs of a ray. A rebuild pays once `costNow` is much larger than `costWhenBuilt`. */
export interface Costs {
	costWhenBuilt: number;
	costNow: number;
}

/** Indices of vertices or triangles. */
export type Indices = Uint32Array | Uint16Array | Uint8Array;

/** One edit of a mesh. */
export type MeshEdit =
	/** Moves vertices: x, y and z of each. */
	| { move: { vertices: Indices; positions: Float32Array | Float64Array } }
	/** Appends vertices, and triangles of old and new ones. */
	| { append: { positions?: Float32Array | Float64Array; triangles?: Indices } }
	/** Removes triangles, the largest index first: the last triangle takes the place of each. Vertices stay. */
	| { remove: Indices }
	/** Other triangles from `start` to before `end`. Fewer remove the rest of the range, more are appended. */
	| { replace: { start: number; end: number; triangles?: Indices } };

/** Where a ball that moves along a ray touches a surface. */
export interface Contact {
	/** The position of the ball's centre on its ray, in units of the direction. */
	t: number;
	/** The point of the triangle. */
	point: [number, number, number];
	/** The unit vector from the point to the centre of the ball. */
	normal: [number, number, number];
	triangle: number;
	feature: 'face' | 'edge' | 'vertex';
	/** Of the edge from this corner to the next, or of the corner: 0, 1 or 2; 0 of the face. */
	featureIndex: number;
}

/** A part of a section. A solid lies to its left, seen from where the normal points. */
export interface SectionPolyline {
	/** x, y and z of each point; a closed polyline does not repeat the first one. */
	points: Float64Array;
	/** The triangle of each segment. */
	triangles: Uint32Array;
	closed: boolean;
}

/** A segment in which a triangle of one mesh and one of another cross. */
export interface MeshCrossing {
	triangles: [number, number];
	segment: [[number, number, number], [number, number, number]];
}

/** The nearest points of two meshes. */
export interface MeshDistance {
	distance: number;
	triangles: [number, number];
	points: [[number, number, number], [number, number, number]];
}

/**
 * A mesh with its tree. Rays and points are in the coordinates of the mesh's file, and are rounded to f32. If the mesh
 * has an offset, it is subtracted first, in f64, and `t` is in f64.
 *
 * A method in `Async` is a batch with the bits of the method without, answered by the threads of `init`; where there are
 * none, or a few rays only, by the calling thread. It answers for the tree and the rays at the time of the call: either
 * may change, or `dispose()` end the tree, before the promise does. Wrong arguments refuse the promise.
 */
export class Bvh extends Owned {
	constructor(mesh: Mesh, options?: BuildOptions);
	/** A tree from a cache file of `toCache` or of the program's `hitscan build`. Checks every byte. */
	static fromCache(bytes: ArrayBuffer | ArrayBufferView, name?: string): Bvh;
	/** The mesh and the tree as the bytes of a cache file. */
	toCache(): Uint8Array<ArrayBuffer>;
	/** The mesh. Each of the two outlives `dispose()` of the other. */
	readonly mesh: Mesh;
	/** `inLeaves` counts a triangle once for each leaf that it stands in: long ones across the axes are split. */
	readonly stats: {
		triangles: number; nodes: number; bytes: number; layout: 'full' | 'compact'; simd: boolean; inLeaves: number;
	};
	/** The hit with the smallest `t`, and of these with the smallest triangle; null for a miss. */
	closestHit(ray: Ray, hit?: Hit, faces?: Faces): Hit | null;
	/** Whether the ray hits anything. */
	isOccluded(ray: Ray, faces?: Faces): boolean;
	/** All hits in order. */
	allHits(ray: Ray, options?: ListOptions): Hit[];
	/** The first `n` hits. */
	nearestHits(ray: Ray, n: number, options?: ListOptions): Hit[];
	/** The number of times that a ray crosses the surface: odd from inside a closed mesh. */
	countCrossings(ray: Ray): number;
	/** The crossings from front to back, less those from back to front: -1 from inside a closed mesh, 0 from outside. */
	signedCrossings(ray: Ray): number;
	/** `closestHit` of rays, eight numbers each. */
	closestHits(rays: Float32Array | Float64Array, options?: { faces?: Faces; out?: HitColumns }): HitColumns;
	closestHitsAsync(
		rays: Float32Array | Float64Array, options?: { faces?: Faces; out?: HitColumns },
	): Promise<HitColumns>;
	/** `isOccluded` of rays, eight numbers each: 1 or 0. */
	areOccluded(rays: Float32Array | Float64Array, options?: { faces?: Faces }): Uint8Array;
	areOccludedAsync(rays: Float32Array | Float64Array, options?: { faces?: Faces }): Promise<Uint8Array>;
	/** `allHits` of rays, eight numbers each. Those of ray `i` are from `starts[i]` to `starts[i + 1]`. */
	allHitsBatch(rays: Float32Array | Float64Array, options?: ListOptions): { starts: Uint32Array; hits: HitColumns };
	allHitsBatchAsync(
		rays: Float32Array | Float64Array, options?: ListOptions,
	): Promise<{ starts: Uint32Array; hits: HitColumns }>;
	/** The point of the surface nearest to a point; null if all are farther than `maxDistance`. */
	closestPoint(point: Vector, found?: SurfacePoint, maxDistance?: number): SurfacePoint | null;
	/** `closestPoint` of points, three numbers each. */
	closestPoints(points: Float32Array | Float64Array, options?: { maxDistance?: number }): SurfacePointColumns;
	closestPointsAsync(points: Float32Array | Float64Array, options?: { maxDistance?: number }): Promise<SurfacePointColumns>;
	/** The triangles that touch a box, ascending. */
	overlappingBox(min: Vector, max: Vector): Uint32Array;
	/** The triangles that touch a ball, ascending. */
	overlappingSphere(center: Vector, radius: number): Uint32Array;
	/** The triangles that touch the region where `a x + b y + c z + d >= 0` for each four numbers. */
	overlappingConvex(planes: ArrayLike<number>): Uint32Array;
	/** Moves the vertices. A rebuild pays once `costNow` is much larger than `costWhenBuilt`. */
	refit(positions: Float32Array | Float64Array): Costs;
	/**
	 * Edits the mesh, and lets the tree follow at the cost of what changed. The answers are those of a fresh tree. While a
	 * scene or another tree shares the mesh, the first edit copies it.
	 */
	update(edit: MeshEdit): Costs;
	/** The first contact of a ball that moves along a ray; null if it touches nothing. A radius of 0 is the ray. */
	sphereCast(ray: Ray, radius: number): Contact | null;
	/** The contact with each triangle that the ball touches, sorted by `t`, then by triangle. */
	sphereCastAll(ray: Ray, radius: number): Contact[];
	/** Whether the ball touches anything. */
	sphereCastAny(ray: Ray, radius: number): boolean;
	/**
	 * Whether a point is inside: whether the surface winds around it more than half a time, in either direction. A closed
	 * mesh that is inside out has the same inside as its turned copy. The first call prepares the mesh, in O(triangles).
	 */
	isInside(point: Vector): boolean;
	/** `isInside` of points, three numbers each: 1 or 0. */
	areInside(points: Float32Array | Float64Array): Uint8Array;
	/** As the next two, prepares the mesh on the calling thread at the first call. */
	areInsideAsync(points: Float32Array | Float64Array): Promise<Uint8Array>;
	/** The distance of a point from the surface, negative inside; NaN for a mesh without triangles. */
	signedDistance(point: Vector): number;
	/** `signedDistance` of points, three numbers each. */
	signedDistances(points: Float32Array | Float64Array): Float64Array;
	signedDistancesAsync(points: Float32Array | Float64Array): Promise<Float64Array>;
	/**
	 * How often the surface winds around a point: 1 inside a closed mesh, -1 inside one that is inside out, 0 outside.
	 * `tolerance` is the maximum error, 1e-3 unless given; 0 sums all triangles.
	 */
	windingNumber(point: Vector, options?: { tolerance?: number }): number;
	/** `windingNumber` of points, three numbers each. */
	windingNumbers(points: Float32Array | Float64Array, options?: { tolerance?: number }): Float64Array;
	windingNumbersAsync(points: Float32Array | Float64Array, options?: { tolerance?: number }): Promise<Float64Array>;
	/** The polylines in which a plane cuts the surface: closed where the surface is. The normal has any length but zero. */
	section(point: Vector, normal: Vector): SectionPolyline[];
	/** Whether the meshes have a point in common. `transform` takes the other one to the space of this one. */
	overlapsMesh(other: Bvh, transform?: Matrix): boolean;
	/** The pairs of triangles with a point in common, exactly: an index of this mesh and one of the other for each. */
	overlappingMesh(other: Bvh, transform?: Matrix): Uint32Array;
	/** The segments in which triangles of the two meshes cross. */
	meshCrossings(other: Bvh, transform?: Matrix): MeshCrossing[];
	/** The distance of the meshes, with a point of each; null if it is more than `maxDistance`, or a mesh is empty. */
	meshDistance(other: Bvh, options?: { transform?: Matrix; maxDistance?: number }): MeshDistance | null;
}

export interface WorkerBuildOptions extends InitOptions {
	quality?: BuildOptions['quality'];
	layout?: BuildOptions['layout'];
	onProgress?: (done: number) => void;
	/** Ends the build: the promise is then rejected with the signal's reason. */
	signal?: AbortSignal;
	/** Whether to move the arrays to the worker, which detaches them, rather than to copy them. */
	transfer?: boolean;
}

/** Builds a tree in a worker: the page stays responsive. */
export function buildInWorker(
	positions: Float32Array | Float64Array,
	triangles?: Uint32Array | Uint16Array | Uint8Array | null,
	options?: WorkerBuildOptions,
): Promise<Bvh>;

/** The handle of an instance in a scene. */
export type InstanceId = number;

/** A matrix of 16 numbers, column by column, as in three.js. */
export type Matrix = ArrayLike<number>;

/** The instances that a query includes. */
export interface Included {
	/** Only instances that share a bit with this mask; by default all. */
	layers?: number;
	includeHidden?: boolean;
	includeLocked?: boolean;
}

export interface RayOptions extends Included {
	faces?: Faces;
}

/** A hit in a scene. */
export class SceneHit {
	t: number;
	u: number;
	v: number;
	triangle: number;
	side: Side;
	instance: InstanceId;
	/** In world space. */
	point: [number, number, number];
	/** The unit normal in world space; zeros for a triangle of zero area. */
	normal: [number, number, number];
}

/** A contact in a scene, in world space. */
export interface SceneContact extends Contact {
	instance: InstanceId;
}

/** A part of the section of a scene, in world space. */
export interface ScenePolyline extends SectionPolyline {
	instance: InstanceId;
}

/** A hit in a list, without point and normal. */
export type PlainSceneHit = Omit<SceneHit, 'point' | 'normal'>;

export type ElementKind = 'object' | 'face' | 'edge' | 'vertex';

/** An object, or a face, edge or vertex of its mesh. */
export interface Element {
	instance: InstanceId;
	kind: ElementKind;
	/** The polygon of the file, or the triangle of a mesh without polygons. */
	face?: number;
	/** Two vertices, the smaller first. */
	edge?: [number, number];
	vertex?: number;
}

/** An element under or near a pixel. */
export interface Pick extends Element {
	/** The point of the element nearest to the pixel, in world space. */
	point: [number, number, number];
	pixel: [number, number];
	pixelDistance: number;
	/** The distance from the near plane. */
	distance: number;
	triangle: number | null;
	side: Side | null;
}

export interface PickOptions extends RayOptions {
	/** By default `object`. */
	kind?: ElementKind;
	/** The largest distance from the pixel; by default 0, and 8 for edges and vertices. */
	radius?: number;
	/** Whether to pick through surfaces. */
	xRay?: boolean;
}

/** The rectangle between two corners (x0, y0, x1, y1), or an outline: x and y of each corner. */
export type Region = { marquee: ArrayLike<number> } | { lasso: ArrayLike<number> };

export interface SelectOptions extends RayOptions {
	kind?: ElementKind;
	/** Whether the region touches or encloses what it selects. */
	mode?: 'touch' | 'enclose';
	/** Whether surfaces hide what is behind them. */
	visibleOnly?: boolean;
}

/** Instances of trees in a world, in f64. */
export class Scene extends Owned {
	constructor();
	/** A copy, for undo. It shares the meshes and all that later edits do not change. */
	clone(): Scene;
	/** Adds an instance, or a group without `bvh`. */
	insert(instance?: { bvh?: Bvh | null; transform?: Matrix; parent?: InstanceId | null; layers?: number }): InstanceId;
	/** The tree that an instance was inserted with; after `update`, a new handle of the edited tree, to dispose of. */
	bvhOf(id: InstanceId): Bvh | null;
	/**
	 * Edits the mesh of an instance, and of all other instances with the same mesh, as `Bvh.update` does. The tree that was
	 * inserted keeps its mesh.
	 */
	update(id: InstanceId, edit: MeshEdit): Costs;
	/** Removes an instance with its descendants. */
	remove(id: InstanceId): void;
	setTransform(id: InstanceId, transform: Matrix): void;
	setWorldTransform(id: InstanceId, transform: Matrix): void;
	reparent(id: InstanceId, parent: InstanceId | null, options?: { keepLocal?: boolean }): void;
	/** Exchanges the mesh of an instance. Instances keep the tree from before a `refit` until then. */
	setMesh(id: InstanceId, bvh: Bvh | null): void;
	setHidden(id: InstanceId, hidden: boolean): void;
	setLocked(id: InstanceId, locked: boolean): void;
	setLayers(id: InstanceId, layers: number): void;
	readonly size: number;
	readonly bounds: Bounds | null;
	closestHit(ray: Ray, hit?: SceneHit, options?: RayOptions): SceneHit | null;
	isOccluded(ray: Ray, options?: RayOptions): boolean;
	allHits(ray: Ray, options?: RayOptions & { oncePerCrossing?: boolean }): PlainSceneHit[];
	/** The first `n` hits. */
	nearestHits(ray: Ray, n: number, options?: RayOptions & { oncePerCrossing?: boolean }): PlainSceneHit[];
	/** `closestHit` of rays, eight numbers each. */
	closestHits(rays: Float64Array, options?: RayOptions): (PlainSceneHit | null)[];
	/** By the threads of `init`, as those of `Bvh`. */
	closestHitsAsync(rays: Float64Array, options?: RayOptions): Promise<(PlainSceneHit | null)[]>;
	closestPoint(point: Vector, options?: Included & { maxDistance?: number }):
		| { distance: number; point: [number, number, number]; u: number; v: number; triangle: number; instance: InstanceId }
		| null;
	/** The first contact of a ball that moves along a ray; it is round in the world, also beside stretched instances. */
	sphereCast(ray: Ray, radius: number, options?: Included): SceneContact | null;
	/** The contact with each triangle that the ball touches, in order. */
	sphereCastAll(ray: Ray, radius: number, options?: Included): SceneContact[];
	/** Whether the ball touches anything. */
	sphereCastAny(ray: Ray, radius: number, options?: Included): boolean;
	/** The polylines in which a plane cuts the instances. */
	section(point: Vector, normal: Vector, options?: Included): ScenePolyline[];
	overlappingSphere(center: Vector, radius: number, options?: Included): { instance: InstanceId; triangle: number }[];
	overlappingBox(min: Vector, max: Vector, options?: Included): { instance: InstanceId; triangle: number }[];
	/** The visible element at a pixel. */
	pick(view: View, x: number, y: number, options?: PickOptions): Pick | null;
	/** All elements at a pixel, through all surfaces, nearest first. */
	pickAll(view: View, x: number, y: number, options?: PickOptions): Pick[];
	/** The vertex, midpoint, edge or surface to snap to. */
	snap(view: View, x: number, y: number, options?: Included & { radius?: number; xRay?: boolean }):
		| (Pick & { target: 'vertex' | 'edgeMidpoint' | 'edge' | 'face' })
		| null;
	/** The elements in a region of pixels. */
	select(view: View, region: Region, options?: SelectOptions): Element[];
}

/** The meaning of matrices and pixels. `reversed`: depth from 1 to 0, as in Bevy, and three.js with `reversedDepthBuffer`. */
export type Convention = 'three.js' | 'webgpu' | 'reversed' | 'opengl' | 'vulkan';

/** A camera's view: pixels to rays, and points to pixels. */
export class View {
	/**
	 * @param worldToClip `projectionMatrix * matrixWorldInverse`, column by column.
	 * @param viewport In the pixels of the mouse: logical ones in a browser.
	 */
	constructor(
		worldToClip: Matrix,
		viewport: { x?: number; y?: number; width: number; height: number },
		convention?: Convention,
	);
	/** The ray of a pixel, from the near to the far plane; its direction has unit length. */
	ray(x: number, y: number, target?: Float64Array): Float64Array;
	/** The pixel of a point; null if it is not between the near and far planes. */
	project(point: Vector): { x: number; y: number; depth: number; distance: number } | null;
}
