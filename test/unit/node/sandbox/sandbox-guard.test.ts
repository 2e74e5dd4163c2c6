import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SandboxGuard } from "../../../../src/node/sandbox/sandbox-guard.ts";
import { createView } from "../../../../src/walls/view.ts";
import { tempFolders } from "../../../support/temp-folders.ts";

const tempFolder = tempFolders();

/** A guard of a folder whose `Makefile` controls programs, with a placeholder while a line runs. */
async function guarded() {
  const folder = await tempFolder();
  const standIn = join(folder, "placeholder");
  const asked: (readonly string[])[] = [];
  const guard = new SandboxGuard({
    listFolders: () => [folder],
    listWatchedPaths: () => ({ controls: [join(folder, "Makefile")], held: [], hidden: [] }),
    describeView: (_listings, own) => {
      asked.push(own);
      return createView({ sealed: [standIn] });
    },
  });
  return { folder, standIn, asked, guard };
}

describe("a sandbox's guard that a run shares with its agents", () => {
  it("keeps the placeholders until the last of their lines has ended", async () => {
    const { standIn, guard } = await guarded();
    guard.describeView([]);
    await mkdir(standIn);
    const ends = [guard.watch("away"), guard.watch("away")];
    ends[0]?.();
    const between = existsSync(standIn);
    ends[1]?.();
    assert.deepEqual({ between, after: existsSync(standIn) }, { between: true, after: false });
  });

  it("reports a change by one of them until the user has accepted it", async () => {
    const { folder, guard } = await guarded();
    const end = guard.watch("away");
    await writeFile(join(folder, "Makefile"), "all:\n");
    end();
    const found = guard.what;
    guard.accept();
    assert.deepEqual(
      { found: found?.includes("Makefile changed"), accepted: guard.what },
      { found: true, accepted: undefined },
    );
  });

  it("confines each run's lines with that run's own folders", async () => {
    const { asked, guard } = await guarded();
    guard.describeView(["/one"]);
    guard.describeView(["/two"]);
    assert.deepEqual(asked, [["/one"], ["/two"]]);
  });
});
