// Compiled by `tsc`, never run: the types of `hitscan/three` in an application of three-mesh-bvh.

import { BatchedMesh, Box3, BufferGeometry, Matrix4, Mesh, Ray, Raycaster, SphereGeometry, Vector3 } from 'three';
import {
	CONTAINED, INTERSECTED, MeshBVH, NOT_INTERSECTED, ObjectBVH, SAH, acceleratedRaycast, computeBatchedBoundsTree,
	computeBoundsTree, disposeBatchedBoundsTree, disposeBoundsTree,
} from 'hitscan/three';

BufferGeometry.prototype.computeBoundsTree = computeBoundsTree;
BufferGeometry.prototype.disposeBoundsTree = disposeBoundsTree;
BatchedMesh.prototype.computeBoundsTree = computeBatchedBoundsTree;
BatchedMesh.prototype.disposeBoundsTree = disposeBatchedBoundsTree;
Mesh.prototype.raycast = acceleratedRaycast;

const geometry = new SphereGeometry();
geometry.computeBoundsTree({ strategy: SAH, targetLeafSize: 10 });
const bvh = new MeshBVH(geometry, { onProgress: (progress) => void progress.toFixed() });
const first = bvh.raycastFirst(new Ray());
const distance: number | undefined = first?.distance;
const raycaster = new Raycaster();
raycaster.firstHitOnly = true;
const stops: boolean = bvh.shapecast({
	intersectsBounds: (box, isLeaf, score, depth) => depth > 3 ? CONTAINED : isLeaf ? INTERSECTED : NOT_INTERSECTED,
	intersectsTriangle: (triangle, index) => triangle.a.x > index,
});
const touches: boolean = bvh.intersectsBox(new Box3(), new Matrix4());
const target = { point: new Vector3(), distance: 0, faceIndex: 0 };
const nearest = bvh.closestPointToPoint(new Vector3(), target)?.faceIndex;
const restored = MeshBVH.deserialize(MeshBVH.serialize(bvh), geometry);
const objects = new ObjectBVH(new Mesh(geometry)).raycast(raycaster);
const exact = bvh.bvh.closestHit([0, 0, 2, 0, 0, -1]);
export { distance, exact, nearest, objects, restored, stops, touches };

// @ts-expect-error: a tree is made of a geometry
new MeshBVH(new Mesh());

import {
	BVHHelper, FloatVertexAttributeTexture, getBVHExtremes, getJSONStructure, LineBVH, PointsBVH, SkinnedMeshBVH,
	StaticGeometryGenerator, validateBounds,
} from 'hitscan/three';
import { GenerateMeshBVHWorker } from 'hitscan/three/worker';
import { BVHComputeData } from 'hitscan/three/webgpu';
import { SkinnedMesh } from 'three';

geometry.computeBoundsTree({ type: PointsBVH });
const helper = new BVHHelper(new Mesh(geometry), 12);
helper.displayEdges = false;
const built: Promise<MeshBVH> = new GenerateMeshBVHWorker().generate(geometry, { strategy: SAH });
new PointsBVH(geometry).shapecast({ intersectsBounds: () => true, intersectsPoint: (point, i) => point.x > i });
new LineBVH(geometry).shapecast({ intersectsBounds: () => true, intersectsLine: (line) => line.distance() > 1 });
const baked: BufferGeometry = new StaticGeometryGenerator([helper]).generate();
const skinned = new SkinnedMeshBVH(new SkinnedMesh(geometry));
export const about = [getBVHExtremes(bvh)[0]?.depth.max, getJSONStructure(bvh).left, validateBounds(skinned)];
export { BVHComputeData, FloatVertexAttributeTexture, baked, built };
