import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fakeModelServer, type ServerAnswer } from "../support/fake-model-server.ts";
import { calling } from "../support/headless.ts";

const RUNS = 7;
const STEPS = 8;
const TARGETS = { startMs: 300, peakMb: 200 };
const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "dist-cli/autogpt.mjs");
/** Prints the most memory that the program has held, in kilobytes, as its last line. */
const PEAK = 'process.on("exit", () => process.stderr.write("\\n" + process.resourceUsage().maxRSS))';

/** A run of eight steps: files, lines in a shell, a search. */
const CALLS: readonly ServerAnswer[] = [
  calling("write_to_file", { filename: "a.txt", contents: "A line of text.\n".repeat(200) }),
  calling("read_file", { filename: "a.txt" }),
  calling("execute_shell", { command_line: "ls -la && wc -l a.txt" }),
  calling("search_files", { pattern: "li.e", regex: true }),
  calling("append_to_file", { filename: "a.txt", contents: "Another line.\n" }),
  calling("git_status"),
  calling("execute_shell", { command_line: "cat a.txt | tail -3" }),
  calling("task_complete", { reason: "Done." }),
];

interface Measured {
  readonly startMs: number;
  readonly peakMb: number;
}

/** The command line as it's published: the time from its start to its first request, and the memory of a short run. */
async function main(): Promise<void> {
  await ended(spawn(process.execPath, [join(ROOT, "scripts/tasks/build-cli.mjs")], { stdio: "inherit" }));
  const home = await mkdtemp(join(tmpdir(), "autogpt-home-"));
  const bare: number[] = [];
  const runs: Measured[] = [];
  // The first run compiles what the others find compiled.
  await oneRun(home);
  for (let run = 0; run < RUNS; run++) {
    bare.push(await bareRequest());
    runs.push(await oneRun(home));
  }
  await rm(home, { recursive: true });
  report(median(runs.map(({ startMs }) => startMs)), median(bare), Math.max(...runs.map(({ peakMb }) => peakMb)));
}

/** The time until Node alone has made a request: nothing can be faster. */
async function bareRequest(): Promise<number> {
  return untilRequest(async (url) => {
    const code = `await fetch(${JSON.stringify(url)}, { method: "POST", body: "{}" }).then((it) => it.text())`;
    await ended(spawn(process.execPath, ["--input-type=module", "--eval", code]));
  }, CALLS);
}

async function oneRun(home: string): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), "autogpt-start-"));
  let peakMb = 0;
  const startMs = await untilRequest(async (url) => {
    const preload = `data:text/javascript,${encodeURIComponent(PEAK)}`;
    const options = ["--workspace", folder, "--base-url", url, "--model", "gpt-5", "--task", "Write a file."];
    const child = spawn(process.execPath, ["--import", preload, PROGRAM, ...options, "--continuous"], {
      env: { ...process.env, HOME: home, LOCALAPPDATA: home, OPENAI_API_KEY: "a-test-key" },
    });
    const [errors] = await Promise.all([text(child.stderr), text(child.stdout), ended(child)]);
    peakMb = Number(errors.split("\n").at(-1)) / 1000;
  }, CALLS);
  await rm(folder, { recursive: true });
  return { startMs, peakMb };
}

/** The time until what `act` starts has made its first request to a server, in ms. */
async function untilRequest(act: (url: string) => Promise<void>, answers: readonly ServerAnswer[]): Promise<number> {
  let first: number | undefined;
  const [answer, ...others] = answers;
  const server = await fakeModelServer();
  server.plan(
    () => {
      first ??= performance.now();
      return answer as ServerAnswer;
    },
    ...others,
  );
  const started = performance.now();
  await act(server.baseUrl);
  await server.close();
  if (first === undefined) throw new Error("Nothing was requested.");
  return first - started;
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`A program ended with exit code ${code}.`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

function report(startMs: number, bareMs: number, peakMb: number): void {
  console.log(
    `start to first request   ${startMs.toFixed(0)} ms   (target: ${TARGETS.startMs}; Node alone: ${bareMs.toFixed(0)})\n` +
      `peak of ${STEPS} steps          ${peakMb.toFixed(0)} MB   (target: ${TARGETS.peakMb})`,
  );
  if (startMs > TARGETS.startMs || peakMb > TARGETS.peakMb) process.exitCode = 1;
}

await main();
