import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { parse } from "node:path";
import type { Cloning, Git, GitAnswer, Repository } from "../core/machine-ports.ts";
import { onPath } from "./executables.ts";
import { gitEnvironment, withoutDrivers } from "./git-environment.ts";
import { repositoryAround } from "./git-repository.ts";

const READ_MS = 30_000;
const CLONE_MS = 1_800_000;

/** So much of what git prints is kept. */
const MOST_CHARACTERS = 2_000_000;

/** A git that was asked to stop has so long to tidy up. */
const GRACE_MS = 2000;

/** The git of this machine; undefined where there is none. */
export function nodeGit(env: NodeJS.ProcessEnv = process.env): Git | undefined {
  const program = onPath(["git"], env);
  return program === undefined
    ? undefined
    : {
        repositoryAt: repositoryAround,
        read: (repository, args, signal) => read({ program, env }, repository, args, signal),
        clone: (cloning) => clone({ program, env }, cloning),
      };
}

interface GitParts {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

async function read(
  parts: GitParts,
  { root, gitFolder }: Repository,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitAnswer> {
  const where = { GIT_DIR: gitFolder, GIT_WORK_TREE: root };
  const common = { cwd: root, signal, timeoutMs: READ_MS, program: parts.program };
  const env = { ...gitEnvironment(parts.env, [], "nothing"), ...where };
  // Without a word of the settings' own: those that name programs are looked up and taken out one by one.
  const settings = await run({ ...common, env, args: ["config", "--list", "-z", "--name-only"] });
  if (!settings.ok) return settings;
  if (settings.isCut)
    return { ok: false, why: "The repository has more settings than can be looked through." };
  const harmless = { ...gitEnvironment(parts.env, withoutDrivers(settings.text), "nothing"), ...where };
  return run({ ...common, env: harmless, args: ["--no-pager", ...args] });
}

async function clone({ program, env }: GitParts, cloning: Cloning): Promise<GitAnswer> {
  const { url, target, branch, depth, signal, output } = cloning;
  // No repository lies around the root of the disk.
  const cwd = parse(target).root;
  const common = { program, cwd, signal };
  const settings = await run({
    ...common,
    env: gitEnvironment(env, [], "nothing"),
    args: ["config", "--list", "-z", "--name-only"],
    timeoutMs: READ_MS,
  });
  const drivers = settings.ok ? withoutDrivers(settings.text) : [];
  const args = [
    ...["--no-pager", "clone", "--progress", "--no-recurse-submodules", "--template="],
    ...(branch === undefined ? [] : [`--branch=${branch}`]),
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
    ...["--end-of-options", url, target],
  ];
  const done = await run({
    ...common,
    env: gitEnvironment(env, drivers, "clone"),
    args,
    timeoutMs: CLONE_MS,
    output,
  });
  if (!done.ok) await rm(target, { recursive: true, force: true });
  return done;
}

interface Running {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  output?(chunk: string): void;
}

async function run({ program, args, cwd, env, signal, timeoutMs, output }: Running): Promise<GitAnswer> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  const kept = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      kept[name] = (kept[name] + text).slice(0, MOST_CHARACTERS + 1);
      output?.(text);
    });
  const stop = (): void => {
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
  };
  const cut = AbortSignal.any([signal, timeout]);
  cut.addEventListener("abort", stop, { once: true });
  const ended = await once(child, "close").catch((error: unknown) => String(error));
  cut.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (typeof ended === "string") return { ok: false, why: `Git could not be started: ${ended}` };
  if (timeout.aborted) return { ok: false, why: `Git was ended after ${timeoutMs / 1000} seconds.` };
  if (ended[0] !== 0) return { ok: false, why: complaint(kept.stderr) };
  return {
    ok: true,
    text: kept.stdout.slice(0, MOST_CHARACTERS),
    isCut: kept.stdout.length > MOST_CHARACTERS,
  };
}

/** What git complained about, without its progress. */
function complaint(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .filter((line) => /^(?:fatal|error|remote|warning|ssh|Host|Permission)/i.test(line));
  return `Git says: ${lines.join(" ").slice(0, 1000) || "nothing, but it failed."}`;
}
