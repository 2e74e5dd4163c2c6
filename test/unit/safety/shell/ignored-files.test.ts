import assert from "node:assert/strict";
import { createPolicyDisk } from "../../../../src/node/policy-disk.ts";
import { judge } from "../../../../src/safety/policy/policy.ts";
import { readRules } from "../../../../src/safety/policy/rules.ts";
import { readShellFacts } from "../../../../src/safety/policy/shell-facts.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";
import { readerOf } from "../readers.ts";
import { CONTINUOUS, context, runs } from "../support.ts";

/** Lines that read what `.autogptignore` names. */
const KEPT = [
  "cat kept/plan.txt",
  "cat < kept/plan.txt",
  "cat link.txt",
  "head -1 folder/plan.txt",
  "cat kept/*",
  "cat k*/plan.txt",
  "cat src/*",
  "cd kept && cat plan.txt",
  "cd folder; cat *",
  "grep -f kept/plan.txt open.txt",
  "git show HEAD:kept/plan.txt",
  "git -C kept log",
  "node -e \"require('fs').readFileSync('kept/plan.txt')\"",
  "python3 -c 'open(\"kept/plan.txt\")'",
  "cp kept/plan.txt open2.txt",
  "echo x > kept/new.txt",
  "sh -c 'cat kept/plan.txt'",
  "find kept -type f",
  "tar cf - kept",
  "cat src/a.kept.txt",
];

describe("command lines that name what the user keeps the agent out of", () => {
  const tempFolder = tempFolders();

  async function verdict(line: string, folder: string): Promise<string> {
    const ground = { folder, folders: [folder], platform: process.platform };
    const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
    const shell = await readShellFacts(line, knowledge, ground, createPolicyDisk());
    const rules = readRules([{ command: "*", action: "allow" }]);
    const { verdict: said, rule } = judge(
      runs(line),
      context({ ...CONTINUOUS, rules, readOnlyShell: true, folders: [folder], shell }),
    );
    return `${said} ${rule}`;
  }

  async function planted(): Promise<string> {
    const folder = await tempFolder();
    await plant(folder, {
      ".autogptignore": "kept/\n*.kept.txt\n",
      "open.txt": "x",
      "kept/plan.txt": "x",
      "src/a.kept.txt": "x",
      "src/b.txt": "x",
      "link.txt": { link: "kept/plan.txt" },
      folder: { link: "kept" },
    });
    return folder;
  }

  it("ask in every mode, whatever a rule allows", async () => {
    const folder = await planted();
    const verdicts = await Promise.all(KEPT.map(async (line) => `${line}: ${await verdict(line, folder)}`));
    assert.deepEqual(
      verdicts.filter((one) => !/: ask (?:out-of-bounds|sensitive-file)$/.test(one)),
      [],
    );
  });

  it("are not known to read only when they read all below a folder", async () => {
    const folder = await planted();
    const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
    const ground = { folder, folders: [folder], platform: process.platform };
    const { notReadOnly } = await readShellFacts("grep -r word .", knowledge, ground, createPolicyDisk());
    assert.match(writeInEnglish(notReadOnly ?? ""), /which \.autogptignore names/);
  });

  it("are free to name anything else", async () => {
    const folder = await planted();
    assert.deepEqual(
      await Promise.all(["cat open.txt", "npm test", "cat src/b.txt"].map((line) => verdict(line, folder))),
      Array(3).fill("allow approval.rules[0]"),
    );
  });
});
