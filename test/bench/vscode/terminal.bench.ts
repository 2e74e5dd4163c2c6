// Lines in VS Code's terminal: whether they print and end as in bash alone, and what a terminal costs over the clean child process.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runInExtensionHost } from "../../host/extension-host.ts";
import { ROOT } from "../../host/places.ts";
import { copyWorkspace } from "../../host/workspace.ts";
import { bundleTests } from "../../integration/bundle.ts";
import { median } from "../memory/clock.ts";
import { check, exitWithChecks, table, tellMachine } from "../memory/report.ts";

/** Figures of one shell. */
export interface ShellFigures {
  readonly name: string;
  readonly lines: number;
  /** Lines that printed or ended in another way, with both outcomes. */
  readonly wrong: readonly string[];
  /** Milliseconds of each round. */
  readonly clean: readonly number[];
  readonly terminal: readonly number[];
  /** Milliseconds of a line that prints 10 MB. */
  readonly long: { readonly clean: number; readonly terminal: number };
}

if (import.meta.main) {
  tellMachine();
  const figures = await measured();
  table(
    "Lines in VS Code's terminal, milliseconds per line (median and p95 of 50)",
    ["shell", "exact", "clean child", "terminal", "more", "10 MB"],
    figures.map(({ name, lines, wrong, clean, terminal, long }) => [
      name,
      `${lines - wrong.length}/${lines}`,
      spread(clean),
      spread(terminal),
      (median(terminal) - median(clean)).toFixed(0),
      `${long.clean.toFixed(0)} / ${long.terminal.toFixed(0)}`,
    ]),
  );
  for (const { name, wrong, clean, terminal } of figures) {
    for (const line of wrong) console.log(`  ${name}: ${line}`);
    check(`lines that aren't exact in ${name}`, wrong.length, 0);
    check(`median ms over the clean child in ${name}`, median(terminal) - median(clean), 60);
  }
  exitWithChecks();
}

function spread(times: readonly number[]): string {
  const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
  return `${median(times).toFixed(0)} (${p95.toFixed(0)})`;
}

async function measured(): Promise<readonly ShellFigures[]> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "terminal-"));
  const file = path.join(scratch, "figures.json");
  const bundle = await bundleTests(`terminal-bench-${process.pid}`, [
    path.join(import.meta.dirname, "terminal/lines-in-host.ts"),
  ]);
  const workspace = copyWorkspace(path.join(ROOT, "test/fixtures/sample-workspace"));
  const silence = new Promise<void>((resolve) => setTimeout(resolve, 600_000).unref());
  try {
    const end = await runInExtensionHost({
      ...{ tests: bundle.entry, extensions: [ROOT], workspace: workspace.folder, silence },
      env: { MEASURE_FILE: file },
      picture: path.join(ROOT, "test/shots/terminal.png"),
    });
    if ("trouble" in end) throw new Error(end.trouble);
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } finally {
    bundle.remove();
    workspace.remove();
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
