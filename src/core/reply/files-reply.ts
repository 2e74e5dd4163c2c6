import { COMMAND } from "../commands/command-traits.ts";
import { type Call, NO_THOUGHTS, type Proposal } from "./reply.ts";

/** A line that announces the text below it, as in `File: src/app.py`. Small models decorate it like a heading or a list item. */
const LINE =
  /^[ \t]*(?:#{1,6}[ \t]+|[-*•][ \t]+|\d+[.)][ \t]+)?[*_`]*([Ff]ile|FILE|Delete|Rename|Move|Run|Read)[*_`]*:[*_]*(.*)$/;
const FENCE = /^([ \t]*)(`{3,}|~{3,}(?!~))([^`]*)$/;
const LIST_ITEM = /^[ \t]*(?:[-*•]|\d+[.)])[ \t]/;

/** Longer lines contain no path. */
const LONGEST_PATH = 500;

/** Thoughts are for people; the whole reply is in the log. */
const LONGEST_THOUGHT = 600;

/** One thing that a reply in whole files does. */
interface Part {
  readonly what: "file" | "delete" | "rename" | "run" | "read";
  readonly of: string;
  /** The block with a file's text, or with a command. */
  readonly block?: Block | undefined;
}

/**
 * Reads a reply in whole files: fences under their paths, deletions, new names, and commands. Each becomes an ordinary call. A reply that
 * changes something ends the run once all of it is done. Undefined if it contains none of these, or endlessly repeats itself in a file.
 */
export function readFilesReply(text: string, { isEndless = false, task }: FilesOptions = {}): Proposal | undefined {
  const lines = markLines(text.split(/\r?\n/));
  if (lines.fences.size > MOST_FENCES) return undefined;
  const { parts, said } = splitParts(lines);
  const whole = isEndless ? parts.filter(({ block }) => !block?.isOpen) : parts;
  if (parts.some((part) => !whole.includes(part) && !hasNoText(part) && !isAmong(whole, part))) return undefined;
  const mayBePart = task !== undefined && !MAY_LOSE_LINES.test(task);
  const isAboutEnds = ABOUT_ENDS.test(task ?? "");
  const calls = filterParts(whole).flatMap((part) => createPartCalls(part, { mayBePart, isAboutEnds }));
  const [first, ...further] = calls;
  if (!first) return undefined;
  const isChange = calls.some(({ name }) => name !== COMMAND.read && name !== COMMAND.shell);
  const end = isChange ? [createTaskComplete(said || summarizeCalls(calls))] : [];
  return createProposal(said, first, [...further, ...end]);
}

/** Words of a task that allow a file to lose lines, in the languages of most users. */
const MAY_LOSE_LINES =
  /remov|delet|drop|discard|strip|trim|clear|clean|empt|\bcut\b|shorten|(?:keep|leave|have|with) only|\brid\b|extract|\bmov|split|inline|simplif|merg|unused|dead|\bout\b|stop using|no longer|convert|rewrit|uncomment|undo|revert|todo|from scratch|entfern|lösch|streich|nur noch|kürz|supprim|enlev|retir|borr|elimin|quitar|rimuov|togli|apag|usuń|удал|убер|verwijder|kaldır|raus|注释|削除|消|除|删|刪|去掉|삭제|제거/iu;

/** Words of a task that may be about the final line ending of a file, which a fence doesn't show. */
const ABOUT_ENDS =
  /new ?line|line end|end of (?:the |each |every )?(?:line|file)|trailing|blank|EOF|white ?space|zeilenende|leerzeile/i;

/** How a reply in whole files is read. */
interface FilesOptions {
  /** The stream was canceled, because the reply repeated itself. */
  readonly isEndless?: boolean;
  /** The task, whose words decide whether a file may lose lines on purpose. Absent: it may. */
  readonly task?: string | undefined;
}

/** True for a reply with a block between fences. */
export function hasFence(text: string): boolean {
  return text.split(/\r?\n/).some((line) => FENCE.test(line));
}

/** Reads a reply that has only words: the end of the run, or a question to the user. */
export function readWordsReply(text: string): Proposal {
  const said = text.trim();
  const isQuestion = /\?["'”*_)]*$/.test(said);
  return createProposal(
    said,
    isQuestion ? { name: COMMAND.ask, args: { question: said } } : createTaskComplete(said),
    [],
  );
}

function createProposal(said: string, call: Call, also: readonly Call[]): Proposal {
  const thoughts = { ...NO_THOUGHTS, text: said.slice(0, LONGEST_THOUGHT) };
  return { kind: "proposal", thoughts, call, ...(also.length > 0 ? { also } : {}) };
}

function createTaskComplete(reason: string): Call {
  return { name: COMMAND.finish, args: { reason } };
}

function summarizeCalls(calls: readonly Call[]): string {
  return calls.map(({ name, args }) => `${DID[name] ?? name} ${Object.values(args)[0]}`).join("; ");
}

const DID: Readonly<Record<string, string>> = {
  [COMMAND.write]: "Wrote",
  [COMMAND.delete]: "Deleted",
  [COMMAND.move]: "Moved",
  [COMMAND.shell]: "Ran",
  [COMMAND.read]: "Read",
};

/** Maximum number of fences to read. */
const MOST_FENCES = 2_000;

/** A line with a fence. */
interface Fence {
  readonly at: number;
  readonly indent: string;
  readonly mark: string;
  readonly info: string;
}

/** The lines of a reply, with those that begin or end blocks. */
interface MarkedLines {
  readonly texts: readonly string[];
  /** Fences by line. */
  readonly fences: ReadonlyMap<number, Fence>;
  /** Lines that name a file whose text follows. */
  readonly files: readonly number[];
}

/** Most blank lines between a path and its text. */
const MOST_BLANK = 3;

function markLines(texts: readonly string[]): MarkedLines {
  const fences = new Map<number, Fence>();
  for (const [at, text] of texts.entries()) {
    const [, indent = "", mark = "", info = ""] = FENCE.exec(text) ?? [];
    if (mark !== "") fences.set(at, { at, indent, mark, info: info.trim() });
  }
  const files = texts.flatMap((text, at) => {
    if (!/^file$/i.test(LINE.exec(text)?.[1] ?? "")) return [];
    const below = texts.slice(at + 1, at + 2 + MOST_BLANK).findIndex((one) => one.trim() !== "");
    return below !== -1 && fences.has(at + 1 + below) ? [at] : [];
  });
  return { texts, fences, files };
}

/** Splits a reply into its parts and the words around them. */
function splitParts(lines: MarkedLines): { readonly parts: readonly Part[]; readonly said: string } {
  const parts: Part[] = [];
  const said: string[] = [];
  for (let index = 0; index < lines.texts.length; ) {
    const found = readPart(lines, index);
    parts.push(...(found?.parts ?? []));
    if (!found) said.push((lines.texts[index] ?? "").trim());
    index = found?.end ?? index + 1;
  }
  return {
    parts,
    said: said
      .join("\n")
      .trim()
      .replace(/\n{3,}/g, "\n\n"),
  };
}

/** A part of a reply, or several in one frame, and the line after it. */
interface PartsAt {
  readonly parts?: readonly Part[];
  readonly end: number;
}

/**
 * Reads the part that begins at a line, or a block without a path, which may be a frame around lines of this form. Undefined for other
 * words.
 */
function readPart(lines: MarkedLines, index: number): PartsAt | undefined {
  const line = lines.texts[index] ?? "";
  const [, word, after = ""] = LINE.exec(line) ?? [];
  const rest = after.trim();
  const isFile = word?.toLowerCase() === "file";
  const path = isFile ? stripPathMarks(rest) : word === undefined ? matchPathLine(line) : undefined;
  const isAbove = word !== undefined || path !== undefined;
  const block = line.trim() === "" ? undefined : readBlock(lines, isAbove ? index + 1 : index, path);
  if (isFile || word === undefined) {
    const of = path || block?.path;
    if (block && of) return { parts: [{ what: "file", of, block }], end: block.end };
    return isAbove || !block ? undefined : readFramedParts(block);
  }
  const what = word === "Move" ? "rename" : (word.toLowerCase() as Part["what"]);
  if (!isMeant(lines.texts, index)) return undefined;
  if (rest !== "") return { parts: [{ what, of: rest }], end: index + 1 };
  const of = block?.text.trim();
  return what === "run" && of ? { parts: [{ what, of, block }], end: block?.end ?? index } : undefined;
}

/** False for an item in a list of things that the user can run, or that shouldn't be done. */
function isMeant(texts: readonly string[], index: number): boolean {
  if (!LIST_ITEM.test(texts[index] ?? "")) return true;
  const above = texts.slice(Math.max(0, index - LONGEST_LIST), index);
  const title = above.findLast((text) => text.trim() !== "" && !LIST_ITEM.test(text))?.trim() ?? "";
  if (!title.endsWith(":")) return true;
  const isRun = LINE.exec(texts[index] ?? "")?.[1] === "Run";
  return !isRun && !/\b(?:not|never|avoid|without)\b|n['’]t\b/i.test(title);
}

/** Number of lines above an item that are searched for its title. */
const LONGEST_LIST = 50;

/** Reads the lines of this form in a block without a path or a language; nothing in any other block. */
function readFramedParts(block: Block): PartsAt {
  const lines = block.text.trim().split("\n");
  const isFramed = block.info === "" && lines.every((one) => LINE.test(one) && !/^\W*file:/i.test(one));
  return isFramed ? { parts: splitParts(markLines(lines)).parts, end: block.end } : { end: block.end };
}

/** Matches a path that fills a line, like a heading above a fence: `**src/app.py**:`. */
function matchPathLine(line: string): string | undefined {
  if (line.length > LONGEST_PATH || FENCE.test(line)) return undefined;
  const [, path] =
    /^[ \t]*(?:#{1,6}[ \t]+)?[*_`]*([\w@.-]+(?:\/[\w@. -]+)*\.\w+|Dockerfile|Makefile)[*_`]*:?[*_`]*[ \t]*$/.exec(
      line,
    ) ?? [];
  return path;
}

/** Removes the marks around a path, and the remarks after it. */
function stripPathMarks(text: string): string {
  if (text.length > LONGEST_PATH) return text;
  const bare = text
    .replace(/\s+\((?:new|changed|updated|deleted|modified)[^)]*\)\s*$/i, "")
    .replace(/^(\S+\.\w+)\s+[-–—]\s.*$/, "$1")
    .trim();
  const [, , quoted] = /^[*_]*([`"'])\1*(.+?)\1+[*_]*(?::|\.|\s+[-–—(].*)?[*_]*$/.exec(bare) ?? [];
  return quoted ?? bare.replace(/^\*+|[*:]+$/g, "");
}

/** A block between fences. */
interface Block {
  readonly text: string;
  /** The words of its first fence. */
  readonly info: string;
  /** A path in `info`, as in "```python src/app.py". */
  readonly path: string | undefined;
  /** The line after the block. */
  readonly end: number;
  /** No fence ends it. */
  readonly isOpen: boolean;
}

/** Reads the block that begins at a line or after blank ones, as the text of a file if its path is known. */
function readBlock({ texts, fences, files }: MarkedLines, from: number, given?: string): Block | undefined {
  let first = from;
  while (texts[first]?.trim() === "") first++;
  const start = fences.get(first);
  if (!start) return undefined;
  const { indent, mark, info } = start;
  const [, path] = info.length > LONGEST_PATH ? [] : (/(?:^|[\s:=])([\w@./-]+\.\w+)$/.exec(info) ?? []);
  const next = files.find((at) => at > first) ?? texts.length;
  const later = [...fences.values()].filter(({ at }) => at > first);
  const own = later.filter((one) => one.at < next && one.indent.length <= indent.length && one.mark.startsWith(mark));
  const close =
    findLongFenceEnd(later, mark) ?? findClosingFence(own, HAS_BLOCKS.test(given ?? path ?? "") ? texts : undefined);
  const last = close ?? findTextEnd(texts, first + 1, next);
  const text = texts
    .slice(first + 1, last)
    .map((line) => `${line.startsWith(indent) ? line.slice(indent.length) : line}\n`)
    .join("");
  return { text, info, path, end: close === undefined ? last : close + 1, isOpen: close === undefined };
}

/** Files whose texts contain blocks. */
const HAS_BLOCKS = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;

/** Finds the end of a block with a longer fence than usual, whose text can contain any other fences. */
function findLongFenceEnd(later: readonly Fence[], mark: string): number | undefined {
  if (mark.length === 3) return undefined;
  return later.find((one) => one.mark === mark && one.info === "")?.at;
}

/** The end of a text without its last fence: lines of this form after the text aren't part of it. */
function findTextEnd(texts: readonly string[], from: number, end: number): number {
  const last = texts.findLastIndex((text, at) => at < end && text.trim() !== "" && !LINE.test(text));
  return last >= from && last < end - 1 && texts.slice(last + 1, end).some((text) => LINE.test(text)) ? last + 1 : end;
}

/**
 * Finds the fence that ends a block, so that the fences before and after it form whole blocks. It's the first such fence; in a file that
 * contains blocks, the last, unless one is right above a line of this form. Undefined if no fence can end the block.
 */
function findClosingFence(fences: readonly Fence[], texts: readonly string[] | undefined): number | undefined {
  const isBare = (index: number): boolean => fences[index]?.info === "";
  const areBlocksBefore = [true];
  for (let index = 2; index < fences.length; index += 2)
    areBlocksBefore[index] = areBlocksBefore[index - 2] === true && isBare(index - 1);
  const areBlocksAfter = new Set([fences.length]);
  for (let index = fences.length - 2; index >= 0 && isBare(index + 1); index -= 2) areBlocksAfter.add(index);
  const ends = fences.filter(
    (_, index) => isBare(index) && areBlocksBefore[index] === true && areBlocksAfter.has(index + 1),
  );
  const isLast = ({ at }: Fence): boolean =>
    LINE.test(texts?.slice(at + 1, at + 2 + MOST_BLANK).find((text) => text.trim() !== "") ?? "");
  const end = texts ? (ends.find(isLast) ?? ends.at(-1)) : ends[0];
  return (end ?? fences.findLast(({ info }) => info === ""))?.at;
}

/**
 * Drops files without a text, and the earlier texts of a file that occurs more than once. Commands come last, without those that would
 * overwrite a file.
 */
function filterParts(parts: readonly Part[]): readonly Part[] {
  const meant = parts.filter((part) => part.what !== "file" || !hasNoText(part));
  const last = new Map(meant.flatMap(({ what, of }, index) => (what === "file" ? [[of, index] as const] : [])));
  const kept = meant.filter(({ what, of }, index) => what !== "file" || last.get(of) === index);
  const isAgain = ({ of }: Part): boolean => {
    const [, path] = />{1,2}\s*["']?([\w./-]+)["']?\s*`*$/.exec(of.slice(-LONGEST_PATH)) ?? [];
    return path !== undefined && last.has(path);
  };
  const runs = kept.filter((part) => part.what === "run" && !isAgain(part));
  return [...kept.filter(({ what }) => what !== "run"), ...runs];
}

/** True if the file of a part already has a whole text. */
function isAmong(whole: readonly Part[], { what, of }: Part): boolean {
  return whole.some((part) => part.what === what && part.of === of && !hasNoText(part));
}

const NO_BLOCK: Pick<Block, "text" | "info"> = { text: "", info: "" };

/** True if lines of this form, a remark that nothing changes, or a diff takes the place of a file's text. */
function hasNoText({ of, block }: Part): boolean {
  const { text, info } = block ?? NO_BLOCK;
  if (/^(?:diff|patch)\b/i.test(info) && !/\.(?:diff|patch)$/i.test(of)) return true;
  const lines = text.trim().split("\n");
  const isRemark = lines.length === 1 && /^\W*(?:no changes?(?: (?:are )?needed)?|unchanged)\W*$/i.test(text);
  return text !== "" && (isRemark || lines.every((line) => LINE.test(line)));
}

function createPartCalls(
  { what, of, block }: Part,
  { mayBePart, isAboutEnds }: Readonly<Record<"mayBePart" | "isAboutEnds", boolean>>,
): readonly Call[] {
  switch (what) {
    case "file": {
      const args = { filename: of, contents: block?.text ?? "", ...(isAboutEnds ? {} : { keep_end: true }) };
      return [{ name: COMMAND.write, args: mayBePart ? { ...args, may_be_part: true } : args }];
    }
    case "delete":
      return listPaths(of).map((filename) => ({ name: COMMAND.delete, args: { filename } }));
    case "rename": {
      const [source = "", destination, more] = splitRename(of).map(stripPathMarks);
      const isMeant =
        destination !== undefined && more === undefined && !(SYMBOL.test(source) && SYMBOL.test(destination));
      return isMeant ? [{ name: COMMAND.move, args: { source, destination } }] : [];
    }
    case "run": {
      const line = readCommandLine(of);
      return line.includes("`") ? [] : [{ name: COMMAND.shell, args: { command_line: line } }];
    }
    case "read":
      return listPaths(of).map((filename) => ({
        name: COMMAND.read,
        args: HAS_SOURCE.test(filename) ? { filename, source: true } : { filename },
      }));
  }
}

/** Splits a rename into its paths. The word "to" between them may also occur in a path. */
function splitRename(text: string): readonly string[] {
  const paths = text.split(/->|→|=>/);
  return paths.length > 1 ? paths.map((one) => one.trim()) : text.split(" to ");
}

/** Reads a command without the backticks around it and the words after them: a shell would run the text between backticks. */
function readCommandLine(text: string): string {
  const marks = /^`+/.exec(text)?.[0] ?? "";
  if (marks === "") return text;
  const end = text.indexOf(marks, marks.length);
  return text.slice(marks.length, end === -1 ? undefined : end).trim();
}

/** Files that `read_file` shows without markup, unless the source is requested. */
const HAS_SOURCE = /\.(?:html?|ipynb|rtf)$/i;

/** The name of a function or a class. Small models rename these with the line that is for files. */
const SYMBOL = /^[a-z_$][\w$]*(?:\(\))?$/i;

/** Lists the paths of a line: one, or several separated by commas. */
function listPaths(text: string): readonly string[] {
  const all = text.split(/,\s+/).map(stripPathMarks);
  return all.every((one) => /^\S+$/.test(one)) ? all : [stripPathMarks(text)];
}
