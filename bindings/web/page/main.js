// The page of `hitscan page`: one file with a mesh, its tree, the engine, and the picking of the viewer.

import { Bvh } from '../js/bvh.js';
import { loadModule } from '../js/module.js';
import { Scene } from '../js/scene.js';
import { View } from '../js/view.js';
import { Drawing } from './drawing.js';
import { Orbit } from './orbit.js';

const $ = (id) => document.getElementById(id);
const canvas = document.querySelector('canvas');

/** A pointer that moved less is a click, in pixels. */
const CLICK_DISTANCE = 4;

async function bytesOf(id) {
	const text = $(id).textContent.trim();
	const response = await fetch(`data:application/octet-stream;base64,${text}`);
	return new Uint8Array(await response.arrayBuffer());
}

async function start() {
	const about = JSON.parse($('hitscan-about').textContent);
	$('name').textContent = document.title = about.name;
	await loadModule({ wasm: await bytesOf('hitscan-engine'), simd: true });
	const bvh = Bvh.fromCache(await bytesOf('hitscan-mesh'), about.name);
	for (const id of ['hitscan-engine', 'hitscan-mesh']) $(id).remove();
	const { mesh } = bvh;
	const scene = new Scene();
	// The page is in the space of the mesh: a picture in f32 has too few digits far from the origin.
	const { offset } = mesh;
	scene.insert({ bvh, transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...offset.map((x) => -x), 1] });
	const local = (point) => point.map((x, i) => x - offset[i]);
	const triangles = mesh.triangles;
	const positions = Float32Array.from(mesh.positions, (x, i) => x - offset[i % 3]);
	const drawing = new Drawing(canvas, positions, triangles);
	const { min, max } = mesh.bounds ?? { min: [-1, -1, -1], max: [1, 1, 1] };
	const orbit = new Orbit({ min: local(min), max: local(max) }, positions);
	run({ about, bvh, mesh, scene, triangles, drawing, orbit });
}

function run(model) {
	const { mesh, scene, triangles, drawing, orbit } = model;
	const state = { hover: null, picked: [], point: null, depth: 0, last: null, needsFrame: true };
	const polygons = trianglesOfPolygons(mesh);

	const viewport = () => ({ width: canvas.clientWidth, height: canvas.clientHeight });
	const matrix = () => orbit.matrix(canvas.clientWidth / canvas.clientHeight);
	const view = () => new View(matrix(), viewport());

	function show() {
		const elements = [...state.picked, ...state.hover ? [state.hover] : []];
		const faces = elements.flatMap(({ face }) => face === undefined ? [] : polygons(face));
		drawing.select({
			faces: faces.flatMap((triangle) => [...triangles.subarray(3 * triangle, 3 * triangle + 3)]),
			lines: elements.flatMap(({ edge }) => edge ?? []),
			points: elements.flatMap(({ vertex }) => vertex ?? []),
		});
		state.needsFrame = true;
	}

	function click(x, y) {
		const picks = scene.pickAll(view(), x, y, { kind: $('kind').value });
		const isAgain = state.last && Math.hypot(x - state.last.x, y - state.last.y) < CLICK_DISTANCE;
		state.depth = isAgain && picks.length > 0 ? (state.depth + 1) % picks.length : 0;
		state.last = { x, y };
		const pick = picks[state.depth];
		state.picked = pick ? [pick] : [];
		state.point = pick?.point ?? null;
		describe(model, pick, { depth: state.depth, of: picks.length });
		show();
	}

	function select(from, x, y) {
		state.picked = scene.select(view(), { marquee: [from.x, from.y, x, y] }, { kind: $('kind').value, visibleOnly: true });
		state.point = null;
		facts({ selected: `${state.picked.length} visible` });
		show();
	}

	pointerEvents(state, { click, select, orbit, hover(x, y) {
		const hover = scene.pick(view(), x, y, { kind: $('kind').value });
		if (JSON.stringify(hover) !== JSON.stringify(state.hover)) {
			state.hover = hover;
			show();
		}
	} });
	describe(model, null, {});
	new ResizeObserver(() => {
		canvas.width = canvas.clientWidth * devicePixelRatio;
		canvas.height = canvas.clientHeight * devicePixelRatio;
		orbit.fit(canvas.clientWidth / canvas.clientHeight);
		state.needsFrame = true;
	}).observe(canvas);
	const frame = () => {
		if (state.needsFrame && canvas.width > 0) {
			state.needsFrame = false;
			drawing.draw(matrix(), orbit.eye);
			mark(state.point && view().project(state.point));
			window.isDrawn = true;
		}
		requestAnimationFrame(frame);
	};
	frame();
}

/** The triangles of a polygon: they are consecutive. */
function trianglesOfPolygons(mesh) {
	let first = null;
	return (polygon) => {
		if (first === null) {
			first = new Map();
			for (let triangle = 0; triangle < mesh.triangleCount; triangle++) {
				const of = mesh.names(triangle).polygon;
				if (!first.has(of)) first.set(of, []);
				first.get(of).push(triangle);
			}
		}
		return first.get(polygon) ?? [];
	};
}

function facts(rows) {
	$('facts').replaceChildren(...Object.entries(rows).flatMap(([name, value]) => {
		const [term, detail] = [document.createElement('dt'), document.createElement('dd')];
		term.textContent = name;
		detail.textContent = value;
		return [term, detail];
	}));
}

const shown = (numbers, digits = 7) => Array.from(numbers, (x) => Number(x.toPrecision(digits))).join(', ');

function describe({ mesh, bvh, about }, pick, { depth, of }) {
	if (!pick) {
		facts({ triangles: mesh.triangleCount.toLocaleString('en'), vertices: mesh.vertexCount.toLocaleString('en'), made: about.made });
		return;
	}
	const rows = {};
	if (of > 1) rows.surface = `${depth + 1} of ${of}`;
	if (pick.face !== undefined) rows.face = pick.face;
	if (pick.edge) rows.edge = pick.edge.join(' – ');
	if (pick.vertex !== undefined) rows.vertex = pick.vertex;
	if (pick.triangle !== null) {
		const { object, group, material } = mesh.names(pick.triangle);
		rows.triangle = pick.triangle;
		Object.assign(rows, object && { object }, group && { group }, material && { material });
		rows.normal = shown(mesh.normal(pick.triangle));
	}
	const { offset } = mesh;
	rows.point = shown(pick.point.map((x, i) => x + offset[i]), offset.some((x) => x !== 0) ? 13 : 7);
	rows.distance = Number(pick.distance.toPrecision(7));
	rows.engine = bvh.stats.simd ? 'SIMD' : 'scalar';
	facts(rows);
}

function pointerEvents(state, { click, select, hover, orbit }) {
	/** The pointers that are down, by id: of a mouse one, of fingers up to two. */
	const pointers = new Map();
	const at = (event) => ({ x: event.offsetX, y: event.offsetY });
	canvas.addEventListener('pointerdown', (event) => {
		if (pointers.size === 2) return;
		canvas.setPointerCapture(event.pointerId);
		const of = pointers.size === 0 ? { selects: event.shiftKey, isClick: true } : { selects: false, isClick: false };
		for (const other of pointers.values()) Object.assign(other, { selects: false, isClick: false });
		pointers.set(event.pointerId, { ...at(event), from: at(event), button: event.button, ...of });
	});
	canvas.addEventListener('pointermove', (event) => {
		const { x, y } = at(event);
		const down = pointers.get(event.pointerId);
		if (!down) {
			if (pointers.size === 0 && event.pointerType !== 'touch') hover(x, y);
			return;
		}
		if (pointers.size === 2) {
			const [other] = [...pointers.values()].filter((pointer) => pointer !== down);
			orbit.pan((x - down.x) / 2, (y - down.y) / 2, canvas.clientHeight);
			const [before, now] = [down, { x, y }].map((point) => Math.hypot(point.x - other.x, point.y - other.y));
			if (before > 0 && now > 0) orbit.zoom(Math.log(before / now));
		} else if (down.selects) {
			marquee(down.from, { x, y });
		} else if (down.button === 0 && !event.ctrlKey) {
			orbit.turn(x - down.x, y - down.y);
		} else {
			orbit.pan(x - down.x, y - down.y, canvas.clientHeight);
		}
		Object.assign(down, { x, y });
		state.needsFrame = true;
	});
	const end = (event) => {
		const down = pointers.get(event.pointerId);
		pointers.delete(event.pointerId);
		marquee(null);
		return down;
	};
	canvas.addEventListener('pointerup', (event) => {
		const { x, y } = at(event);
		const down = end(event);
		if (!down) return;
		if (down.selects) {
			select(down.from, x, y);
		} else if (down.isClick && Math.hypot(x - down.from.x, y - down.from.y) < CLICK_DISTANCE) {
			click(x, y);
		}
	});
	canvas.addEventListener('pointercancel', end);
	canvas.addEventListener('contextmenu', (event) => event.preventDefault());
	canvas.addEventListener('wheel', (event) => {
		event.preventDefault();
		orbit.zoom(0.001 * event.deltaY);
		state.needsFrame = true;
	}, { passive: false });
}

/** Shows where the picked point is, or nothing. */
function mark(pixel) {
	const { style } = $('mark');
	style.display = pixel ? 'block' : 'none';
	if (!pixel) return;
	const { left, top } = canvas.getBoundingClientRect();
	style.left = `${left + pixel.x}px`;
	style.top = `${top + pixel.y}px`;
}

function marquee(from, to) {
	const { style } = $('marquee');
	style.display = from ? 'block' : 'none';
	if (!from) return;
	style.left = `${Math.min(from.x, to.x)}px`;
	style.top = `${Math.min(from.y, to.y)}px`;
	style.width = `${Math.abs(from.x - to.x)}px`;
	style.height = `${Math.abs(from.y - to.y)}px`;
}

start().catch((error) => {
	$('error').textContent = error.message;
	throw error;
});
