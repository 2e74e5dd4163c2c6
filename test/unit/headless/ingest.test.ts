import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, headless, runProgram } from "../../support/headless.ts";
import { tempFolders } from "../../support/temp-folders.ts";

describe("autogpt ingest", () => {
  const server = serverForSuite();
  const tempFolder = tempFolders();

  async function setting(): Promise<HeadlessSetting> {
    const [workspace, data] = [await tempFolder(), await tempFolder()];
    await mkdir(join(workspace, "docs"));
    await writeFile(join(workspace, "docs/pump.md"), "# Pump\n\nThe zebra pump is in the cellar.\n");
    await writeFile(join(workspace, "docs/kettle.html"), "<p>The kettle is on the stove.</p>");
    await writeFile(join(workspace, "docs/.env"), "KEY=1");
    return { baseUrl: server().baseUrl, workspace, data, env: { INIT_CWD: workspace } };
  }

  it("and what runs read is recalled only as long as the files say it", async () => {
    const place = await setting();
    const pump = join(place.workspace, "docs/pump.md");
    await runProgram(place, "ingest", "--dir", "docs");
    const recalled: unknown[] = [];
    for (const text of ["# Pump\n\nThe zebra pump is gone.\n", "# All\n\n# Pump\n\nThe zebra pump is gone.\n"]) {
      await writeFile(pump, text);
      server().plan(calling("read_file", { filename: "docs/pump.md" }), calling("task_complete", { reason: "Done." }));
      const { events } = await headless(place, "--task", "Where is the zebra pump?", "--json");
      const memories = events.flatMap((event) => (event.type === "recalled" ? event.memories : []));
      const ofFile = memories.filter(({ source }) => source.includes("pump.md, lines"));
      recalled.push([...new Set(ofFile.map(({ text: part, source }) => `${source.split(", ")[1]}: ${part}`))]);
    }
    assert.deepEqual(recalled, [[], ["lines 3 to 5: # Pump\n\nThe zebra pump is gone."]]);
  });

  it("remembers a folder, so that the next run recalls it; --init starts over", async () => {
    const place = await setting();
    const first = await runProgram(place, "ingest", "--dir", "docs");
    server().plan(calling("task_complete", { reason: "Done." }));
    const run = await headless(place, "--task", "Where is the zebra pump?", "--json");
    const second = await runProgram(place, "ingest", "--dir", "docs", "--debug");
    const anew = await runProgram(place, "ingest", "--dir", "docs", "--init", "--max-length", "100", "--json");
    const recalled = run.events.flatMap((event) => (event.type === "recalled" ? event.memories : []));
    assert.deepEqual(
      {
        first: [first.code, first.stdout],
        recalled: recalled.filter(({ text }) => text.includes("zebra")).map(({ source, isClean }) => [source, isClean]),
        second: [second.code, second.stdout, second.stderr],
        anew: [anew.code, JSON.parse(anew.stdout)],
      },
      {
        first: [
          0,
          "2 files added, 0 changed, 0 unchanged, 0 removed, 1 skipped (1 may hold secrets); 2 memories added.\n",
        ],
        recalled: [["file: docs/pump.md, lines 1 to 3", true]],
        second: [
          0,
          "0 files added, 0 changed, 2 unchanged, 0 removed, 1 skipped (1 may hold secrets); 0 memories added.\n",
          "docs/.env: may hold secrets\n",
        ],
        anew: [
          0,
          {
            ...{ added: 2, changed: 0, unchanged: 0, removed: 0, pieces: 2, isStopped: false },
            skipped: [{ source: "docs/.env", reason: "protected" }],
          },
        ],
      },
    );
  });

  it("ends with the code of a stop", async () => {
    const place = await setting();
    const stopped = await runProgram({ ...place, signal: AbortSignal.abort() }, "ingest", "--dir", "docs");
    assert.equal(stopped.code, 130);
  });

  for (const [what, argv, sentence] of [
    ["no folder", [], "Name the folder to remember with --dir."],
    ["a folder that isn't there", ["--dir", "nowhere"], "There is no folder "],
    [
      "a bad length",
      ["--dir", "docs", "--max-length", "9"],
      "--max-length takes a number of characters from 100 to 4000",
    ],
    ["too much overlap", ["--dir", "docs", "--overlap", "900"], "--overlap takes a number of characters from 0 to 800"],
    ["another word", ["docs"], '"docs" is no option. The folder follows --dir.'],
    ["a protected folder", ["--dir", ".autogpt"], "can't be added to the memory"],
  ] as const)
    it(`says what is wrong with ${what}`, async () => {
      const place = await setting();
      await mkdir(join(place.workspace, ".autogpt"));
      const { code, stderr } = await runProgram(place, "ingest", ...argv);
      assert.deepEqual([code, stderr.includes(sentence)], [4, true], stderr);
    });

  it("has a help text of its own", async () => {
    const { code, stdout } = await runProgram(await setting(), "ingest", "--help");
    assert.deepEqual([code, stdout.startsWith("Usage: autogpt ingest --dir DIR")], [0, true]);
  });
});
