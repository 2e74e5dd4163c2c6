import { cp } from "node:fs/promises";
import { join } from "node:path";
import { changesOfDisk, plantedBench, surviveKill } from "../support/killed-accepts.ts";
import { tempFolders } from "../support/temp-folders.ts";

const FILES = Number(process.env.FAULTS_FILES ?? 200);
const AT_ONCE = 2;

describe(`accepting ${FILES} files in a process that is killed`, function () {
  this.timeout(0);
  if (process.platform === "win32") return;
  const temp = tempFolders();

  it("accepts all or nothing at the next start, wherever it was killed", async () => {
    const made = join(await temp(), "made");
    await plantedBench(made, FILES);
    await cp(made, `${made}-whole`, { recursive: true, verbatimSymlinks: true });
    const all = await changesOfDisk(`${made}-whole`);
    const step = Number(process.env.FAULTS_STEP ?? 1);
    for (let at = 1; at <= all; at += AT_ONCE * step)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => at + index * step)
          .filter((one) => one <= all)
          .map((one) => surviveKill(made, one)),
      );
    console.log(`      ${all} changes of the disk`);
  });
});
