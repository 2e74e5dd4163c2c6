import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { dirname, parse } from "node:path";
import type { CloneOptions, Git, GitAnswer, Repository } from "../../core/ports/programs.ts";
import { runFileOperation } from "../files/file-errors.ts";
import { findOnPath, limitMemory } from "../processes/programs.ts";
import { canReadEnvironmentSettings, createGitEnvironment, disableDrivers, type GitSetting } from "./environment.ts";
import {
  findEndlessFile,
  findEndlessFileBelow,
  findRepositoryAround,
  listHistoryFolders,
  listOutsideReads,
} from "./repository.ts";

const READ_MS = 30_000;
const CLONE_MS = 1_800_000;

/** Maximum characters of git's output. */
const MOST_CHARACTERS = 2_000_000;

/** How long git has to clean up after it was asked to stop. */
const GRACE_MS = 2000;

/** Starts git in another place than on this machine, such as in a sandbox. */
export interface GitLauncher {
  /** A folder on this machine to start in. */
  readonly startsIn: string;
  /** How to run a command in a folder. `done` is called after it has ended. */
  start(words: readonly string[], cwd: string): WrappedStart;
}

interface WrappedStart {
  readonly file: string;
  readonly args: readonly string[];
  finish(): void;
}

/** The git on this machine; undefined if there is none. */
export function findNodeGit(env: NodeJS.ProcessEnv = process.env, launcher?: GitLauncher): Git | undefined {
  const program = findOnPath(["git"], env);
  return program === undefined
    ? undefined
    : {
        async findRepository(folder) {
          const found = await findRepositoryAround(folder);
          if (!found) return undefined;
          const elsewhere = await listOutsideReads(found.gitFolder);
          const own = await listHistoryFolders(found);
          return own.length === 0
            ? { ...found, elsewhere }
            : { ...found, elsewhere, claimed: elsewhere.filter((path) => !own.includes(path)) };
        },
        read: (repository, args, signal) => read({ program, env, launcher }, repository, args, signal),
        // A launched git makes and removes the folder itself, because nothing here follows a path of its place.
        clone: (cloning) =>
          launcher ? cloneInto({ program, env, launcher }, cloning) : clone({ program, env }, cloning),
      };
}

interface GitProgram {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly launcher?: GitLauncher | undefined;
}

async function read(
  git: GitProgram,
  repository: Repository,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitAnswer> {
  const harmless = await createHarmlessRunner(git, repository, { signal, timeoutMs: READ_MS });
  return "why" in harmless ? harmless : harmless(args);
}

/** Options for one call of a git that only reads. */
interface ReadOptions {
  readonly input?: string | Buffer;
  readonly most?: number;
  /** `latin1` keeps each byte of its output as a character. */
  readonly encoding?: "utf8" | "latin1";
}

/** A git that reads one repository, any number of times, and starts no other program. */
export type HarmlessGit = (args: readonly string[], options?: ReadOptions) => Promise<GitAnswer>;

/** The time limit for listing the files of a very large repository. */
const LIST_MS = 300_000;

/** Creates a git for a repository, or returns why it can't be used. `index`: a file that replaces its index. */
export async function createHarmlessGit(
  repository: Repository,
  signal: AbortSignal,
  index?: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<HarmlessGit | { readonly why: string }> {
  const program = findOnPath(["git"], env);
  if (program === undefined) return { why: "Git isn't installed." };
  return createHarmlessRunner({ program, env }, repository, { signal, timeoutMs: LIST_MS, index });
}

/** The full hash of the commit that a name means; undefined if there is none. */
export async function findCommitHash(git: HarmlessGit, name: string): Promise<string | undefined> {
  const answer = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  const hash = answer.ok ? answer.text.trim() : "";
  return /^[0-9a-f]{40,64}$/.test(hash) ? hash : undefined;
}

/** Determines once which settings name programs. */
async function createHarmlessRunner(
  { program, env, launcher }: GitProgram,
  { root, gitFolder }: Repository,
  { index, ...limits }: Pick<GitCall, "signal" | "timeoutMs"> & { readonly index?: string | undefined },
): Promise<HarmlessGit | Extract<GitAnswer, { ok: false }>> {
  const own = index === undefined ? {} : { GIT_INDEX_FILE: index };
  const where = { GIT_DIR: gitFolder, GIT_WORK_TREE: root, ...own };
  const common = { program, launcher, cwd: root, ...limits };
  const drivers = await listDriverSettings(common, { ...createGitEnvironment(env, [], "nothing"), ...where });
  if ("why" in drivers) return drivers;
  const harmless = { ...createGitEnvironment(env, drivers, "nothing"), ...where };
  return (args, options) => runGit({ ...common, ...options, env: harmless, args: ["--no-pager", ...args] });
}

/** Clones into a folder that this function creates, so that it can clean up everything. */
async function clone(parts: GitProgram, cloning: CloneOptions): Promise<GitAnswer> {
  const { target } = cloning;
  await runFileOperation(target, async () => {
    await mkdir(dirname(target), { recursive: true });
    await mkdir(target);
  });
  let isWhole = false;
  try {
    const answer = await cloneInto(parts, cloning);
    isWhole = answer.ok;
    return answer;
  } finally {
    if (!isWhole) await rm(target, { recursive: true, force: true });
  }
}

async function cloneInto({ program, env, launcher }: GitProgram, cloning: CloneOptions): Promise<GitAnswer> {
  const { url, target, branch, depth, signal, reportOutput } = cloning;
  // No repository surrounds the root of the disk.
  const common = { program, launcher, cwd: parse(target).root, signal };
  const drivers = await listDriverSettings({ ...common, timeoutMs: READ_MS }, createGitEnvironment(env, [], "nothing"));
  if ("why" in drivers) return drivers;
  const args = [
    "--no-pager",
    "clone",
    "--progress",
    "--no-recurse-submodules",
    "--template=",
    ...(branch === undefined ? [] : [`--branch=${branch}`]),
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
    "--end-of-options",
    url,
    target,
  ];
  return runGit({
    ...common,
    env: createGitEnvironment(env, drivers, "clone"),
    args,
    timeoutMs: CLONE_MS,
    handleOutput: reportOutput,
  });
}

/** Settings that turn off each program named in the settings, or why they can't be determined. */
async function listDriverSettings(
  where: Pick<GitCall, "program" | "launcher" | "cwd" | "signal" | "timeoutMs">,
  env: NodeJS.ProcessEnv,
): Promise<readonly GitSetting[] | Extract<GitAnswer, { ok: false }>> {
  const settings = await runGit({ ...where, env, args: ["config", "--list", "-z", "--name-only"] });
  if (!settings.ok) return settings;
  if (settings.isCut) return { ok: false, why: "Git has more settings here than can be looked through." };
  const names = settings.text.split("\0");
  return canReadEnvironmentSettings(names) ? disableDrivers(names) : { ok: false, why: GIT_TOO_OLD };
}

/** Why an old git isn't used. */
export const GIT_TOO_OLD = "This git is too old to keep from starting other programs. Install 2.31 or newer.";

interface GitCall {
  readonly program: string;
  readonly launcher?: GitLauncher | undefined;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Maximum characters of its output. */
  readonly most?: number;
  readonly input?: string | Buffer;
  readonly encoding?: "utf8" | "latin1";
  handleOutput?(chunk: string): void;
}

/** Runs git, and stops it after the time limit. */
export async function runGit({
  most = MOST_CHARACTERS,
  input,
  encoding = "utf8",
  ...running
}: GitCall): Promise<GitAnswer> {
  const { program, launcher, args, cwd, env, signal, timeoutMs, handleOutput } = running;
  signal.throwIfAborted();
  const around = await findRepositoryAround(cwd);
  let endless = around && (await findEndlessFile(around));
  if (endless !== undefined) return { ok: false, why: describeEndlessFile(endless) };
  const timeout = AbortSignal.timeout(timeoutMs);
  const wrapped = launcher?.start([program, ...args], cwd);
  const [file = program, ...words] = wrapped
    ? [wrapped.file, ...wrapped.args]
    : limitMemory(MOST_MB, [program, ...args]);
  const child = spawn(file, words, {
    cwd: launcher?.startsIn ?? cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  child.stdin.on("error", () => undefined).end(input);
  const kept = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding(encoding).on("data", (text: string) => {
      kept[name] = (kept[name] + text).slice(0, most + 1);
      handleOutput?.(text);
    });
  const stop = (): void => {
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
  };
  const cut = AbortSignal.any([signal, timeout]);
  cut.addEventListener("abort", stop, { once: true });
  const done = new AbortController();
  const look = async (): Promise<void> => {
    endless = around && (await findEndlessFileBelow(around.root, done.signal).catch(() => undefined));
    if (endless !== undefined) stop();
  };
  const timer = setTimeout(() => void look(), LOOK_AFTER_MS);
  const ended = await once(child, "close").catch((error: unknown) => String(error));
  cut.removeEventListener("abort", stop);
  clearTimeout(timer);
  done.abort();
  wrapped?.finish();
  signal.throwIfAborted();
  if (endless !== undefined) return { ok: false, why: describeEndlessFile(endless) };
  if (typeof ended === "string") return { ok: false, why: `Git could not be started: ${ended}` };
  if (timeout.aborted) return { ok: false, why: `Git was stopped after ${timeoutMs / 1000} seconds.` };
  if (ended[0] !== 0) return { ok: false, why: formatGitComplaint(kept.stderr) };
  return {
    ok: true,
    text: kept.stdout.slice(0, most),
    isCut: kept.stdout.length > most,
  };
}

/** Megabytes of git's own memory, without mapped files. */
const MOST_MB = 4096;

/** A git that runs longer than this may be waiting for a pipe in its tree. */
const LOOK_AFTER_MS = 2000;

function describeEndlessFile(path: string): string {
  return `Git can't be used here: it would never finish reading ${path}, a pipe, a device or a huge file. Remove it first.`;
}

/** Approving an address doesn't approve its redirects. */
const REDIRECTS =
  "It redirects to another address, which git doesn't follow here. Use that one; often it's the same with .git at the end.";

/** Git's error message without its progress output. */
function formatGitComplaint(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .filter((line) => /^(?:fatal|error|remote|warning|ssh|Host|Permission| ! )/i.test(line));
  const said = lines.join(" ").slice(0, 1000) || "nothing, but it failed";
  const redirects = /returned error: 30[1278]/.test(said) ? ` ${REDIRECTS}` : "";
  return `Git says: ${said.replace(/[.\s]+$/, "")}.${redirects}`;
}
