/** One line of a hunk: unchanged, removed or added. */
interface HunkLine {
  readonly kind: " " | "-" | "+";
  readonly text: string;
}

/** A part of a diff: consecutive lines of the file. */
export interface DiffHunk {
  /** First old line according to its header; absent without one. */
  readonly line?: number;
  /** Text after @@, such as the function around it; "" without one. */
  readonly anchor: string;
  readonly lines: readonly HunkLine[];
}

/**
 * Reads a diff as models write it: with or without file names, line numbers and fences, also in the form of OpenAI's `apply_patch`.
 * Counts in headers are ignored, because models get them wrong.
 */
export function parseHunks(diff: string): readonly DiffHunk[] {
  const hunks: { line?: number; anchor: string; lines: HunkLine[] }[] = [];
  const ensureLastHunk = (): (typeof hunks)[number] => {
    if (hunks.length === 0) hunks.push({ anchor: "", lines: [] });
    return hunks[hunks.length - 1] as (typeof hunks)[number];
  };
  const lines = splitDiffLines(diff);
  const headers = findFileHeaders(lines);
  for (const [index, line] of lines.entries()) {
    if (headers.has(index) || AROUND.test(line)) continue;
    if (line.startsWith("@@")) hunks.push({ ...parseHunkHeader(line), lines: [] });
    else ensureLastHunk().lines.push(parseHunkLine(line));
  }
  return hunks.filter(({ lines }) => lines.some(({ kind }) => kind !== " "));
}

/** The files that a diff names, without `a/` and `b/`. */
export function listNamedFiles(diff: string): readonly string[] {
  const lines = splitDiffLines(diff);
  const unified = [...findFileHeaders(lines)].map((index) =>
    /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/.exec(lines[index] ?? ""),
  );
  const patched = lines.map((line) => /^\*\*\* (?:Update|Add|Delete) File: (.+)$/.exec(line));
  const git = lines.map((line) => /^diff --git a\/.+ b\/(.+)$/.exec(line));
  const names = [...unified, ...patched, ...git].flatMap((found) => found?.[1]?.trim() ?? []);
  return [...new Set(names)].filter((name) => name !== "/dev/null");
}

/** True for a diff that also moves or deletes its file. */
export function hasFileMove(diff: string): boolean {
  const lines = splitDiffLines(diff);
  const isGit = lines[0]?.startsWith("diff --git ");
  return lines.some(
    (line) =>
      /^\*\*\* (?:Move to|Delete File): /.test(line) || (isGit && /^(?:rename to |deleted file mode )/.test(line)),
  );
}

/** Indexes of the lines that name a file's old and new version. Within a hunk, they would count as a removed and an added line. */
function findFileHeaders(lines: readonly string[]): ReadonlySet<number> {
  const found = lines.flatMap((line, index) => {
    const [next = "", after] = lines.slice(index + 1, index + 3);
    const isPair = /^--- \S/.test(line) && /^\+\+\+ \S/.test(next);
    return isPair && (index === 0 || after?.startsWith("@@")) ? [index, index + 1] : [];
  });
  return new Set(found);
}

/** Lines around hunks that contain nothing of the text. */
const AROUND = /^(?:diff --git |index [\da-f]+\.\.|\\ No newline|\*\*\* )/;

/** Reads `@@ -1,2 +1,3 @@ text`, the same without numbers, and `@@ text`. */
function parseHunkHeader(line: string): Pick<DiffHunk, "line" | "anchor"> {
  const number = /^@@\s*-(\d+)/.exec(line)?.[1];
  const after = /^@@.*?@@(.*)$/.exec(line)?.[1] ?? (number === undefined ? line.slice(2) : "");
  return { anchor: after.trim(), ...(number === undefined ? {} : { line: Number(number) }) };
}

function splitDiffLines(diff: string): readonly string[] {
  const lines = diff.split(/\r\n|\r|\n/);
  const isFence = (line: string | undefined): boolean => /^\s*```/.test(line ?? "");
  const whole = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  const inside = isFence(whole[0]) ? whole.slice(1) : whole;
  return isFence(whole[0]) && isFence(inside.at(-1)) ? inside.slice(0, -1) : inside;
}

/** A line without a sign counts as unchanged, because models forget the leading blank. */
function parseHunkLine(line: string): HunkLine {
  const sign = line[0];
  if (sign === "+" || sign === "-" || sign === " ") return { kind: sign, text: line.slice(1) };
  return { kind: " ", text: line };
}
