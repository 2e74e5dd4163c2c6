// Lines per second of `autogpt explain-policy` over the calls in test/fixtures, its start included. `npm run bench explain`.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { check, exitWithChecks, table } from "./memory/report.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const CALLS = path.join(ROOT, "test/fixtures/policy-calls.jsonl");
/** 200 lines per second. */
const MOST_MS = 5;
const FILES = ["README.md", "package.json", "data.csv", "src/app.ts", "src/util.ts", ".env"];

function workspace(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "autogpt-bench-"));
  fs.mkdirSync(path.join(folder, "src"));
  for (const file of FILES) fs.writeFileSync(path.join(folder, file), "x\n");
  return folder;
}

/** Judges all calls, and returns the verdicts with the seconds that this took. */
async function explained(folder: string, mode: string): Promise<{ verdicts: string[]; seconds: number }> {
  const start = performance.now();
  const program = [path.join(ROOT, "src/headless.ts"), "explain-policy", "--workspace", folder];
  const child = spawn(process.execPath, [...program, "--mode", mode], { stdio: ["pipe", "pipe", "inherit"] });
  fs.createReadStream(CALLS).pipe(child.stdin);
  const lines = (await child.stdout.setEncoding("utf8").toArray()).join("").trimEnd().split("\n");
  const verdicts = lines.map((line) => String(JSON.parse(line).verdict));
  return { verdicts, seconds: (performance.now() - start) / 1000 };
}

const folder = workspace();
const total = fs.readFileSync(CALLS, "utf8").trimEnd().split("\n").length;
const rows: string[][] = [];
for (const mode of ["ask", "readOnlyShell"]) {
  const { verdicts, seconds } = await explained(folder, mode);
  const count = (verdict: string): string => String(verdicts.filter((one) => one === verdict).length);
  rows.push([mode, (total / seconds).toFixed(0), count("allow"), count("ask"), count("refuse"), count("error")]);
  check(`calls without a verdict, ${mode}`, total - verdicts.length, 0);
  check(`milliseconds per call, ${mode}`, (1000 * seconds) / total, MOST_MS);
}
fs.rmSync(folder, { recursive: true });
table(`${total} calls`, ["mode", "lines per second", "allow", "ask", "refuse", "error"], rows);
exitWithChecks();
