import { cp } from "node:fs/promises";
import { join } from "node:path";
import { changesOfDisk, plantedBench, surviveKill } from "../../../support/killed-accepts.ts";
import { skipWithout } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

/** Shares of the changes of the disk: while contents are kept, and while files are written. `npm run test:faults` tries all. */
const MOMENTS = [0.3, 0.8];

describe("accepting many files in a process that is killed", function () {
  this.timeout(180_000);
  const temp = tempFolders();

  it("accepts all or nothing at the next start", async () => {
    skipWithout("files as POSIX has them");
    const made = join(await temp(), "made");
    await plantedBench(made, 20);
    await cp(made, `${made}-whole`, { recursive: true, verbatimSymlinks: true });
    const all = await changesOfDisk(`${made}-whole`);
    for (const share of MOMENTS) await surviveKill(made, Math.round(all * share));
  });
});
