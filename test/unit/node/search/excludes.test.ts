import assert from "node:assert/strict";
import { findFilesByPath } from "../../../../src/node/search/indexed-files.ts";
import { createNodeWorkspace } from "../../../../src/node/workspace.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { testFiles } from "../../../support/test-ripgrep.ts";
import { plant } from "../../../support/trees.ts";

const signal = new AbortController().signal;

describe("files that settings exclude", () => {
  const tempFolder = tempFolders();

  for (const engine of [{}, { ripgrep: async () => undefined }])
    it(`are neither listed nor searched, but counted, ${"ripgrep" in engine ? "without" : "with"} ripgrep`, async () => {
      const folder = await tempFolder();
      await plant(folder, {
        "a.ts": "needle",
        "a.js": "needle",
        "sub/a.js": "needle",
        "build/x.ts": "needle",
        "sub/vendor/y.ts": "needle",
        "sub/vendor/deep/y.ts": "needle",
        "kept/conditional.js": "needle",
      });
      const settings = {
        files: {
          "**/*.js": false,
          "*.js": true,
          "build/": true,
          "**/conditional.js": { when: "$(basename).ts" },
        },
        search: { "**/vendor": true, "**/*a*a*a*a*": true },
      };
      const files = testFiles({ ...engine, getExcludeSettings: () => settings });
      const workspace = createNodeWorkspace({ folders: [{ name: "project", path: folder }], files });
      const list = async () => workspace.list(await workspace.locate("."), { limit: 99, signal });
      const search = async (where: string) => {
        const query = { pattern: "needle", regex: false, limit: 99, signal };
        const { matches, note } = await workspace.search(await workspace.locate(where), query);
        return [matches.map(({ label }) => label), note];
      };
      assert.deepEqual(
        [await list(), await search("."), await search("sub/vendor"), await search("build")],
        [
          {
            labels: [
              "a.ts",
              "kept/",
              "kept/conditional.js",
              "sub/",
              "sub/a.js",
              "sub/vendor/",
              "sub/vendor/deep/",
              "sub/vendor/deep/y.ts",
              "sub/vendor/y.ts",
            ],
            more: false,
            note: "2 ignored or excluded entries were left out.",
          },
          [["a.ts", "kept/conditional.js", "sub/a.js"], "3 ignored or excluded entries were left out."],
          [["sub/vendor/y.ts", "sub/vendor/deep/y.ts"], undefined],
          [["build/x.ts"], undefined],
        ],
      );
    });

  it("aren't offered for a mention, and are again once the setting is gone", async () => {
    const folder = await tempFolder();
    await plant(folder, { "a.ts": "", "out/a.ts": "", "vendor/a.ts": "" });
    let settings = { files: { "**/out": true }, search: { "**/vendor": true } };
    const files = testFiles({ getExcludeSettings: () => settings });
    const before = await findFilesByPath(files, folder, "a.ts", 9, signal);
    settings = { files: { "**/out": false }, search: { "**/vendor": false } };
    assert.deepEqual(
      [before, await findFilesByPath(files, folder, "a.ts", 9, signal)],
      [["a.ts"], ["a.ts", "out/a.ts", "vendor/a.ts"]],
    );
  });
});
