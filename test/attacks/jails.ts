import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { unpackChromium } from "../host/npm-chromium.ts";
import { jailed } from "./jail.ts";
import type { AttackResult, Job } from "./job.ts";
import { VARIABLES } from "./place/secrets.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));
const FUZZ_WORKER = fileURLToPath(new URL("fuzz/worker.ts", import.meta.url));

/** Attacks that share a jail, whose place is made as new before each. */
const MOST_TOGETHER = 60;

/** A job that takes longer has killed or stopped its jail. */
const MOST_JOB_MS = 60_000;

/** Runs jobs in jails, as many at a time as there are processors. The results come in any order. */
export async function resultsOf(
  jobs: readonly Job[],
  report: (result: AttackResult) => void = () => undefined,
): Promise<readonly AttackResult[]> {
  if (jobs.some(({ attack }) => attack.needs)) await openBrowser();
  const batches = batchesOf(jobs);
  const results: AttackResult[] = [];
  const work = async (resolvConf: string): Promise<void> => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const rest = await inJail(batch, resolvConf, (result) => {
        results.push(result);
        report(result);
      });
      if (rest.length > 0) batches.push(rest);
    }
  };
  await inFolder((resolvConf) => Promise.all(Array.from({ length: availableParallelism() }, () => work(resolvConf))));
  return results;
}

/** Lets whoever runs in a jail read the browser from npm. */
async function openBrowser(): Promise<void> {
  const unpacked = await unpackChromium().catch(() => undefined);
  if (unpacked) execFileSync("chmod", ["-R", "a+rX", dirname(unpacked.executablePath)]);
}

/** Result of the random command lines. */
export interface FuzzedLines {
  readonly tried: number;
  /** Those that ran without asking, because they were taken for ones that only read. */
  readonly ran: number;
  /** A line that did more, with how it was found. */
  readonly problem?: string;
}

/** Proposes random command lines in jails, as many at a time as there are processors. */
export async function fuzzed(count: number): Promise<FuzzedLines> {
  const seed = Number(process.env.PROPERTY_SEED ?? Date.now() % 1_000_000);
  const jails = availableParallelism();
  const found = await inFolder((resolvConf) =>
    Promise.all(
      Array.from({ length: jails }, (_each, jail) =>
        printedBy(resolvConf, [FUZZ_WORKER, String(Math.ceil(count / jails)), String(seed + jail)]),
      ),
    ),
  );
  const all: readonly FuzzedLines[] = found.map((text) => JSON.parse(text));
  const problem = all.find((one) => one.problem !== undefined)?.problem;
  return {
    tried: all.reduce((sum, { tried }) => sum + tried, 0),
    ran: all.reduce((sum, { ran }) => sum + ran, 0),
    ...(problem === undefined ? {} : { problem }),
  };
}

async function printedBy(resolvConf: string, args: readonly string[]): Promise<string> {
  const [program = "", ...jail] = jailed(ROOT, resolvConf, VARIABLES, [process.execPath, ...args]);
  const child = spawn(program, jail, { stdio: ["ignore", "pipe", "inherit"] });
  return text(child.stdout);
}

/** Makes a folder with the settings that jails need, and removes it afterward. */
async function inFolder<T>(act: (resolvConf: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "autogpt-attacks-"));
  chmodSync(folder, 0o755);
  const resolvConf = join(folder, "resolv.conf");
  writeFileSync(resolvConf, "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
  try {
    return await act(resolvConf);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Attacks that may end their jail get one each, and come last. */
function batchesOf(jobs: readonly Job[]): (readonly Job[])[] {
  const shared = jobs.filter(({ attack }) => !attack.isAlone);
  const batches: (readonly Job[])[] = [];
  for (let from = 0; from < shared.length; from += MOST_TOGETHER)
    batches.push(shared.slice(from, from + MOST_TOGETHER));
  return [...batches, ...jobs.filter(({ attack }) => attack.isAlone).map((job) => [job])];
}

/** Runs jobs in one jail; gives those back that it didn't come to because one of them has ended it. */
async function inJail(
  jobs: readonly Job[],
  resolvConf: string,
  report: (result: AttackResult) => void,
): Promise<readonly Job[]> {
  const [program = "", ...args] = jailed(ROOT, resolvConf, VARIABLES, [process.execPath, WORKER]);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env } });
  const said: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  child.stdin.on("error", () => undefined);
  const closed = new Promise((done) => child.on("close", done));
  let left = jobs;
  let timer: NodeJS.Timeout | undefined;
  const give = (): void => {
    clearTimeout(timer);
    const [next] = left;
    if (!next) return void child.stdin.end();
    child.stdin.write(`${JSON.stringify(next)}\n`);
    timer = setTimeout(() => child.kill("SIGKILL"), MOST_JOB_MS);
  };
  give();
  for await (const line of createInterface({ input: child.stdout })) {
    const result: AttackResult = JSON.parse(line);
    report(result);
    left = left.slice(1);
    if (result.isHung) {
      clearTimeout(timer);
      child.kill("SIGKILL");
      await closed;
      return left;
    }
    give();
  }
  await closed;
  clearTimeout(timer);
  if (process.env.ATTACKS_TRACE) process.stderr.write(said.join(""));
  const [ended, ...rest] = left;
  if (!ended) return [];
  if (left.length === jobs.length && said.join("").includes("bwrap:"))
    throw new Error(`No jail could be made: ${said.join("")}`);
  const trouble = `The jail ended: ${said.join("").slice(-500)}`;
  report({ ...ended, harm: ["ended the agent"], other: [], isRefused: false, trouble, milliseconds: 0 });
  return rest;
}
