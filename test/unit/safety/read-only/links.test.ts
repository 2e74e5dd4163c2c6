import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isPrepared } from "../../../../src/core/commands/command.ts";
import { getOutcomeText } from "../../../../src/core/commands/outcome.ts";
import { createPolicyDisk } from "../../../../src/node/policy-disk.ts";
import { judge } from "../../../../src/safety/policy/policy.ts";
import { readDeny, readRules } from "../../../../src/safety/policy/rules.ts";
import { readShellFacts } from "../../../../src/safety/policy/shell-facts.ts";
import type { PolicyContext } from "../../../../src/safety/policy/verdict.ts";
import { CommandBench } from "../../../support/command-bench.ts";
import { makeLink } from "../../../support/skips.ts";
import { tempFolders } from "../../../support/temp-folders.ts";
import { grown, plant } from "../../../support/trees.ts";
import { readerOf } from "../readers.ts";
import { CONTINUOUS, context, request } from "../support.ts";

const TREE = {
  "app/.autogptignore": "hidden.txt\nmid/kept\n",
  "app/.env": "KEY=secret",
  "app/public.txt": "public",
  "app/src/.env": "KEY=other",
  "app/src/config.ts": "export const a = 1;\n",
  "app/plain/x.txt": "x",
  "app/keys/id_rsa": "private",
  // A chain to a secret.
  "app/a": { link: ".env" },
  "app/notes.txt": { link: "a" },
  // A secret's name that leads to a harmless file, and a harmless name that leads there through it.
  "app/.npmrc": { link: "public.txt" },
  "app/list.txt": { link: ".npmrc" },
  // A protected folder's name that leads to a harmless one.
  "app/.ssh": { link: "plain" },
  "app/ours": { link: ".ssh" },
  // Links in a folder that a rule allows.
  "app/docs/x": { link: "../src/.env" },
  "app/docs/y.txt": { link: "../src/config.ts" },
  "app/docs/own.txt": "own",
  "app/one": { link: "mid/two" },
  "app/mid/two": { link: "../src/config.ts" },
  // Names that the user keeps the agent out of.
  "app/hidden.txt": { link: "public.txt" },
  "app/mid/kept": { link: "../public.txt" },
  "app/seen.txt": { link: "mid/kept" },
  // Ways out, and ways nowhere.
  ".ssh/id_rsa": "private",
  "app/away": { link: "../.ssh" },
  "app/loop": { link: "pool" },
  "app/pool": { link: "loop" },
  "app/gone": { link: "nowhere/at/all" },
};

const contents = "changed";
const edits = [{ search: "a", replace: "b" }];

/** Calls by names that are links, and what the policy makes of them while continuous mode is on. */
const CALLS: readonly (readonly [name: string, args: object, wanted: string])[] = [
  ["read_file", { filename: "public.txt" }, "allow reads"],
  ["read_file", { filename: "docs/y.txt" }, "allow reads"],
  ["read_file", { filename: "notes.txt" }, "ask sensitive-file"],
  ["read_file", { filename: ".npmrc" }, "ask sensitive-file"],
  ["read_file", { filename: "list.txt" }, "ask sensitive-file"],
  ["read_file", { filename: ".ssh/x.txt" }, "ask sensitive-file"],
  ["read_file", { filename: "ours/x.txt" }, "ask sensitive-file"],
  ["read_file", { filename: "docs/x" }, "ask sensitive-file"],
  ["list_files", { folder: "ours" }, "ask sensitive-file"],
  ["search_files", { folder: "ours", pattern: "x" }, "ask sensitive-file"],
  ["search_files", { folder: "list.txt", pattern: "x" }, "ask sensitive-file"],
  ["write_to_file", { filename: "docs/y.txt", contents }, "allow continuous"],
  ["write_to_file", { filename: "list.txt", contents }, "ask sensitive-file"],
  ["write_to_file", { filename: "ours/new.txt", contents }, "ask sensitive-file"],
  ["append_to_file", { filename: "ours/x.txt", contents }, "ask sensitive-file"],
  ["edit_file", { filename: "docs/y.txt", edits }, "allow continuous"],
  ["edit_file", { filename: "list.txt", edits: [{ search: "pub", replace: "b" }] }, "ask sensitive-file"],
  ["create_folder", { folder: "ours/new" }, "ask sensitive-file"],
  ["move_file", { source: "ours/x.txt", destination: "new.txt" }, "ask sensitive-file"],
  ["move_file", { source: "public.txt", destination: "ours" }, "ask sensitive-file"],
  ["move_file", { source: "public.txt", destination: "ours/new.txt" }, "ask sensitive-file"],
  ["delete_file", { filename: "ours/x.txt" }, "ask sensitive-file"],
  ["execute_shell", { command_line: "cat docs/y.txt" }, "allow read-only-shell"],
  ["execute_shell", { command_line: "cat list.txt" }, "ask sensitive-file"],
  ["execute_shell", { command_line: "cat ./ours/x.txt" }, "ask sensitive-file"],
  ["execute_shell", { command_line: "head notes.txt" }, "ask sensitive-file"],
  ["execute_shell", { command_line: "grep -n x ours/x.txt docs/own.txt" }, "ask sensitive-file"],
  ["execute_shell", { command_line: "cp new.txt list.txt" }, "ask sensitive-file"],
  ["execute_shell", { command_line: "cat seen.txt" }, "ask out-of-bounds"],
];

/** Names that nothing may be done by at all. */
const REFUSED: readonly (readonly [name: string, says: RegExp])[] = [
  ["hidden.txt", /out of bounds/],
  ["seen.txt", /out of bounds/],
  ["away/id_rsa", /outside the workspace/],
  ["loop", /leads nowhere safe/],
  ["loop/x", /leads nowhere safe/],
];

describe("a file that is reached by a link", () => {
  const tempFolder = tempFolders();

  async function planted(): Promise<{ readonly folder: string; readonly bench: CommandBench }> {
    const home = await tempFolder();
    await plant(home, TREE);
    const folder = join(home, "app");
    return { folder, bench: new CommandBench(folder, join(home, "out")) };
  }

  async function verdictOn(name: string, args: object, more: Partial<PolicyContext>) {
    const { folder, bench } = await planted();
    const prepared = await bench.prepare(name, args);
    if (!isPrepared(prepared)) return { said: `failed ${getOutcomeText(prepared)}`, reason: "" };
    const knowledge = { dialect: "bash", reader: await readerOf("bash") } as const;
    const ground = { folder, folders: [folder], platform: process.platform };
    const shell =
      prepared.shell === undefined
        ? {}
        : { shell: await readShellFacts(prepared.shell, knowledge, ground, createPolicyDisk()) };
    const under = context({ ...more, ...shell, readOnlyShell: true, folders: [folder] });
    const { verdict, rule, reason } = judge(request(name, { ...args }, prepared), under);
    return { said: `${verdict} ${rule}`, reason: reason.replaceAll(`${folder}/`, "") };
  }

  for (const [name, args, wanted] of CALLS)
    it(`is protected by every name on the way: ${name} ${JSON.stringify(args)}`, async () =>
      assert.equal((await verdictOn(name, args, CONTINUOUS)).said, wanted));

  for (const [filename, says] of REFUSED)
    for (const [name, args] of [
      ["read_file", { filename }],
      ["write_to_file", { filename, contents }],
      ["edit_file", { filename, edits }],
      ["append_to_file", { filename, contents }],
      ["create_folder", { folder: filename }],
      ["move_file", { source: filename, destination: "new.txt" }],
      ["move_file", { source: "public.txt", destination: filename }],
      ["delete_file", { filename }],
      ["list_files", { folder: filename }],
      ["search_files", { folder: filename, pattern: "a" }],
    ] as const)
      it(`is out of reach for ${name} ${JSON.stringify(args)}`, async () =>
        assert.match((await verdictOn(name, args, CONTINUOUS)).said, says));

  for (const [rule, args, wanted] of [
    [{ path: "docs/**" }, { filename: "docs/own.txt", contents }, "allow approval.rules[0]"],
    [{ path: "docs/**" }, { filename: "docs/y.txt", contents }, "ask writes"],
    [{ path: "docs/**" }, { filename: "docs/x", contents }, "ask sensitive-file"],
    [{ path: "src/**" }, { filename: "docs/y.txt", contents }, "ask writes"],
    [{ argument: "filename", glob: "docs/*" }, { filename: "docs/own.txt", contents }, "allow approval.rules[0]"],
    [{ argument: "filename", glob: "docs/*" }, { filename: "docs/y.txt", contents }, "ask writes"],
    [{ argument: "filename", prefix: "docs/" }, { filename: "docs/y.txt", contents }, "ask writes"],
    [{ argument: "contents", exact: contents }, { filename: "docs/y.txt", contents }, "allow approval.rules[0]"],
    [{}, { filename: "docs/y.txt", contents }, "allow approval.rules[0]"],
  ] as const)
    it(`is allowed by a rule that holds for all its names: ${JSON.stringify(rule)} ${args.filename}`, async () => {
      const rules = readRules([{ command: "write_to_file", action: "allow", ...rule }]);
      assert.equal((await verdictOn("write_to_file", args, { rules })).said, wanted);
    });

  for (const [pattern, filename] of [
    ["*(src/**)", "docs/y.txt"],
    ["*(mid/**)", "one"],
    ["*(one)", "./one"],
    ["*(ours)", "ours/../ours/x.txt"],
  ] as const)
    it(`is refused by a rule that holds for any of its names: ${pattern} ${filename}`, async () => {
      const args = { filename, contents };
      const { said } = await verdictOn("write_to_file", args, { ...CONTINUOUS, deny: readDeny([pattern]) });
      assert.equal(said, "refuse approval.deny[0]");
    });

  it("is refused by a rule about the argument that names it, whichever of its names the rule gives", async () => {
    const refused = async (exact: string): Promise<string> => {
      const rules = readRules([{ command: "read_file", argument: "filename", exact, action: "refuse" }]);
      return (await verdictOn("read_file", { filename: "one" }, { rules })).said;
    };
    assert.deepEqual(
      [await refused("one"), await refused("mid/two"), await refused("src/config.ts"), await refused("config")],
      [...Array(3).fill("refuse approval.rules[0]"), "allow reads"],
    );
  });

  it("is named on the card by where it leads", async () => {
    const { reason } = await verdictOn("write_to_file", { filename: "docs/y.txt", contents }, {});
    assert.equal(reason, 'It changes files. "docs/y.txt" is a link that leads to "src/config.ts".');
  });

  it("is the file that was approved, even when the link leads elsewhere by then", async () => {
    const { folder, bench } = await planted();
    const prepared = await bench.prepare("write_to_file", { filename: "docs/y.txt", contents });
    assert.ok(isPrepared(prepared));
    await rm(join(folder, "docs/y.txt"));
    await makeLink("../.env", join(folder, "docs/y.txt"));
    const outcome = await bench.run(prepared);
    const { ".env": env, "src/config.ts": config } = await grown(folder);
    assert.deepEqual({ status: outcome.status, env, config }, { status: "done", env: "KEY=secret", config: contents });
  });
});
