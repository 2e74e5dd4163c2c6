import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadGrammar } from "../../../src/headless/workers.ts";
import { mayBeChanged, readStartedFiles, type StartedFiles } from "../../../src/plugins/started/started-files.ts";
import { createShellLanguageLoader } from "../../../src/safety/shell/load.ts";
import { makeLink } from "../../support/skips.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const tempFolder = tempFolders();
const loadLanguage = createShellLanguageLoader("bash", loadGrammar);

type Files = Readonly<Record<string, string>>;

/** A line, the files before the consent, and the file that is written afterward. */
interface Row {
  readonly line: string;
  readonly files?: Files;
  readonly written: string;
  readonly env?: Files;
}

const way = (line: string, written: string, files: Files = {}, env: Files = {}): Row => ({
  line,
  written,
  files: { [written]: "1\n", ...files },
  env,
});

/** A file that didn't exist before. */
const absent = (line: string, written: string, files: Files = {}): Row => ({ line, written, files });

const WAYS: readonly Row[] = [
  way("node ./tools/guard", "tools/guard.js"),
  way("node tools/guard", "tools/guard.cjs"),
  absent("node tools/guard", "tools/guard.js", { "tools/guard.mjs": "" }),
  way("node tools", "tools/index.js"),
  way("node tools", "tools/lib/start.js", { "tools/package.json": '{"main":"lib/start"}' }),
  way("node -r ./pre.js x.js", "pre.js", { "x.js": "" }),
  way("node --import=./pre.mjs x.js", "pre.mjs", { "x.js": "" }),
  way("NODE_OPTIONS='--require ./pre.js' node x.js", "pre.js", { "x.js": "" }),
  way("node x.js", "pre.js", { "x.js": "" }, { NODE_OPTIONS: "--require ./pre.js" }),
  way("node x.mjs", "lib/a.mjs", { "x.mjs": "import { a } from './lib/a.mjs';" }),
  way("node x.mjs", "lib/b.js", {
    "x.mjs": "import './lib/a.mjs';",
    "lib/a.mjs": "export * from '../lib/b.js'",
  }),
  way("node x.cjs", "node_modules/left/i.js", {
    "x.cjs": "require('left')",
    "node_modules/left/package.json": '{"main":"i.js"}',
  }),
  absent("node x.cjs", "node_modules/left/index.js", { "x.cjs": "require('left')" }),
  way("node -e \"require('./a')\"", "a.js"),
  way("python3 -m tools.guard", "tools/guard.py", { "tools/__init__.py": "" }),
  way("python3 -m tools", "tools/__main__.py"),
  way("python tools/x.py", "tools/helper.py", { "tools/x.py": "import json, helper\n" }),
  way("python tools/x.py", "tools/pkg/part.py", {
    "tools/x.py": "from pkg import part\n",
    "tools/pkg/__init__.py": "",
  }),
  absent("python tools/x.py", "tools/json.py", { "tools/x.py": "import json\n" }),
  {
    ...absent("python3 x.py", "lib/sitecustomize.py", { "x.py": "", "lib/a.txt": "" }),
    env: { PYTHONPATH: "lib" },
  },
  way("python3 -c 'import a'", "a.py"),
  way("sh tools/*.sh", "tools/a.sh"),
  absent("sh tools/*.sh", "tools/0.sh", { "tools/a.sh": "true" }),
  way("sh tools/{a,b}.sh", "tools/a.sh"),
  way("D=tools; sh $D/x.sh", "tools/x.sh"),
  way('sh "${TOOLS}/x.sh"', "tools/x.sh", {}, { TOOLS: "./tools" }),
  way('"$CLAUDE_PROJECT_DIR"/tools/x', "tools/x"),
  way("sh to\\ols/x.s\\h", "tools/x.sh"),
  way("sh 'to'\"ols\"/x.sh", "tools/x.sh"),
  way("sh $'tools/\\x78.sh'", "tools/x.sh"),
  way("cat tools/x.txt | sh", "tools/x.txt"),
  way("sh < tools/x.txt", "tools/x.txt"),
  way('sh -c "$(cat tools/x.txt)"', "tools/x.txt"),
  way("bash -c 'sh tools/x.sh'", "tools/x.sh"),
  way("eval 'sh tools/x.sh'", "tools/x.sh"),
  way(". tools/x", "tools/x"),
  way("source tools/x", "tools/x"),
  way("find tools -name x.sh -exec sh tools/x.sh \\;", "tools/x.sh"),
  way("env A=1 sh tools/x.sh", "tools/x.sh"),
  way("timeout 5 nice sh tools/x.sh", "tools/x.sh"),
  way("cd tools && ./x", "tools/x"),
  way("pushd tools; sh x.sh", "tools/x.sh"),
  way("make", "Makefile"),
  absent("make", "GNUmakefile", { Makefile: "all:\n\ttrue\n" }),
  way("make -f build.mk", "build.mk"),
  way("make", "build.sh", { Makefile: "all:\n\t@sh build.sh\n" }),
  way("make -C sub", "sub/Makefile"),
  way("npm run lint", "package.json"),
  way("npm test", "check.js", { "package.json": '{"scripts":{"test":"node check.js"}}' }),
  way("npm run lint", "before.sh", {
    "package.json": '{"scripts":{"prelint":"sh before.sh","lint":"true"}}',
  }),
  way("npm run lint", "node_modules/.bin/linter", { "package.json": '{"scripts":{"lint":"linter src"}}' }),
  absent("npm run lint", ".npmrc", { "package.json": '{"scripts":{"lint":"true"}}' }),
  absent("npx prettier --write a.js", "node_modules/.bin/prettier"),
  way("npx prettier", "node_modules/prettier/lib.cjs", {
    "node_modules/.bin/prettier": "#!/usr/bin/env node\nrequire('../prettier/lib.cjs')\n",
  }),
  way("BASH_ENV=tools/env bash x.sh", "tools/env", { "x.sh": "true" }),
  way("sh x.sh", "lib.sh", { "x.sh": '. "$(dirname "$0")/lib.sh"\n' }),
  way("bash --rcfile tools/rules -ic true", "tools/rules"),
  way("env -C tools sh rules", "tools/rules"),
  way("awk -f tools/rules README.md", "tools/rules"),
  way("sed -ftools/rules README.md", "tools/rules"),
  way("jq --from-file tools/rules", "tools/rules"),
  way("find tools -name x.sh -exec sh {} +", "tools/x.sh"),
  way("go run tools/x.go", "tools/x.go"),
  way("go build -toolexec=./tools/x.sh ./...", "tools/x.sh"),
  way("tar cf a.tar --to-command=./tools/x.sh src", "tools/x.sh"),
  way("tar -I ./tools/x.sh -cf a.tar src", "tools/x.sh"),
  way("docker build -f tools/D .", "tools/D"),
  way("deno run tools/x.ts", "tools/x.ts"),
  way("bun run ./tools/x.ts", "tools/x.ts"),
  way("sort --compress-program=./tools/x.sh a.txt", "tools/x.sh"),
  way("rg --pre ./tools/x.sh a", "tools/x.sh"),
  way("sed '1e ./tools/x.sh' a.txt", "tools/x.sh"),
  way("awk 'BEGIN { system(\"./tools/x.sh\") }'", "tools/x.sh"),
  way("./x", "inner.sh", { x: "#!/bin/bash\nsh inner.sh\n" }),
  way("~/hook.sh", "tools/x.sh", { "~/hook.sh": "#!/bin/sh\nsh tools/x.sh\n" }),
];

/** Lines of ordinary hooks: what they load is known, and other changes don't matter to them. */
const HONEST: readonly { readonly line: string; readonly files?: Files; readonly anywhere?: true }[] = [
  { line: "jq -r .tool_input.file_path | grep -q secret && exit 2 || exit 0" },
  {
    line: "node .claude/hooks/guard.mjs",
    files: { ".claude/hooks/guard.mjs": "import fs from 'node:fs';\n" },
  },
  {
    line: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh',
    files: { ".claude/hooks/x.sh": '#!/bin/bash\ninput=$(cat)\necho "$input" | jq -r .a\nexit 0\n' },
  },
  {
    line: 'python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/x.py"',
    files: { ".claude/hooks/x.py": "import json, sys\nprint(json.load(sys.stdin))\n" },
  },
  { line: "~/.claude/hooks/x.sh", files: { "~/.claude/hooks/x.sh": "#!/bin/sh\ncat > /dev/null\n" } },
  {
    line: "npm run -s lint",
    files: { "package.json": '{"scripts":{"lint":"node lint.js"}}', "lint.js": "" },
  },
  { line: "ruff format --quiet ." },
  { line: "npx prettier --write src", anywhere: true },
  { line: "echo done >> log.txt" },
  { line: "sed -i 's/a/b/' log.txt && sed -i.bak -e '1d' log.txt && awk '{ print $1 }' log.txt | sort -u" },
];

describe("the files that a command line starts", () => {
  const placed = async (files: Files): Promise<{ readonly folder: string; readonly home: string }> => {
    const root = await tempFolder();
    const place = { folder: join(root, "work"), home: join(root, "home") };
    for (const [name, text] of Object.entries(files)) await put(place, name, text);
    await mkdir(place.folder, { recursive: true });
    return place;
  };

  const pathOf = ({ folder, home }: { readonly folder: string; readonly home: string }, name: string): string =>
    name.startsWith("~/") ? join(home, name.slice(2)) : join(folder, name);

  async function put(
    place: { readonly folder: string; readonly home: string },
    name: string,
    text: string,
  ): Promise<void> {
    const path = pathOf(place, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await chmod(path, 0o755);
  }

  const read = (line: string, place: { readonly folder: string; readonly home: string }, env: Files = {}) =>
    readStartedFiles([{ line, cwd: place.folder, env }], { ...place, path: "/usr/bin:/bin", loadLanguage });

  for (const { line, files = {}, written, env = {} } of WAYS)
    it(`changes with ${written} for: ${line}`, async () => {
      const place = await placed(files);
      const before = await read(line, place, env);
      await put(place, written, "echo harm\n");
      const after = await read(line, place, env);
      const isSeen =
        JSON.stringify([...before.contents]) !== JSON.stringify([...after.contents]) && !(await before.isUntouched());
      assert.deepEqual({ isNoticed: isSeen || blocked(before) }, { isNoticed: true });
    });

  for (const { line, files = {}, anywhere = false } of HONEST)
    it(`is known for: ${line}`, async () => {
      const place = await placed(files);
      const before = await read(line, place);
      await put(place, "src/a.ts", "export const a = 1;\n");
      const after = await read(line, place);
      assert.deepEqual(
        {
          isSame: JSON.stringify([...before.contents]) === JSON.stringify([...after.contents]),
          afterFile: mayBeChanged(before, { isOpen: false, names: new Set(["a.ts"]) }),
          afterSettings: mayBeChanged(before, { isOpen: false, names: new Set([".prettierrc.cjs"]) }),
        },
        { isSame: true, afterFile: false, afterSettings: anywhere },
      );
    });

  it("follows a link to the program of a package", async () => {
    const place = await placed({
      "node_modules/tool/cli.js": "#!/usr/bin/env node\nrequire('./lib')\n",
      "node_modules/tool/lib.js": "",
    });
    await mkdir(join(place.folder, "node_modules/.bin"));
    await makeLink("../tool/cli.js", join(place.folder, "node_modules/.bin/tool"));
    const { contents } = await read("npx tool", place);
    assert.deepEqual(
      ["node_modules/.bin/tool", "node_modules/tool/lib.js"].map((name) => (contents.get(name) ?? "") !== ""),
      [true, true],
    );
  });

  it("counts as changed by any line that ran once not all can be known", async () => {
    const place = await placed({ "x.js": "require(process.argv[2])" });
    const lines = ["node x.js", "unknown-program src", "sh $UNSET", "if true; then", "cargo test"];
    const found = await Promise.all(lines.map((line) => read(line, place)));
    assert.deepEqual(
      found.map((one) => mayBeChanged(one, { isOpen: true, names: new Set() })),
      lines.map(() => true),
    );
  });
});

/** Whether a run that has changed a file would have to ask. */
function blocked(started: StartedFiles): boolean {
  return mayBeChanged(started, { isOpen: false, names: new Set(["any"]) });
}
