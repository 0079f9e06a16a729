// Meshes as one geometry: the vertices where skeletons, morph targets and matrices place them.

import { BufferAttribute, BufferGeometry, Matrix3, Matrix4, Vector3, Vector4 } from 'three';

const ATTRIBUTES = ['position', 'normal', 'color', 'tangent', 'uv', 'uv2'];

const vector = new Vector3();
const part = new Vector3();
const normalMatrix = new Matrix3();
const skin = new Matrix4();
const bone = new Matrix4();
const indices = new Vector4();
const weights = new Vector4();

/** Bakes the visible meshes below some objects into one geometry, for a tree of all of them. */
export class StaticGeometryGenerator {
	constructor(objects) {
		/** The meshes, in the order of the geometry's vertices. */
		this.meshes = [];
		for (const object of Array.isArray(objects) ? objects : [objects]) {
			if (!object?.isObject3D) throw new Error('StaticGeometryGenerator: objects has an entry that is no Object3D');
			object.traverseVisible((child) => {
				if (child.isMesh) this.meshes.push(child);
			});
		}
		/** Whether each mesh becomes a group, for the materials of `getMaterials`. */
		this.useGroups = true;
		/** Whether the vertices are in world space; otherwise each mesh stays in its own. */
		this.applyWorldTransforms = true;
		/** The attributes that the geometry gets. */
		this.attributes = [...ATTRIBUTES];
	}

	/** The materials of the meshes, for a mesh of the geometry. */
	getMaterials() {
		return this.meshes.flatMap(({ material }) => material);
	}

	/** Fills a geometry. One that an earlier call filled keeps its attributes and its index, so a tree of it needs a refit only. */
	generate(target = new BufferGeometry()) {
		const { meshes } = this;
		const names = this.#commonAttributes();
		const isIndexed = meshes.length > 0 && meshes[0].geometry.index !== null;
		const nVertices = sum(meshes, ({ geometry }) => geometry.attributes.position.count);
		const sizes = meshes.map(({ geometry }) => geometry.index?.count ?? geometry.attributes.position.count);
		const isFilled = this.#fits(target, names, nVertices, isIndexed ? sum(sizes, (size) => size) : null);
		if (!isFilled) this.#allocate(target, names, nVertices, isIndexed, sizes);
		target.clearGroups();
		let [vertex, place] = [0, 0];
		meshes.forEach((mesh, i) => {
			const order = cornerOrder(mesh, this.applyWorldTransforms);
			if (isIndexed && !isFilled) writeIndex(mesh.geometry.index, target.index, place, vertex, order);
			for (const name of names) this.#write(mesh, name, target.attributes[name], vertex, isIndexed ? null : order);
			if (this.useGroups) target.addGroup(place, sizes[i], i);
			vertex += mesh.geometry.attributes.position.count;
			place += sizes[i];
		});
		for (const name of names) target.attributes[name].needsUpdate = true;
		target.boundingBox = null;
		target.boundingSphere = null;
		return target;
	}

	/** The attributes that all meshes have. One that some have and others lack is an error. */
	#commonAttributes() {
		const { meshes } = this;
		if (meshes.length === 0) return [];
		for (const { geometry, name } of meshes) {
			if (!geometry.attributes.position) {
				throw new Error(`StaticGeometryGenerator: the geometry of mesh '${name}' has no attribute position`);
			}
			if ((geometry.index !== null) !== (meshes[0].geometry.index !== null)) {
				throw new Error(`StaticGeometryGenerator: mesh '${name}' differs from mesh '${meshes[0].name}' in having an index; ` +
					'give all of them one, or use toNonIndexed() for all');
			}
		}
		return this.attributes.filter((name) => {
			const having = meshes.filter(({ geometry }) => geometry.attributes[name]);
			if (having.length > 0 && having.length < meshes.length) {
				const without = meshes.find(({ geometry }) => !geometry.attributes[name]);
				throw new Error(`StaticGeometryGenerator: mesh '${without.name}' has no attribute ${name}, but mesh '${having[0].name}' has; ` +
					'add it, or leave it out of generator.attributes');
			}
			return having.length > 0;
		});
	}

	/** Whether a geometry has room for exactly these vertices and corners. */
	#fits({ attributes, index }, names, nVertices, nCorners) {
		return names.length > 0 && names.every((name) => attributes[name]?.count === nVertices)
			&& (nCorners === null ? index === null : index?.count === nCorners);
	}

	#allocate(target, names, nVertices, isIndexed, sizes) {
		if (target.attributes.position) {
			throw new Error('StaticGeometryGenerator: the target holds other numbers of vertices or corners than the meshes; ' +
				'pass an empty geometry');
		}
		for (const name of names) {
			const { array, data, itemSize, normalized } = this.meshes[0].geometry.attributes[name];
			const type = (array ?? data.array).constructor;
			target.setAttribute(name, new BufferAttribute(new type(itemSize * nVertices), itemSize, normalized));
		}
		if (names.length === 0) target.setAttribute('position', new BufferAttribute(new Float32Array(0), 3));
		target.setIndex(isIndexed ? new BufferAttribute(new Uint32Array(sum(sizes, (size) => size)), 1) : null);
	}

	/** Writes an attribute of a mesh from a vertex on. */
	#write(mesh, name, target, first, order) {
		const source = mesh.geometry.attributes[name];
		if (source.itemSize !== target.itemSize) {
			throw new Error(`StaticGeometryGenerator: attribute ${name} of mesh '${mesh.name}' has ${source.itemSize} components, ` +
				`but that of the first mesh ${target.itemSize}`);
		}
		const place = PLACES[name];
		if (place && this.applyWorldTransforms) normalMatrix.getNormalMatrix(mesh.matrixWorld);
		for (let i = 0; i < source.count; i++) {
			const from = order ? i - i % 3 + order[i % 3] : i;
			for (let k = 0; k < source.itemSize; k++) target.setComponent(first + i, k, source.getComponent(from, k));
			if (!place) continue;
			vector.fromBufferAttribute(source, from);
			place(mesh, from, this.applyWorldTransforms);
			target.setXYZ(first + i, vector.x, vector.y, vector.z);
		}
	}
}

/** How the attributes that move are moved: `vector` is the value of vertex `i`. */
const PLACES = {
	position(mesh, i, isWorld) {
		morph(mesh, 'position', i);
		if (mesh.isSkinnedMesh) mesh.applyBoneTransform(i, vector);
		if (isWorld) vector.applyMatrix4(mesh.matrixWorld);
	},
	normal(mesh, i, isWorld) {
		morph(mesh, 'normal', i);
		if (mesh.isSkinnedMesh) turn(mesh, i);
		if (isWorld) vector.applyNormalMatrix(normalMatrix);
	},
	tangent(mesh, i, isWorld) {
		morph(mesh, 'tangent', i);
		if (mesh.isSkinnedMesh) turn(mesh, i);
		if (isWorld) vector.transformDirection(mesh.matrixWorld);
	},
};

/** Adds the morph targets of an attribute at a vertex to `vector`. */
function morph({ geometry, morphTargetInfluences }, name, i) {
	const targets = geometry.morphAttributes[name];
	if (!targets || !morphTargetInfluences) return;
	const base = vector.clone();
	targets.forEach((target, k) => {
		const influence = morphTargetInfluences[k];
		if (!influence) return;
		part.fromBufferAttribute(target, i);
		if (!geometry.morphTargetsRelative) part.sub(base);
		vector.addScaledVector(part, influence);
	});
}

/** Turns the direction `vector` of a vertex as the bones turn it. */
function turn({ skeleton, geometry, bindMatrix, bindMatrixInverse }, i) {
	indices.fromBufferAttribute(geometry.attributes.skinIndex, i);
	weights.fromBufferAttribute(geometry.attributes.skinWeight, i);
	skin.elements.fill(0);
	for (let k = 0; k < 4; k++) {
		const weight = weights.getComponent(k);
		if (weight === 0) continue;
		const index = indices.getComponent(k);
		bone.multiplyMatrices(skeleton.bones[index].matrixWorld, skeleton.boneInverses[index]);
		bone.elements.forEach((x, at) => skin.elements[at] += weight * x);
	}
	vector.transformDirection(skin.multiply(bindMatrix).premultiply(bindMatrixInverse));
}

/** The order of a triangle's corners if the matrix mirrors the mesh, so that it faces the same side; otherwise null. */
function cornerOrder(mesh, isWorld) {
	return isWorld && mesh.matrixWorld.determinant() < 0 ? [2, 1, 0] : null;
}

function writeIndex(source, target, place, firstVertex, order) {
	for (let i = 0; i < source.count; i++) {
		target.setX(place + i, firstVertex + source.getX(order ? i - i % 3 + order[i % 3] : i));
	}
}

function sum(list, value) {
	return list.reduce((total, each) => total + value(each), 0);
}
