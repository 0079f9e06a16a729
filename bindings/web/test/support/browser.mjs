// A real browser with a page of this package, or null where there is none.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };

export function browserPath() {
	const candidates = [process.env.HITSCAN_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
	return candidates.find((path) => path && existsSync(path)) ?? null;
}

/** Serves the folder of the package; without special headers, unless they are given. */
export async function serve(folder = root, headers = {}) {
	const server = createServer((request, response) => {
		const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
		const file = join(folder, path);
		if (!file.startsWith(folder) || !existsSync(file) || path.endsWith('/')) {
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...headers });
		response.end(readFileSync(file));
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

export async function launch() {
	return chromium.launch({
		executablePath: browserPath(),
		args: [
			'--headless', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
			'--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader',
			'--enable-unsafe-swiftshader',
		],
	});
}
