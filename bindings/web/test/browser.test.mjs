// Pages in a real browser: a plain one, the example, and the page of `hitscan page`.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Bvh, init, Mesh } from 'hitscan';
import { browserPath, launch, serve } from './support/browser.mjs';
import { sphere } from './support/meshes.mjs';

const skip = browserPath() === null && 'no browser';
const dist = new URL('../dist/', import.meta.url);

let server;
let browser;
let folder;

before(async () => {
	if (skip) return;
	await init();
	folder = mkdtempSync(join(tmpdir(), 'hitscan-'));
	server = await serve();
	browser = await launch();
});

after(async () => {
	await browser?.close();
	server?.close();
	if (folder) rmSync(folder, { recursive: true });
});

/** Opens a page and collects its errors. */
async function open(url) {
	const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
	const errors = [];
	page.on('pageerror', (error) => errors.push(error.message));
	page.on('console', (message) => {
		// The browser asks for an icon by itself.
		if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) errors.push(message.text());
	});
	await page.goto(url);
	return { page, errors };
}

/** Saves a picture where a person can look at it. */
async function picture(page, name) {
	if (process.env.HITSCAN_PICTURES) await page.screenshot({ path: join(process.env.HITSCAN_PICTURES, `${name}.png`) });
}

test('a plain page loads both modules, and a worker builds', { skip }, async () => {
	const { page, errors } = await open(`${server.url}/test/page.html`);
	await page.waitForFunction(() => window.isLoaded);
	const [simd, t, reports] = await page.evaluate(async () => {
		const { hitscan, sphere } = window;
		const { positions, triangles } = sphere(100, 50);
		const reports = [];
		const bvh = await hitscan.buildInWorker(positions, triangles, { onProgress: (done) => reports.push(done) });
		return [hitscan.isSimd(), bvh.closestHit([0, 0.1, 3, 0, 0, -1]).t, reports];
	});
	assert.equal(simd, true);
	const { positions, triangles } = sphere(100, 50);
	assert.equal(t, new Bvh(new Mesh(positions, triangles)).closestHit([0, 0.1, 3, 0, 0, -1]).t);
	assert.equal(reports.at(-1), 1);
	assert.deepEqual(errors, []);
	await page.close();
});

test('a worker of webpack, which has a relative address of the module and a file as its own, finds the module', { skip }, async () => {
	const page = await browser.newPage();
	const text = readFileSync(new URL('module.js', dist), 'utf8')
		.replace("new URL('./hitscan.wasm', import.meta.url)", "'/dist/hitscan.wasm'")
		.replaceAll('import.meta.url', "'file:///module.js'");
	assert.match(text, /'\/dist\/hitscan.wasm'/);
	await page.route('**/dist/module.js', (route) => route.fulfill({ contentType: 'text/javascript', body: text }));
	await page.goto(`${server.url}/test/page.html`);
	await page.waitForFunction(() => window.isLoaded);
	const n = await page.evaluate(async () => {
		const bvh = await window.hitscan.buildInWorker(...Object.values(window.sphere(20, 10)));
		return bvh.stats.triangles;
	});
	assert.equal(n, 400);
	await page.close();
});

test('a server without the module is an error that names the address', { skip }, async () => {
	const { page } = await open(`${server.url}/test/page.html`);
	await page.waitForFunction(() => window.isLoaded);
	const message = await page.evaluate(async () => {
		const module = await import('/dist/module.js?again');
		return module.loadModule({ wasm: '/no/such.wasm' }).catch((error) => error.message);
	});
	assert.match(message, /cannot load the WebAssembly module \/no\/such\.wasm: the server answered 404/);
	await page.close();
});

test('the example finds the same triangle by both engines', { skip }, async () => {
	const { page, errors } = await open(`${server.url}/examples/index.html`);
	await page.waitForFunction(() => window.isDrawn, undefined, { timeout: 120_000 });
	const found = [];
	for (const engine of ['hitscan', 'three-mesh-bvh']) {
		await page.selectOption('#engine', engine);
		await page.mouse.move(430, 300);
		await page.mouse.move(431, 300);
		found.push(await page.textContent('#found'));
	}
	assert.match(found[0], /^triangle \d+$/);
	assert.equal(found[0], found[1]);
	await page.selectOption('#engine', 'hitscan');
	await page.selectOption('#tool', 'marquee');
	await page.mouse.move(380, 260);
	await page.mouse.down();
	await page.mouse.move(470, 340);
	await page.mouse.up();
	assert.match(await page.textContent('#found'), /^[1-9]\d* visible faces$/);
	await page.waitForTimeout(500);
	await picture(page, 'example');
	assert.deepEqual(errors, []);
	await page.close();
});

test('the page of hitscan page opens from a file and picks', { skip: skip || !existsSync(new URL('page.html', dist)) && 'no template' }, async () => {
	const { positions, triangles } = sphere(24, 12);
	const bytes = Buffer.from(new Bvh(new Mesh(positions, triangles)).toCache());
	const html = readFileSync(new URL('page.html', dist), 'utf8')
		.replace('<!--HITSCAN-ABOUT-->', JSON.stringify({ name: 'ball.obj', made: 'a test' }))
		.replace('<!--HITSCAN-MESH-->', bytes.toString('base64'));
	const file = join(folder, 'ball.html');
	writeFileSync(file, html);
	const { page, errors } = await open(pathToFileURL(file).href);
	await page.waitForFunction(() => window.isDrawn);
	await page.mouse.click(410, 310);
	assert.match(await page.textContent('#facts'), /surface1 of 2.*triangle\d+.*point/);
	await page.mouse.click(410, 310);
	assert.match(await page.textContent('#facts'), /surface2 of 2/);
	await page.keyboard.down('Shift');
	// Right of the panel.
	await page.mouse.move(380, 200);
	await page.mouse.down();
	await page.mouse.move(500, 400);
	await page.mouse.up();
	assert.match(await page.textContent('#facts'), /selected[1-9]\d* visible/);
	await page.waitForTimeout(300);
	await picture(page, 'page');
	assert.deepEqual(errors, []);
	await page.close();
});

test('on a phone the page of hitscan page fits the mesh into the part of the screen beside the panel, and marks a tap', { skip: skip || !existsSync(new URL('page.html', dist)) && 'no template' }, async () => {
	const { positions, triangles } = sphere(48, 24);
	const bytes = Buffer.from(new Bvh(new Mesh(positions, triangles)).toCache());
	const file = join(folder, 'phone.html');
	writeFileSync(file, readFileSync(new URL('page.html', dist), 'utf8')
		.replace('<!--HITSCAN-ABOUT-->', JSON.stringify({ name: 'a-name-of-a-file-that-is-much-too-long-for-a-phone.obj', made: 'a test' }))
		.replace('<!--HITSCAN-MESH-->', bytes.toString('base64')));
	const page = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
	const errors = [];
	page.on('pageerror', (error) => errors.push(error.message));
	await page.goto(pathToFileURL(file).href);
	await page.waitForFunction(() => window.isDrawn);
	const boxes = () => page.evaluate(() => ['canvas', '#panel', '#mark'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
	const [canvas, panel, mark] = await boxes();
	assert.ok(canvas.bottom <= panel.top + 1 && panel.bottom <= 845, 'the panel is below');
	assert.ok(panel.height < 0.3 * 844, `${panel.height}`);
	assert.equal(mark.width, 0);
	assert.match(await page.innerText('#panel'), /two fingers/);
	assert.doesNotMatch(await page.innerText('#panel'), /right drag/);
	const middle = canvas.top + canvas.height / 2;
	await page.touchscreen.tap(3, middle);
	assert.match(await page.textContent('#facts'), /^triangles/, 'beside the mesh');
	await page.touchscreen.tap(60, middle);
	assert.match(await page.textContent('#facts'), /surface1 of 2/, 'on the mesh, which fills the width');
	await page.waitForFunction(() => document.querySelector('#mark').style.display === 'block');
	const [, after, marked] = await boxes();
	assert.ok(Math.hypot(marked.x + marked.width / 2 - 60, marked.y + marked.height / 2 - middle) < 3, JSON.stringify(marked));
	assert.ok(after.height === panel.height, `${after.height}`);
	await picture(page, 'phone');
	assert.deepEqual(errors, []);
	await page.close();
});
