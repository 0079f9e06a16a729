// A thread with a module of its own, without shared memory: one thread has one module.

import { parentPort, workerData } from 'node:worker_threads';
import * as hitscan from 'hitscan';
import { allAnswers } from './answers.mjs';

const { n, simd } = workerData;
await hitscan.init({ simd });
if (hitscan.isSimd() !== simd) throw new Error(`the module ${simd ? 'lacks' : 'uses'} SIMD`);
parentPort.postMessage(await allAnswers(hitscan, n));
