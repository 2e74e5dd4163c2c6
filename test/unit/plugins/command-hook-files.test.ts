import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadGrammar } from "../../../src/headless/workers.ts";
import { createCommandHooks } from "../../../src/plugins/command-hooks/command-hooks.ts";
import { readHooks } from "../../../src/plugins/command-hooks/hook-files.ts";
import { findToolCall, translateArguments } from "../../../src/plugins/command-hooks/tool-names.ts";
import type { FoundPlugin, LoadedPlugin } from "../../../src/plugins/plugin.ts";
import { createShellLanguageLoader } from "../../../src/safety/shell/load.ts";
import { writeInEnglish } from "../../../src/texts/display-text.ts";
import { pluginPlace, pluginRun } from "../../support/plugin-runs.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const loadLanguage = createShellLanguageLoader("bash", loadGrammar);

const NEVER = new AbortController().signal;

const CALL = {
  step: 4,
  command: "write_to_file",
  args: { filename: "a.txt", contents: "A" },
  effect: "write",
  touches: [],
  hosts: [],
  hash: "",
};

describe("files of command hooks", () => {
  const temporary = tempFolders();

  /** Writes files of hooks below a workspace and a home, and finds the plugins. */
  async function found(
    files: Readonly<Record<string, string | object>>,
    isTrusted = true,
  ): Promise<{ root: string; plugins: readonly FoundPlugin[] }> {
    const root = await temporary();
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      const text = typeof content === "string" ? content : JSON.stringify(content);
      await writeFile(join(root, name), text);
    }
    const source = createCommandHooks({
      home: join(root, "home"),
      storage: join(root, "storage"),
      loadLanguage,
    });
    const plugins = await source.find({ ...pluginPlace(join(root, "work")), isTrusted });
    return { root, plugins };
  }

  it("are found where Claude Code, VS Code and Copilot keep them", async () => {
    const hooks = hooksFor("true");
    const { plugins } = await found({
      "work/.github/hooks/b.json": hooks,
      "work/.github/hooks/a.json": hooks,
      "work/.claude/settings.json": hooks,
      "work/.claude/settings.local.json": { permissions: {} },
      "home/.claude/settings.json": hooks,
      "home/.copilot/hooks/c.json": hooks,
    });
    assert.deepEqual(plugins.map(({ id, from }) => `${from} ${id}`).sort(), [
      "user ~/.claude/settings.json",
      "user ~/.copilot/hooks/c.json",
      "workspace .claude/settings.json",
      "workspace .github/hooks/a.json",
      "workspace .github/hooks/b.json",
    ]);
  });

  it("of a workspace aren't looked at before it is trusted", async () => {
    const hooks = hooksFor("true");
    const files = { "work/.github/hooks/a.json": hooks, "home/.copilot/hooks/c.json": hooks };
    const { plugins } = await found(files, false);
    assert.deepEqual(
      plugins.map(({ id }) => id),
      ["~/.copilot/hooks/c.json"],
    );
  });

  it("that can't be read say why, and the others are found", async () => {
    const { plugins } = await found({
      "work/.github/hooks/array.json": [],
      "work/.github/hooks/broken.json": "{",
      "work/.github/hooks/fine.json": hooksFor("true"),
      "work/.github/hooks/pattern.json": hooksFor("true", "("),
      "work/.github/hooks/slow.json": hooksFor("true", "(a|aa)*$"),
    });
    const problems = plugins.map(({ id, problem }) => [id.slice(14), problem && writeInEnglish(problem)]);
    assert.deepEqual(Object.fromEntries(problems), {
      "array.json":
        "The file has no lists of hooks by event, so none of its hooks run. Compare it with the documentation.",
      "broken.json":
        "The file isn't JSON, so none of its hooks run (Expected property name or '}' in JSON at position 1 (line 1 column 2)). Correct it.",
      "fine.json": undefined,
      "pattern.json":
        'The matcher "(" is neither a list of names nor a regular expression that can be used, so none of the file\'s hooks run. Correct it.',
      "slow.json":
        'The matcher "(a|aa)*$" is neither a list of names nor a regular expression that can be used, so none of the file\'s hooks run. Correct it.',
    });
  });

  it("show every command as it runs, and the scripts that it names", async () => {
    const { plugins } = await found({
      "work/.github/hooks/a.json": {
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              hooks: [
                {
                  type: "command",
                  command: 'bash -c "./check.sh --all"; node tools/x.mjs \u202e',
                  timeout: 5,
                },
                { type: "command", command: "~/mine.py && npm test", cwd: "tools", env: { A: "1" } },
                { type: "prompt", prompt: "Is this fine?" },
              ],
            },
          ],
          SessionEnd: [{ type: "command", command: "true" }],
        },
      },
      "work/check.sh": "#!/bin/sh\n",
      "work/tools/x.mjs": "",
      "work/tools/package.json": "{}",
      "work/notes.txt": "",
      "home/mine.py": "",
    });
    const [plugin] = plugins;
    assert.deepEqual(
      { adds: plugin?.adds, description: plugin?.description, shown: plugin?.consent?.shown.split("\n") },
      {
        adds: ["PreToolUse"],
        description:
          'bash -c "./check.sh --all"; node tools/x.mjs \u202e; ~/mine.py && npm test; (PreToolUse: prompt); (SessionEnd)',
        shown: [
          'PreToolUse (Bash): bash -c "./check.sh --all"; node tools/x.mjs ⟨U+202E⟩',
          "  timeout: 5",
          "PreToolUse (Bash): ~/mine.py && npm test",
          "  cwd: tools",
          "  env: A=1",
          "file: check.sh",
          "file: tools/package.json",
          "file: tools/x.mjs",
          "file: ~/mine.py",
          "These may load more files, which can't be known in advance.",
        ],
      },
    );
  });

  it("need a new consent after any change of a command or of a script", async () => {
    const { root, plugins } = await found({
      "work/.github/hooks/a.json": hooksFor("sh check.sh < data.txt"),
      "work/check.sh": "true",
      "work/data.txt": "1",
    });
    const source = createCommandHooks({ home: join(root, "home"), storage: root, loadLanguage });
    const hashAfter = async (name: string, text: string | object): Promise<string | undefined> => {
      await writeFile(join(root, "work", name), typeof text === "string" ? text : JSON.stringify(text));
      return (await source.find(pluginPlace(join(root, "work"))))[0]?.consent?.hash;
    };
    const before = plugins[0]?.consent?.hash;
    const after = [
      await hashAfter("data.txt", "2"),
      await hashAfter("check.sh", "false"),
      await hashAfter("check.sh", "true"),
      await hashAfter(".github/hooks/a.json", hooksFor("sh check.sh < data.txt", "", { B: "2" })),
    ];
    assert.deepEqual(
      after.map((hash) => hash === before),
      [true, false, true, false],
    );
  });

  it("don't run a script that has changed during the run, and have the user asked", async () => {
    const { root, plugins } = await found({
      "work/.github/hooks/a.json": hooksFor("sh check.sh"),
      "work/check.sh": "true",
    });
    const plugin = await loaded(plugins[0], root);
    const before = await plugin.call("beforeCommand", CALL, NEVER);
    await writeFile(join(root, "work/check.sh"), "touch hacked");
    const after = await plugin.call("beforeCommand", CALL, NEVER).catch(String);
    assert.deepEqual(
      { before, after, isGuard: plugin.isGuard },
      {
        before: {},
        after: "Error: its files have changed since you allowed them, so it doesn't run until you allow it again",
        isGuard: true,
      },
    );
  });

  it("are guards as soon as a command has refused a call, also in later runs", async () => {
    const { root, plugins } = await found({
      "work/.github/hooks/a.json": hooksFor("grep -q a.txt || exit 0; echo no >&2; exit 2"),
    });
    const first = await loaded(plugins[0], root);
    const states = [first.isGuard];
    await first.call("beforeCommand", { ...CALL, args: { filename: "b.txt" } }, NEVER);
    states.push(first.isGuard);
    await first.call("beforeCommand", CALL, NEVER);
    states.push(first.isGuard);
    const source = createCommandHooks({
      home: join(root, "home"),
      storage: join(root, "storage"),
      loadLanguage,
    });
    const [again] = await source.find(pluginPlace(join(root, "work")));
    states.push((await loaded(again, root)).isGuard);
    assert.deepEqual(states, [false, false, true, true]);
  });

  it("give a command the call as Claude Code's hooks expect it", async () => {
    const { root, plugins } = await found({
      "work/.claude/settings.json": hooksFor('cat > "$OUT"; pwd >> "$OUT"', "Edit|Write", {
        OUT: "got.json",
      }),
    });
    const plugin = await loaded(plugins[0], root);
    await plugin.call("beforeCommand", CALL, NEVER);
    const { readFileText } = await import("../../../src/disk/plain-file.ts");
    const [json, folder] = (await readFileText(join(root, "work/got.json"))).split(/(?<=\})\n?(?=\/)/);
    const { timestamp: _, ...input } = JSON.parse(json ?? "");
    const work = join(root, "work");
    assert.deepEqual(
      { folder: folder?.trim(), ...input },
      {
        folder: work,
        cwd: work,
        session_id: "run-1",
        sessionId: "run-1",
        hook_event_name: "PreToolUse",
        hookEventName: "PreToolUse",
        tool_name: "Write",
        tool_input: { file_path: "a.txt", content: "A" },
        tool_use_id: "step-4",
      },
    );
  });

  async function loaded(plugin: FoundPlugin | undefined, root: string): Promise<LoadedPlugin> {
    assert.ok(plugin);
    return plugin.load(pluginRun(join(root, "work")).run);
  }
});

function hooksFor(command: string, matcher = "", env: Readonly<Record<string, string>> = {}): object {
  return { hooks: { PreToolUse: [{ matcher, hooks: [{ type: "command", command, env }] }] } };
}

describe("commands of hooks by system", () => {
  const entry = { type: "command", command: "all", windows: "w", linux: "l", osx: "o" };
  const copilot = { type: "command", bash: "b", powershell: "p", timeoutSec: 90 };

  for (const [platform, expected] of [
    ["linux", ["l", "b"]],
    ["darwin", ["o", "b"]],
    ["win32", ["w", "p"]],
    ["freebsd", ["all", "b"]],
  ] as const)
    it(`are the system's own first: ${platform}`, () => {
      const { commands } = readHooks({ hooks: { Stop: [entry, copilot] } }, platform);
      assert.deepEqual(
        commands.map(({ command, limitMs }) => [command, limitMs]),
        expected.map((command) => [command, 30_000]),
      );
    });
});

describe("names of tools for hooks", () => {
  const line = { command_line: "npm test" };
  const asBash = { name: "Bash", input: { command: "npm test" } };
  const asTerminal = { name: "run_in_terminal", input: { command: "npm test" } };
  const asOurs = { name: "execute_shell", input: line };

  for (const [matcher, isClaudes, command, args, expected] of [
    ["", true, "execute_shell", line, asBash],
    ["*", false, "execute_shell", line, asTerminal],
    ["Bash", false, "execute_shell", line, asBash],
    ["Edit|Bash", false, "execute_shell", line, asBash],
    ["execute_shell", true, "execute_shell", line, asOurs],
    ["execute_command", true, "execute_shell", line, { name: "execute_command", input: line }],
    ["runTerminalCommand", true, "execute_shell", line, { ...asTerminal, name: "runTerminalCommand" }],
    ["Ba", true, "execute_shell", line, undefined],
    ["^Ba", true, "execute_shell", line, asBash],
    ["Edit, Write", true, "edit_file", { filename: "a" }, { name: "Edit", input: { file_path: "a" } }],
    [
      "Read",
      true,
      "read_file",
      { filename: "a", start_line: 2 },
      { name: "Read", input: { file_path: "a", start_line: 2 } },
    ],
    ["Write", true, "read_file", { filename: "a" }, undefined],
    ["mcp__git__.*", true, "git__log", {}, { name: "mcp__git__log", input: {} }],
    ["read_emails", true, "read_emails", { n: 1 }, { name: "read_emails", input: { n: 1 } }],
    ["Bash", true, "toString", {}, undefined],
  ] as const)
    it(`${command} for ${matcher || "all"}`, () =>
      assert.deepEqual(findToolCall(matcher, isClaudes, command, args), expected));

  it("show a guard of Bash the line that Python code becomes", () =>
    assert.deepEqual(findToolCall("Bash", true, "execute_python_code", { code: "1" }, "python3 -u 1.py"), {
      name: "Bash",
      input: { command: "python3 -u 1.py", code: "1" },
    }));

  for (const [command, name, input, expected] of [
    ["execute_shell", "Bash", { command: "ls" }, { command_line: "ls" }],
    ["execute_shell", "execute_shell", { command_line: "ls" }, { command_line: "ls" }],
    ["write_to_file", "create_file", { filePath: "a", content: "b" }, { filename: "a", contents: "b" }],
    ["execute_python_code", "Bash", { command: "rm -rf /", code: "2" }, { code: "2" }],
  ] as const)
    it(`lead back to the arguments of ${command} from ${name}`, () =>
      assert.deepEqual(translateArguments(command, { name, input: {} }, input), expected));
});
