import assert from "node:assert/strict";
import { join } from "node:path";
import { createPolicyDisk } from "../../../../src/node/policy-disk.ts";
import { explainUnsafeAccess } from "../../../../src/safety/read-only/file-access.ts";
import type { FileAccess } from "../../../../src/safety/read-only/read-only.ts";
import { createLiteralWord } from "../../../../src/safety/shell/reading.ts";
import { writeInEnglish } from "../../../../src/texts/display-text.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { plant } from "../../../support/trees.ts";

const TREE = {
  "app/a.txt": "a",
  "app/.env": "x",
  "app/src/b.txt": "b",
  "app/src/.hidden": "h",
  "app/keys/server.pem": "k",
  "app/out": { link: "../other" },
  "app/in.txt": { link: "a.txt" },
  "app/secret.txt": { link: ".env" },
  "app/.netrc": { link: "a.txt" },
  "app/mid.txt": { link: ".netrc" },
  "other/c.txt": "c",
};

/** A place that a line looks at, whether its content is shown, and what is wrong with that; "" when nothing is. */
const LOOKS: readonly (readonly [look: Partial<FileAccess> & { readonly text: string }, trouble: RegExp])[] = [
  [{ text: "a.txt", reveals: true }, /^$/],
  [{ text: "in.txt", reveals: true }, /^$/],
  [{ text: "./src/../a.txt", reveals: true }, /which may lead anywhere/],
  [{ text: ".env" }, /^$/],
  [{ text: ".env", reveals: true }, /shows \.env/],
  [{ text: "secret.txt", reveals: true }, /shows .*\.env/],
  [{ text: "mid.txt", reveals: true }, /shows .*\.netrc/],
  [{ text: "mid.txt" }, /^$/],
  [{ text: "HEAD:.env", reveals: true }, /shows HEAD:\.env/],
  [{ text: "@:.env", reveals: true }, /shows @:\.env/],
  [{ text: `HEAD^{/${"a:".repeat(30)}b}:.env`, reveals: true }, /shows HEAD/],
  [{ text: "../other/c.txt" }, /outside the workspace/],
  [{ text: "out/c.txt" }, /leads to .*other.*outside/],
  [{ text: "/etc/passwd" }, /outside the workspace/],
  [{ text: "/dev/null", reveals: true }, /^$/],
  [{ text: "src", reveals: true, below: "all" }, /^$/],
  [{ text: "keys", reveals: true, below: "all" }, /server\.pem is among them/],
  [{ text: ".", reveals: true, below: "not-hidden" }, /server\.pem is among them/],
  [{ text: "b.txt", reveals: true, from: ["", "src"] }, /^$/],
  [{ text: "c.txt", reveals: true, from: ["", "out"] }, /leads to .*outside/],
];

const PATTERNS: readonly (readonly [text: string, trouble: RegExp])[] = [
  ["*.txt", /shows .*\.env/],
  ["m*.txt", /shows .*\.netrc/],
  ["src/*", /^$/],
  [".*", /the folder above/],
  ["o*", /outside the workspace/],
  [".e*", /shows .*\.env/],
  [".[[:alpha:]]nv", /shows .*\.env/],
  [".[]e]nv", /shows .*\.env/],
];

describe("where a line that only reads looks", () => {
  const tempFolder = tempFolders();

  async function trouble(look: Partial<FileAccess>, text: string, isPattern = false): Promise<string> {
    const home = await tempFolder();
    await plant(home, TREE);
    const folder = join(home, "app");
    const whole = { reveals: false, from: [""], ...look, word: { ...createLiteralWord(text), isPattern } };
    const ground = { folder, folders: [folder], platform: process.platform };
    return writeInEnglish((await explainUnsafeAccess([whole], ground, createPolicyDisk())) ?? "");
  }

  for (const [{ text, ...look }, wanted] of LOOKS)
    it(`is judged by where it leads: ${text} ${JSON.stringify(look)}`, async () =>
      assert.match(await trouble(look, text), wanted));

  for (const [text, wanted] of PATTERNS)
    it(`is judged by what a pattern matches now: ${text}`, async () =>
      assert.match(await trouble({ reveals: true }, text, true), wanted));
});
