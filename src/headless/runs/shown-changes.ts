import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { tryJson } from "../../core/base/json.ts";
import { plainlyVisible } from "../../core/base/text.ts";
import { type Review, type ReviewedChange, textsOfChange } from "../../isolation/review/review.ts";
import { fileText } from "../../plain-file.ts";
import { sealed, unsealed } from "../../runs/log/log-seal.ts";
import type { FileState } from "../../runs/undo/file-state.ts";
import { sha256 } from "../../sha256.ts";

/** The file in a run's folder that names the versions whose texts were shown. */
const FILE = "shown.json";
/** Comparing takes the longer the less two texts have in common. Beyond these limits all lines are shown as replaced. */
const LIMITS = { maxEditLength: 5000, timeout: 2000 };

/** A change as text: a unified diff, or a line on what is no text. Hidden characters and terminal codes are written out. */
export async function changeText(review: Review, change: ReviewedChange): Promise<string> {
  const { mine, theirs } = change.states;
  const texts = await textsOfChange(review, change);
  const lines = [...modeLines(mine, theirs)];
  const isText = (state: FileState, text: string | undefined) => state.kind !== "file" || text !== undefined;
  if (!isText(mine, texts.mine) || !isText(theirs, texts.result)) {
    lines.push(`-${describe(mine)}`, `+${describe(theirs)}`);
  } else {
    if (mine.kind === "link") lines.push(`-${describe(mine)}`);
    if (theirs.kind === "link") lines.push(`+${describe(theirs)}`);
    const text = patch(texts.mine ?? "", texts.result ?? "");
    if (text !== "") lines.push(text);
  }
  return plainlyVisible(lines.join("\n"));
}

function modeLines(mine: FileState, theirs: FileState): readonly string[] {
  if (theirs.kind !== "file") return [];
  const before = mine.kind === "file" ? mine.mode : 0o644;
  return ((before ^ theirs.mode) & 0o111) === 0
    ? []
    : [`mode ${before.toString(8)} -> ${theirs.mode.toString(8)}`];
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

function patch(before: string, after: string): string {
  const found = createTwoFilesPatch("a", "b", before, after, "", "", {
    headerOptions: OMIT_HEADERS,
    ...LIMITS,
  });
  return (found ?? [prefixed("-", before), prefixed("+", after)].join("\n")).trimEnd();
}

function prefixed(sign: string, text: string): string {
  return text.replace(/\n$/, "").replace(/^/gm, sign);
}

/** Keeps that the versions of these changes were shown. */
export async function keepShown({ parts }: Review, changes: readonly ReviewedChange[]): Promise<void> {
  const versions = Object.fromEntries(changes.map((change) => [change.label, versionOf(change)]));
  const path = join(parts.runHome, FILE);
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, sealed(JSON.stringify(versions), FILE, parts.seal), { flag: "wx", mode: 0o600 });
  await rename(temporary, path);
}

/** The labels of changes whose versions weren't shown. */
export async function labelsNotShown(
  { parts, changes }: Review,
  labels: ReadonlySet<string>,
): Promise<readonly string[]> {
  const text = await fileText(join(parts.runHome, FILE)).catch(() => "");
  const json = unsealed(text);
  const shown = json !== text && sealed(json, FILE, parts.seal) === text ? tryJson(json) : undefined;
  const versions = new Map(Object.entries(typeof shown === "object" && shown !== null ? shown : {}));
  return changes.flatMap((change) =>
    labels.has(change.label) && versions.get(change.label) !== versionOf(change) ? [change.label] : [],
  );
}

/** Identifies the run's version of a file. What the user changes in the workspace is the user's own. */
function versionOf({ states: { theirs } }: ReviewedChange): string {
  return sha256(JSON.stringify(theirs));
}
