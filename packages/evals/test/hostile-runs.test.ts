import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { makeLink } from "../../../test/support/skips.ts";
import { tempFolders } from "../../../test/support/temp-folders.ts";
import { createFilesGrader, readFolderText } from "../src/graders.ts";
import { servePages } from "../src/pages-server.ts";
import { copyForGrading } from "../src/suites/grading-program.ts";

const skips = process.platform === "win32";

describe("a run that leaves traps in its folder", () => {
  const newFolder = tempFolders();
  let folder: string;
  let outside: string;

  beforeEach(async function () {
    if (skips) this.skip();
    folder = await newFolder();
    outside = join(await newFolder(), "secret.txt");
    await writeFile(outside, "secret");
    await writeFile(join(folder, "own.txt"), "own");
    await mkdir(join(folder, ".autogpt"));
    await makeLink(outside, join(folder, "answer.txt"));
    execFileSync("/usr/bin/env", ["mkfifo", join(folder, "pipe.txt")]);
  });

  it("doesn't get a file from outside into the report", async () => {
    const grade = await createFilesGrader({ "answer.txt": "wanted" })({ folder });

    assert.deepEqual(grade, { passed: false, why: "There is no file answer.txt." });
  });

  it("doesn't keep a grader waiting", async () =>
    assert.deepEqual(
      { pipe: await readFolderText(folder, "pipe.txt"), own: await readFolderText(folder, "own.txt") },
      { pipe: undefined, own: "own" },
    ));

  it("doesn't lead a grader's files outside", async () => {
    const copy = await newFolder();

    await copyForGrading(folder, copy);
    await writeFile(join(copy, "answer.txt"), "graded");

    assert.deepEqual(
      { copied: (await readdir(copy)).sort(), outside: await readFile(outside, "utf8") },
      { copied: ["answer.txt", "own.txt"], outside: "secret" },
    );
  });
});

describe("pages of a task", () => {
  /** The status and text of an answer to a request with this exact path. */
  async function ask(origin: string, path: string): Promise<string> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      request({ hostname, port, path }, async (response) => resolve(`${response.statusCode} ${await text(response)}`))
        .on("error", reject)
        .end();
    });
  }

  it("are served, also after a request for an address that is none", async () => {
    const { origin, close } = await servePages({ "/a": "page" });
    const answers = [await ask(origin, "//"), await ask(origin, "/a")];
    await close();

    assert.deepEqual(answers, ["404 <p>There is no such page.</p>", "200 page"]);
  });
});
