import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findWalls } from "../../../src/isolation/walls/find-walls.ts";
import { serverForSuite } from "../../support/fake-model-server.ts";
import { calling, type HeadlessSetting, runProgram } from "../../support/headless.ts";
import { git, makeRepository } from "../../support/repositories.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const server = serverForSuite();
const tempFolder = tempFolders();

const FINISH = calling("task_complete", { reason: "Done." });
const HOOKS = ".claude/settings.json";

/** A hook for each command, in Claude Code's form. */
function hooksFile(command: string, event = "PostToolUse"): string {
  return JSON.stringify({ hooks: { [event]: [{ matcher: "*", hooks: [{ type: "command", command }] }] } });
}

/** A repository with files that the user has agreed to, and a folder outside to which nothing may write. */
async function setting(
  files: Readonly<Record<string, string>>,
  ...allowed: readonly string[]
): Promise<HeadlessSetting & { readonly outside: string }> {
  const workspace = await tempFolder();
  const outside = await tempFolder();
  makeRepository(workspace, { "note.txt": "old\n", ...files });
  git(workspace, "config", "user.name", "Ada");
  git(workspace, "config", "user.email", "ada@example.com");
  const place = { baseUrl: server().baseUrl, workspace, data: await tempFolder(), outside };
  for (const name of allowed) await runProgram(place, "plugins", "allow", name);
  return place;
}

const run = (place: HeadlessSetting, ...flags: readonly string[]) =>
  runProgram(place, "--task", "Do it.", "--workspace", place.workspace, ...flags);

const write = (filename: string, contents: string) => calling("write_to_file", { filename, contents });
const shell = (line: string) => calling("execute_shell", { command_line: line });

describe("the programs of plugins in a run with walls", () => {
  before(async function () {
    if ((await findWalls("auto")).engine === "none") this.skip();
  });

  const MODES = { isolated: ["--isolated"], trusted: ["--sandbox", "trusted", "--continuous", "9"] } as const;
  for (const [mode, flags] of Object.entries(MODES)) {
    it(`lets a hook write nothing outside (${mode})`, async () => {
      const hooks = hooksFile('echo "hook" >> "$OUTSIDE/found"; echo hook >> note.txt; echo hook >> ~/found-by-hook');
      const place = await setting({ [HOOKS]: hooks }, HOOKS);
      await writeFile(join(place.workspace, HOOKS), hooks.replace("$OUTSIDE", place.outside));
      await runProgram(place, "plugins", "allow", HOOKS);
      server().plan(shell("echo one"), FINISH);
      const { code, stderr } = await run(place, ...flags);
      assert.deepEqual(
        {
          code,
          outside: existsSync(join(place.outside, "found")),
          home: existsSync(join(homedir(), "found-by-hook")),
          saysWhere: stderr.includes("ran in this run's sandbox"),
        },
        { code: 0, outside: false, home: false, saysWhere: false },
      );
    });

    it(`starts nothing outside that the run has written (${mode})`, async () => {
      const place = await setting({});
      const evil = `echo harm > ${place.outside}/harm`;
      const commands = ["npx --no-install prettier", "node tools/check", "sh ./tools/*.sh"];
      const hooks = commands.map((command) => ({ type: "command", command }));
      await mkdir(join(place.workspace, ".claude"));
      await writeFile(
        join(place.workspace, HOOKS),
        JSON.stringify({ hooks: { PostToolUse: [{ matcher: "*", hooks }] } }),
      );
      await runProgram(place, "plugins", "allow", HOOKS);
      server().plan(
        shell(
          [
            `mkdir -p node_modules/.bin tools; printf '#!/bin/sh\\n${evil}\\n' | tee node_modules/.bin/prettier > tools/a.sh`,
            "chmod +x node_modules/.bin/prettier",
            `echo 'require("child_process").execSync("${evil}")' > tools/check.js`,
          ].join("\n"),
        ),
        shell("echo again"),
        FINISH,
      );
      const { code } = await run(place, ...flags);
      assert.deepEqual({ code, harm: existsSync(join(place.outside, "harm")) }, { code: 0, harm: false });
    });
  }

  it("formats the files of the copy by a hook of the user's home", async () => {
    const home = await tempFolder();
    const script = join(home, ".claude/hooks/format.sh");
    await mkdir(dirname(script), { recursive: true });
    await writeFile(
      script,
      '#!/bin/sh\nname=$(grep -o \'"file_path": *"[^"]*"\' | head -1 | cut -d\\" -f4)\necho "formatted $(basename "$name") in $(basename "$PWD")" >> "$CLAUDE_PROJECT_DIR/formatted.txt"\n',
    );
    await chmod(script, 0o755);
    await writeFile(join(home, HOOKS), hooksFile("~/.claude/hooks/format.sh"));
    const place = await setting({});
    const saved = process.env.HOME;
    process.env.HOME = home;
    try {
      await runProgram(place, "plugins", "allow", `~/${HOOKS}`);
      server().plan(write("a.txt", "a\n"), FINISH);
      const { code, stderr } = await run(place, "--isolated", "--accept");
      const formatted = await readFile(join(place.workspace, "formatted.txt"), "utf8").catch(() => stderr);
      assert.deepEqual({ code, formatted: formatted.split(" in ")[0] }, { code: 0, formatted: "formatted a.txt" });
    } finally {
      process.env.HOME = saved;
    }
  });
});
