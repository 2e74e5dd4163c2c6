import { strict as assert } from "node:assert";
import { chmod, mkdir, readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import {
  type CopyNeed,
  cleanCopies,
  measureCopySize,
  removeCopy,
  sumCopyBytes,
} from "../../../src/isolation/copy/remove-copy.ts";
import { writeFiles } from "../../support/repositories.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("Removal of copies", () => {
  const newFolder = tempFolders();

  it("follows no link, and deletes folders that deny writing", async () => {
    const top = await newFolder();
    writeFiles(join(top, "copies/r"), { "files/x/read-only/a.txt": "a" });
    writeFiles(join(top, "outside"), { "keep.txt": "k" });
    await makeLink(join(top, "outside"), join(top, "copies/r/files/x/link"));
    await chmod(join(top, "copies/r/files/x/read-only"), 0o000);
    await removeCopy(join(top, "copies/r"));
    await removeCopy(join(top, "copies/none"));
    assert.deepEqual(
      {
        copies: await readdir(join(top, "copies")),
        kept: await readFile(join(top, "outside/keep.txt"), "utf8"),
      },
      { copies: [], kept: "k" },
    );
  });

  it("takes those of deleted runs and of crashes, and the oldest reviewed ones beyond the quota", async () => {
    const root = join(await newFolder(), "copies");
    const states: Readonly<Record<string, CopyNeed>> = {
      a: "reviewed",
      b: "reviewed",
      c: "needed",
      d: "gone",
    };
    for (const [at, name] of Object.keys(states).entries()) {
      writeFiles(join(root, name), { "files/x": "x".repeat(100_000) });
      await utimes(join(root, name), 1e9 + at, 1e9 + at);
    }
    await mkdir(join(root, ".making-999999999-e"));
    await mkdir(join(root, `.making-${process.pid}-f`));
    await mkdir(join(root, ".removed-1-2-g"));
    const quotaBytes = (await measureCopySize(join(root, "c"))) * 2;
    const gone = await cleanCopies(root, { quotaBytes, keep: (run) => states[run] ?? "needed" });
    assert.deepEqual(
      { gone, left: (await readdir(root)).sort(), held: await sumCopyBytes(root) },
      { held: quotaBytes, gone: ["d", "a"], left: [`.making-${process.pid}-f`, "b", "c"] },
    );
  });
});
