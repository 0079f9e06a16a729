// The functions that an application assigns to prototypes of three.js.

import {
	BatchedMesh, InstancedMesh, Line, LineLoop, LineSegments, Mesh, Points, SkinnedMesh,
} from 'three';
import { MeshBVH } from './mesh-bvh.js';

/** Three.js's own functions, from before any patch. */
const own = {
	BatchedMesh: BatchedMesh.prototype.raycast,
	InstancedMesh: InstancedMesh.prototype.raycast,
	Line: Line.prototype.raycast,
	LineLoop: LineLoop.prototype.raycast,
	LineSegments: LineSegments.prototype.raycast,
	Mesh: Mesh.prototype.raycast,
	Points: Points.prototype.raycast,
	SkinnedMesh: SkinnedMesh.prototype.raycast,
};

/** `Mesh.prototype.raycast` by the tree of the geometry, if it has one. `raycaster.firstHitOnly` is honoured. */
export function acceleratedRaycast(raycaster, intersects) {
	if (this.isBatchedMesh) {
		batched(this, raycaster, intersects);
	} else if (this.isInstancedMesh) {
		withMeshRaycast(acceleratedRaycast, () => own.InstancedMesh.call(this, raycaster, intersects));
	} else if (this.geometry?.boundsTree && !isDeformed(this)) {
		this.geometry.boundsTree.raycastObject3D(this, raycaster, intersects);
	} else {
		ownRaycast(this).call(this, raycaster, intersects);
	}
}

/** Whether three.js moves the vertices of an object before it tests them. */
function isDeformed(object) {
	return object.isSkinnedMesh
		|| object.geometry.morphAttributes?.position !== undefined && object.morphTargetInfluences !== undefined;
}

function ownRaycast(object) {
	if (object.isSkinnedMesh) return own.SkinnedMesh;
	if (object instanceof Mesh) return own.Mesh;
	if (object instanceof LineSegments) return own.LineSegments;
	if (object instanceof LineLoop) return own.LineLoop;
	if (object instanceof Line) return own.Line;
	if (object instanceof Points) return own.Points;
	throw new Error('acceleratedRaycast: the object is no Mesh, Line or Points; assign it to the prototypes of these only');
}

/** Three.js casts at the parts of a batched or instanced mesh by `Mesh.prototype.raycast`: exchanges it meanwhile. */
function withMeshRaycast(raycast, run) {
	const before = Mesh.prototype.raycast;
	Mesh.prototype.raycast = raycast;
	try {
		run();
	} finally {
		Mesh.prototype.raycast = before;
	}
}

/** A batched mesh: the draw range of a part tells its tree. */
function batched(object, raycaster, intersects) {
	const { boundsTrees } = object;
	if (!boundsTrees) {
		withMeshRaycast(own.Mesh, () => own.BatchedMesh.call(object, raycaster, intersects));
		return;
	}
	const treeOfStart = new Map();
	geometryRanges(object).forEach(({ start }, i) => {
		if (boundsTrees[i]) treeOfStart.set(start, boundsTrees[i]);
	});
	const cast = function (caster, found) {
		const tree = treeOfStart.get(this.geometry.drawRange.start);
		if (tree) {
			tree.raycastObject3D(this, caster, found);
		} else {
			own.Mesh.call(this, caster, found);
		}
	};
	withMeshRaycast(cast, () => own.BatchedMesh.call(object, raycaster, intersects));
}

/** The ranges of the geometries in a batched mesh; three.js has renamed them twice. */
function geometryRanges(object) {
	return object._geometryInfo ?? object._drawRanges;
}

/** `BufferGeometry.prototype.computeBoundsTree`. */
export function computeBoundsTree(options = {}) {
	const { type = MeshBVH, ...rest } = options;
	this.boundsTree = new type(this, rest);
	return this.boundsTree;
}

/** `BufferGeometry.prototype.disposeBoundsTree`. The memory is freed at once, if nothing else holds the tree. */
export function disposeBoundsTree() {
	this.boundsTree = null;
}

/** `BatchedMesh.prototype.computeBoundsTree`: of all geometries, or of one. */
export function computeBatchedBoundsTree(index = -1, options = {}) {
	const ranges = geometryRanges(this);
	const n = this._geometryCount ?? ranges.length;
	this.boundsTrees ??= [];
	while (this.boundsTrees.length < n) this.boundsTrees.push(null);
	const build = (i) => this.boundsTrees[i] = new MeshBVH(this.geometry, { ...options, range: ranges[i] });
	if (index >= 0) return index < n ? build(index) : null;
	for (let i = 0; i < n; i++) build(i);
	return this.boundsTrees;
}

/** `BatchedMesh.prototype.disposeBoundsTree`. */
export function disposeBatchedBoundsTree(index = -1) {
	if (index < 0) {
		this.boundsTrees?.fill(null);
	} else if (this.boundsTrees && index < this.boundsTrees.length) {
		this.boundsTrees[index] = null;
	}
}
