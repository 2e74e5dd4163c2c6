import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { readFileBytes } from "../../disk/plain-file.ts";
import { decodeText } from "../../node/files/text-encoding.ts";
import { createHarmlessGit, findCommitHash, findNodeGit, type HarmlessGit } from "../../node/git/git.ts";
import { findForeignHistory, findRepositoryAround } from "../../node/git/repository.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import { DisplayError, fail } from "../../texts/display-text.ts";
import { isGenerated } from "./change-text.ts";
import { createWholeChange, type FileChange, type HiddenReason, PATCH_OPTIONS, readPatch } from "./read-patch.ts";

/** The changes to look at. */
export type ChangeTarget =
  /** The content of the next commit. */
  | { readonly kind: "staged" }
  /** The files as they are, compared with the last commit. */
  | { readonly kind: "uncommitted" }
  /** The files as they are, compared with the commit where they left another branch. */
  | { readonly kind: "branch"; readonly name: string }
  /** The changes of one commit. */
  | { readonly kind: "commit"; readonly name: string };

/** How much is read at most, and whether new files that git doesn't know yet count. */
export interface ChangeLimits {
  readonly mostLines: number;
  /** Unchanged lines around each change. */
  readonly context: number;
  readonly withUntracked?: boolean;
}

/** The limits of a review. */
export const REVIEW_LIMITS: ChangeLimits = { mostLines: 20_000, context: 6 };

/** A repository that is read. No program that it names runs, and nothing is written. */
export interface ReadRepository {
  /** Its real path. */
  readonly root: string;
  readonly gitFolder: string;
  readonly git: HarmlessGit;
}

/** Opens the repository around a folder. Throws a sentence where there is none, or where its history is in a place of others. */
export async function openReadRepository(folder: string, signal: AbortSignal): Promise<ReadRepository> {
  if (!findNodeGit()) fail("scm.noGit");
  const found = await findRepositoryAround(await realpath(folder));
  if (!found) fail("scm.noRepository", { folder });
  const { root, gitFolder } = found;
  const outside = await findForeignHistory(found);
  if (outside !== undefined) fail("scm.historyElsewhere", { place: outside });
  const git = await createHarmlessGit(found, signal);
  if ("why" in git) throw new DisplayError(git.why);
  return { root, gitFolder, git };
}

/** Git's answer. Throws a sentence if it fails. */
async function readGit(git: HarmlessGit, ...args: readonly string[]): Promise<string> {
  const answer = await git(args, { most: MOST_CHARACTERS });
  if (!answer.ok) throw new DisplayError(answer.why);
  return answer.text;
}

const MOST_CHARACTERS = 32_000_000;

/** Loads the changed files with their lines, as far as the limits allow. */
export async function loadChanges(
  repository: ReadRepository,
  target: ChangeTarget,
  limits: ChangeLimits,
): Promise<readonly FileChange[]> {
  const { git } = repository;
  const sides = await resolveSides(git, target);
  const hasFiles = target.kind === "uncommitted" || target.kind === "branch";
  const [listed, untracked] = await Promise.all([
    listChangedNames(git, sides),
    hasFiles && limits.withUntracked !== false ? listUntrackedNames(git) : [],
  ]);
  // A change could hide its own lines by attributes that it sets.
  const hasAttributes = [...listed.map(({ file }) => file), ...untracked].some((file) => ATTRIBUTES.test(file));
  const { chosen, hidden } = selectFiles(listed, limits.mostLines);
  const used = chosen.reduce((sum, { added, removed }) => sum + added + removed, 0);
  const [shown, created, generated] = await Promise.all([
    readChosen(git, sides, chosen, limits.context),
    readUntracked(repository.root, untracked, limits.mostLines - used),
    hasAttributes ? new Set<string>() : findGenerated(git, [...chosen.map(({ file }) => file), ...untracked]),
  ]);
  const named = hasAttributes ? await readBinaries(git, sides, hidden, limits) : hidden;
  const changes = [...shown, ...named, ...created].map((change) =>
    generated.has(change.file) && change.hunks.length > 0
      ? { ...change, hunks: [], hidden: "generated" as const }
      : change,
  );
  return changes.toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

/** The sides that git compares, as arguments of its `diff`. */
async function resolveSides(git: HarmlessGit, target: ChangeTarget): Promise<readonly string[]> {
  switch (target.kind) {
    case "staged":
      return ["--cached"];
    case "uncommitted":
      return [(await findCommitHash(git, "HEAD")) ?? (await findEmptyTree(git))];
    case "branch": {
      const { name } = target;
      const other = (await findCommitHash(git, name)) ?? (await findCommitHash(git, `refs/remotes/origin/${name}`));
      if (other === undefined) fail("scm.noBranch", { name });
      if ((await findCommitHash(git, "HEAD")) === undefined) fail("scm.noCommits");
      const base = await git(["merge-base", "HEAD", other]);
      return base.ok ? [base.text.trim()] : fail("scm.noCommonCommit", { name });
    }
    case "commit": {
      const commit = await findCommitHash(git, target.name);
      if (commit === undefined) fail("scm.noCommit", { name: target.name });
      return [(await findCommitHash(git, `${commit}^1`)) ?? (await findEmptyTree(git)), commit];
    }
  }
}

/** The tree without files, whose name depends on the repository's hashes. */
async function findEmptyTree(git: HarmlessGit): Promise<string> {
  const answer = await git(["hash-object", "-t", "tree", "--stdin"], { input: "" });
  if (!answer.ok) throw new DisplayError(answer.why);
  return answer.text.trim();
}

interface ListedFile {
  readonly file: string;
  readonly was?: string;
  /** Undefined for a file that isn't text. */
  readonly added?: number;
  readonly removed?: number;
  readonly isConflict?: boolean;
}

async function listChangedNames(git: HarmlessGit, sides: readonly string[]): Promise<readonly ListedFile[]> {
  const [counts, unmerged] = await Promise.all([
    readGit(git, "diff", "--numstat", "-z", ...PATCH_OPTIONS, ...sides, "--"),
    sides.length > 1 ? "" : readGit(git, "diff", "--name-only", "--diff-filter=U", "-z", ...PATCH_OPTIONS, "--"),
  ]);
  const conflicts = new Set(unmerged.split("\0"));
  const found = new Map<string, ListedFile>();
  const fields = counts.split("\0");
  for (let at = 0; at < fields.length; at++) {
    const [, added = "", removed = "", name = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(fields[at] ?? "") ?? [];
    if (added === "") continue;
    const names = name === "" ? { was: fields[at + 1] ?? "", file: fields[at + 2] ?? "" } : { file: name };
    if (name === "") at += 2;
    const figures = added === "-" ? {} : { added: Number(added), removed: Number(removed) };
    found.set(names.file, { ...names, ...figures, ...(conflicts.has(names.file) ? { isConflict: true } : {}) });
  }
  return [...found.values()];
}

async function listUntrackedNames(git: HarmlessGit): Promise<readonly string[]> {
  const listed = await readGit(git, "ls-files", "-z", "--others", "--exclude-standard");
  return listed.split("\0").filter((name) => name !== "");
}

const ATTRIBUTES = /(?:^|\/)\.gitattributes$/;

/** The files that `.gitattributes` calls generated. */
async function findGenerated(git: HarmlessGit, files: readonly string[]): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set();
  const input = files.map((file) => `${file}\0`).join("");
  const answer = await git(["check-attr", "-z", "--stdin", "linguist-generated"], { input, most: MOST_CHARACTERS });
  const fields = answer.ok ? answer.text.split("\0") : [];
  return new Set(fields.filter((_file, at) => at % 3 === 0 && /^(?:set|true)$/.test(fields[at + 2] ?? "")));
}

const MOST_FILES = 500;

/** Divides the files into those whose lines are read, and those that are only named. Small ones come first, so that most files are read. */
function selectFiles(listed: readonly ListedFile[], mostLines: number) {
  const chosen: (ListedFile & { readonly added: number; readonly removed: number })[] = [];
  const hidden: FileChange[] = [];
  let left = mostLines;
  const countLines = ({ added = 0, removed = 0 }: ListedFile): number => added + removed;
  for (const one of listed.toSorted((other, another) => countLines(other) - countLines(another))) {
    const { file, was, added, removed, isConflict } = one;
    const lines = countLines(one);
    const reason: HiddenReason | undefined = isConflict
      ? "conflict"
      : mayHoldSecrets(file) || (was !== undefined && mayHoldSecrets(was))
        ? "secret"
        : added === undefined
          ? "binary"
          : isGenerated(file)
            ? "generated"
            : lines > left || chosen.length === MOST_FILES
              ? "large"
              : undefined;
    if (reason === undefined) {
      chosen.push({ ...one, added: added ?? 0, removed: removed ?? 0 });
      left -= lines;
    } else
      hidden.push({
        ...{ file, kind: "edited", added: added ?? 0, removed: removed ?? 0, hunks: [], hidden: reason },
        ...(was === undefined ? {} : { was }),
      });
  }
  return { chosen, hidden };
}

async function readChosen(
  git: HarmlessGit,
  sides: readonly string[],
  chosen: readonly Pick<FileChange, "file" | "was">[],
  context: number,
): Promise<readonly FileChange[]> {
  if (chosen.length === 0) return [];
  const names = chosen.flatMap(({ file, was }) => (was === undefined ? [file] : [was, file]));
  const args = ["-c", "core.quotePath=false", "diff", "--patch", `--unified=${context}`, ...PATCH_OPTIONS, ...sides];
  const answer = await git([...args, "--", ...names], { most: MOST_CHARACTERS, encoding: "latin1" });
  if (!answer.ok) throw new DisplayError(answer.why);
  const changes = (await readPatch(answer.text)).map((change) =>
    change.hunks.some(({ lines }) => lines.some(({ text }) => text.includes("\0")))
      ? { ...change, hunks: [], hidden: "binary" as const }
      : change,
  );
  const last = changes.at(-1);
  // The last file of a patch that is cut isn't whole.
  return answer.isCut && last ? [...changes.slice(0, -1), { ...last, hunks: [], hidden: "large" }] : changes;
}

/** The hidden files, with the lines of those that only attributes call binary. */
async function readBinaries(
  git: HarmlessGit,
  sides: readonly string[],
  hidden: readonly FileChange[],
  { context, mostLines }: ChangeLimits,
): Promise<readonly FileChange[]> {
  const binary = hidden.filter((change) => change.hidden === "binary").slice(0, MOST_FILES);
  const read = await readChosen(git, ["--text", ...sides], binary, context);
  const byFile = new Map(read.map((change) => [change.file, change]));
  let left = mostLines;
  return hidden.map((change) => {
    const text = change.hidden === "binary" ? byFile.get(change.file) : undefined;
    if (!text || text.hunks.length === 0) return change;
    left -= text.added + text.removed;
    return left < 0 ? { ...text, hunks: [], hidden: "large" } : text;
  });
}

const MOST_UNTRACKED_BYTES = 400_000;

async function readUntracked(
  root: string,
  names: readonly string[],
  mostLines: number,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  let left = mostLines;
  for (const file of names) {
    const nothing = { file, kind: "created" as const, added: 0, removed: 0, hunks: [] };
    const text = changes.length < MOST_FILES ? await readNewFile(root, file) : "large";
    const change = typeof text === "string" ? { ...nothing, hidden: text } : createWholeChange(file, text.text);
    const isTooLong = change.added > left;
    if (!isTooLong) left -= change.added;
    changes.push(isTooLong ? { ...change, hunks: [], hidden: "large" } : change);
  }
  return changes;
}

/** A new file's text, or why it isn't shown. */
async function readNewFile(root: string, file: string): Promise<{ readonly text: string } | HiddenReason> {
  // A folder is another repository, which git doesn't look into.
  if (file.endsWith("/")) return "repository";
  if (mayHoldSecrets(file)) return "secret";
  if (isGenerated(file)) return "generated";
  const path = join(root, file);
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile()) return "binary";
  if (found.size > MOST_UNTRACKED_BYTES) return "large";
  const bytes = await readFileBytes(path, MOST_UNTRACKED_BYTES).catch(() => undefined);
  const text = bytes && (await decodeText(bytes));
  return text ? { text: text.text } : "binary";
}
