import { join } from "node:path";
import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { tryJson } from "../../core/base/json.ts";
import { escapeForApproval } from "../../core/base/text.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { type Review, type ReviewedChange, readChangeTexts } from "../../isolation/review/review.ts";
import { removeSeal, sealLine } from "../../runs/log/log-seal.ts";
import type { FileState } from "../../runs/undo/file-state.ts";

/** The file in a run's folder that names the versions whose texts were shown. */
const FILE = "shown.json";
/** Comparing texts is slower the less they have in common. Beyond these limits, all lines are shown as replaced. */
const LIMITS = { maxEditLength: 5000, timeout: 2000 };

/** A change as text: a unified diff, or a line if it isn't text. Hidden characters and terminal codes are made visible. */
export async function renderChange(review: Review, change: ReviewedChange): Promise<string> {
  const { mine, theirs } = change.states;
  const texts = await readChangeTexts(review, change);
  const lines = [...renderModeLines(mine, theirs)];
  const isText = (state: FileState, text: string | undefined) => state.kind !== "file" || text !== undefined;
  if (!isText(mine, texts.mine) || !isText(theirs, texts.result)) {
    lines.push(`-${describe(mine)}`, `+${describe(theirs)}`);
  } else {
    if (mine.kind === "link") lines.push(`-${describe(mine)}`);
    if (theirs.kind === "link") lines.push(`+${describe(theirs)}`);
    const text = renderPatch(texts.mine ?? "", texts.result ?? "");
    if (text !== "") lines.push(text);
  }
  return escapeForApproval(lines.join("\n"));
}

function renderModeLines(mine: FileState, theirs: FileState): readonly string[] {
  if (theirs.kind !== "file") return [];
  const before = mine.kind === "file" ? mine.mode : 0o644;
  return ((before ^ theirs.mode) & 0o111) === 0 ? [] : [`mode ${before.toString(8)} -> ${theirs.mode.toString(8)}`];
}

function describe(state: FileState): string {
  switch (state.kind) {
    case "file":
      return `no text, or too large to show: ${state.bytes} bytes, SHA-256 ${state.hash}`;
    case "link":
      return `link to ${JSON.stringify(state.to)}`;
    case "other":
      return state.why;
    default:
      return state.kind;
  }
}

function renderPatch(before: string, after: string): string {
  const found = createTwoFilesPatch("a", "b", before, after, "", "", {
    headerOptions: OMIT_HEADERS,
    ...LIMITS,
  });
  return (found ?? [addLinePrefix("-", before), addLinePrefix("+", after)].join("\n")).trimEnd();
}

function addLinePrefix(sign: string, text: string): string {
  return text.replace(/\n$/, "").replace(/^/gm, sign);
}

/** Records that the versions of these changes were shown. */
export async function keepShown({ parts }: Review, changes: readonly ReviewedChange[]): Promise<void> {
  const versions = Object.fromEntries(changes.map((change) => [change.label, getRunVersion(change)]));
  const sealed = sealLine(JSON.stringify(versions), FILE, parts.seal);
  await replaceFile(join(parts.runHome, FILE), sealed, { private: true });
}

/** The labels of changes whose versions weren't shown. */
export async function listUnshownLabels(
  { parts, changes }: Review,
  labels: ReadonlySet<string>,
): Promise<readonly string[]> {
  const text = await readFileText(join(parts.runHome, FILE)).catch(() => "");
  const json = removeSeal(text);
  const shown = json !== text && sealLine(json, FILE, parts.seal) === text ? tryJson(json) : undefined;
  const versions = new Map(Object.entries(typeof shown === "object" && shown !== null ? shown : {}));
  return changes.flatMap((change) =>
    labels.has(change.label) && versions.get(change.label) !== getRunVersion(change) ? [change.label] : [],
  );
}

/** Identifies the run's version of a file. It excludes the user's own changes in the workspace. */
function getRunVersion({ states: { theirs } }: ReviewedChange): string {
  return sha256(JSON.stringify(theirs));
}
