// `npm run build`: compiles the module twice, makes it small, and copies the scripts to `dist`.
//
// Rust's standard library for wasm32-unknown-unknown comes from rustup (`rustup target add`), or from the
// sources of Debian's packages rustc-web, rust-web-src and lld-19.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const target = 'wasm32-unknown-unknown';

/** The sizes that the package aims at, in bytes. */
const LIMITS = { plain: 300_000, compressed: 110_000 };

const DEBIAN = { rustc: '/usr/bin/rustc', linker: '/usr/bin/wasm-ld-19', sources: '/usr/lib/rustlib/src/rust/library' };

const modules = [
	{ name: 'hitscan', flags: ['-C', 'target-feature=+simd128'] },
	{ name: 'hitscan-scalar', flags: [] },
];

/** JavaScript resets the stack after a trap. */
const LINK = ['-C', 'link-arg=--export=__stack_pointer'];

function toolchain() {
	try {
		const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
		const libraries = execFileSync('rustc', ['--print', 'target-libdir', '--target', target], options).trim();
		if (existsSync(libraries)) return { environment: {}, flags: [], options: [] };
	} catch {
		// No rustc: Debian's may be there.
	}
	if (existsSync(DEBIAN.linker) && existsSync(DEBIAN.sources)) {
		return {
			environment: { RUSTC: DEBIAN.rustc, RUSTC_BOOTSTRAP: '1' },
			flags: ['-C', `linker=${DEBIAN.linker}`],
			options: ['-Zbuild-std=std,panic_abort'],
		};
	}
	console.error(`npm run build: the standard library of ${target} is missing; run \`rustup target add ${target}\`, ` +
		'or install the Debian packages rustc-web, rust-web-src and lld-19');
	process.exit(2);
}

/** Compiles a module. The two share the processors: much of each runs on one thread. */
async function compile({ name, flags }, tools) {
	const folder = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), name);
	const options = ['--release', '--locked', '--target', target, '--target-dir', folder, ...tools.options];
	const env = { ...process.env, ...tools.environment, CARGO_ENCODED_RUSTFLAGS: [...tools.flags, ...flags].join('\x1f') };
	const cargo = spawn('cargo', ['rustc', ...options, '--', ...LINK], { cwd: root, stdio: 'inherit', env });
	const code = await new Promise((resolve, reject) => cargo.once('exit', resolve).once('error', reject));
	if (code !== 0) process.exit(1);
	return join(folder, target, 'release', 'hitscan_web.wasm');
}

/** The instructions that the compiler may use: all but SIMD are those of its default. */
const FEATURES = ['simd', 'bulk-memory', 'bulk-memory-opt', 'nontrapping-float-to-int', 'sign-ext', 'mutable-globals',
	'multivalue', 'reference-types', 'call-indirect-overlong'];

/** Runs binaryen's optimizer, if npm has installed it. */
function optimize(from, to) {
	const program = join(root, 'node_modules/.bin/wasm-opt');
	if (!existsSync(program)) {
		console.warn('binaryen is not installed: the module stays about a tenth larger');
		cpSync(from, to);
		return;
	}
	execFileSync(program, ['-O3', '--converge', ...FEATURES.map((name) => `--enable-${name}`), from, '-o', to]);
}

/** The page of `hitscan page`: one file, in which the program inserts a mesh. */
async function buildPage(engine) {
	let esbuild;
	try {
		esbuild = await import('esbuild');
	} catch {
		console.warn('esbuild is not installed: dist/page.html is not built');
		return;
	}
	const { outputFiles } = await esbuild.build({
		entryPoints: [join(root, 'page/main.js')], bundle: true, format: 'esm', minify: true, write: false,
		target: 'es2022', define: { 'import.meta.url': '"file:///hitscan"' },
	});
	// A closing tag in a string would end the script.
	const script = outputFiles[0].text.replaceAll('</script', '<\\/script');
	const page = readFileSync(join(root, 'page/index.html'), 'utf8')
		.replace('<!--HITSCAN-SCRIPT-->', () => script)
		.replace('<!--HITSCAN-ENGINE-->', () => engine.toString('base64'));
	writeFileSync(join(dist, 'page.html'), page);
}

const tools = toolchain();
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
cpSync(join(root, 'js'), dist, { recursive: true });
const compiled = await Promise.all(modules.map(async (module) => [module.name, await compile(module, tools)]));
for (const [name, from] of compiled) {
	const file = join(dist, `${name}.wasm`);
	optimize(from, file);
	const small = readFileSync(file);
	const sizes = { plain: statSync(file).size, gzip: gzipSync(small, { level: 9 }).length, brotli: brotliCompressSync(small).length };
	console.log(`${name}.wasm: ${statSync(from).size} bytes compiled, ${sizes.plain} optimized, ${sizes.gzip} by gzip, ${sizes.brotli} by brotli`);
	if (sizes.plain > LIMITS.plain || sizes.brotli > LIMITS.compressed) {
		console.warn(`${name}.wasm is larger than ${LIMITS.plain} bytes, or ${LIMITS.compressed} compressed`);
	}
}
await buildPage(readFileSync(join(dist, 'hitscan.wasm')));
