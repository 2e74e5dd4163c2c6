import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { findOnPath } from "../../../../src/node/processes/programs.ts";
import { createNodeShell } from "../../../../src/node/processes/shell.ts";
import { LineTerminals } from "../../../../src/node/terminal/line-terminals.ts";
import { createTerminalShell, findLinePreparation } from "../../../../src/node/terminal/terminal-shell.ts";
import { editorTerminals } from "../../../../src/vscode/terminal/editor-terminals.ts";
import { until } from "../../../integration/parts/workspace-files.ts";
import { EXACT_LINES, plainOutcome, trapVariables, writeTraps } from "../../../support/exact-lines.ts";
import type { ShellFigures } from "../terminal.bench.ts";

const ROUNDS = 50;
/** Prints 10 MB. */
const LONG = "seq 1 1400000";

describe("terminal lines", () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "terminal-bench-")));
  const figures: ShellFigures[] = [];

  after(() => {
    fs.writeFileSync(process.env.MEASURE_FILE ?? "", JSON.stringify(figures));
    fs.rmSync(folder, { recursive: true, force: true });
  });

  for (const name of ["bash", "zsh", "fish"])
    it(`in ${name}`, async function () {
      this.timeout(300_000);
      if (findOnPath([name]) === undefined) return this.skip();
      const home = path.join(folder, "home");
      const cwd = path.join(folder, "work");
      fs.mkdirSync(cwd, { recursive: true });
      for (const file of ["a.txt", "b.txt"]) fs.writeFileSync(path.join(cwd, file), "");
      await writeTraps(home);
      await useShell(name, trapVariables(home));
      const terminals = new LineTerminals(editorTerminals);
      const prepare = await findLinePreparation("integrated");
      if (!prepare) throw new Error("This system has no bash, or no script(1) of util-linux.");
      const clean = createNodeShell({ outputFolder: folder });
      const shell = createTerminalShell(clean, {
        ...{ outputFolder: folder, terminals, prepare, use: "integrated", redact: (text) => text },
      });
      const run = async (line: string, approvedByUser?: true) => {
        const chunks: string[] = [];
        const start = performance.now();
        const { code } = await shell.run(line, {
          ...{ cwd, step: 1, timeoutSeconds: 60, signal: new AbortController().signal, approvedByUser },
          reportOutput: (chunk) => void chunks.push(chunk),
        });
        return { code, output: chunks.join(""), ms: performance.now() - start };
      };
      const wrong: string[] = [];
      for (const line of EXACT_LINES) {
        const [seen, plain] = [await run(line, true), await plainOutcome(line, cwd)];
        if (seen.code !== plain.code || seen.output !== plain.output)
          wrong.push(JSON.stringify({ line, seen, plain }).slice(0, 400));
      }
      const times: { clean: number[]; terminal: number[] } = { clean: [], terminal: [] };
      for (let round = 0; round < ROUNDS; round++) {
        times.clean.push((await run("echo on")).ms);
        times.terminal.push((await run("echo on", true)).ms);
        // The time between two steps of an agent.
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      const long = { clean: (await run(LONG)).ms, terminal: (await run(LONG, true)).ms };
      figures.push({ name, lines: EXACT_LINES.length, wrong, ...times, long });
      terminals.dispose();
    });
});

/** Makes a shell the default of new terminals, with these variables. */
async function useShell(name: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const settings = vscode.workspace.getConfiguration("terminal.integrated");
  const profile = `bench ${name}`;
  await settings.update("profiles.linux", { [profile]: { path: findOnPath([name]) } }, true);
  await settings.update("defaultProfile.linux", profile, true);
  await settings.update("env.linux", variables, true);
  await until(`${name} is the shell`, () => path.basename(vscode.env.shell) === name);
}
