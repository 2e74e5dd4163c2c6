import { cp } from "node:fs/promises";
import { join } from "node:path";
import { changesOfDisk, plantedBench, surviveKill } from "../support/killed-accepts.ts";
import { tempFolders } from "../support/temp-folders.ts";

/** One file of each kind of change. */
const FEW = 5;
const MANY = Number(process.env.FAULTS_FILES ?? 200);
/** Moments of the large accept, unless every so many changes of the disk are asked for. */
const MOMENTS = 40;
const AT_ONCE = 2;

describe("accepting files in a process that is killed", function () {
  this.timeout(0);
  if (process.platform === "win32") return;
  const temp = tempFolders();

  const tried = async (files: number, stepOf: (all: number) => number): Promise<void> => {
    const made = join(await temp(), "made");
    await plantedBench(made, files);
    await cp(made, `${made}-whole`, { recursive: true, verbatimSymlinks: true });
    const all = await changesOfDisk(`${made}-whole`);
    const step = stepOf(all);
    const moments = Array.from({ length: Math.ceil(all / step) }, (_, index) => 1 + index * step);
    for (let at = 0; at < moments.length; at += AT_ONCE)
      await Promise.all(moments.slice(at, at + AT_ONCE).map((one) => surviveKill(made, one)));
    console.log(`      ${moments.length} kills in ${all} changes of the disk`);
  };

  it(`accepts all or nothing of ${FEW} files at the next start, wherever it was killed`, () => tried(FEW, () => 1));

  it(`accepts all or nothing of ${MANY} files`, () =>
    tried(MANY, (all) => Number(process.env.FAULTS_STEP ?? Math.ceil(all / MOMENTS))));
});
