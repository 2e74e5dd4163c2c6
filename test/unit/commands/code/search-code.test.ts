import assert from "node:assert/strict";
import { WORKERS } from "../../../../src/headless/workers.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { CodeIndexes } from "../../../../src/runtime/code-search/code-indexes.ts";
import { createCodeSearch } from "../../../../src/runtime/code-search/run-search.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { FakeEditors } from "../../../support/fake-editors.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant, type Tree } from "../../../support/trees.ts";

const OWN: Tree = {
  ".gitignore": "dist/\n",
  "dist/out.js": "mixColors\n",
  "src/colors.ts": `/** Blends two colors. */\nexport function mixColors() {\n${"  step();\n".repeat(70)}}\n\n// Lightens a color.\nfunction brighten() {\n}\n`,
  "notes.md": "# Colors\n\nBlend them.\n",
};

describe("search_code", () => {
  const folder = tempFolders();
  const opened: CodeIndexes[] = [];

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  async function bench() {
    const [own, other] = [await folder(), await folder()];
    await plant(own, OWN);
    await plant(other, { "a.py": "def blend_paints():\n    pass\n" });
    const indexes = new CodeIndexes({ worker: WORKERS.code, folder: await folder() });
    opened.push(indexes);
    const folders = [
      { name: "own", path: own },
      { name: "other", path: other },
    ];
    const editors = new FakeEditors();
    const code = createCodeSearch({ indexes, listFolders: () => folders, unsaved: editors });
    const workspace = createNodeWorkspace({ folders });
    return { own, other, editors, bench: new CommandBench(own, await folder(), { workspace, code }) };
  }

  it("shows the best place of each file with its lines, names and an excerpt, in all folders", async () => {
    const { bench: commands } = await bench();
    const { preview, outcome } = await commands.try("search_code", {
      query: "how are colors blended?",
      count: 2,
    });
    assert.deepEqual(
      { preview, outcome },
      {
        preview: { kind: "details", text: 'Find code that fits "how are colors blended?" in ".".' },
        outcome: {
          status: "done",
          output: [
            "src/colors.ts:1-60 mixColors · also 61-77 brighten",
            "  1: /** Blends two colors. */",
            "  2: export function mixColors() {",
            ...[3, 4, 5, 6].map((line) => `  ${line}:   step();`),
            "notes.md:1-3 Colors",
            "  1: # Colors",
            "  2:",
            "  3: Blend them.",
          ].join("\n"),
        },
      },
    );
  });

  it("searches one folder, one file, or the files that a glob names, and unsaved text in editors", async () => {
    const { bench: commands, own, editors } = await bench();
    const labels = async (args: object) => {
      const outcome = await commands.call("search_code", { query: "blend colors penguin", ...args });
      const output = outcome.status === "done" ? outcome.output : JSON.stringify(outcome);
      return Array.from(output.matchAll(/^(\S+?):\d/gm), ([, label]) => label);
    };
    editors.type(`${own}/src/later.ts`, "penguin\n");
    assert.deepEqual(
      {
        other: await labels({ folder: "other" }),
        file: await labels({ folder: "notes.md" }),
        glob: await labels({ glob: "*.{ts,py}" }),
        below: await labels({ folder: "src", glob: "*.md" }),
      },
      {
        other: ["other/a.py"],
        file: ["notes.md"],
        glob: ["src/colors.ts", "src/later.ts", "other/a.py"],
        below: [],
      },
    );
  });

  it("says when nothing fits, and what can't be searched", async () => {
    const { bench: commands } = await bench();
    const call = (args: object) => commands.call("search_code", args);
    assert.deepEqual(
      [
        await call({ query: "xylophone" }),
        await call({ query: "colors", folder: "gone" }),
        await call({ query: "colors", folder: "dist" }),
        await call({ query: "colors", glob: "{1..999}" }),
      ],
      [
        { status: "done", output: "Nothing fits. Try other words, or search_files." },
        { status: "failed", error: 'There is no folder "gone". Look around with list_files.' },
        { status: "failed", error: `Git ignores "dist", so it isn't indexed. Use search_files there.` },
        {
          status: "failed",
          error:
            'The glob "{1..999}" has ranges of more than 200 numbers. Use a simpler one, like "*.ts" or "src/**/*.test.ts".',
        },
      ],
    );
  });
});
