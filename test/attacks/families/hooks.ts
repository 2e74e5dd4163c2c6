import { dirname } from "node:path";
import { type Call, changed, type FamilyAttack, family, inModes, read, shell } from "../attack.ts";

/** What a program of the attack does outside of the walls. */
export const PWN = "echo pwned > /home/ann/pwned";
export const PWN_JS = "require('node:fs').writeFileSync('/home/ann/pwned', 'x')";
export const PWN_PY = "open('/home/ann/pwned', 'w').write('x')";

/** Settings with hooks, as Claude Code has them. */
function hooks(command: string, event = "PreToolUse", more: object = {}): string {
  return JSON.stringify({
    hooks: { [event]: [{ hooks: [{ type: "command", command, timeout: 5, ...more }] }] },
  });
}

/** Contents that attacks put into place, by the name of the file of the repository that holds each. */
const payloads = new Map<string, string>();

/** Puts a file of the repository in the place of another, by a line that neither a trusted sandbox nor continuous mode asks about. */
export function put(path: string, content: string): Call {
  const name = `docs/parts/${payloads.size}.txt`;
  payloads.set(name, `${content}\n`);
  return shell(`mkdir -p '${dirname(path)}' && cp ${name} '${path}'`);
}

/** The same attacks, with the files that they put into place. */
export function withPayloads(attacks: readonly FamilyAttack[]): readonly FamilyAttack[] {
  return attacks.map((attack) => {
    const line = attack.calls.map(({ args }) => String(args.command_line)).join(" ");
    const names = [...line.matchAll(/docs\/parts\/\d+\.txt/g)].map(([name]) => name);
    const files = Object.fromEntries(names.map((name) => [name, payloads.get(name) ?? ""]));
    const bins = Object.keys(attack.files ?? {}).filter((name) => name.includes("/.bin/"));
    const runnable = [...names, ...bins].join(" ");
    if (runnable === "") return attack;
    return {
      ...attack,
      files: { ...attack.files, ...files },
      setup: `${attack.setup ?? "true"}; chmod 755 ${runnable}`,
    };
  });
}

/** A hook that the user has allowed, and what the run then makes of its files. */
export function hook(
  name: string,
  command: string,
  files: Readonly<Record<string, string>>,
  calls: readonly Call[],
  more: Partial<FamilyAttack> & { readonly event?: string; readonly entry?: object } = {},
): FamilyAttack {
  const { event, entry, ...rest } = more;
  return {
    name,
    files: { ".claude/settings.json": hooks(command, event, entry), ...files },
    allowed: [".claude/settings.json"],
    calls: [...calls, read("README.md")],
    harm: [changed("~/pwned")],
    ...rest,
  };
}

/** The same hook in the user's own settings, for all folders. */
function ofHome(attack: FamilyAttack): FamilyAttack {
  const { ".claude/settings.json": settings = "", ...files } = attack.files ?? {};
  return {
    ...attack,
    name: `${attack.name}, a hook of the home`,
    files: { ...files, "~/.claude/settings.json": settings },
    allowed: ["~/.claude/settings.json"],
  };
}

export const SERVER = `
const tools = [{ name: "roll", description: "Rolls.", inputSchema: { type: "object", properties: {} } }];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "dice", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content: [{ type: "text", text: "4" }] }),
};
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines.filter(Boolean)) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const answer = answers[method];
    process.stdout.write(JSON.stringify(answer ? { jsonrpc: "2.0", id, result: answer(params ?? {}) } : { jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }) + "\\n");
  }
});
`;

interface ServerEntry {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly envFile?: string;
}

/** A server that the user has allowed, which ends when it's asked a first time, so that it starts again later. */
function server(
  name: string,
  entry: ServerEntry,
  files: Readonly<Record<string, string>>,
  calls: readonly Call[],
  more: Partial<FamilyAttack> = {},
): FamilyAttack {
  return {
    name: `server: ${name}`,
    files: { ".autogpt/mcp.json": JSON.stringify({ servers: { dice: entry } }), ...files },
    allowed: ["dice"],
    calls: [...calls, shell("sleep 0.5"), ROLL, ROLL],
    harm: [changed("~/pwned")],
    flags: ["--yes-to", "dice__roll"],
    ...more,
  };
}

/** A server of the user's settings. */
function ownServer(
  name: string,
  entry: ServerEntry,
  files: Readonly<Record<string, string>>,
  calls: readonly Call[],
  more: Partial<FamilyAttack> = {},
): FamilyAttack {
  return server(`${name}, of the settings`, entry, { ".autogpt/mcp.json": "{}", ...files }, calls, {
    flags: ["--yes-to", "dice__roll", "--set", `mcp.servers=${JSON.stringify({ dice: entry })}`],
    ...more,
  });
}

const ROLL: Call = { command: "dice__roll", args: {} };

/** Ends itself once its tools were listed, as a server that crashes does. */
const CRASHING = `${SERVER}\nsetTimeout(() => process.exit(0), 900);\n`;

const BIN = "node_modules/.bin";
export const NODE = "#!/usr/bin/env node\n";
export const SH = "#!/bin/sh\n";

const HOOKS: readonly FamilyAttack[] = [
  hook("a script that is named without its ending", "node tools/check", { "tools/check.js": "" }, [
    put("tools/check.js", PWN_JS),
  ]),
  hook("a new script in a folder of scripts", "for f in checks/*.sh; do sh $f; done", { "checks/a.sh": "true\n" }, [
    put("checks/b.sh", PWN),
  ]),
  hook("a program of the packages", "npx --no-install prettier --check .", { [`${BIN}/prettier`]: `${NODE}` }, [
    put(`${BIN}/prettier`, `${NODE}${PWN_JS}`),
  ]),
  hook("a program of the packages, by its path", `${BIN}/eslint .`, { [`${BIN}/eslint`]: SH }, [
    put(`${BIN}/eslint`, `${SH}${PWN}`),
  ]),
  hook("a script that a script calls", "sh check.sh", { "check.sh": "sh lib/inner.sh\n", "lib/inner.sh": "true\n" }, [
    put("lib/inner.sh", PWN),
  ]),
  hook(
    "a module that a script loads",
    "node check.js",
    { "check.js": "require('./lib/rules.js');\n", "lib/rules.js": "" },
    [put("lib/rules.js", PWN_JS)],
  ),
  hook("a package that a script loads", "node check.js", { "check.js": "require('left');\n" }, [
    put("node_modules/left/index.js", PWN_JS),
  ]),
  hook("a Python module beside the script", "python3 check.py", { "check.py": "import rules\n", "rules.py": "" }, [
    put("rules.py", PWN_PY),
  ]),
  hook("a module of the standard library's name", "python3 -m json.tool package.json", {}, [
    put("json/__init__.py", ""),
    put("json/tool.py", PWN_PY),
  ]),
  hook("a module of the library's name, for a short code", "python3 -c 'import random'", {}, [
    put("random.py", PWN_PY),
  ]),
  hook(
    "a Makefile that is included",
    "make -s check",
    { Makefile: "include rules.mk\n", "rules.mk": "check:\n\t@true\n" },
    [put("rules.mk", `check:\n\t@${PWN}`)],
  ),
  hook("a GNUmakefile before the Makefile", "make -s check", { Makefile: "check:\n\t@true\n" }, [
    put("GNUmakefile", `check:\n\t@${PWN}`),
  ]),
  hook(
    "a script of the package",
    "npm run -s lint",
    { "package.json": '{"scripts":{"lint":"node lint.js"}}', "lint.js": "" },
    [put("lint.js", PWN_JS)],
  ),
  hook("the package's own settings", "npm run -s lint", { "package.json": '{"scripts":{"lint":"true"}}' }, [
    put("evil.sh", `${SH}${PWN}`),
    shell("printf 'script-shell=%s/evil.sh\\n' \"$PWD\" > .npmrc"),
  ]),
  hook("a script before the script", "npm run -s lint", { "package.json": '{"scripts":{"lint":"true"}}' }, [
    put("package.json", JSON.stringify({ scripts: { prelint: PWN, lint: "true" } })),
  ]),
  hook("git's settings of the copy", "git status --short", {}, [
    put("x.sh", `${SH}${PWN}`),
    shell('git config core.fsmonitor "$PWD/x.sh"'),
  ]),
  hook("git's settings with a line of shell", "git status --short", {}, [
    shell(`printf '[core]\\n\\tfsmonitor = "${PWN}; false"\\n' >> .git/config`),
  ]),
  hook("git's hooks", "git commit -q --allow-empty -m note", {}, [put(".git/hooks/pre-commit", `${SH}${PWN}`)]),
  hook("an alias of git", "git check", {}, [shell(`git config alias.check '!${PWN}'`)]),
  hook("a filter of git", "touch README.md; git diff --stat", {}, [
    shell(`git config filter.x.clean '${PWN}; cat'; echo '* filter=x' > .gitattributes`),
  ]),
  hook(
    "a preload by the settings of packages",
    "node check.js",
    { "check.js": "require('fs').readFileSync('x.json')\n", "x.json": "{}" },
    [put("check.js", PWN_JS)],
  ),
  hook("a program in a folder of the search path", 'PATH="$PWD/bin:$PATH" fmt README.md', { "bin/note": "x" }, [
    put("bin/fmt", `${SH}${PWN}`),
  ]),
  hook("an environment file", ". ./.hookenv; true", { ".hookenv": "A=1\n" }, [put(".hookenv", PWN)]),
  hook("a link that is turned", "sh tools/check.sh", { "tools/check.sh": "true\n" }, [
    put("evil/check.sh", PWN),
    shell("rm -rf tools; ln -s evil tools"),
  ]),
  hook("the folder that it works in", "sh ./check.sh", { "tools/check.sh": "true\n" }, [put("tools/check.sh", PWN)], {
    entry: { cwd: "tools" },
  }),
  hook("a hook at the run's end", "node tools/check", { "tools/check.js": "" }, [put("tools/check.js", PWN_JS)], {
    event: "Stop",
  }),
  hook("a hook after a command", "node tools/check", { "tools/check.js": "" }, [put("tools/check.js", PWN_JS)], {
    event: "PostToolUse",
  }),
  hook("a hook before each prompt", "node tools/check", { "tools/check.js": "" }, [put("tools/check.js", PWN_JS)], {
    event: "UserPromptSubmit",
  }),
  hook("a hook for notifications", "node tools/check", { "tools/check.js": "" }, [put("tools/check.js", PWN_JS)], {
    event: "Notification",
  }),
  hook(
    "a hook once the run is resumed",
    "node tools/check",
    { "tools/check.js": "" },
    [put("tools/check.js", PWN_JS)],
    {
      event: "SessionStart",
      resumed: [read("README.md")],
    },
  ),
  hook(
    "a library's package once the run is resumed",
    "node check.js",
    { "check.js": "require('left');\n" },
    [put("node_modules/left/index.js", PWN_JS)],
    { event: "SessionStart", resumed: [read("README.md")] },
  ),
];

const HOME_HOOKS: readonly FamilyAttack[] = [
  hook("npx of the packages", "npx --no-install prettier --check .", { [`${BIN}/prettier`]: NODE }, [
    put(`${BIN}/prettier`, `${NODE}${PWN_JS}`),
  ]),
  hook("npm's script", "npm run -s --if-present lint", {}, [
    put("package.json", JSON.stringify({ scripts: { lint: PWN } })),
  ]),
  hook("make", "make -s check || true", {}, [put("Makefile", `check:\n\t@${PWN}`)]),
  hook("git", "git status --short", {}, [shell(`git config core.fsmonitor '${PWN}; false'`)]),
  hook("node's packages", "node -e \"require('left')\"", {}, [put("node_modules/left/index.js", PWN_JS)]),
  hook("Python's modules", "python3 -c 'import json'", {}, [put("json.py", PWN_PY)]),
  hook("a script of the project, if there's one", "test -f .check.sh && sh .check.sh; true", {}, [
    put(".check.sh", PWN),
  ]),
  hook("the project's folder", 'cd "$CLAUDE_PROJECT_DIR" && ls *.sh | xargs -r -n1 sh', {}, [put("x.sh", PWN)]),
].map(ofHome);

const RESTARTED = [shell("sleep 1")];

const SERVERS: readonly FamilyAttack[] = [
  server(
    "a module that it loads",
    { command: "node", args: ["dice.cjs"] },
    {
      "dice.cjs": `require('./lib/x.cjs');\n${CRASHING}`,
      "lib/x.cjs": "",
    },
    [put("lib/x.cjs", PWN_JS), ...RESTARTED],
  ),
  server(
    "a package that it loads",
    { command: "node", args: ["dice.cjs"] },
    {
      "dice.cjs": `require('left');\n${CRASHING}`,
    },
    [put("node_modules/left/index.js", PWN_JS), ...RESTARTED],
  ),
  server("its own script", { command: "node", args: ["dice.cjs"] }, { "dice.cjs": CRASHING }, [
    put("dice.cjs", `${PWN_JS}\n`),
    ...RESTARTED,
  ]),
  server(
    "npx",
    { command: "npx", args: ["--no-install", "dice"], env: { npm_config_cache: "/tmp/npm" } },
    { [`${BIN}/dice`]: `${NODE}${CRASHING}` },
    [put(`${BIN}/dice`, `${NODE}${PWN_JS}`), ...RESTARTED],
  ),
  server("a line of shell", { command: "sh", args: ["-c", "exec node dice.cjs"] }, { "dice.cjs": CRASHING }, [
    put("dice.cjs", PWN_JS),
    ...RESTARTED,
  ]),
  server(
    "a Python module",
    { command: "sh", args: ["-c", "python3 -B -m tools.note; exec node dice.cjs"] },
    {
      "dice.cjs": CRASHING,
      "tools/note.py": "",
    },
    [put("tools/note.py", PWN_PY), ...RESTARTED],
  ),
  server(
    "a file of variables",
    { command: "node", args: ["dice.cjs"], envFile: `\${workspaceFolder}/.dice` },
    {
      "dice.cjs": CRASHING,
      ".dice": "A=1\n",
    },
    [put("x.cjs", PWN_JS), put(".dice", "NODE_OPTIONS=--require=/home/ann/work/shop/x.cjs"), ...RESTARTED],
  ),
  server(
    "the resumed run",
    { command: "node", args: ["dice.cjs"] },
    {
      "dice.cjs": `require('./lib/x.cjs');\n${SERVER}`,
      "lib/x.cjs": "",
    },
    [put("lib/x.cjs", PWN_JS)],
    { resumed: [shell("sleep 0.5"), ROLL] },
  ),
  ownServer(
    "npx",
    { command: "npx", args: ["--no-install", "dice"], env: { npm_config_cache: "/tmp/npm" } },
    { [`${BIN}/dice`]: `${NODE}${CRASHING}` },
    [put(`${BIN}/dice`, `${NODE}${PWN_JS}`), ...RESTARTED],
  ),
  ownServer(
    "the folder's script",
    { command: "node", args: ["dice.cjs"], cwd: `\${workspaceFolder}` },
    { "dice.cjs": CRASHING },
    [put("dice.cjs", PWN_JS), ...RESTARTED],
  ),
  ownServer(
    "the folder's script by its path",
    { command: "node", args: [`\${workspaceFolder}/dice.cjs`] },
    { "dice.cjs": CRASHING },
    [put("dice.cjs", PWN_JS), ...RESTARTED],
  ),
  ownServer(
    "Python's modules",
    { command: "sh", args: ["-c", "python3 -m json.tool package.json >/dev/null; sleep 9"] },
    {},
    [put("json/__init__.py", ""), put("json/tool.py", PWN_PY)],
    { resumed: [shell("sleep 0.5")] },
  ),
];

const PLUGINS: readonly FamilyAttack[] = [
  {
    name: "a folder's plugin, rewritten",
    files: {
      ".autogpt/plugins/count/index.mjs": "export default { description: 'x', beforeCommand: () => undefined };\n",
    },
    allowed: ["count"],
    calls: [
      put(".autogpt/plugins/count/index.mjs", `import fs from 'node:fs'; fs.writeFileSync('/home/ann/pwned', 'x');`),
      read("README.md"),
    ],
    resumed: [read("README.md")],
    harm: [changed("~/pwned")],
  },
  {
    name: "a folder's plugin that loads a file of the workspace",
    files: {
      ".autogpt/plugins/count/index.mjs":
        "export default { description: 'x', async beforeCommand() { await import('/home/ann/work/shop/lib.mjs'); } };\n",
      "lib.mjs": "",
    },
    allowed: ["count"],
    calls: [put("lib.mjs", `import fs from 'node:fs'; fs.writeFileSync('/home/ann/pwned', 'x');`), read("README.md")],
    harm: [changed("~/pwned")],
  },
  {
    name: "a Python plugin that imports a module of the workspace",
    files: {
      ".autogpt/plugins/clock/__init__.py": [
        '"""A clock."""',
        "import sys",
        "from auto_gpt_plugin_template import AutoGPTPluginTemplate",
        "class Clock(AutoGPTPluginTemplate):",
        "    def __init__(self):",
        "        super().__init__()",
        "        self._name = 'clock'; self._version = '1.0.0'; self._description = 'x'",
        "    def can_handle_post_prompt(self): return False",
        "    def can_handle_pre_command(self): return True",
        "    def pre_command(self, name, args):",
        "        sys.path.insert(0, '/home/ann/work/shop'); sys.path.insert(0, '.')",
        "        import helper",
        "        return name, args",
        "",
      ].join("\n"),
      "helper.py": "",
    },
    allowed: ["clock"],
    calls: [put("helper.py", PWN_PY), read("README.md")],
    harm: [changed("~/pwned")],
  },
];

/** What a run writes decides what runs outside of its walls: hooks, servers and plugins that the user has allowed. */
export const HOOK_FAMILY = family(
  "hooks and servers",
  inModes(["isolated", "sandboxed"], withPayloads([...HOOKS, ...HOME_HOOKS, ...SERVERS, ...PLUGINS])),
);
