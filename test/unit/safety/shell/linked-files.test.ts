import assert from "node:assert/strict";
import { createPolicyDisk } from "../../../../src/node/policy-disk.ts";
import { judge } from "../../../../src/safety/policy/policy.ts";
import { readShellFacts } from "../../../../src/safety/policy/shell-facts.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";
import { readerOf } from "../readers.ts";
import { CONTINUOUS, context, runs } from "../support.ts";

describe("a line that names a link", () => {
  const tempFolder = tempFolders();

  for (const [line, wanted] of [
    ["cp notes.txt x", "ask sensitive-file"],
    ["cp x deep/run", "ask sensitive-file"],
    ["tee hooks/pre-commit", "ask sensitive-file"],
    ["tee later", "ask sensitive-file"],
    ["cat n*s.txt", "ask sensitive-file"],
    ["cp 'my notes.txt' x", "ask sensitive-file"],
    ["dd if=notes.txt of=x", "ask sensitive-file"],
    ["tar cf x --files-from=notes.txt", "ask sensitive-file"],
    ["python3 -c 'print(1); a = [2, 3]' plain.txt", "allow continuous"],
    ["tar cf all.tar certs/*", "ask sensitive-file"],
    ["tar cf all.tar p*.txt", "allow continuous"],
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
        "my notes.txt": { link: ".env" },
        "deep/run": { link: "../.vscode/tasks.json" },
        ".vscode/tasks.json": "{}",
        hooks: { link: ".git/hooks" },
        "certs/server.pem": "key",
        later: { link: ".vscode/settings.json" },
        ".npmrc": { link: "a.txt" },
        middle: { link: ".npmrc" },
        round: { link: "round" },
        "plain.txt": { link: "a.txt" },
      });
      const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
      const ground = { folder, folders: [folder], platform: process.platform };
      const shell = await readShellFacts(line, knowledge, ground, createPolicyDisk());
      const asked = runs(line);
      const { verdict, rule } = judge(asked, context({ ...CONTINUOUS, folders: [folder], shell }));
      assert.equal(`${verdict} ${rule}`, wanted);
    });
});
