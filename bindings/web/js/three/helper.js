// A picture of a tree: its boxes as lines or faces.

import {
	BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
} from 'three';
import { BVH } from './base.js';
import { visitNodes } from './debug.js';
import { geometryIdOf } from './geometry.js';

/** Corner `i` of a box has its maximum on axis `k` if bit `k` is set. */
const N_CORNERS = 8;
const AXES = [0, 1, 2];

/** The ends of the twelve edges. */
const EDGES = AXES.flatMap((axis) =>
	[...Array(N_CORNERS).keys()].filter((corner) => !(corner >> axis & 1)).flatMap((corner) => [corner, corner | 1 << axis]));

/** Two triangles of each side, seen counterclockwise from outside. */
const FACES = AXES.flatMap((axis) => [0, 1].flatMap((side) => {
	const [u, v] = [1 << (axis + 1) % 3, 1 << (axis + 2) % 3];
	const corner = side << axis;
	const [second, third] = side === 1 ? [u, v] : [v, u];
	return [corner, corner | second, corner | third, corner | third, corner | second, corner | u | v];
}));

const instanceMatrix = new Matrix4();

/**
 * Draws the boxes of a tree down to a depth. It follows `mesh`, whose tree it draws unless it is given one. Call
 * `update()` after a change of the tree or of an option.
 */
export class BVHHelper extends Group {
	#drawn = null;

	/** `(mesh, depth)`, `(tree, depth)` or `(mesh, tree, depth)`. */
	constructor(mesh = null, bvh = null, depth = 10) {
		super();
		const isTree = mesh instanceof BVH;
		const isDepth = typeof bvh === 'number';
		this.name = 'BVHHelper';
		this.mesh = isTree ? null : mesh;
		this.bvh = isTree ? mesh : isDepth ? null : bvh;
		this.depth = isDepth ? bvh : depth;
		/** Whether to draw the boxes above the last depth, too. */
		this.displayParents = false;
		/** Whether to draw edges; otherwise faces. */
		this.displayEdges = true;
		/** The instance of an instanced or batched mesh whose place the helper takes. */
		this.instanceId = 0;
		const looks = { color: 0x00ff88, transparent: true, opacity: 0.3, depthWrite: false };
		this.edgeMaterial = new LineBasicMaterial(looks);
		this.meshMaterial = new MeshBasicMaterial(looks);
		this.meshMaterial.color = this.edgeMaterial.color;
		this.update();
	}

	get color() {
		return this.edgeMaterial.color;
	}

	get opacity() {
		return this.edgeMaterial.opacity;
	}

	set opacity(opacity) {
		this.edgeMaterial.opacity = opacity;
		this.meshMaterial.opacity = opacity;
	}

	/** The tree to draw, or null. */
	#tree() {
		const { mesh, bvh, instanceId } = this;
		if (bvh || !mesh) return bvh ?? null;
		if (mesh.isBatchedMesh && mesh.boundsTrees && instanceId >= 0) {
			const id = geometryIdOf(mesh, instanceId);
			if (mesh.boundsTrees[id]) return mesh.boundsTrees[id];
		}
		return mesh.boundsTree ?? mesh.geometry?.boundsTree ?? null;
	}

	/** Draws the tree as it is now. */
	update() {
		this.#clear();
		const tree = this.#tree();
		if (!tree) return;
		const geometry = new BufferGeometry();
		const corners = this.#corners(tree);
		const n = corners.length / 3 / N_CORNERS;
		const part = this.displayEdges ? EDGES : FACES;
		const index = new Uint32Array(part.length * n);
		for (let i = 0; i < index.length; i++) {
			index[i] = Math.floor(i / part.length) * N_CORNERS + part[i % part.length];
		}
		geometry.setIndex(new BufferAttribute(index, 1));
		geometry.setAttribute('position', new BufferAttribute(corners, 3));
		this.#drawn = this.displayEdges
			? new LineSegments(geometry, this.edgeMaterial)
			: new Mesh(geometry, this.meshMaterial);
		// A picture is not what a ray should hit.
		this.#drawn.raycast = () => {};
		this.add(this.#drawn);
	}

	/** The corners of the boxes at the last depth, of the leaves above it, and with `displayParents` of all above. */
	#corners(tree) {
		const last = this.depth - 1;
		const corners = [];
		visitNodes(tree, ({ depth, bounds, children }) => {
			const isLast = depth === last || depth < last && children === null;
			if (bounds.isEmpty() || !isLast && !(this.displayParents && depth < last)) return;
			for (let corner = 0; corner < N_CORNERS; corner++) {
				corners.push(...['x', 'y', 'z'].map((axis, k) => bounds[corner >> k & 1 ? 'max' : 'min'][axis]));
			}
		});
		return Float32Array.from(corners);
	}

	#clear() {
		this.#drawn?.geometry.dispose();
		this.#drawn?.removeFromParent();
		this.#drawn = null;
	}

	updateMatrixWorld(...args) {
		const { mesh, parent, instanceId } = this;
		if (mesh) {
			mesh.updateWorldMatrix(true, false);
			this.matrix.copy(mesh.matrixWorld);
			if (parent) this.matrix.premultiply(instanceMatrix.copy(parent.matrixWorld).invert());
			if ((mesh.isInstancedMesh || mesh.isBatchedMesh) && instanceId >= 0) {
				mesh.getMatrixAt(instanceId, instanceMatrix);
				this.matrix.multiply(instanceMatrix);
			}
			this.matrix.decompose(this.position, this.quaternion, this.scale);
		}
		super.updateMatrixWorld(...args);
	}

	copy(source) {
		super.copy(source, false);
		for (const name of ['mesh', 'bvh', 'depth', 'displayParents', 'displayEdges', 'instanceId', 'opacity']) {
			this[name] = source[name];
		}
		this.color.copy(source.color);
		this.update();
		return this;
	}

	clone() {
		return new this.constructor().copy(this);
	}

	/** Frees the materials and the geometry. */
	dispose() {
		this.#clear();
		this.edgeMaterial.dispose();
		this.meshMaterial.dispose();
	}
}

/** The former name of `BVHHelper`. */
export class MeshBVHHelper extends BVHHelper {}
