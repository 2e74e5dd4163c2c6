import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { changesOf, copyOf } from "../../support/copies.ts";
import { makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("Copies of repositories with names that aren't UTF-8", () => {
  const newFolder = tempFolders();

  /** A line of bash in a folder. Its words can have any bytes. */
  function bash(folder: string, line: string): string {
    return execFileSync("bash", ["-ec", line], { cwd: folder, encoding: "latin1" });
  }

  /** A repository with such names of files, folders and links, some tracked, some not, and one only in the index. */
  async function project(top: string): Promise<string> {
    const folder = join(top, "project");
    makeRepository(folder, { "a.txt": "one\n" });
    bash(
      folder,
      `echo x > $'caf\\xe9.txt'; mkdir $'d\\xff'; echo in > $'d\\xff/in.txt'; head -c 100000 /dev/zero > $'big\\xe9'
       ln -s $'caf\\xe9.txt' $'link\\xe9'; ln -s $'caf\\xe9.txt' plain; echo x > $'gone\\xe9'; git add -A; git commit -qm more
       rm $'gone\\xe9'; echo u > $'caf\\xea.txt'; printf '%s' kept > 日本.txt`,
    );
    return folder;
  }

  /** All files with their contents, and git's view of them. */
  const state = (folder: string): string =>
    bash(
      folder,
      "find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 cksum; find . -type l -printf '%p %l\\n' | sort; git status --porcelain",
    );

  it("have the same files, links and state", async () => {
    const top = await newFolder();
    const folder = await project(top);
    const copy = await copyOf(top, [folder]);
    assert.deepEqual(
      {
        state: state(copy.folders[0]?.path ?? ""),
        notes: copy.notes.map((note) => writeInEnglish(note)),
        changes: await changesOf(copy),
      },
      {
        state: state(folder),
        notes: [
          "Copied, but changes to them can't be reviewed or accepted, because their names aren't UTF-8: big\\xe9, caf\\xe9.txt, link\\xe9, caf\\xea.txt, and d\\xff/in.txt.",
        ],
        changes: {},
      },
    );
  });

  it("show changes, and what can't be accepted of them", async () => {
    const top = await newFolder();
    const copy = await copyOf(top, [await project(top)]);
    bash(
      copy.folders[0]?.path ?? "",
      "echo y > $'caf\\xe9.txt'; rm $'caf\\xea.txt'; echo z > $'made\\xe9'; echo b > b.txt; rm -r $'d\\xff'",
    );
    assert.deepEqual(await changesOf(copy), {
      "b.txt": "none → file",
      "caf\udce9.txt": "file → file",
      "caf\udcea.txt": "file → none",
      "d\udcff/in.txt": "file → none",
      "made\udce9": "none → file",
    });
  });

  it("can be copied again with what a run has changed", async () => {
    const top = await newFolder();
    const first = await copyOf(top, [await project(top)]);
    const path = first.folders[0]?.path ?? "";
    bash(path, "echo y > $'caf\\xe9.txt'; echo z > $'made\\xe9'");
    const second = await copyOf(top, [], { from: first, run: "next", home: join(top, "copies", "next") });
    assert.deepEqual(
      [state(second.folders[0]?.path ?? ""), await changesOf(second)],
      [state(path), await changesOf(first)],
    );
  });

  it("leave out installed packages in a folder with such a name, and say so", async () => {
    const top = await newFolder();
    const folder = await project(top);
    bash(folder, "mkdir -p $'d\\xff/node_modules/x'; echo x > $'d\\xff/node_modules/x/index.js'");
    const { borrowed, notes } = await copyOf(top, [folder]);
    assert.deepEqual(
      [borrowed, notes.map((note) => writeInEnglish(note)).filter((note) => note.startsWith("Left out"))],
      [[], ["Left out because their names can't be used in the copy: d\\xff/node_modules."]],
    );
  });

  it("can be made of a folder without a repository", async () => {
    const top = await newFolder();
    const folder = await project(top);
    bash(folder, "rm -rf .git");
    const copy = await copyOf(top, [folder]);
    const files = (path: string): string => bash(path, "find . -type f -print0 | sort -z | xargs -0 cksum");
    assert.deepEqual([files(copy.folders[0]?.path ?? ""), await changesOf(copy)], [files(folder), {}]);
  });
});
