import { lstat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { omitUndefined } from "../core/base/objects.ts";
import { createExclusions } from "../isolation/copy/exclusions.ts";
import { isForbiddenName } from "../isolation/review/own-yes.ts";
import { escapeName } from "../node/files/byte-names.ts";
import { normalizeSlashes } from "../node/files/real-path.ts";
import { hidePassword } from "../node/git/author.ts";
import { findCommitHash, type HarmlessGit } from "../node/git/git.ts";
import { writeCommit } from "../node/git/objects.ts";
import { findCarriedRun } from "../runs/store/fleet-marks.ts";
import type { FleetTask, SubmittedTask } from "../schema/fleet/tasks.ts";
import { displayText, fail, type Sentence } from "../texts/display-text.ts";
import { AUTHOR, createTaskParts, readCarried, writeCarried } from "./carried.ts";
import { getCopyHome, nameFolder, storeCarriedRun } from "./checkout.ts";
import { MOST_CARRIED_BYTES, writeFileEntry, writeTree } from "./copy-tree.ts";
import { type CarryPlace, callCarryGit, findRunCommit, moveRunRef, openCarryGit } from "./run-ref.ts";
import { signWithSsh } from "./signatures.ts";

/** A task to hand over to another machine. */
export interface NewFleetTask
  extends Pick<FleetTask, "run" | "task" | "pictures" | "sources" | "settings" | "submittedBy"> {
  /** Real path of the workspace folder. */
  readonly folder: string;
  /** It may have been handed over already. */
  readonly isAgain?: boolean;
}

/** A task that other machines can claim. */
export interface Submitted {
  readonly task: FleetTask;
  readonly commit: string;
  /** Differences between what travels and the workspace, as sentences. */
  readonly notes: readonly Sentence[];
}

const MOST_NAMES = 5;

/**
 * Hands a task over: the files of a workspace folder as they are now, without secrets, and the encrypted task. The repository's own branches
 * and files stay as they are. Throws a sentence if that can't be done, or if there is a run of that ID.
 */
export async function submitRun(place: CarryPlace, wanted: NewFleetTask): Promise<Submitted> {
  const { folder, isAgain, ...rest } = wanted;
  const { run } = rest;
  const git = await openCarryGit(place);
  const found = await findRunCommit(place, git, run);
  if (found !== undefined) return isAgain ? findSubmitted(place, git, wanted, found) : fail("fleet.exists", { run });
  const { base, notes } = await takeSnapshot(place, git, folder);
  const task: FleetTask = {
    version: 1,
    ...rest,
    ...omitUndefined({ repository: place.remote && hidePassword(place.remote.address) }),
    base,
    folder: normalizeSlashes(relative(place.repository.root, folder)),
    name: nameFolder(folder),
    submittedAt: new Date().toISOString(),
  };
  const taskPart = await createTaskParts(place, run).write(await signTask(place, task));
  const commit = await writeCarried(place, { task, taskPart, attempt: 0, machine: "", parents: [base] });
  await moveRunRef(place, git, run, { from: "", to: commit });
  const facts = { run, folder, base, commit, attempt: 0, logBytes: 0 };
  await storeCarriedRun(place.data, { version: 1, ...facts, isClaimed: false });
  return { task, commit, notes: [...notes, ...(await describeAbsent(git, base))] };
}

/** A task that was handed over before. Throws a sentence if the run isn't one of this fleet. */
async function findSubmitted(
  place: CarryPlace,
  git: HarmlessGit,
  { run, folder }: NewFleetTask,
  found: string,
): Promise<Submitted> {
  const { task, commit, attempt } = await readCarried(place, git, run, found);
  const facts = { run, folder, base: task.base, commit, attempt, logBytes: 0 };
  if (!findCarriedRun(place.data, run)) await storeCarriedRun(place.data, { version: 1, ...facts, isClaimed: false });
  return { task, commit, notes: [] };
}

/** The task with a signature of its sender, if they have a key for that. It's for this run and these files. */
async function signTask({ data }: CarryPlace, task: FleetTask): Promise<Buffer> {
  const text = JSON.stringify(task);
  const signature = await signWithSsh(data, "submit", text);
  return Buffer.from(
    JSON.stringify({ version: 2, task: text, ...omitUndefined({ signature }) } satisfies SubmittedTask),
  );
}

/** The commit with a folder's files as they are now: the last one, or a new one on top of it that no branch names. */
async function takeSnapshot(
  place: CarryPlace,
  git: HarmlessGit,
  folder: string,
): Promise<{ readonly base: string; readonly notes: readonly Sentence[] }> {
  const { root } = place.repository;
  const head = await findCommitHash(git, "HEAD");
  const below = normalizeSlashes(relative(root, folder));
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];
  const listed = await callCarryGit(git, [...status, "--", ...(below === "" ? [] : [below])]);
  const names = listed.split("\0").flatMap((line) => (line.length > 3 ? [line.slice(3)] : []));
  const { createFileTest } = await createExclusions([folder], [], dirname(getCopyHome(place, "run")));
  const findReason = await createFileTest(root, names);
  const left: string[] = [];
  const lines: string[] = [];
  for (const name of names) {
    const reason = findReason(name);
    const bytes = (await lstat(join(root, name)).catch(() => undefined))?.size ?? 0;
    const isTaken = reason === undefined && bytes <= MOST_CARRIED_BYTES && !isForbiddenName(name, process.platform);
    if (isTaken && !name.endsWith("/"))
      lines.push(`${await writeFileEntry(place.repository, join(root, name), root)}\t${name}\0`);
    else if (reason !== "ours") left.push(escapeName(name));
  }
  const notes = left.length > 0 ? [displayText("fleet.leftOut", { files: listNames(left) })] : [];
  if (head !== undefined && lines.length === 0) return { base: head, notes };
  const tree = await writeTree(place, head ?? "", lines);
  const parents = head === undefined ? [] : [head];
  const made = { tree, parents, author: AUTHOR, message: "AutoGPT: the files that a run starts from" };
  return { base: await writeCommit(place.repository, made, Date.now()), notes };
}

function listNames(names: readonly string[]): readonly (string | Sentence)[] {
  const more = names.length - MOST_NAMES;
  return more > 0 ? [...names.slice(0, MOST_NAMES), displayText("common.andMore", { count: more })] : names;
}

/** Sentences about contents that git doesn't have itself. */
async function describeAbsent(git: HarmlessGit, base: string): Promise<readonly Sentence[]> {
  const [modules, attributes] = await Promise.all(
    [".gitmodules", ".gitattributes"].map(async (name) => {
      const answer = await git(["cat-file", "blob", `${base}:${name}`]);
      return answer.ok ? answer.text : "";
    }),
  );
  return [
    ...(modules === "" ? [] : [displayText("fleet.submodules")]),
    ...(attributes?.includes("filter=lfs") ? [displayText("fleet.lfs")] : []),
  ];
}
