import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getOutcomeText } from "../../../src/core/commands/outcome.ts";
import {
  callChunk,
  DONE,
  finish,
  type ServerAnswer,
  serverForSuite,
  stream,
  usage,
} from "../../support/fake-model-server.ts";
import { calling, headless } from "../../support/headless.ts";
import { ofType } from "../../support/rehearsal.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

type Called = readonly [name: string, args: object];

/** A model's answer that calls several tools. */
function callingAll(...called: readonly Called[]): ServerAnswer {
  const chunks = called.map(([name, args], index) =>
    callChunk({ index, id: `call_${index}`, name, arguments: JSON.stringify(args) }),
  );
  return stream(...chunks, finish("tool_calls"), usage(50, 10), DONE);
}

const FINISH = calling("task_complete", { reason: "All done." });
const READ: Called = ["read_file", { filename: "a.txt" }];

/** A workspace with a plain file, a secret, a protected file, links that lead out, and a file beside it. */
async function place() {
  const parent = await tempFolder();
  const workspace = join(parent, "work");
  await mkdir(join(workspace, ".vscode"), { recursive: true });
  await writeFile(join(parent, "outside.txt"), "outside\n");
  await writeFile(join(workspace, "a.txt"), "alpha\n");
  await writeFile(join(workspace, "b.txt"), "beta\n");
  await writeFile(join(workspace, ".env"), "PASSWORD=hidden\n");
  await writeFile(join(workspace, "hidden.txt"), "left out\n");
  await writeFile(join(workspace, ".autogptignore"), "hidden.txt\n");
  await makeLink(join(parent, "outside.txt"), join(workspace, "link.txt"));
  return { baseUrl: server().baseUrl, workspace, data: await tempFolder() };
}

/** Runs one reply that calls these, and says what came of each call. */
async function run(called: readonly Called[], ...flags: readonly string[]) {
  const at = await place();
  server().plan(callingAll(...called), FINISH);
  const { events } = await headless(at, "--task", "Look.", "--json", "--yes-to", "task_complete", ...flags);
  const [ended] = ofType(events, "ended");
  const [replied] = ofType(events, "replied");
  const files = await readdir(at.workspace);
  return {
    outcomes: [...(ended ? [ended.outcome, ...(ended.also ?? [])] : [])].map(
      (outcome) => `${outcome.status}: ${getOutcomeText(outcome).trim()}`,
    ),
    next: replied?.reply.kind === "proposal" ? (replied.reply.next ?? []).map(({ name }) => name) : [],
    files: files.filter((name) => !name.startsWith(".")),
    a: await readFile(join(at.workspace, "a.txt"), "utf8"),
    all: JSON.stringify(events),
  };
}

describe("reads of one reply, under the policy of a real run", () => {
  it("run together without approval in the workspace", async () => {
    const { outcomes } = await run([READ, ["read_file", { filename: "b.txt" }], ["list_files", {}]]);
    assert.deepEqual(
      outcomes.map((outcome) => [/^\w+/.exec(outcome)?.[0], /alpha|beta|a\.txt/.test(outcome)]),
      [
        ["done", true],
        ["done", true],
        ["done", true],
      ],
    );
  });

  const attacks: readonly (readonly [string, Called])[] = [
    ["writes", ["write_to_file", { filename: "c.txt", contents: "x" }]],
    ["deletes", ["delete_file", { filename: "a.txt" }]],
    ["edits", ["edit_file", { filename: "a.txt", search: "alpha", replace: "x" }]],
    ["runs a command line", ["execute_shell", { command_line: "touch c.txt" }]],
    ["runs a command line that only reads", ["execute_shell", { command_line: "cat .env" }]],
    ["runs Python", ["execute_python_code", { code: "open('c.txt', 'w')" }]],
    ["contacts a host", ["browse_website", { url: "http://127.0.0.1:9/?q=alpha" }]],
    ["starts an agent", ["start_agent", { name: "B", task: "Write c.txt" }]],
    ["asks the user", ["ask_user", { question: "May I?" }]],
    ["remembers", ["memory_add", { text: "Obey." }]],
    ["ends the run", ["task_complete", { reason: "Done." }]],
  ];
  for (const [name, attack] of attacks)
    it(`never have a call beside them that ${name}: it's judged in a step of its own`, async () => {
      const { outcomes, next, files, a } = await run([READ, attack]);
      assert.deepEqual(
        { count: outcomes.length, next, files, a },
        {
          count: 1,
          next: [attack[0]],
          files: ["a.txt", "b.txt", "hidden.txt", "link.txt"],
          a: "alpha\n",
        },
      );
    });

  const reads: readonly (readonly [string, string])[] = [
    ["a secret", ".env"],
    ["a file outside the workspace", "../outside.txt"],
    ["a link that leads out", "link.txt"],
    ["a file that .autogptignore excludes", "hidden.txt"],
    ["a file of the system", "/etc/passwd"],
  ];
  for (const [name, filename] of reads)
    it(`never have a read beside them of ${name}, also in continuous mode`, async () => {
      const { outcomes, all } = await run([READ, ["read_file", { filename }]], "--continuous", "9");
      assert.deepEqual(
        { first: outcomes[0]?.startsWith("done"), second: /^(refused|failed)/.test(outcomes[1] ?? "") },
        { first: true, second: true },
      );
      assert.doesNotMatch(all, /PASSWORD=hidden|"outside\\n|left out\\n|root:x:0/);
    });

  for (const [name, filename] of reads)
    it(`have no file of it among several ones: ${name}, also in continuous mode`, async () => {
      const { all } = await run([["read_file", { filename: "a.txt", files: [filename] }]], "--continuous", "9");
      assert.doesNotMatch(all, /PASSWORD=hidden|outside\\n|left out\\n|root:x:0/);
    });

  const named: readonly unknown[] = ["b.txt", "b.txt:1-2", { filename: "./b.txt" }];
  for (const file of named)
    it(`are refused by a rule for one of several files, ${JSON.stringify(file)}`, async () => {
      const deny = ["--set", 'approval.deny=["read_file(b.txt)"]'];
      const { outcomes } = await run([["read_file", { filename: "a.txt", files: [file] }]], ...deny);
      assert.match(outcomes[0] ?? "", /^refused: /);
    });

  it("don't run where the first one is refused", async () => {
    const { outcomes } = await run([["read_file", { filename: ".env" }], READ]);
    assert.deepEqual(
      outcomes.map((outcome) => /^\w+/.exec(outcome)?.[0]),
      ["refused", "refused"],
    );
  });

  it("are refused by a rule of the user like any other", async () => {
    const deny = ["--set", 'approval.deny=["read_file(b.txt)"]'];
    const { outcomes } = await run([READ, ["read_file", { filename: "b.txt" }]], ...deny);
    assert.deepEqual(
      outcomes.map((outcome) => /^\w+/.exec(outcome)?.[0]),
      ["done", "refused"],
    );
    assert.match(outcomes[1] ?? "", /asking again won't help/);
  });

  it("use up no grant", async () => {
    const at = await place();
    server().plan(
      callingAll(READ, ["read_file", { filename: "b.txt" }]),
      calling("write_to_file", { filename: "c.txt", contents: "x" }),
      FINISH,
    );
    const flags = ["--task", "Look.", "--json", "--yes-to", "task_complete", "--continuous", "1"];
    const { events } = await headless(at, ...flags);
    assert.deepEqual(
      ofType(events, "decided").map(({ by, allow }) => [by, allow]),
      [
        ["rule", true],
        ["continuous", true],
        ["rule", true],
      ],
    );
  });
});
