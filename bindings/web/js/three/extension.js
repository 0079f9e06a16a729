// The functions that an application assigns to prototypes of three.js.

import {
	BatchedMesh, InstancedMesh, Line, LineLoop, LineSegments, Mesh, Points, SkinnedMesh,
} from 'three';
import { typeError } from '../arguments.js';
import { MeshBVH } from './mesh-bvh.js';
import { LineSegmentsBVH, PointsBVH } from './primitive-bvh.js';
import { SkinnedMeshBVH } from './skinned-bvh.js';
import { RELEASE } from './symbols.js';

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
	} else if (fits(this, this.geometry?.boundsTree)) {
		this.geometry.boundsTree.raycastObject3D(this, raycaster, intersects);
	} else {
		ownRaycast(this).call(this, raycaster, intersects);
	}
}

/** Whether a tree is of the primitives that an object draws, where it draws them. */
function fits(object, tree) {
	if (!tree) return false;
	if (tree instanceof MeshBVH) return object.isMesh && !isDeformed(object);
	if (tree instanceof SkinnedMeshBVH) return tree.mesh === object;
	if (tree instanceof PointsBVH) return object.isPoints;
	if (tree instanceof LineSegmentsBVH) return object.isLine;
	return typeof tree.raycastObject3D === 'function';
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

/** `BufferGeometry.prototype.computeBoundsTree`. It frees the memory of the tree that the geometry had. */
export function computeBoundsTree(options = {}) {
	const { type = MeshBVH, ...rest } = optionsOf('computeBoundsTree', options);
	if (typeof type !== 'function') throw typeError('computeBoundsTree: options.type', type, 'a class such as MeshBVH');
	release(this.boundsTree, this);
	this.boundsTree = new type(this, rest);
	return this.boundsTree;
}

/** `BufferGeometry.prototype.disposeBoundsTree`. It frees the memory at once. */
export function disposeBoundsTree() {
	release(this.boundsTree, this);
	this.boundsTree = null;
}

/**
 * Frees the memory of a tree that a geometry gives up. A tree of another geometry is only borrowed, and stays. Code that
 * still holds a freed tree may use it: that builds it again.
 */
function release(tree, geometry) {
	if (tree?.geometry === geometry) tree[RELEASE]?.();
}

function optionsOf(name, options) {
	if (options === null || typeof options !== 'object') {
		throw typeError(`${name}: options`, options, 'an object; leave it out for the defaults');
	}
	return options;
}

/** `BatchedMesh.prototype.computeBoundsTree`: of all geometries, or of one. */
export function computeBatchedBoundsTree(index = -1, options = {}) {
	const ranges = geometryRanges(this);
	const n = this._geometryCount ?? ranges.length;
	const settings = optionsOf('computeBoundsTree', options);
	if (!Number.isInteger(index)) throw typeError('computeBoundsTree: index', index, 'the number of a geometry, or -1 for all');
	this.boundsTrees ??= [];
	while (this.boundsTrees.length < n) this.boundsTrees.push(null);
	const build = (i) => {
		release(this.boundsTrees[i], this.geometry);
		return this.boundsTrees[i] = new MeshBVH(this.geometry, { ...settings, range: ranges[i] });
	};
	if (index >= 0) return index < n ? build(index) : null;
	for (let i = 0; i < n; i++) build(i);
	return this.boundsTrees;
}

/** `BatchedMesh.prototype.disposeBoundsTree`. It frees the memory at once. */
export function disposeBatchedBoundsTree(index = -1) {
	const { boundsTrees = [] } = this;
	for (let i = 0; i < boundsTrees.length; i++) {
		if (index >= 0 && i !== index) continue;
		release(boundsTrees[i], this.geometry);
		boundsTrees[i] = null;
	}
}
