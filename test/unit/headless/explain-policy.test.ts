import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { explainPolicy } from "../../../src/headless/explain-policy.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const FIXTURES = path.join(import.meta.dirname, "../../fixtures");
const FILES: Readonly<Record<string, string>> = {
  "README.md": "x\n",
  ".env": "KEY=1\n",
  "src/app.ts": "export {};\n",
  ".vscode/settings.json": '{ "autogpt.approval.deny": ["execute_shell(git push*)"] }',
};

describe("explain-policy", () => {
  const tempFolder = tempFolders();

  async function workspace(): Promise<string> {
    const folder = await tempFolder();
    for (const [name, text] of Object.entries(FILES)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
    }
    return folder;
  }

  /** Runs the program; `lines` are what it prints, read as JSON where they are. */
  async function explained(
    folder: string,
    argv: readonly string[],
    input: readonly (object | string)[] = [],
    env: Readonly<Record<string, string>> = {},
  ) {
    const stdin = Readable.from(input.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`));
    const stdout = new PassThrough();
    const chunks: string[] = [];
    stdout.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
    const end = await explainPolicy(["--workspace", folder, ...argv], env, {
      stdin,
      stdout,
      stderr: new PassThrough(),
      data: await tempFolder(),
      signal: new AbortController().signal,
    });
    const text = chunks.join("").trimEnd();
    return { end: end.kind, text, lines: text.split("\n").map((line) => tryRead(line)) };
  }

  function tryRead(line: string): unknown {
    return line.startsWith("{") ? JSON.parse(line) : line;
  }

  it("prints the verdict on a line with the rule, the reason and the deciding file", async () => {
    const folder = await workspace();
    const { text } = await explained(folder, ["rm -rf /"]);
    assert.equal(
      text,
      "refuse: It deletes or takes over / with everything in it. That is refused in every mode.\nrule: destructive\ndecided in: src/safety/shell/destructive.ts",
    );
  });

  it("names the file or flag that holds a rule of the user's", async () => {
    const folder = await workspace();
    const rule = '[{"command":"execute_shell","prefix":"npm","action":"allow"}]';
    const settings = path.join(await tempFolder(), "settings.json");
    fs.writeFileSync(settings, `{ "autogpt.approval.rules": ${rule} }`);
    const file = async (...argv: readonly string[]) =>
      (await explained(folder, ["--json", ...argv])).lines.map((line) => Object(line).file)[0];
    assert.deepEqual(
      {
        deny: await file("git push"),
        set: await file("--set", `approval.rules=${rule}`, "npm test"),
        settings: await file("--settings", settings, "npm test"),
        yesTo: await file("--yes-to", "execute_shell", "npm test"),
      },
      {
        deny: path.join(fs.realpathSync(folder), ".vscode/settings.json"),
        set: "--set",
        settings,
        yesTo: "the command line",
      },
    );
  });

  it("judges each call on standard input alone, and prints id, verdict, rule and reason", async () => {
    const folder = await workspace();
    const write = { command: "write_to_file", args: { filename: "a.txt", contents: "x" } };
    const { end, lines } = await explained(
      folder,
      [],
      [
        { id: 1, ...write },
        { id: "b", command: "read_file", args: { filename: ".env" } },
        { id: 3, command: "execute_shell", args: { command_line: "make" }, sources: ["web"] },
        { id: 4, command: "execute_shell", args: { command_line: "make" } },
      ],
    );
    assert.deepEqual(
      { end, lines },
      {
        end: "done",
        lines: [
          { id: 1, verdict: "ask", rule: "writes", reason: "It changes files." },
          {
            id: "b",
            verdict: "ask",
            rule: "sensitive-file",
            reason: `It would read ${fs.realpathSync(folder)}/.env, which may hold secrets.`,
          },
          { id: 3, verdict: "ask", rule: "untrusted-text", reason: "It may send data out." },
          { id: 4, verdict: "ask", rule: "programs", reason: "It runs a program." },
        ],
      },
    );
  });

  it("answers bad input with an error verdict and continues", async () => {
    const { lines } = await explained(
      await workspace(),
      [],
      [
        "{broken",
        "",
        "[1]",
        { id: 1 },
        { id: 2, command: "make_coffee", args: {} },
        { id: 3, command: "read_file", args: {} },
        { id: 4, command: "read_file", args: [] },
        { id: 5, command: "find_symbol", args: { symbol: "a" } },
        { id: 6, command: "do_nothing", args: {}, source: ["web"] },
        { id: 7, command: "do_nothing", args: {}, sources: ["moon"] },
        { id: 8, command: "do_nothing", args: { reason: "x" }, note: "kept" },
      ],
    );
    assert.deepEqual(
      lines.map((line) => {
        const { id, verdict, rule } = Object(line);
        return { id, verdict, rule };
      }),
      [
        { id: null, verdict: "error", rule: "invalid-line" },
        { id: null, verdict: "error", rule: "invalid-line" },
        { id: null, verdict: "error", rule: "invalid-line" },
        { id: 1, verdict: "error", rule: "invalid-line" },
        { id: 2, verdict: "error", rule: "unknown-command" },
        { id: 3, verdict: "error", rule: "invalid-call" },
        { id: 4, verdict: "error", rule: "invalid-line" },
        { id: 5, verdict: "error", rule: "unavailable-command" },
        { id: 6, verdict: "error", rule: "invalid-line" },
        { id: 7, verdict: "error", rule: "invalid-line" },
        { id: 8, verdict: "allow", rule: "no-effect" },
      ],
    );
  });

  it("judges under the approvals of a mode, and runs nothing in any of them", async () => {
    const folder = await workspace();
    const calls = [
      { command: "execute_shell", args: { command_line: "ls" } },
      { command: "execute_shell", args: { command_line: "touch made" } },
      { command: "write_to_file", args: { filename: "a.txt", contents: "x" } },
      { command: "execute_python_code", args: { code: "open('made', 'w')" } },
      { command: "execute_shell_popen", args: { command_line: "touch made" } },
      { command: "task_complete", args: { reason: "Done." } },
    ];
    const rules = async (mode: string) => {
      const { lines } = await explained(folder, ["--mode", mode], calls);
      return lines.map((line) => Object(line).rule).join(" ");
    };
    const before = fs.readdirSync(folder, { recursive: true }).sort();
    assert.deepEqual(
      {
        ask: await rules("ask"),
        readOnlyShell: await rules("read-only-shell"),
        continuous: await rules("continuous"),
        grant: await rules("grant"),
        plan: await rules("plan"),
        isolated: await rules("isolated"),
        files: fs.readdirSync(folder, { recursive: true }).sort(),
      },
      {
        ask: "programs programs writes programs programs finish",
        readOnlyShell: "read-only-shell programs writes programs programs finish",
        continuous: "continuous continuous continuous continuous continuous finish",
        grant: "grant grant grant grant grant finish",
        plan: "plan-first plan-first plan-first plan-first plan-first plan-ready",
        isolated: "isolated isolated isolated isolated isolated finish",
        files: before,
      },
    );
  });

  it("reads command lines in the language of the given shell", async () => {
    const { attacks, ordinary } = JSON.parse(fs.readFileSync(path.join(FIXTURES, "shell-powershell.json"), "utf8"));
    const folder = await workspace();
    const allowed = async (shell: string, lines: readonly string[]) => {
      const calls = lines.map((line) => ({ command: "execute_shell", args: { command_line: line } }));
      const answers = (await explained(folder, ["--mode", "readOnlyShell", "--shell", shell], calls)).lines;
      return lines.filter((_, at) => Object(answers[at]).verdict === "allow");
    };
    assert.deepEqual(
      {
        attacks: await allowed("powershell", attacks),
        ordinary: (await allowed("powershell", ordinary)).length >= 0.95 * ordinary.length,
        zsh: await allowed("zsh", ["ls -la", "=ls"]),
        cmd: await allowed("cmd", ["dir"]),
      },
      { attacks: [], ordinary: true, zsh: ["ls -la"], cmd: [] },
    );
  });

  for (const [name, argv, sentence] of [
    ["a missing workspace", ["--workspace", "/not/here", "ls"], /There is no folder \/not\/here/],
    ["an unknown setting", ["--set", "run.maxStep=1", "ls"], /There is no setting "run.maxStep"/],
    ["an unknown mode", ["--mode", "sure", "ls"], /--mode takes ask, /],
    ["an unknown shell", ["--shell", "fish", "ls"], /--shell takes bash, zsh, powershell, cmd/],
    ["an unknown flag", ["--wat", "ls"], /There is no flag --wat/],
    ["a line without quotes", ["git", "push"], /Put the command line in quotes/],
  ] as const) {
    it(`ends with a sentence for ${name}`, async () => {
      await assert.rejects(explained(await workspace(), argv), (error: Error) => {
        assert.match(error.message, sentence);
        assert.match(error.message, /explain-policy --help/);
        return true;
      });
    });
  }

  it("stops when no one reads its verdicts anymore", async () => {
    const folder = await workspace();
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const around = { stdin, stdout, stderr: new PassThrough(), data: await tempFolder() };
    const ended = explainPolicy(["--workspace", folder], {}, { ...around, signal: new AbortController().signal });
    stdin.write(`${JSON.stringify({ id: 1, command: "do_nothing", args: { reason: "x" } })}\n`);
    await new Promise((resolve) => stdout.once("data", resolve));
    stdout.destroy();
    assert.deepEqual(await ended, { kind: "stopped" });
  });
});
