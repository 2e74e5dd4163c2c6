import { omitUndefined } from "../../core/base/objects.ts";
import { sha256 } from "../../disk/sha256.ts";
import { type FileState, isSameState } from "../../runs/undo/file-state.ts";
import { displayText, restoreSentence, type Sentence } from "../../texts/display-text.ts";
import { isBinary, mergeLines } from "./three-way.ts";
import { MISSING, type Version } from "./versions.ts";

/** The three versions of a path: when the copy was made, in the workspace now, and in the copy now. */
export interface ThreeVersions {
  readonly base: Version;
  readonly mine: Version;
  readonly theirs: Version;
}

/** The effect that a copy's change has on the current workspace. */
export type MergeVerdict =
  | { readonly result: "same" }
  | { readonly result: "taken" | "merged"; readonly target: FileState; readonly content?: Buffer }
  /** `content`: text with conflict markers, if the lines could be merged. */
  | { readonly result: "conflict"; readonly why: Sentence; readonly content?: Buffer }
  | { readonly result: "refused"; readonly why: Sentence };

/** Merges the changes of both sides: the result holds both, or it's a conflict. */
export function mergeVersions({ base, mine, theirs: copied }: ThreeVersions): MergeVerdict {
  const theirs = copied.state.kind === "folder" ? MISSING : copied;
  if (theirs.state.kind === "other")
    return { result: "refused", why: restoreSentence(theirs.state.why, theirs.state.text) };
  if (isSame(mine.state, theirs.state) || isSame(base.state, theirs.state)) return { result: "same" };
  if (isSame(base.state, mine.state)) return takeTheirs(mine, theirs);
  if (isFile(mine) && isFile(theirs)) return mergeFiles(base, mine, theirs);
  return { result: "conflict", why: explainObstacle(mine.state, theirs.state) };
}

/** Takes the run's whole version, regardless of the workspace's; undefined if something else is in the way. */
export function takeTheirsWhole({ mine, theirs }: ThreeVersions): MergeVerdict | undefined {
  if (mine.state.kind === "other" || mine.state.kind === "folder" || theirs.state.kind === "other") return undefined;
  return takeTheirs(mine, theirs.state.kind === "folder" ? MISSING : theirs);
}

/** True if two states don't differ in anything that's accepted. Of the permission bits, only the executable one is. */
function isSame(one: FileState, other: FileState): boolean {
  if (one.kind === "file" && other.kind === "file" && hasExecutableBit(one.mode) !== hasExecutableBit(other.mode))
    return false;
  return isSameState(one, other);
}

export function hasExecutableBit(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

function takeTheirs(mine: Version, theirs: Version): MergeVerdict {
  const { state, content } = theirs;
  if (state.kind !== "file") return { result: "taken", target: state };
  const target = { ...state, mode: computeResultMode(mine.state, hasExecutableBit(state.mode)) };
  return { result: "taken", target, ...omitUndefined({ content }) };
}

/** Permission bits of a result: those of the workspace's file, except for the executable ones. */
export function computeResultMode(mine: FileState, executable: boolean): number {
  const mode = mine.kind === "file" ? mine.mode : 0o666 & ~process.umask();
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

interface FileVersion extends Version {
  readonly state: Extract<FileState, { readonly kind: "file" }>;
}

function isFile(version: Version): version is FileVersion {
  return version.state.kind === "file";
}

function mergeFiles(base: Version, mine: FileVersion, theirs: FileVersion): MergeVerdict {
  const mode = computeResultMode(mine.state, mergeExecutableBit(base.state, mine.state, theirs.state));
  const mineOnly = { ...mine.state, mode };
  const theirsOnly = { ...theirs.state, mode };
  if (mine.state.hash === theirs.state.hash || isSameState(base.state, theirs.state))
    return isSame(mine.state, mineOnly)
      ? { result: "same" }
      : { result: "taken", target: mineOnly, ...omitUndefined({ content: mine.content }) };
  if (isSameState(base.state, mine.state))
    return {
      result: "merged",
      target: theirsOnly,
      ...omitUndefined({ content: theirs.content }),
    };
  return mergeContents(base, mine.content, theirs.content, mode);
}

function mergeExecutableBit(
  base: FileState,
  mine: { readonly mode: number },
  theirs: { readonly mode: number },
): boolean {
  const [own, other] = [hasExecutableBit(mine.mode), hasExecutableBit(theirs.mode)];
  const before = base.kind === "file" && hasExecutableBit(base.mode);
  return other === before ? own : other;
}

function mergeContents(
  base: Version,
  mine: Buffer | undefined,
  theirs: Buffer | undefined,
  mode: number,
): MergeVerdict {
  const before = base.state.kind === "file" ? base.content : Buffer.alloc(0);
  if (!before || !mine || !theirs) return createTooLongVerdict();
  if ([before, mine, theirs].some(isBinary)) return { result: "conflict", why: displayText("isolation.why.binary") };
  const merge = mergeLines(before, mine, theirs);
  if (!merge) return createTooLongVerdict();
  const { content, conflicts } = merge;
  if (conflicts > 0)
    return {
      result: "conflict",
      why: displayText("isolation.why.bothChanged", { count: conflicts }),
      content,
    };
  const hash = sha256(content);
  return { result: "merged", target: { kind: "file", hash, bytes: content.length, mode }, content };
}

function createTooLongVerdict(): MergeVerdict {
  return { result: "conflict", why: displayText("isolation.why.tooLong") };
}

function explainObstacle(mine: FileState, theirs: FileState): Sentence {
  switch (mine.kind) {
    case "missing":
      return displayText("isolation.why.deletedHere");
    case "folder":
      return displayText("isolation.why.folder");
    case "other":
      return restoreSentence(mine.why, mine.text);
    case "file":
    case "link":
      return displayText(theirs.kind === "missing" ? "isolation.why.deletedThere" : "isolation.why.otherKind");
  }
}
