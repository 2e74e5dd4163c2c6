import assert from "node:assert/strict";
import { policyDisk } from "../../../src/node/policy-disk.ts";
import { judge } from "../../../src/safety/policy.ts";
import { shellFacts } from "../../../src/safety/shell-facts.ts";
import { tempFolders } from "../../support/temp-folders.ts";
import { plant } from "../../support/trees.ts";
import { readerOf } from "./readers.ts";
import { CONTINUOUS, context, runs } from "./support.ts";

describe("a line that names a link", () => {
  const tempFolder = tempFolders();

  for (const [line, wanted] of [
    ["cp notes.txt x", "ask sensitive-file"],
    ["cp x deep/run", "ask sensitive-file"],
    ["tee hooks/pre-commit", "ask sensitive-file"],
    ["tee later", "ask sensitive-file"],
    ["cp a.txt middle", "ask sensitive-file"],
    ["cp round x", "allow continuous"],
    ["cp plain.txt x", "allow continuous"],
    ["cp a.txt new.txt", "allow continuous"],
  ] as const)
    it(`to a protected file asks in continuous mode, too: ${line}`, async () => {
      const folder = await tempFolder();
      await plant(folder, {
        ".env": "x",
        ".git/hooks/x": "x",
        "a.txt": "a",
        "notes.txt": { link: ".env" },
        "deep/run": { link: "../.vscode/tasks.json" },
        ".vscode/tasks.json": "{}",
        hooks: { link: ".git/hooks" },
        later: { link: ".vscode/settings.json" },
        ".npmrc": { link: "a.txt" },
        middle: { link: ".npmrc" },
        round: { link: "round" },
        "plain.txt": { link: "a.txt" },
      });
      const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
      const ground = { folder, folders: [folder], platform: "linux" };
      const shell = await shellFacts(line, knowledge, ground, policyDisk());
      const asked = runs(line);
      const { verdict, rule } = judge(asked, context({ ...CONTINUOUS, folders: [folder], shell }));
      assert.equal(`${verdict} ${rule}`, wanted);
    });
});
