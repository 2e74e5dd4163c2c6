import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeName } from "../../node/files/byte-names.ts";
import { decodeText } from "../../node/files/text-encoding.ts";
import { groupContents } from "../../node/git/blobs.ts";
import type { Seal } from "../../runs/log/log-seal.ts";
import { type FileState, isSameState } from "../../runs/undo/file-state.ts";
import { mapInParallel } from "../../runs/undo/in-parallel.ts";
import type { Platform } from "../../safety/paths/paths.ts";
import { displayText, fail, type Sentence } from "../../texts/display-text.ts";
import type { CopiedFolder, Copy, CopyChange } from "../copy/copy.ts";
import { type AcceptedPlace, createAcceptedChanges, readAcceptedStates } from "./accepted.ts";
import { findFilesRunByGit } from "./git-settings.ts";
import { type MergeVerdict, mergeVersions, type ThreeVersions, takeTheirsWhole } from "./merge-versions.ts";
import { collectNameShapes, isLookalikeName, type NameShapes } from "./odd-names.ts";
import { isForbiddenName, judgeOwnYes, type OwnYesReasons } from "./own-yes.ts";
import { findPathRelations, type Placed, type Relation } from "./relations.ts";
import { countChangedLines } from "./three-way.ts";
import {
  HUGE_BYTES,
  MISSING,
  readBaseVersion,
  readReachableVersion,
  readVersion,
  resolveLinkTarget,
  type Version,
} from "./versions.ts";

/** Dependencies of a review. */
export interface ReviewParts {
  readonly copy: Copy;
  readonly changes: readonly CopyChange[];
  /** The run's own folder, which the copy has no access to. */
  readonly runHome: string;
  /** The user's seal for the run. */
  readonly seal: Seal;
  readonly signal: AbortSignal;
  /** Contents that git has of files at the time of the copy. Lost contents are absent. */
  readBaseContents(changes: readonly CopyChange[]): Promise<ReadonlyMap<CopyChange, Buffer>>;
  /** True for a file with unsaved edits in an editor. */
  isUnsaved?(path: string): boolean;
  /** True if a disk treats names that differ only in case as the same. */
  isCaseInsensitive?(folder: string): Promise<boolean>;
  readonly platform?: Platform;
}

/** All changes of an isolated run, compared with the workspace at the time of the review. */
export interface Review {
  readonly parts: ReviewParts;
  /** Changes that are accepted one by one, then conflicts, each group by label. */
  readonly changes: readonly ReviewedChange[];
}

/** A change of an isolated run, and its effect on the workspace. */
export interface ReviewedChange extends Placed, OwnYesReasons {
  readonly kind: "created" | "edited" | "deleted";
  readonly result: MergeVerdict["result"];
  /** How the user can resolve a conflict: by merging marked lines, or with the run's whole version. Absent while the path is blocked. */
  readonly settle?: "merge" | "replace";
  /** Why the change is a conflict or refused. */
  readonly why?: Sentence;
  /** Labels of changes that must be accepted with it. */
  readonly needs: readonly string[];
  /** Lines that differ between the workspace now and the result. */
  readonly added: number;
  readonly removed: number;
  /** The states that were compared. */
  readonly states: { readonly base: FileState; readonly mine: FileState; readonly theirs: FileState };
  readonly relation: Relation;
}

/** The places that accepting a review's changes reads and writes. */
export function getAcceptedPlace({ copy, runHome, seal }: ReviewParts): AcceptedPlace {
  return { runHome, seal, origins: copy.folders.map(({ origin }) => origin) };
}

/** Compares each change of a copy with the workspace. Throws a sentence if a workspace folder is gone. */
export async function reviewCopy(parts: ReviewParts): Promise<Review> {
  const { copy, signal } = parts;
  for (const { origin, name } of copy.folders) await checkFolder(origin, name);
  const placed = parts.changes.map((change): Placed => locateReviewedPath(copy, change));
  const [bases, looks] = await Promise.all([readCurrentBases(parts), inspectPlacedChanges(parts, placed)]);
  const alone = await runWithVersions(parts, placed, bases, async (one, versions) => {
    signal.throwIfAborted();
    return createReviewedChange(parts, one, { versions, relation: {}, looks });
  });
  const relations = await findPathRelations(alone, { ...parts, folders: copy.folders });
  const related = alone.filter(({ label }) => relations.has(label));
  const again = await runWithVersions(parts, related, bases, async ({ change, label, path }, versions) =>
    createReviewedChange(parts, { change, label, path }, { versions, relation: relations.get(label) ?? {}, looks }),
  );
  const others = alone.filter(({ label }) => !relations.has(label));
  return { parts, changes: [...others, ...again].toSorted(compareReviewedChanges) };
}

async function checkFolder(origin: string, name: string): Promise<void> {
  const stats = await lstat(origin).catch(() => undefined);
  const real = await realpath(origin).catch(() => undefined);
  if (!stats?.isDirectory() || real !== origin) fail("isolation.folderGone", { folder: name });
}

function locateReviewedPath({ folders }: Copy, change: CopyChange): Placed {
  const { folder } = change;
  const file = escapeName(change.file);
  const path = join(folder.origin, file);
  // A path of the repository around a workspace folder has no name in it.
  if (!folders.some(({ origin }) => origin === folder.origin)) return { change, label: path, path };
  return { change, label: folders.length > 1 ? `${folder.name}/${file}` : file, path };
}

/** Reads the base versions of several changes at once. */
export type Bases = (all: readonly Placed[]) => Promise<(placed: Placed) => Promise<Version>>;

/** Reads the original versions. */
export function startBases(parts: ReviewParts): Bases {
  return async (all) => {
    const files = all.filter(({ change }) => change.base?.kind === "file");
    const contents = await parts.readBaseContents(files.map(({ change }) => change));
    return ({ change }) => readBaseVersion(change.base, change.folder, contents.get(change));
  };
}

/** Reads the accepted versions of changes, or else the original versions. */
export async function readCurrentBases(parts: ReviewParts): Promise<Bases> {
  const accepted = createAcceptedChanges(getAcceptedPlace(parts));
  const states = await readAcceptedStates(accepted);
  const start = startBases(parts);
  return async (all) => {
    const atStart = await start(all.filter(({ path }) => !states.has(path)));
    return async (placed) => {
      const state = states.get(placed.path);
      if (state?.kind !== "file") return state ? { state } : atStart(placed);
      return state.bytes > HUGE_BYTES ? { state } : { state, content: await accepted.kept.read(state.hash) };
    };
  };
}

/** Calls a function with the versions of each change. Holds only a few changes in memory at a time. */
export async function runWithVersions<T extends Placed, R>(
  parts: ReviewParts,
  all: readonly T[],
  bases: Bases,
  act: (one: T, versions: ThreeVersions) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const group of groupContents(all, ({ change }) => sumContentBytes(change))) {
    const baseOf = await bases(group);
    const acted = await mapInParallel(group, async (one) => act(one, await readThreeVersions(parts, one, baseOf)));
    for (const result of acted) results.push(result);
  }
  return results;
}

function sumContentBytes({ base, now }: CopyChange): number {
  return (base?.bytes ?? 0) + (now?.bytes ?? 0);
}

/** Reads the three versions of a change. A link from the copy into the copy counts as one into the workspace. */
async function readThreeVersions(
  parts: ReviewParts,
  placed: Placed,
  baseOf: (placed: Placed) => Promise<Version>,
): Promise<ThreeVersions> {
  const { folder, file } = placed.change;
  if (isForbiddenName(file, parts.platform ?? process.platform))
    return { base: MISSING, mine: MISSING, theirs: MISSING };
  const [before, mine, theirs] = await Promise.all([
    baseOf(placed),
    readVersion(placed.path),
    readReachableVersion(join(folder.path, file)),
  ]);
  return { base: before, mine, theirs: retargetLink(theirs, folder) };
}

function retargetLink({ state, ...rest }: Version, folder: CopiedFolder): Version {
  return {
    ...rest,
    state: state.kind === "link" ? { kind: "link", to: resolveLinkTarget(state.to, folder) } : state,
  };
}

/** Determines the effect of a change, given the paths that other changes of the review free. */
export function judgeChange(
  parts: ReviewParts,
  { change, path }: Placed,
  versions: ThreeVersions,
  relation: Relation,
): MergeVerdict {
  if (isForbiddenName(change.file, parts.platform ?? process.platform))
    return { result: "refused", why: displayText("isolation.why.name") };
  if (relation.clash !== undefined)
    return { result: "refused", why: displayText("isolation.why.sameName", { file: relation.clash }) };
  const verdict = mergeVersions(relation.isCleared ? { ...versions, mine: MISSING } : versions);
  if (verdict.result !== "same" && parts.isUnsaved?.(path))
    return { result: "conflict", why: displayText("isolation.why.unsaved") };
  return verdict;
}

/** Facts about a review's changes beyond their files. */
interface Looks {
  /** Labels of changes whose names look like others. */
  readonly lookAlikes: ReadonlySet<string>;
  isRunByGit(path: string): boolean;
}

interface Reviewing {
  readonly versions: ThreeVersions;
  readonly relation: Relation;
  readonly looks: Looks;
}

async function inspectPlacedChanges({ copy, signal }: ReviewParts, placed: readonly Placed[]): Promise<Looks> {
  const isRunByGit = await findFilesRunByGit(
    copy.folders.map(({ origin }) => origin),
    signal,
  );
  const shapes = new Map<string, Promise<NameShapes>>();
  const readNeighborShapes = (folder: CopiedFolder, within: string): Promise<NameShapes> => {
    const readNeighborNames = () =>
      Promise.all([folder.origin, folder.path].map((one) => readdir(join(one, within)).catch(() => [])));
    const found =
      shapes.get(join(folder.origin, within)) ?? readNeighborNames().then((all) => collectNameShapes(all.flat()));
    shapes.set(join(folder.origin, within), found);
    return found;
  };
  const lookAlikes = new Set<string>();
  for (const one of placed) {
    const { folder, file, base } = one.change;
    const names = base === undefined ? file.split("/") : [];
    for (const [at, name] of names.entries()) {
      const within = names.slice(0, at).join("/");
      if (
        isLookalikeName(name, await readNeighborShapes(folder, within)) &&
        !(await isThere(join(folder.origin, within, name)))
      )
        lookAlikes.add(one.label);
    }
  }
  return { lookAlikes, isRunByGit };
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

async function createReviewedChange(
  parts: ReviewParts,
  placed: Placed,
  { versions, relation, looks }: Reviewing,
): Promise<ReviewedChange> {
  const { copy, platform = process.platform } = parts;
  const { base, mine, theirs } = versions;
  const verdict = judgeChange(parts, placed, versions, relation);
  const place = {
    file: placed.change.file,
    path: placed.path,
    origins: copy.folders.map(({ origin }) => origin),
    platform,
    isLookAlike: looks.lookAlikes.has(placed.label),
    isRunByGit: looks.isRunByGit(placed.path),
  };
  const isEffective = verdict.result !== "same" && verdict.result !== "refused";
  const result = verdict.result === "conflict" ? theirs.content : "content" in verdict ? verdict.content : undefined;
  const isComparable = isEffective && !isUnreadable(mine) && !isUnreadable(theirs);
  const figures = isComparable
    ? countChangedLines(mine.content ?? NOTHING, result ?? NOTHING)
    : { added: 0, removed: 0 };
  return {
    ...placed,
    ...figures,
    kind: verdict.result === "refused" ? classifyCopyChange(placed.change) : classifyChange(mine, theirs),
    result: verdict.result,
    ...(verdict.result === "conflict" ? await determineSettling(parts, placed, versions, verdict) : {}),
    ...("why" in verdict ? { why: verdict.why } : {}),
    ...(isEffective ? judgeOwnYes(place, versions) : { ownYes: [], ownLines: [] }),
    needs: relation.needs ?? [],
    states: { base: base.state, mine: mine.state, theirs: theirs.state },
    relation,
  };
}

async function determineSettling(
  parts: ReviewParts,
  { path }: Placed,
  versions: ThreeVersions,
  { content }: { readonly content?: Buffer },
): Promise<Pick<ReviewedChange, "settle">> {
  if (parts.isUnsaved?.(path)) return {};
  if (content && (await decodeText(content))) return { settle: "merge" };
  return takeTheirsWhole(versions) ? { settle: "replace" } : {};
}

const NOTHING = Buffer.alloc(0);

/** True for a file that's too large to be compared by lines. */
function isUnreadable({ state, content }: Version): boolean {
  return state.kind === "file" && !content;
}

function classifyChange(mine: Version, { state }: Version): ReviewedChange["kind"] {
  if (state.kind === "missing" || state.kind === "folder") return "deleted";
  return mine.state.kind === "missing" ? "created" : "edited";
}

function classifyCopyChange({ base, now }: CopyChange): ReviewedChange["kind"] {
  return now === undefined ? "deleted" : base === undefined ? "created" : "edited";
}

function compareReviewedChanges(one: ReviewedChange, other: ReviewedChange): number {
  const rank = ({ ownYes, result }: ReviewedChange): number =>
    ownYes.length > 0 ? 0 : result === "conflict" || result === "refused" ? 1 : result === "same" ? 3 : 2;
  return rank(one) - rank(other) || (one.label < other.label ? -1 : 1);
}

/** The workspace's and the result's text of a change, as compared, for a diff. A side is absent if it's missing or isn't text. */
interface ChangeTexts {
  readonly mine?: string;
  readonly result?: string;
}

/** Reads a change's texts. Throws a sentence if one has changed since, as programs of the run may change the copy at any time. */
export async function readChangeTexts({ parts }: Review, change: ReviewedChange): Promise<ChangeTexts> {
  const bases = await readCurrentBases(parts);
  const [texts = {}] = await runWithVersions(parts, [change], bases, (one, versions) =>
    decodeChangeTexts(parts, one, versions),
  );
  return texts;
}

/** The changes with a text on at least one side of their diff. Throws a sentence if one of them has changed since. */
export async function listChangesWithTexts({
  parts,
  changes,
}: Review): Promise<readonly { readonly change: ReviewedChange; readonly sides: readonly (keyof ChangeTexts)[] }[]> {
  const effective = changes.filter(({ result }) => result !== "same");
  const bases = await readCurrentBases(parts);
  const found = await runWithVersions(parts, effective, bases, async (change, versions) => {
    const texts = await decodeChangeTexts(parts, change, versions);
    return { change, sides: (["mine", "result"] as const).filter((side) => texts[side] !== undefined) };
  });
  return found.filter(({ sides }) => sides.length > 0);
}

async function decodeChangeTexts(
  parts: ReviewParts,
  change: ReviewedChange,
  versions: ThreeVersions,
): Promise<ChangeTexts> {
  if (!isAsReviewed(change, versions)) fail("isolation.outdated");
  const verdict = judgeChange(parts, change, versions, change.relation);
  const result = verdict.result === "same" ? versions.mine.content : "content" in verdict ? verdict.content : undefined;
  const whole = result ?? (verdict.result === "conflict" ? versions.theirs.content : undefined);
  const [before, after] = await Promise.all([decodeContent(versions.mine.content), decodeContent(whole)]);
  return {
    ...omitUndefined({ mine: before, result: after }),
  };
}

async function decodeContent(content: Buffer | undefined): Promise<string | undefined> {
  return content && (await decodeText(content))?.text;
}

/** Labels of the changes that differ from an earlier review. */
export function listChangedSince(earlier: Review, { changes }: Review): readonly string[] {
  const now = new Map(changes.map(({ label, states }) => [label, states]));
  return earlier.changes.flatMap(({ label, states }) => {
    const found = now.get(label);
    const isSameStill = found && isEqual(found.mine, states.mine) && isEqual(found.theirs, states.theirs);
    return isSameStill ? [] : [label];
  });
}

/** True if the run's version hasn't changed since the review. */
export function isVersionReviewed({ states }: ReviewedChange, { theirs }: ThreeVersions): boolean {
  return isEqual(states.theirs, theirs.state);
}

/** True if no version has changed since the review. */
export function isAsReviewed({ states }: ReviewedChange, { base, mine, theirs }: ThreeVersions): boolean {
  return isEqual(states.base, base.state) && isEqual(states.mine, mine.state) && isEqual(states.theirs, theirs.state);
}

/** True for equal states, including permission bits. Unreadable paths are equal if the reason is the same. */
function isEqual(one: FileState, other: FileState): boolean {
  if (one.kind === "other") return other.kind === "other" && one.why === other.why;
  if (one.kind === "file" && other.kind === "file" && one.mode !== other.mode) return false;
  return isSameState(one, other);
}
