// `npm run build`: compiles the modules, makes them small, and copies the scripts to `dist`.
//
// Rust's standard library for wasm32-unknown-unknown comes from rustup (`rustup target add`), or from the
// sources of Debian's packages rustc-web, rust-web-src and lld-19. Only rustup has that for the module of threads.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const target = 'wasm32-unknown-unknown';
const threadsTarget = 'wasm32-wasip1-threads';

/** The sizes that the module for rays aims at, in bytes. */
const LIMITS = { plain: 300_000, compressed: 120_000 };

const DEBIAN = { rustc: '/usr/bin/rustc', linker: '/usr/bin/wasm-ld-19', sources: '/usr/lib/rustlib/src/rust/library' };

/** The modules. Those of a group share flags and so the compiled libraries: they compile one after the other. */
const groups = [
	{
		folder: 'simd', flags: ['-C', 'target-feature=+simd128'],
		modules: [{ name: 'hitscan', feature: 'whole' }, { name: 'hitscan-rays', feature: 'engine' }],
	},
	{
		folder: 'scalar',
		flags: [],
		modules: [{ name: 'hitscan-scalar', feature: 'whole' }, { name: 'hitscan-readers', feature: 'readers' }],
	},
];

const threads = {
	folder: 'threads', target: threadsTarget, flags: ['-C', 'target-feature=+simd128'],
	modules: [{ name: 'hitscan-threads', feature: 'threads' }],
	// `js/threads.js` sets up the statics and the stack of each thread, and makes a memory of these sizes.
	exports: ['__wasm_init_tls', '__tls_size', '__wasm_call_ctors'],
	link: [`--initial-memory=${64 * 65_536}`, `--max-memory=${65_536 * 65_536}`],
};

/** The folder of a standard library that rustup has installed; null if it has not. */
function librariesOf(target) {
	try {
		const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
		const libraries = execFileSync('rustc', ['--print', 'target-libdir', '--target', target], options).trim();
		return existsSync(libraries) ? libraries : null;
	} catch {
		// No rustc.
		return null;
	}
}

/** The toolchain of the path, as it is. */
const OF_PATH = { environment: {}, flags: [], options: [] };

function toolchain() {
	const libraries = librariesOf(target);
	if (libraries !== null) {
		console.log(`building with rustc of the path, whose standard library of ${target} is in ${libraries}`);
		return OF_PATH;
	}
	if (existsSync(DEBIAN.linker) && existsSync(DEBIAN.sources)) {
		console.log(`building with ${DEBIAN.rustc}: that of the path has no standard library of ${target}`);
		return {
			environment: { RUSTC: DEBIAN.rustc, RUSTC_BOOTSTRAP: '1' },
			flags: ['-C', `linker=${DEBIAN.linker}`],
			// Small sorts and number texts: a seventh less to download. rustup's library has the large ones.
			options: ['-Zbuild-std=std,panic_abort', '-Zbuild-std-features=optimize_for_size'],
		};
	}
	console.error(`npm run build: the standard library of ${target} is missing; run \`rustup target add ${target}\`, ` +
		'or install the Debian packages rustc-web, rust-web-src and lld-19');
	process.exit(2);
}

/** Whether the module of threads can be built. CI fails if rustup could have installed what is missing. */
function canBuildThreads() {
	if (librariesOf(threadsTarget) !== null) return true;
	console.warn(`hitscan-threads.wasm is not built, so init({ threads }) will fail: the standard library of ${threadsTarget} is ` +
		`missing; run \`rustup target add ${threadsTarget}\``);
	if (process.env.CI === 'true' && spawnSync('rustup', ['--version'], { stdio: 'ignore' }).status === 0) process.exit(1);
	return false;
}

/** Runs a program to its end, beside others. */
async function run(program, args, options = {}) {
	const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
	const code = await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
	if (code !== 0) {
		console.error(`npm run build: ${program} ended with code ${code}`);
		process.exit(1);
	}
}

/** Compiles the modules of a group. The groups share the processors: much of each runs on one thread. */
async function compile({ folder, target: of = target, flags, modules, exports = [], link = [] }, tools) {
	const into = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), folder);
	const env = { ...process.env, ...tools.environment, CARGO_ENCODED_RUSTFLAGS: [...tools.flags, ...flags].join('\x1f') };
	// JavaScript resets the stack after a trap.
	const linked = [...['__stack_pointer', ...exports].map((name) => `--export=${name}`), ...link];
	for (const { name, feature } of modules) {
		const options = [
			'--release', '--locked', '--target', of, '--target-dir', into, '--no-default-features', '--features', feature,
			...tools.options,
		];
		await run('cargo', ['rustc', ...options, '--', ...linked.flatMap((arg) => ['-C', `link-arg=${arg}`])], { env });
		await optimize(join(into, of, 'release', 'hitscan_web.wasm'), join(dist, `${name}.wasm`), of === threadsTarget);
	}
}

/** The instructions that the compiler may use: all but SIMD are those of its default. Threads also have atomics. */
const FEATURES = ['simd', 'bulk-memory', 'bulk-memory-opt', 'nontrapping-float-to-int', 'sign-ext', 'mutable-globals',
	'multivalue', 'reference-types', 'call-indirect-overlong'];

/** Runs binaryen's optimizer, if npm has installed it. */
async function optimize(from, to, isShared) {
	const program = join(root, 'node_modules/.bin/wasm-opt');
	if (existsSync(program)) {
		const features = isShared ? [...FEATURES, 'threads'] : FEATURES;
		await run(program, ['-O3', ...features.map((name) => `--enable-${name}`), from, '-o', to]);
	} else {
		console.warn('binaryen is not installed: the modules stay about a tenth larger');
		cpSync(from, to);
	}
	report(to, statSync(from).size);
}

function report(file, compiled) {
	const module = readFileSync(file);
	const [plain, gzip] = [module.length, gzipSync(module, { level: 9 }).length];
	const brotli = brotliCompressSync(module).length;
	const name = basename(file);
	console.log(`${name}: ${compiled} bytes compiled, ${plain} optimized, ${gzip} by gzip, ${brotli} by brotli`);
	if (name === 'hitscan-rays.wasm' && (plain > LIMITS.plain || brotli > LIMITS.compressed)) {
		console.warn(`${name} is larger than ${LIMITS.plain} bytes, or ${LIMITS.compressed} compressed`);
	}
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
const all = canBuildThreads() ? [...groups, threads] : groups;
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
cpSync(join(root, 'js'), dist, { recursive: true });
// npm leaves out the links to these, which stand beside package.json.
for (const text of ['LICENSE-MIT', 'LICENSE-APACHE', 'CHANGELOG.md']) cpSync(join(root, '../..', text), join(dist, text));
await Promise.all(all.map((group) => compile(group, group === threads ? OF_PATH : tools)));
await buildPage(readFileSync(join(dist, 'hitscan.wasm')));
