import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** Swaps a folder for a link and back, as fast as it can, on a thread of its own. */
export interface Swapping {
  /** Ends it, the folder back in its place. Resolves with the number of swaps. */
  stop(): Promise<number>;
}

/** `folder` is in turn itself and a link to `target`. */
export async function swapping(folder: string, target: string): Promise<Swapping> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { renameSync, rmSync, symlinkSync } = require("node:fs");
     const { parentPort, workerData: { folder, aside, target, stop } } = require("node:worker_threads");
     const attempt = (act) => { try { act(); return true; } catch { return false; } };
     parentPort.postMessage("ready");
     let swaps = 0;
     for (; Atomics.load(stop, 0) === 0; swaps++) {
       attempt(() => renameSync(folder, aside));
       attempt(() => symlinkSync(target, folder));
       // Somebody may have made the folder anew while it was away.
       while (!attempt(() => renameSync(aside, folder))) attempt(() => rmSync(folder, { recursive: true }));
     }
     parentPort.postMessage(swaps);`,
    { eval: true, workerData: { folder, aside: `${folder}-aside`, target: join(target), stop } },
  );
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  return {
    async stop() {
      const swaps = new Promise<number>((resolve) => worker.once("message", resolve));
      Atomics.store(stop, 0, 1);
      const count = await swaps;
      await worker.terminate();
      return count;
    },
  };
}
