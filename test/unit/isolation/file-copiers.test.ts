import { strict as assert } from "node:assert";
import { lstat, mkdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { WORKERS } from "../../../src/headless/workers.ts";
import { createFileCopiers } from "../../../src/isolation/copy/file-copiers.ts";
import { writeFiles } from "../../support/repositories.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const MANY = 1_000_000;
const MODIFIED = 1_700_000_000.682_000_4;

describe("Copying of files", () => {
  const newFolder = tempFolders();

  for (const [where, files] of [
    ["in this thread", 1],
    ["in threads", MANY],
  ] as const)
    it(`gives them content, permissions and times, and says what it left ${where}`, async () => {
      const top = await newFolder();
      const [from, to] = [join(top, "from"), join(top, "to")];
      writeFiles(from, { "known.sh": "echo\n", "new.txt": "new\n", "large.bin": "x".repeat(70_000) });
      writeFiles(to, { "taken.txt": "other\n" });
      writeFiles(from, { "taken.txt": "t\n", "folder/a.txt": "a\n" });
      await makeLink("known.sh", join(from, "link"));
      await utimes(join(from, "known.sh"), MODIFIED, MODIFIED);
      const known = await lstat(join(from, "known.sh"), { bigint: true });
      const names = ["new.txt", "large.bin", "link", "folder", "gone", "taken.txt"].map((name) => ({ name }));
      const stamp = `5 ${known.mtimeNs} ${known.ctimeNs}`;
      const copiers = createFileCopiers(files, WORKERS.copy);
      try {
        const batch = { from, to, keep: join(top, "kept-"), files: [{ name: "known.sh", stamp }, ...names] };
        const outcomes = await copiers.all[0]?.(batch);
        assert.deepEqual(
          {
            outcomes,
            microseconds: (await lstat(join(to, "known.sh"), { bigint: true })).mtimeNs / 1000n,
            kept: await readFile(join(top, "kept-1"), "utf8"),
            copied: await readFile(join(to, "new.txt"), "utf8"),
          },
          {
            outcomes: [
              [Number(known.mode) & 0o777, 5, false],
              [Number(known.mode) & 0o777, 4, true],
              "large",
              "link",
              "folder",
              "gone",
              "name",
            ],
            microseconds: 1_700_000_000_682_000n,
            kept: "new\n",
            copied: "new\n",
          },
        );
      } finally {
        await copiers.close();
      }
    });

  it("ends with an error that keeps its code, and copies nothing once it's closed", async () => {
    const top = await newFolder();
    await mkdir(join(top, "to"));
    writeFiles(join(top, "from"), { "a.txt": "a\n" });
    const copiers = createFileCopiers(MANY, WORKERS.copy);
    const batch = { from: join(top, "from"), to: join(top, "to"), keep: join(top, "kept-") };
    const [copy = () => assert.fail("There is none.")] = copiers.all;
    const failed = copy({ ...batch, files: [{ name: "\0" }] });
    await assert.rejects(failed, { code: "ERR_INVALID_ARG_VALUE" });
    await copiers.close();
    await assert.rejects(copy({ ...batch, files: [{ name: "a.txt" }] }), /has ended/);
  });
});
