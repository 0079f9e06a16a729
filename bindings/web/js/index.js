// The package `hitscan`. `index.d.ts` documents it.

export { init } from './init.js';
export { isReady, isSimd, threadCount } from './module.js';
export { Mesh } from './mesh.js';
export { Bvh } from './bvh.js';
export { Hit, HitColumns, SurfacePoint } from './hits.js';
export { Scene, SceneHit } from './scene.js';
export { View } from './view.js';
export { buildInWorker } from './build.js';
