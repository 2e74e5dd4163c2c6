import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getOutcomeText } from "../../../src/core/commands/outcome.ts";
import { openMemory } from "../../../src/memory/open-memory.ts";
import { mentionExclusions } from "../../../src/node/files/ignored-paths.ts";
import { readTrackedFiles } from "../../../src/node/git/git-index.ts";
import { findRepositoryAround } from "../../../src/node/git/repository.ts";
import { inspectRepository } from "../../../src/node/git/repository-view.ts";
import { createPolicyDisk } from "../../../src/node/policy-disk.ts";
import { createNodeOutputs } from "../../../src/node/processes/outputs.ts";
import { findSharedHistory } from "../../../src/node/sandbox/sandbox.ts";
import { openRunLog } from "../../../src/runs/log/run-log.ts";
import { createProfiles, readProfile } from "../../../src/runs/profiles/profiles.ts";
import { readRunMetadata } from "../../../src/runs/store/run-metadata.ts";
import { copyOutputs } from "../../../src/runs/store/run-outputs.ts";
import { searchRuns } from "../../../src/runs/store/run-search.ts";
import { createRunStoreForHomes } from "../../../src/runs/store/run-store.ts";
import { createJournalReader } from "../../../src/runs/undo/journal-lines.ts";
import { createPreImages } from "../../../src/runs/undo/pre-images.ts";
import { CommandBench } from "../../support/command-bench.ts";
import { sampleOwner } from "../../support/sample-run.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";
import { fakeEmbedder } from "../memory/fake-embedder.ts";

const RUN = "20260102_030405_a_0a1b";

describe("a named pipe in a workspace, which no one writes to,", function () {
  if (process.platform === "win32") return;
  this.timeout(4_000);
  const pipes: string[] = [];

  // Whatever still waits for a writer gets one, so that a test that fails holds no thread for the others.
  afterEach(() => {
    for (const path of pipes.splice(0).filter((one) => existsSync(one)))
      closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
  });

  const tempFolder = tempFolders();

  /** Makes a pipe below a folder. */
  function pipe(folder: string, name: string): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    execFileSync("/usr/bin/env", ["mkfifo", path]);
    pipes.push(path);
    return path;
  }

  async function answers(act: (folder: string) => Promise<unknown>): Promise<string> {
    const folder = await tempFolder();
    return act(folder).then(
      (value) => JSON.stringify(value) ?? "nothing",
      (error: unknown) => (error instanceof Error ? "a sentence" : "no error"),
    );
  }

  for (const [name, args] of [
    ["read_file", { filename: "pipe.txt" }],
    ["read_file", { filename: "link.txt" }],
    ["read_file", { filename: "pipe.html" }],
    ["write_to_file", { filename: "pipe.txt", contents: "x" }],
    ["append_to_file", { filename: "pipe.txt", contents: "x" }],
    ["edit_file", { filename: "pipe.txt", edits: [{ search: "a", replace: "b" }] }],
    ["move_file", { source: "pipe.txt", destination: "b.txt" }],
    ["delete_file", { filename: "pipe.txt" }],
    ["search_files", { folder: "pipe.txt", pattern: "a" }],
    ["search_files", { pattern: "word" }],
    ["list_files", {}],
    ["analyze_code", { filename: "pipe.txt" }],
    ["execute_python_file", { filename: "pipe.py" }],
  ] as const)
    it(`is no file for ${name} ${JSON.stringify(args)}`, async () => {
      const folder = join(await tempFolder(), "app");
      await plant(folder, { "a.txt": "word", "link.txt": { link: "pipe.txt" } });
      for (const file of ["pipe.txt", "pipe.html", "pipe.py", ".gitignore"]) pipe(folder, file);
      const outcome = await new CommandBench(folder, join(folder, "../out")).call(name, args);
      assert.match(
        getOutcomeText(outcome),
        /device or a socket|is a device|not a (?:Python )?file|is not deleted|a\.txt|Nothing contains|not available/,
      );
    });

  for (const [what, act, wanted] of [
    [
      "ignore rules of git",
      async (folder) => {
        pipe(folder, ".gitignore");
        return (await mentionExclusions([{ name: "a", path: folder }]))(join(folder, "a.txt"));
      },
      "nothing",
    ],
    [
      "ignore rules of the user, which then keep the agent out of everything",
      async (folder) => {
        pipe(folder, ".autogptignore");
        return (await mentionExclusions([{ name: "a", path: folder }]))(join(folder, "a.txt"));
      },
      '"agent"',
    ],
    ["an index of git", (folder) => readTrackedFiles(pipe(folder, ".git/index")), "nothing"],
    [
      "a .git file",
      (folder) => {
        pipe(folder, ".git");
        return findRepositoryAround(folder);
      },
      "nothing",
    ],
    [
      "a .git file that a sandbox asks for its history",
      async (folder) => {
        pipe(folder, ".git");
        return findSharedHistory(folder);
      },
      "[]",
    ],
    [
      "the name of a further working tree",
      async (folder) => {
        const own = join(folder, "a/.git/worktrees/b");
        await plant(folder, {
          "a/.git/HEAD": "ref: refs/heads/main\n",
          "a/.git/objects/x": "",
          "a/.git/refs/x": "",
          "a/.git/worktrees/b/HEAD": "ref: refs/heads/b\n",
          "a/.git/worktrees/b/commondir": "../..\n",
          "b/.git": `gitdir: ${own}\n`,
        });
        pipe(own, "gitdir");
        const seen = await inspectRepository(join(folder, "b"), [folder], process.env);
        return typeof seen === "string" && /does not name this folder|would never finish reading/.test(seen);
      },
      "true",
    ],
    [
      "a script",
      async (folder) => {
        const path = pipe(folder, "run.sh");
        return [(await createPolicyDisk().hash(path)) ?? "none", (await createPolicyDisk().readText(path)) ?? "none"];
      },
      '["none","none"]',
    ],
    ["a profile", (folder) => readProfile(pipe(folder, "a.yaml")), "a sentence"],
    [
      "a stored profile",
      async (folder) => {
        pipe(folder, "profiles/a.yaml");
        return (await createProfiles(folder).findLastUsed()) ?? "none";
      },
      '"none"',
    ],
    [
      "the profile that is saved",
      async (folder) => {
        pipe(folder, "profiles/ann.yaml");
        const path = await createProfiles(folder).save({ name: "Ann", role: "a roofer", goals: ["g"] });
        return (await readFile(path, "utf8")).includes("roofer");
      },
      "true",
    ],
    [
      "a log in the list of runs",
      async (folder) => {
        pipe(folder, `runs/${RUN}/run.jsonl`);
        pipe(folder, `runs/${RUN}/marks.json`);
        pipe(folder, "runs/briefs.json");
        return (await createRunStoreForHomes([folder], sampleOwner("m")).list()).length;
      },
      "0",
    ],
    [
      "a log that is opened",
      (folder) => {
        pipe(folder, `runs/${RUN}/run.jsonl`);
        return createRunStoreForHomes([folder], sampleOwner("m")).open(RUN);
      },
      "a sentence",
    ],
    ["a log that is written", (folder) => openRunLog(dirname(pipe(folder, `runs/${RUN}/run.jsonl`))), "a sentence"],
    [
      "a log that is searched",
      async (folder) => {
        pipe(folder, "run.jsonl");
        const found = [];
        for await (const one of searchRuns([{ id: RUN, folder }], "word", new AbortController().signal))
          found.push(one);
        return found;
      },
      "[]",
    ],
    ["the marks of a run", (folder) => readRunMetadata(dirname(pipe(folder, "marks.json"))), "{}"],
    ["a journal of undo", (folder) => createJournalReader(dirname(pipe(folder, "undo.jsonl")))(), "a sentence"],
    ["a file kept for undo", (folder) => createPreImages(folder).keep(pipe(folder, "a.txt")), "a sentence"],
    [
      "what was kept for undo",
      (folder) => createPreImages(folder).read(pipe(folder, `pre-images/${"0".repeat(64)}`).slice(-64)),
      "a sentence",
    ],
    ["the output of a command", (folder) => createNodeOutputs(dirname(pipe(folder, "7.txt"))).read(7), "a sentence"],
    [
      "the outputs that a fork takes over",
      async (folder) => {
        await plant(folder, { "to/x": "", "from/1.txt": "one", "from/3.txt": { link: "/etc/passwd" } });
        pipe(folder, "from/2.txt");
        await copyOutputs(join(folder, "from"), join(folder, "to"), 9);
        return createNodeOutputs(join(folder, "to")).read(3);
      },
      "nothing",
    ],
    ...["lock", "meta.json", "seg-00001/wal.log", "seg-00001/index.json", "inbox/1-a.log"].map(
      (name) =>
        [
          `${name} of a memory`,
          async (folder: string) => {
            pipe(folder, name);
            const memory = await openMemory({ folder, embedder: fakeEmbedder("one") });
            await memory.close();
            return memory.state.count;
          },
          "0",
        ] as const,
    ),
  ] satisfies readonly (readonly [string, (folder: string) => Promise<unknown>, string])[])
    it(`does not hold up the reader of ${what}`, async () => assert.equal(await answers(act), wanted));
});
