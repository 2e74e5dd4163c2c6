import { isUtf8 } from "node:buffer";
import { decodeText } from "../../node/files/text-encoding.ts";

/** A line of a change. */
export interface ChangedLine {
  readonly kind: "added" | "removed" | "same";
  readonly text: string;
  /** Its number in the new file, from 1; for a removed line, the number of the new line that follows it. */
  readonly line: number;
}

/** Consecutive lines of a change. */
export interface ChangeHunk {
  /** The part of the file that it's in, as git names it; may be empty. */
  readonly heading: string;
  readonly lines: readonly ChangedLine[];
}

/** Why the lines of a changed file aren't shown to the model. */
export type HiddenReason = "binary" | "generated" | "secret" | "large" | "repository" | "conflict";

/** A changed file. */
export interface FileChange {
  /** Relative to the repository's root, with slashes. */
  readonly file: string;
  /** Its earlier name, if it was renamed. */
  readonly was?: string;
  readonly kind: "created" | "edited" | "deleted";
  readonly added: number;
  readonly removed: number;
  /** Empty if its lines aren't shown. */
  readonly hunks: readonly ChangeHunk[];
  readonly hidden?: HiddenReason;
}

/** Options with which git writes a patch that `readPatch` reads, whatever the settings are. */
export const PATCH_OPTIONS: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-relative",
  "--find-renames",
  "--submodule=short",
  "--ignore-submodules=dirty",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** Reads a patch whose bytes are characters (`latin1`). Each file is decoded alone, since each may have its own encoding. */
export async function readPatch(patch: string): Promise<readonly FileChange[]> {
  const starts = [...patch.matchAll(/^diff --git /gm)].map(({ index }) => index);
  const sections = starts.map((start, index) => patch.slice(start, starts[index + 1] ?? patch.length));
  return Promise.all(sections.map(async (section) => readSection(await decodeBytes(section))));
}

async function decodeBytes(section: string): Promise<string> {
  const bytes = Buffer.from(section, "latin1");
  if (isUtf8(bytes)) return bytes.toString("utf8");
  return (await decodeText(bytes))?.text ?? section;
}

function readSection(section: string): FileChange {
  const at = section.search(/^@@ /m);
  const head = at === -1 ? section : section.slice(0, at);
  const [before, after] = readNames(head);
  const isDeleted = /^deleted file mode/m.test(head);
  const isCreated = /^new file mode/m.test(head);
  const file = isDeleted ? before : after;
  const hunks = at === -1 ? [] : readHunks(section.slice(at));
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const base = {
    file,
    ...(before !== after && !isCreated && !isDeleted ? { was: before } : {}),
    kind: isDeleted ? ("deleted" as const) : isCreated ? ("created" as const) : ("edited" as const),
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
  };
  if (/^Binary files /m.test(head)) return { ...base, hunks: [], hidden: "binary" };
  const isRepository = /^(?:new file|deleted file|old|new) mode 160000|^index \S+ 160000$/m.test(head);
  return isRepository ? { ...base, hunks: [], hidden: "repository" } : { ...base, hunks };
}

/** The old and the new name in the lines before the first hunk. */
function readNames(head: string): readonly [before: string, after: string] {
  const find = (pattern: RegExp): string | undefined => {
    const name = pattern.exec(head)?.[1];
    return name === undefined ? undefined : unquoteName(name);
  };
  const from = find(/^rename from (.+?)\r?$/m) ?? find(/^copy from (.+?)\r?$/m);
  const to = find(/^rename to (.+?)\r?$/m) ?? find(/^copy to (.+?)\r?$/m);
  if (from !== undefined && to !== undefined) return [from, to];
  const minus = find(/^--- ("a\/.+"|a\/.+?)\t?\r?$/m)?.slice(2);
  const plus = find(/^\+\+\+ ("b\/.+"|b\/.+?)\t?\r?$/m)?.slice(2);
  const known = plus ?? minus;
  if (known !== undefined) return [minus ?? known, plus ?? known];
  // Without hunks, both names are the same.
  const [first = ""] = head.slice("diff --git ".length).split("\n");
  const quoted = /^"a\/(.*)" "b\/.*"$/.exec(first)?.[1];
  const name = quoted === undefined ? first.slice(2, (first.length - 1) / 2) : unquoteName(`"${quoted}"`);
  return [name, name];
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** A name that git has quoted because of unusual characters. */
function unquoteName(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes = Buffer.from(
    name
      .slice(1, -1)
      .replace(/[^\0-\x7f]+/g, (wide) => Buffer.from(wide).toString("latin1"))
      .replace(/\\([0-7]{3}|.)/g, (_whole, code: string) =>
        code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (ESCAPES[code] ?? code),
      ),
    "latin1",
  );
  return bytes.toString("utf8");
}

function readHunks(text: string): readonly ChangeHunk[] {
  const hunks: { heading: string; lines: ChangedLine[] }[] = [];
  let [line, left, removed] = [0, 0, 0];
  for (const row of text.split("\n")) {
    const isInside = left > 0 || removed > 0;
    const start = isInside ? null : /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(row);
    if (start) {
      const [, before = "1", from = "1", after = "1", heading = ""] = start;
      // An empty range is named by the line before it.
      line = Number(from) + (after === "0" ? 1 : 0);
      [removed, left] = [Number(before), Number(after)];
      hunks.push({ heading: heading.trim(), lines: [] });
      continue;
    }
    if (!isInside || row.startsWith("\\")) continue;
    const [mark = "", content] = [row.slice(0, 1), row.slice(1).replace(/\r$/, "")];
    const kind = mark === "+" ? "added" : mark === "-" ? "removed" : "same";
    hunks.at(-1)?.lines.push({ kind, text: content, line });
    if (kind !== "added") removed -= 1;
    if (kind === "removed") continue;
    left -= 1;
    line += 1;
  }
  return hunks;
}

/** The change that creates a file with a text. */
export function createWholeChange(file: string, text: string): FileChange {
  const rows = text.split(/\r\n|\r|\n/);
  if (rows.at(-1) === "") rows.pop();
  const lines = rows.map((row, index) => ({ kind: "added" as const, text: row, line: index + 1 }));
  const hunks = lines.length === 0 ? [] : [{ heading: "", lines }];
  return { file, kind: "created", added: lines.length, removed: 0, hunks };
}
