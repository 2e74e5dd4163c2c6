import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { SeenRepository, TrackedName } from "../../core/ports/disk.ts";
import { isBelow } from "../../disk/below.ts";
import { findOnPath } from "../processes/programs.ts";
import { createShellEnvironment } from "../processes/shell-environment.ts";
import { canReadEnvironmentSettings, createHarmlessEnvironment, disableDrivers } from "./environment.ts";
import { GIT_TOO_OLD, runGit } from "./git.ts";
import { findRepositoryAround, hasWorkingTree, listGitLinks } from "./repository.ts";

const LOOK_MS = 10_000;
/** Enough for the settings, and for 200,000 tracked names. */
const MOST_CHARACTERS = 32_000_000;
/** Maximum number of nested repositories to check. */
const MOST_WITHIN = 20;

/** Git's output in a folder, or why there is none, as a sentence. */
type GitOutput = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** Runs git, without letting it start other programs. */
type GitQuery = (folder: string, ...args: readonly string[]) => Promise<GitOutput>;

/**
 * The repository that git finds from a folder, with the settings that git itself reads. A sentence if its layout leads
 * elsewhere; undefined if there is none.
 */
export async function inspectRepository(
  folder: string,
  folders: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<SeenRepository | string | undefined> {
  const ask = createGitQuery(env);
  const [settings, found] = await Promise.all([
    listSettingNames(folder, ask),
    ask(folder, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"),
  ]);
  if (typeof settings === "string") return settings;
  if (!found.ok) return /not a git repository \(or any/.test(found.why) ? undefined : found.why;
  const [root = "", gitFolder = "", common = "", ...more] = await Promise.all(
    found.text
      .trimEnd()
      .split("\n")
      .map((path) => realpath(resolve(folder, path)).catch(() => "")),
  );
  if (common === "" || more.length > 0) return "The repository's folders can't be determined.";
  const trouble = await explainLayoutTrouble({ root, gitFolder, common }, { folder, folders, ask });
  if (trouble !== undefined) return trouble;
  const tracked = await listTrackedNames(root, ask);
  const reads = settings.includes(IGNORED_COMMITS) ? await listIgnoredCommitFiles(root, ask) : [];
  return typeof tracked === "string" ? tracked : { root, settings, tracked, reads };
}

/** A setting that names a file of commits for `git blame` to skip. Git's error about an invalid file quotes its first line. */
const IGNORED_COMMITS = "blame.ignorerevsfile";

async function listIgnoredCommitFiles(root: string, ask: GitQuery): Promise<readonly string[]> {
  const said = await ask(root, "config", "-z", "--path", "--get-all", IGNORED_COMMITS);
  const named = said.ok ? said.text.split("\0").filter((path) => path !== "") : [];
  return Promise.all(named.map((path) => realpath(resolve(root, path)).catch(() => resolve(root, path))));
}

/** The environment for running a line: the line's own, or one that restricts git in it. A string explains why the line isn't run. */
export async function createLineEnvironment(
  harmlessIn: readonly string[] | undefined,
  env: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv | string> {
  if (harmlessIn === undefined) return env;
  const held = await createRestrictedEnvironment(harmlessIn, env);
  return "why" in held ? `The command line was not run: git can't be restricted in it now. ${held.why}` : held.env;
}

/** An environment in which no git starts another program in these real folders. */
async function createRestrictedEnvironment(
  folders: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly env: NodeJS.ProcessEnv } | { readonly why: string }> {
  if (folders.length === 0) return { env };
  const ask = createGitQuery(env);
  const names = new Set<string>();
  const waiting = [...folders];
  const seen = new Set<string>();
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    if (seen.has(folder) || (await lstat(folder).catch(() => undefined)) === undefined) continue;
    seen.add(folder);
    if (seen.size > MOST_WITHIN + folders.length) return { why: "It holds more repositories than are checked." };
    const settings = await listSettingNames(folder, ask);
    if (typeof settings === "string") return { why: settings };
    for (const name of settings) names.add(name);
    waiting.push(...(await listNestedRepositories(folder, ask)));
  }
  return { env: createHarmlessEnvironment(env, disableDrivers([...names])) };
}

function createGitQuery(env: Readonly<NodeJS.ProcessEnv>): GitQuery {
  const program = findOnPath(["git"], env);
  const own = { ...createHarmlessEnvironment(createShellEnvironment(env, []), []), LC_ALL: "C.UTF-8" };
  const { signal } = new AbortController();
  return async (cwd, ...args) => {
    if (program === undefined) return { ok: false, why: "Git is not installed." };
    const running = { program, cwd, args, env: own, signal, timeoutMs: LOOK_MS, most: MOST_CHARACTERS };
    const answer = await runGit(running);
    return answer.ok && answer.isCut ? { ok: false, why: "Git's answer here is too long to be checked." } : answer;
  };
}

/** The names of the settings that apply in a folder. */
async function listSettingNames(folder: string, ask: GitQuery): Promise<readonly string[] | string> {
  const said = await ask(folder, "config", "--list", "--includes", "-z", "--name-only");
  if (!said.ok) return said.why;
  const names = said.text.split("\0").filter((name) => name !== "");
  return canReadEnvironmentSettings(names) ? names : GIT_TOO_OLD;
}

/** Tracked files by their names relative to the folder. */
async function listTrackedNames(
  folder: string,
  ask: GitQuery,
  ...specs: readonly string[]
): Promise<readonly TrackedName[] | string> {
  const said = await ask(folder, "ls-files", "--stage", "-z", "--", ...specs);
  if (!said.ok) return said.why;
  return said.text
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => ({
      name: entry.slice(entry.indexOf("\t") + 1),
      isRepository: entry.startsWith("160000 "),
    }));
}

/** The nested repositories. Git checks their state with their own settings. */
async function listNestedRepositories(folder: string, ask: GitQuery): Promise<readonly string[]> {
  const tracked = await listTrackedNames(folder, ask, ":/");
  return typeof tracked === "string"
    ? []
    : tracked.filter(({ isRepository }) => isRepository).map(({ name }) => resolve(folder, name));
}

interface Layout {
  /** The real folders that git reports. */
  readonly root: string;
  readonly gitFolder: string;
  readonly common: string;
}

interface LayoutContext {
  readonly folder: string;
  readonly folders: readonly string[];
  readonly ask: GitQuery;
}

/** Why git would read something other than the repository around a folder, as a sentence. */
async function explainLayoutTrouble(
  layout: Layout,
  { folder, folders, ask }: LayoutContext,
): Promise<string | undefined> {
  const { root, gitFolder, common } = layout;
  const expected = await findRepositoryAround(folder);
  if (root === "" || expected?.root !== root)
    return root === ""
      ? "The folder is a repository without a working tree."
      : `The repository's working tree is ${root}, not the folder that it is in.`;
  if (expected.gitFolder !== gitFolder) return `The repository's history is in another place: ${gitFolder}.`;
  const isOwn = [root, ...folders].some((own) => isBelow(gitFolder, own) && isBelow(common, own));
  const isNamed = isOwn ? common === gitFolder || isLinkedTree(layout) : await isLinkedBack(layout, ask);
  if (!isNamed)
    return `The repository's history is kept in ${isOwn ? common : gitFolder}, which does not name this folder as its working tree.`;
  const [link] = [...(await listGitLinks(common)), ...(common === gitFolder ? [] : await listGitLinks(gitFolder))];
  if (link !== undefined) return `The repository reaches ${link} by a link.`;
  const alternates = await stat(join(common, "objects", "info", "alternates")).catch(() => undefined);
  return alternates && alternates.size > 0 ? "The repository takes objects from other repositories." : undefined;
}

async function isLinkedBack(layout: Layout, ask: GitQuery): Promise<boolean> {
  const { root, gitFolder, common } = layout;
  if (common !== gitFolder) return isLinkedTree(layout);
  // A submodule's settings name its working tree. Called elsewhere, git would take the current folder.
  const said = await ask(dirname(gitFolder), `--git-dir=${gitFolder}`, "rev-parse", "--show-toplevel");
  return said.ok && (await realpath(said.text.trimEnd()).catch(() => "")) === root;
}

/** True for a linked working tree that its repository also names. */
function isLinkedTree({ root, gitFolder, common }: Layout): boolean {
  return dirname(gitFolder) === join(common, "worktrees") && hasWorkingTree(gitFolder, root);
}
