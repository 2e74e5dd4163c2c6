import { mkdir, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { StaleFileError } from "../../core/ports/workspace.ts";
import { removeTemporaries, replaceFile } from "../../disk/replace-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { runInFolder } from "../../node/files/held-folder.ts";
import { decodeText, encodeText } from "../../node/files/text-encoding.ts";
import type { FileState } from "../../runs/undo/file-state.ts";
import type { UndoFiles } from "../../runs/undo/undo.ts";
import type { AcceptedPath, AcceptPlan } from "../../schema/stored-files.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { type AcceptedChanges, createAcceptedChanges, getNextStep, PLAN, sealPlan } from "./accepted.ts";
import { type AcceptRecord, finishAccept, recoverUnderLock } from "./finish-accept.ts";
import { computeResultMode, hasExecutableBit, type ThreeVersions, takeTheirsWhole } from "./merge-versions.ts";
import {
  getAcceptedPlace,
  isAsReviewed,
  judgeChange,
  type Review,
  type ReviewedChange,
  readCurrentBases,
  runWithVersions,
} from "./review.ts";
import { runUnderReviewLock } from "./review-lock.ts";
import { hasMarkers } from "./three-way.ts";
import { listFoldersBetween, readVersion, type Version } from "./versions.ts";

/** The part of a change to accept: the displayed result, one side's version regardless of the other's, or the user's text. */
export type Choice = "result" | "mine" | "run" | { readonly text: string };

/** The result of an acceptance. */
export interface Accepted {
  /** Step number in the journal; absent if nothing was written. */
  readonly step?: number;
  /** Labels of the files that were written. */
  readonly files: readonly string[];
  /** Chosen files that were left out, each with the reason. */
  readonly conflicts: readonly { readonly label: string; readonly why: Sentence }[];
}

/** Dependencies of accepting changes. */
export interface AcceptParts {
  readonly files: UndoFiles;
  /** Records the result in the run's log. A restart does so if it's still missing. */
  record(result: AcceptRecord): Promise<void>;
}

/**
 * Writes the chosen changes of a review into the workspace as one undoable change. Skips files that have changed since the review. If the
 * program ends halfway, `recoverAccept` completes the change; if the disk fails, everything is restored.
 */
export async function acceptChanges(
  review: Review,
  choices: ReadonlyMap<string, Choice>,
  parts: AcceptParts,
): Promise<Accepted> {
  const place = getAcceptedPlace(review.parts);
  return runUnderReviewLock(place, async () => {
    const accepted = createAcceptedChanges(place);
    await recoverUnderLock(accepted, parts);
    const chosen = review.changes.filter(({ label }) => choices.has(label));
    const bases = await readCurrentBases(review.parts);
    const decided = await runWithVersions(review.parts, chosen, bases, (change, versions) =>
      decide(accepted, review, { change, versions, choices }),
    );
    const conflicts = decided.flatMap(({ change: { label }, why }) => (why ? [{ label, why }] : []));
    const missing = new Set(conflicts.map(({ label }) => label));
    const writes = decided.flatMap(({ change, write }) => {
      if (!write) return [];
      const lost = change.needs.find((label) => missing.has(label));
      if (lost === undefined) return [write];
      conflicts.push({ label: change.label, why: displayText("isolation.why.needs", { file: lost }) });
      return [];
    });
    if (writes.length === 0) return { files: [], conflicts };
    const plan = await makePlan(
      accepted,
      writes,
      conflicts.map(({ label }) => label),
    );
    const done = await finishAccept(accepted, plan, parts);
    return { step: plan.step, files: done.files, conflicts: [...conflicts, ...done.conflicts] };
  });
}

/** A path to write, with its contents already stored. */
interface Write {
  readonly change: ReviewedChange;
  readonly target: FileState;
  readonly theirs: FileState;
}

interface Deciding {
  readonly change: ReviewedChange;
  readonly versions: ThreeVersions;
  readonly choices: ReadonlyMap<string, Choice>;
}

/** Stores the content that a choice writes, so that it needn't stay in memory; or returns why nothing is written. */
async function decide(
  accepted: AcceptedChanges,
  review: Review,
  deciding: Deciding,
): Promise<{ readonly change: ReviewedChange; readonly why?: Sentence; readonly write?: Write }> {
  const { change, versions } = deciding;
  const written = await determineWrite(review, deciding);
  if ("why" in written) return { change, why: written.why };
  const { target, content } = written;
  if (!target) return { change };
  await keepContents(accepted, deciding, target, content);
  return { change, write: { change, target, theirs: versions.theirs.state } };
}

type Written = { readonly why: Sentence } | { readonly target?: FileState; readonly content?: Buffer };

/** Computes the content that a choice writes, judged again by the current files; no target if there is nothing to write. */
async function determineWrite({ parts }: Review, { change, versions, choices }: Deciding): Promise<Written> {
  const choice = choices.get(change.label) ?? "result";
  if (!isAsReviewed(change, versions)) return { why: displayText("isolation.why.changedSince") };
  const needed = change.needs.find((label) => !choices.has(label));
  if (needed !== undefined) return { why: displayText("isolation.why.needs", { file: needed }) };
  const verdict = judgeChange(parts, change, versions, change.relation);
  if (verdict.result === "refused" || (verdict.result === "conflict" && parts.isUnsaved?.(change.path)))
    return { why: verdict.why };
  if (typeof choice === "object") {
    const own = verdict.result === "same" ? versions.mine : versions.theirs;
    return encodeEditedText(versions, ("content" in verdict && verdict.content) || own.content, choice.text);
  }
  if (choice === "mine") {
    const { state, content } = versions.mine;
    if (state.kind === "file" || state.kind === "missing") return { target: state, ...omitUndefined({ content }) };
    return { why: displayText("isolation.why.otherKind") };
  }
  if (choice === "run") {
    const whole = takeTheirsWhole(versions);
    if (whole && "target" in whole) return whole;
    return { why: displayText("isolation.why.otherKind") };
  }
  if (verdict.result === "conflict") return { why: verdict.why };
  return verdict.result === "same" ? {} : verdict;
}

/** Encodes the user's own text like the text that was shown. */
async function encodeEditedText(versions: ThreeVersions, shown: Buffer | undefined, text: string): Promise<Written> {
  const { mine, theirs } = versions;
  if (hasMarkers(text)) return { why: displayText("isolation.why.markers") };
  if (mine.state.kind !== "file" && mine.state.kind !== "missing")
    return { why: displayText("isolation.why.otherKind") };
  const like = await decodeText(shown ?? mine.content ?? Buffer.alloc(0));
  if (!like) return { why: displayText("isolation.why.binary") };
  const content = await encodeText({ ...like, text }).catch(() => undefined);
  if (!content) return { why: displayText("isolation.why.encoding", { encoding: like.encoding }) };
  const executable = [theirs, mine].find(({ state }) => state.kind === "file")?.state;
  const mode = computeResultMode(mine.state, executable?.kind === "file" && hasExecutableBit(executable.mode));
  const target: FileState = { kind: "file", hash: sha256(content), bytes: content.length, mode };
  return { target, content };
}

/** Writes the plan once the contents are stored. */
async function makePlan(
  accepted: AcceptedChanges,
  writes: readonly Write[],
  conflicts: readonly string[],
): Promise<AcceptPlan> {
  const paths = new Map<string, AcceptedPath>();
  for (const write of writes) {
    const { change, target, theirs } = write;
    const { label, path } = change;
    paths.set(path, { path, label, was: getStateBeforeWrite(change), target, theirs });
  }
  for (const write of writes) for (const one of await listAffectedFolders(write)) addFolder(paths, one);
  const plan = { step: await getNextStep(accepted), paths: [...paths.values()], conflicts };
  await writePlan(accepted, plan);
  return plan;
}

/** The state right before the write, after the needed changes are made. */
function getStateBeforeWrite({ relation, states: { mine } }: ReviewedChange): FileState {
  return relation.isCleared && mine.kind !== "folder" ? { kind: "missing" } : mine;
}

/** Stores the content to write, and the copy's content, with which later changes of the run are compared. */
async function keepContents(
  accepted: AcceptedChanges,
  { change, versions }: Deciding,
  target: FileState,
  content: Buffer | undefined,
): Promise<void> {
  const { folder, file } = change.change;
  const copied = join(folder.path, file);
  const { mine, theirs } = versions;
  const own = target.kind === "file" && mine.state.kind === "file" && target.hash === mine.state.hash;
  await keepOne(accepted, target, content ?? (own ? mine : theirs).content, own ? change.path : copied);
  await keepOne(accepted, theirs.state, theirs.content, copied);
}

async function keepOne(
  { folder, kept }: AcceptedChanges,
  state: FileState,
  content: Version["content"],
  path: string,
): Promise<void> {
  if (state.kind !== "file" || (await kept.has(state.hash))) return;
  const image = content
    ? await kept.keepBytes(content, state.mode)
    : await runInFolder(dirname(path), (at) => kept.keep(at(basename(path))));
  if (image.hash !== state.hash) throw new StaleFileError(`"${path}" was changed in the meantime.`);
  await syncFile(join(folder, "pre-images", image.hash));
}

/** Windows flushes only files that are open for writing. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}

/** Folders to create for a file, or to remove with their last file, as in the copy. */
async function listAffectedFolders({ change, target }: Write): Promise<readonly AcceptedPath[]> {
  const {
    path,
    change: { folder },
  } = change;
  const found: AcceptedPath[] = [];
  for (const one of listFoldersBetween(path, folder.origin)) {
    const { kind } = (await readVersion(one)).state;
    if (target.kind === "missing") {
      const copied = await readVersion(join(folder.path, one.slice(folder.origin.length)));
      if (kind === "folder" && copied.state.kind !== "folder")
        found.push({ path: one, was: { kind: "folder" }, target: { kind: "missing" } });
    } else if (kind !== "folder") found.push({ path: one, was: { kind: "missing" }, target: { kind: "folder" } });
  }
  return found;
}

/** Adds a folder. A deleted file's path may become a folder, and the reverse. */
function addFolder(paths: Map<string, AcceptedPath>, folder: AcceptedPath): void {
  const known = paths.get(folder.path);
  if (!known) paths.set(folder.path, folder);
  else if (known.target.kind === "missing" && folder.target.kind === "folder")
    paths.set(folder.path, { ...known, target: folder.target });
}

async function writePlan(accepted: AcceptedChanges, plan: AcceptPlan): Promise<void> {
  const { folder } = accepted;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Only the holder of the review's lock writes here.
  await removeTemporaries(folder, 0);
  await replaceFile(join(folder, PLAN), sealPlan(plan, accepted), { durable: true, private: true });
}
