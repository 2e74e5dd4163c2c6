import { formatQuantity } from "../../core/base/text.ts";
import { estimateTokens } from "../../core/context/tokens.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { ChangedLine, ChangeHunk, FileChange, HiddenReason } from "./read-patch.ts";

/** Changes without secrets. A file in which a secret takes several lines isn't shown, because its lines would no longer fit. */
export function redactChanges(changes: readonly FileChange[], redact: (text: string) => string): readonly FileChange[] {
  return changes.map((change) => {
    const lines = change.hunks.flatMap((hunk) => hunk.lines);
    const before = lines.map(({ text }) => text).join("\n");
    const after = redact(before);
    if (after === before) return change;
    const texts = after.split("\n");
    if (texts.length !== lines.length) return { ...change, hunks: [], hidden: "secret" as const };
    let at = 0;
    const replaceText = (line: ChangedLine): ChangedLine => ({ ...line, text: texts[at++] ?? "" });
    return {
      ...change,
      hunks: change.hunks.map(({ heading, lines: own }) => ({ heading: redact(heading), lines: own.map(replaceText) })),
    };
  });
}

const REASONS: Readonly<Record<HiddenReason, string>> = {
  binary: "not text",
  generated: "generated",
  secret: "may hold secrets",
  large: "too long",
  repository: "another repository",
  conflict: "has merge conflicts",
};

/** A file's name and figures. */
function renderChangeHeading({ file, was, kind, added, removed, hidden }: FileChange): string {
  const facts = [
    was === undefined ? kind : `renamed from ${was}`,
    `+${added} -${removed}`,
    ...(hidden === undefined ? [] : [`${REASONS[hidden]}, lines not shown`]),
  ];
  return `file: ${file} (${facts.join(", ")})`;
}

const MARKS = { added: "+", removed: "-", same: " " } as const;
const NUMBER_WIDTH = 5;

/** A hunk, with or without the numbers of the new file's lines; removed lines have none. */
function renderHunk({ heading, lines }: ChangeHunk, hasNumbers: boolean): string {
  const rows = lines.map(({ kind, text, line }) => {
    const number = kind === "removed" ? "" : String(line);
    return `${hasNumbers ? `${number.padStart(NUMBER_WIDTH)} ` : ""}${MARKS[kind]}${text}`;
  });
  return [`@@ ${heading}`.trimEnd(), ...rows].join("\n");
}

/** The changes in one text, in git's form. Small models take a heading in words for a message. */
export function renderChanges(changes: readonly FileChange[]): string {
  const texts = changes.map((change) => {
    const { file, was = file, kind } = change;
    if (change.hunks.length === 0) return renderChangeHeading(change);
    const names = [kind === "created" ? "/dev/null" : `a/${was}`, kind === "deleted" ? "/dev/null" : `b/${file}`];
    const hunks = change.hunks.flatMap((hunk) => cutHunk(hunk, Number.POSITIVE_INFINITY));
    return [`--- ${names[0]}`, `+++ ${names[1]}`, ...hunks.map((hunk) => renderHunk(hunk, false))].join("\n");
  });
  return texts.join("\n\n");
}

/** A part of the changes that fits into one prompt. */
export interface ChangePart {
  readonly text: string;
  readonly files: readonly string[];
}

/** Divides the changes into parts of at most so many tokens: by files, and large files by their hunks. */
export function splitChanges(changes: readonly FileChange[], mostTokens: number): readonly ChangePart[] {
  const parts: { texts: string[]; files: string[]; tokens: number }[] = [];
  for (const piece of changes.flatMap((change) => cutChange(change, mostTokens))) {
    const tokens = estimateTokens(piece.text);
    const last = parts.at(-1);
    if (last && last.tokens + tokens <= mostTokens) {
      last.texts.push(piece.text);
      last.files.push(piece.file);
      last.tokens += tokens;
    } else parts.push({ texts: [piece.text], files: [piece.file], tokens });
  }
  return parts.map(({ texts, files }) => ({ text: texts.join("\n\n"), files: [...new Set(files)] }));
}

/** A file's change in pieces, each of which begins with its name. */
function cutChange(
  change: FileChange,
  mostTokens: number,
): readonly { readonly file: string; readonly text: string }[] {
  const { file } = change;
  const heading = renderChangeHeading(change);
  const pieces: string[][] = [[]];
  let tokens = estimateTokens(heading);
  for (const hunk of change.hunks.flatMap((one) => cutHunk(one, mostTokens / 2))) {
    const text = renderHunk(hunk, true);
    const own = estimateTokens(text);
    if (tokens + own > mostTokens && pieces.at(-1)?.length !== 0) {
      pieces.push([]);
      tokens = estimateTokens(heading);
    }
    pieces.at(-1)?.push(text);
    tokens += own;
  }
  return pieces.map((texts) => ({ file, text: [heading, ...texts].join("\n") }));
}

/** Beyond this, a line is hardly written by hand. */
const LONGEST_LINE = 600;

function cutHunk({ heading, lines }: ChangeHunk, mostTokens: number): readonly ChangeHunk[] {
  const hunks: { heading: string; lines: ChangedLine[] }[] = [{ heading, lines: [] }];
  let tokens = 0;
  for (const line of lines) {
    const text = line.text.length > LONGEST_LINE ? `${line.text.slice(0, LONGEST_LINE)} […]` : line.text;
    const own = estimateTokens(text) + LINE_TOKENS;
    if (tokens + own > mostTokens && tokens > 0) {
      hunks.push({ heading, lines: [] });
      tokens = 0;
    }
    hunks.at(-1)?.lines.push({ ...line, text });
    tokens += own;
  }
  return hunks;
}

/** Tokens of a line's number and mark. */
const LINE_TOKENS = 3;

const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|Podfile\.lock|mix\.lock|pubspec\.lock|flake\.lock|gradle\.lockfile|packages\.lock\.json|go\.sum)$/;
const MINIFIED = /\.min\.(?:js|css)$|\.(?:js|css)\.map$/;
const MEDIA = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|pdf|woff2?|ttf|otf|mp[34]|webm|ogg|wav)$/i;

/** True for lock files and minified code, whose lines no one reads. */
export function isGenerated(file: string): boolean {
  return LOCK_FILE.test(file) || MINIFIED.test(file);
}

/** True for a file that a review would have to see, but that the model hasn't seen. Lock files, media and fonts change with the code. */
export function isUnseen({ file, hidden }: FileChange): boolean {
  return hidden !== undefined && !LOCK_FILE.test(file) && !MEDIA.test(file);
}

const REVIEWED = ["large", "secret", "conflict", "generated", "binary"] as const;

/** The files that the model hasn't seen, as sentences for people: of these kinds. */
export function describeHidden(
  changes: readonly FileChange[],
  kinds: readonly (typeof REVIEWED)[number][] = REVIEWED,
): readonly DisplayText[] {
  return kinds.flatMap((reason) => {
    const names = changes.filter(({ hidden }) => hidden === reason).map(({ file }) => file);
    if (names.length === 0) return [];
    const more = names.length - MOST_NAMED;
    const files = names.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ", …" : "");
    return [displayText(HIDDEN_TEXTS[reason], { count: names.length, files })];
  });
}

const MOST_NAMED = 3;

const HIDDEN_TEXTS = {
  large: "scm.hidden.large",
  secret: "scm.hidden.secret",
  conflict: "scm.hidden.conflict",
  generated: "scm.hidden.generated",
  binary: "scm.hidden.binary",
} as const;

/** The headings of files whose lines don't fit, for the model. */
export function renderLeftOut(changes: readonly FileChange[]): string {
  if (changes.length === 0) return "";
  const most = changes.slice(0, MOST_HEADINGS).map((change) => `- ${renderChangeHeading(change)}`);
  const more = changes.length - most.length;
  return [
    "Their lines are left out, because they don't fit:",
    ...most,
    ...(more > 0 ? [`- and ${formatQuantity(more, "file")} more`] : []),
  ].join("\n");
}

const MOST_HEADINGS = 100;
