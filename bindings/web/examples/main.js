// A page to try: one large mesh, the tools of an editor, and two engines.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import * as peer from 'three-mesh-bvh';
import { Scene as PickScene, View } from 'hitscan';
import * as drop from 'hitscan/three';

/** The engines have one interface. */
const ENGINES = { hitscan: drop, 'three-mesh-bvh': peer };
const CLICK_DEPTH_LIMIT = 32;
const BRUSH_RADIUS = 0.06;

const ui = Object.fromEntries(['engine', 'tool', 'size', 'build', 'query', 'frame', 'found', 'marquee']
	.map((id) => [id, document.getElementById(id)]));
const renderer = new THREE.WebGLRenderer({ antialias: true });
renderer.setPixelRatio(devicePixelRatio);
document.body.append(renderer.domElement);
const scene = new THREE.Scene();
scene.background = new THREE.Color('#14171c');
const camera = new THREE.PerspectiveCamera(45, 1, 0.05, 50);
camera.position.set(1.6, 1.4, 2.2);
const controls = new OrbitControls(camera, renderer.domElement);
controls.mouseButtons = { LEFT: null, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.ROTATE };
scene.add(new THREE.HemisphereLight('#dfe9ff', '#4a3f35', 2), new THREE.DirectionalLight('#fff', 2));

const raycaster = new THREE.Raycaster();
const marker = new THREE.Mesh(new THREE.SphereGeometry(0.012), new THREE.MeshBasicMaterial({ color: '#ffb454' }));
const through = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: '#ff5f87', size: 6, sizeAttenuation: false, depthTest: false }));
const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: '#ffb454' }));
scene.add(marker, through, line);

let mesh;
let tree;
let picks;
let instance;
const pointer = { x: 0, y: 0, down: null };

/** A knotted tube with bumps, whose triangles differ in size. */
function makeGeometry(n) {
	const geometry = new THREE.TorusKnotGeometry(0.8, 0.28, n, n / 2);
	const { position, normal } = geometry.attributes;
	for (let i = 0; i < position.count; i++) {
		const [x, y, z] = [position.getX(i), position.getY(i), position.getZ(i)];
		const height = 0.02 * Math.sin(17 * x) * Math.sin(19 * y) * Math.sin(23 * z);
		position.setXYZ(i, x + height * normal.getX(i), y + height * normal.getY(i), z + height * normal.getZ(i));
	}
	geometry.computeVertexNormals();
	const colors = new Float32Array(3 * position.count).fill(0.75);
	geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
	return geometry;
}

function rebuild() {
	const engine = ENGINES[ui.engine.value];
	picks?.dispose();
	tree?.dispose?.();
	if (!mesh || mesh.userData.size !== ui.size.value) {
		if (mesh) {
			scene.remove(mesh);
			mesh.geometry.dispose();
		}
		mesh = new THREE.Mesh(makeGeometry(Number(ui.size.value)), new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.6 }));
		mesh.userData.size = ui.size.value;
		scene.add(mesh);
	}
	const start = performance.now();
	tree = new engine.MeshBVH(mesh.geometry, { indirect: true });
	ui.build.textContent = `${(performance.now() - start).toFixed(0)} ms`;
	mesh.geometry.boundsTree = tree;
	mesh.raycast = engine.acceleratedRaycast;
	// Marquee and brush of editors need the scene of hitscan; three-mesh-bvh has shapecast for the brush.
	picks = null;
	if (ui.engine.value === 'hitscan') {
		picks = new PickScene();
		instance = picks.insert({ bvh: tree.bvh });
	}
}

/** Runs a query and shows its time. */
function timed(query) {
	const start = performance.now();
	const result = query();
	ui.query.textContent = `${(1000 * (performance.now() - start)).toFixed(0)} µs`;
	return result;
}

function cast(firstHitOnly) {
	const ndc = new THREE.Vector2(2 * pointer.x / innerWidth - 1, 1 - 2 * pointer.y / innerHeight);
	raycaster.setFromCamera(ndc, camera);
	raycaster.firstHitOnly = firstHitOnly;
	return timed(() => raycaster.intersectObject(mesh));
}

function paint(triangles, color) {
	const { index, attributes: { color: colors } } = mesh.geometry;
	for (const triangle of triangles) {
		for (let corner = 0; corner < 3; corner++) {
			const at = 3 * triangle + corner;
			colors.setXYZ(index ? index.getX(at) : at, ...color);
		}
	}
	colors.needsUpdate = true;
}

const TOOLS = {
	hover() {
		const [hit] = cast(true);
		marker.visible = Boolean(hit);
		if (hit) marker.position.copy(hit.point);
		ui.found.textContent = hit ? `triangle ${hit.faceIndex}` : 'nothing';
	},
	through() {
		const hits = cast(false).slice(0, CLICK_DEPTH_LIMIT);
		through.geometry.setFromPoints(hits.map(({ point }) => point));
		ui.found.textContent = `${hits.length} hits`;
	},
	brush() {
		const [hit] = cast(true);
		marker.visible = Boolean(hit);
		if (!hit) return;
		marker.position.copy(hit.point);
		const triangles = timed(() => {
			if (tree.bvh) return tree.bvh.overlappingSphere(hit.point.toArray(), BRUSH_RADIUS);
			const found = [];
			const ball = new THREE.Sphere(hit.point, BRUSH_RADIUS);
			tree.shapecast({
				intersectsBounds: (box) => ball.intersectsBox(box),
				intersectsTriangle: (triangle, index) => {
					if (triangle.intersectsSphere(ball)) found.push(tree.resolveTriangleIndex(index));
				},
			});
			return found;
		});
		if (pointer.down) paint(triangles, [0.3, 0.7, 1]);
		ui.found.textContent = `${triangles.length} triangles`;
	},
	nearest() {
		// The point of the plane through the origin that faces the camera.
		cast(true);
		const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()), new THREE.Vector3());
		const from = raycaster.ray.intersectPlane(plane, new THREE.Vector3());
		if (!from) return;
		const { point, distance } = timed(() => tree.closestPointToPoint(from, { point: new THREE.Vector3() }));
		line.geometry.setFromPoints([from, point]);
		marker.visible = true;
		marker.position.copy(point);
		ui.found.textContent = `distance ${distance.toFixed(4)}`;
	},
	marquee() {},
};

function selectMarquee() {
	if (!picks) {
		ui.found.textContent = 'hitscan only';
		return;
	}
	const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
	const view = new View(matrix.elements, { width: innerWidth, height: innerHeight });
	const { x, y } = pointer.down;
	const faces = timed(() => picks.select(view, { marquee: [x, y, pointer.x, pointer.y] }, { kind: 'face', visibleOnly: true }));
	paint(faces.filter((face) => face.instance === instance).map(({ face }) => face), [1, 0.6, 0.25]);
	ui.found.textContent = `${faces.length} visible faces`;
}

function drawMarquee() {
	const { style } = ui.marquee;
	style.display = pointer.down && ui.tool.value === 'marquee' ? 'block' : 'none';
	if (!pointer.down) return;
	style.left = `${Math.min(pointer.down.x, pointer.x)}px`;
	style.top = `${Math.min(pointer.down.y, pointer.y)}px`;
	style.width = `${Math.abs(pointer.down.x - pointer.x)}px`;
	style.height = `${Math.abs(pointer.down.y - pointer.y)}px`;
}

renderer.domElement.addEventListener('pointermove', (event) => {
	Object.assign(pointer, { x: event.clientX, y: event.clientY });
	drawMarquee();
	if (ui.tool.value !== 'through') TOOLS[ui.tool.value]();
});
renderer.domElement.addEventListener('pointerdown', (event) => {
	if (event.button !== 0) return;
	Object.assign(pointer, { x: event.clientX, y: event.clientY, down: { x: event.clientX, y: event.clientY } });
	TOOLS[ui.tool.value]();
});
addEventListener('pointerup', () => {
	if (pointer.down && ui.tool.value === 'marquee') selectMarquee();
	pointer.down = null;
	drawMarquee();
});
ui.engine.addEventListener('change', rebuild);
ui.size.addEventListener('change', rebuild);

function resize() {
	renderer.setSize(innerWidth, innerHeight);
	camera.aspect = innerWidth / innerHeight;
	camera.updateProjectionMatrix();
}
addEventListener('resize', resize);
resize();
rebuild();

let last = performance.now();
renderer.setAnimationLoop((now) => {
	ui.frame.textContent = `${(now - last).toFixed(1)} ms`;
	last = now;
	controls.update();
	renderer.render(scene, camera);
	window.isDrawn = true;
});
