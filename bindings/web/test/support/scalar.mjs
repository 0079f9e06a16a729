// A thread with the scalar module: one thread has one module.

import { parentPort, workerData } from 'node:worker_threads';
import * as hitscan from 'hitscan';
import { allAnswers } from './answers.mjs';

await hitscan.init({ simd: false });
if (hitscan.isSimd()) throw new Error('the scalar module uses SIMD');
parentPort.postMessage(await allAnswers(hitscan, workerData.n));
