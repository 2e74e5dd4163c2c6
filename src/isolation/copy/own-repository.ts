import { lstat, mkdir, readdir, realpath, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Repository } from "../../core/ports/programs.ts";
import { openFile, openLinkedFile, readBounded } from "../../disk/plain-file.ts";
import { encodeName } from "../../node/files/byte-names.ts";
import { createHarmlessGit, type HarmlessGit } from "../../node/git/git.ts";
import { fail } from "../../texts/display-text.ts";

/** Settings by their lowercase names; the last value of each. */
export type GitSettings = ReadonlyMap<string, string>;

/** Settings that name neither programs nor paths. */
const HARMLESS =
  /^(?:user\.(?:name|email)|core\.(?:autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|longpaths|quotepath|commentchar|bigfilethreshold|sparsecheckout|sparsecheckoutcone)|index\.(?:sparse|version)|init\.defaultbranch|pull\.(?:rebase|ff)|merge\.(?:conflictstyle|ff|renames)|diff\.(?:algorithm|renames|mnemonicprefix|noprefix)|rebase\.(?:autosquash|autostash|updaterefs)|i18n\.(?:commitencoding|logoutputencoding)|branch\.[^\n]*\.(?:remote|merge|rebase)|remote\.[^\n]*\.(?:fetch|promisor|partialclonefilter)|extensions\.(?:objectformat|partialclone))$/;

/** Files of a merge, a rebase or another operation in progress. */
const IN_PROGRESS =
  /^(?:MERGE_HEAD|MERGE_MSG|MERGE_MODE|MERGE_RR|AUTO_MERGE|SQUASH_MSG|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|ORIG_HEAD|BISECT_[A-Z_]+|sharedindex\.[0-9a-f]+)$/;
const FOLDERS_IN_PROGRESS = ["rebase-merge", "rebase-apply", "sequencer"];
/** Safe content of a file that may be a link into another repository. */
const ONLY_COMMITS = /^[0-9a-f\n]*$/;

/** Except for the index, no file of git's own state is larger. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_INDEX_BYTES = 1024 * 1024 * 1024;
const MOST_CHARACTERS = 100_000_000;
const DEEPEST_ALTERNATE = 5;

/** Settings of a repository and of its user. */
export async function readGitSettings(git: HarmlessGit, folder: string): Promise<GitSettings> {
  const answer = await git(["config", "--list", "-z"]);
  if (!answer.ok) return fail("isolation.copy.git", { folder, why: answer.why });
  const entries = answer.text.split("\0").map((entry) => {
    const end = entry.indexOf("\n");
    return end === -1 ? ([entry, "true"] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const);
  });
  return new Map(entries.map(([name, value]) => [normalizeSettingName(name), value]));
}

/** Setting names ignore case in section and name, but not in the part between them. */
function normalizeSettingName(name: string): string {
  const [first, last] = [name.indexOf("."), name.lastIndexOf(".")];
  return first === -1
    ? name.toLowerCase()
    : name.slice(0, first).toLowerCase() + name.slice(first, last) + name.slice(last).toLowerCase();
}

/** The object folders that a repository reads, its own first. They can be anywhere, but programs of the run see no others. */
export async function listObjectFolders({ gitFolder }: Repository): Promise<readonly string[]> {
  const own = await realpath(join(await findCommonFolder(gitFolder), "objects"));
  const found = [own];
  let level = [own];
  for (let depth = 0; depth < DEEPEST_ALTERNATE && level.length > 0; depth++) {
    const lists = await Promise.all(
      level.map(async (folder) => {
        const text = (await readSmallFile(join(folder, "info", "alternates"), MOST_BYTES))?.toString() ?? "";
        const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
        return Promise.all(lines.map((line) => realpath(resolve(folder, line)).catch(() => "")));
      }),
    );
    level = lists.flat().filter((folder) => folder !== "" && !found.includes(folder));
    found.push(...level);
  }
  return found.filter((folder) => basename(folder) === "objects");
}

/** A workspace repository, with the data for its copy. */
export interface Borrowed {
  readonly repository: Repository;
  readonly git: HarmlessGit;
  readonly settings: GitSettings;
  readonly objects: readonly string[];
}

/**
 * Creates the `.git` of a copied repository, with the workspace's history and state, but its own settings, no hooks, and borrowed objects.
 */
export async function makeOwnRepository(
  { repository, git, settings, objects }: Borrowed,
  target: string,
): Promise<void> {
  const { gitFolder } = repository;
  const common = await findCommonFolder(gitFolder);
  const own = join(target, ".git");
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    await mkdir(join(own, folder), { recursive: true });
  if (objects.some((folder) => /[\n\r]/.test(folder) || folder.startsWith('"')))
    fail("isolation.copy.gitName", { folder: repository.root });
  await writeFile(join(own, "objects/info/alternates"), objects.map((folder) => `${folder}\n`).join(""));
  await writeFile(join(own, "config"), formatGitConfig(settings));
  await writeFile(join(own, "HEAD"), `${await readRepositoryHead(repository, git)}\n`);
  await writeFile(join(own, "packed-refs"), await readRepositoryRefs(repository, git));
  await copyState(common, own, ["info/exclude"]);
  const shallow = await readSmallFile(join(common, "shallow"), MOST_BYTES);
  if (shallow && ONLY_COMMITS.test(shallow.toString("latin1"))) await writeFile(join(own, "shallow"), shallow);
  await copyState(gitFolder, own, ["info/sparse-checkout", ...(await listFilesInProgress(gitFolder))]);
  await copyIndex(gitFolder, own);
}

/** Files with ignore rules for a whole repository, in order of increasing precedence. */
export async function listExcludeFiles(gitFolder: string, settings: GitSettings): Promise<readonly string[]> {
  const named = settings.get("core.excludesfile")?.replace(/^~(?=\/)/, homedir());
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  return [named ?? join(config, "git", "ignore"), join(await findCommonFolder(gitFolder), "info", "exclude")];
}

/** The folder that linked working trees share. */
async function findCommonFolder(gitFolder: string): Promise<string> {
  const named = (await readSmallFile(join(gitFolder, "commondir"), MOST_BYTES))?.toString().trim();
  return realpath(resolve(gitFolder, named ?? "."));
}

/** Copied settings, plus those that make git treat the copied files as unchanged. */
function formatGitConfig(settings: GitSettings): string {
  const extended = [...settings.keys()].some((name) => name.startsWith("extensions."));
  const all = new Map([
    ["core.repositoryformatversion", extended ? "1" : "0"],
    ...[...settings].filter(([name]) => HARMLESS.test(name)),
    ["core.bare", "false"],
    ["core.logallrefupdates", "true"],
    // Inodes and times of change differ from the workspace's. Sizes and times of modification are the same.
    ["core.checkstat", "minimal"],
    ["core.trustctime", "false"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
  ]);
  return [...all].map(([name, value]) => formatGitSetting(name, value)).join("");
}

function formatGitSetting(name: string, value: string): string {
  const [first, last] = [name.indexOf("."), name.lastIndexOf(".")];
  const sub = first === last ? "" : ` ${quoteSettingValue(name.slice(first + 1, last))}`;
  return `[${name.slice(0, first)}${sub}]\n\t${name.slice(last + 1)} = ${quoteSettingValue(value)}\n`;
}

function quoteSettingValue(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

async function readRepositoryHead({ root, gitFolder }: Repository, git: HarmlessGit): Promise<string> {
  const text = (await readSmallFile(join(gitFolder, "HEAD"), MOST_BYTES))?.toString().trim() ?? "";
  if (/^(?:ref: refs\/(?!heads\/\.invalid$)[!-~\u0080-\uffff]+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  const branch = await git(["symbolic-ref", "--quiet", "HEAD"]);
  if (branch.ok) return `ref: ${branch.text.trim()}`;
  const commit = await git(["rev-parse", "--verify", "--quiet", "HEAD"]);
  return commit.ok ? commit.text.trim() : fail("isolation.copy.git", { folder: root, why: commit.why });
}

async function readRepositoryRefs({ root }: Repository, git: HarmlessGit): Promise<string> {
  const wanted = ["refs/heads", "refs/tags", "refs/remotes"];
  const answer = await git(["for-each-ref", "--format=%(objectname) %(refname)", ...wanted], {
    most: MOST_CHARACTERS,
  });
  return answer.ok ? answer.text : fail("isolation.copy.git", { folder: root, why: answer.why });
}

async function listFilesInProgress(gitFolder: string): Promise<readonly string[]> {
  const top = (await readdir(gitFolder)).filter((name) => IN_PROGRESS.test(name));
  const below = await Promise.all(
    FOLDERS_IN_PROGRESS.map(async (folder) => {
      const stats = await lstat(join(gitFolder, folder)).catch(() => undefined);
      const names = stats?.isDirectory() ? await readdir(join(gitFolder, folder)) : [];
      return names.map((name) => `${folder}/${name}`);
    }),
  );
  return [...top, ...below.flat()];
}

/** Doesn't follow links, since they could lead to any of the user's files. */
async function copyState(from: string, to: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const bytes = await readSmallFile(join(from, name), MOST_BYTES, openFile);
    if (!bytes) continue;
    await mkdir(dirname(join(to, name)), { recursive: true });
    await writeFile(join(to, name), bytes);
  }
}

/** Copies git's index with its modification time, by which git detects entries that it must compare again. */
async function copyIndex(from: string, to: string): Promise<void> {
  await using file = await openFile(join(from, "index")).catch(() => undefined);
  if (!file) return;
  const { size, mtimeMs } = await file.stat();
  if (size > MOST_INDEX_BYTES) return;
  await writeFile(join(to, "index"), await readBounded(file, MOST_INDEX_BYTES));
  await utimes(join(to, "index"), mtimeMs / 1000, mtimeMs / 1000);
}

async function readSmallFile(path: string, most: number, opened = openLinkedFile): Promise<Buffer | undefined> {
  await using file = await opened(path).catch(() => undefined);
  if (!file) return undefined;
  const { size } = await file.stat();
  return size > most ? undefined : await readBounded(file, most);
}

/** Marks tracked files that are missing from the copy, so that git doesn't consider them deleted. */
export async function hideFromIndex(target: string, files: readonly string[], signal: AbortSignal): Promise<void> {
  if (files.length === 0) return;
  const git = await createHarmlessGit({ root: target, gitFolder: join(target, ".git") }, signal);
  const answer =
    "why" in git
      ? { ok: false as const, why: git.why }
      : await git(["update-index", "-z", "--skip-worktree", "--stdin"], {
          input: Buffer.concat(files.map((file) => encodeName(`${file}\0`))),
        });
  if (!answer.ok) fail("isolation.copy.git", { folder: target, why: answer.why });
}
