import { type Call, NO_THOUGHTS, type Proposal } from "./reply.ts";

/** A line that says what follows, as in `File: src/app.py`. Small models decorate it like a heading or a list item. */
const LINE =
  /^[ \t]*(?:#{1,6}[ \t]+|[-*•][ \t]+|\d+[.)][ \t]+)?[*_`]*(file|delete|rename|move|run|read)[*_`]*:[*_]*[ \t]*(.*?)[ \t]*$/i;
const FENCE = /^[ \t]*(`{3,}|~{3,})([^`]*)$/;
const ARROW = /\s*(?:->|→|=>|\s+to\s+)\s*/;

/** Thoughts are for people; the whole reply is in the log. */
const LONGEST_THOUGHT = 600;

/** One thing that a reply in whole files does. */
interface Part {
  readonly what: "file" | "delete" | "rename" | "run" | "read";
  readonly of: string;
  /** The text of a file, with its last line end; undefined where no fence follows. */
  readonly text?: string | undefined;
}

/**
 * Reads a reply in whole files: fences under their paths, deletions, new names, and commands. Each becomes an ordinary call. A reply that
 * changes something ends the run once all of it is done. Undefined if it holds none of these.
 */
export function filesReply(text: string): Proposal | undefined {
  const { parts, said } = partsOf(text.split(/\r?\n/));
  const calls = meantParts(parts).flatMap(callsOf);
  const [first, ...further] = calls;
  if (!first) return undefined;
  const isChange = calls.some(({ name }) => name !== "read_file" && name !== "execute_shell");
  const end = isChange ? [taskComplete(said || summaryOf(calls))] : [];
  return proposalOf(said, first, [...further, ...end]);
}

/** True for a reply with a block between fences. */
export function hasFence(text: string): boolean {
  return text.split(/\r?\n/).some((line) => FENCE.test(line));
}

/** Reads a reply of nothing but words: the end of the run, or a question to the user. */
export function wordsReply(text: string): Proposal {
  const said = text.trim();
  const isQuestion = /\?["'”*_)]*$/.test(said);
  return proposalOf(
    said,
    isQuestion ? { name: "ask_user", args: { question: said } } : taskComplete(said),
    [],
  );
}

function proposalOf(said: string, call: Call, also: readonly Call[]): Proposal {
  const thoughts = { ...NO_THOUGHTS, text: said.slice(0, LONGEST_THOUGHT) };
  return { kind: "proposal", thoughts, call, ...(also.length > 0 ? { also } : {}) };
}

function taskComplete(reason: string): Call {
  return { name: "task_complete", args: { reason } };
}

function summaryOf(calls: readonly Call[]): string {
  return calls.map(({ name, args }) => `${DID[name] ?? name} ${Object.values(args)[0]}`).join("; ");
}

const DID: Readonly<Record<string, string>> = {
  write_to_file: "Wrote",
  delete_file: "Deleted",
  move_file: "Moved",
  execute_shell: "Ran",
  read_file: "Read",
};

/** The parts of a reply, and the words around them. */
function partsOf(lines: readonly string[]): { readonly parts: readonly Part[]; readonly said: string } {
  const parts: Part[] = [];
  const said: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const found = partAt(lines, index);
    parts.push(...(found?.parts ?? []));
    if (!found) said.push((lines[index] ?? "").trim());
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

/**
 * The part that begins at a line, or a block without a path, which may be a frame around lines of this form; undefined for other words.
 */
function partAt(
  lines: readonly string[],
  index: number,
): { readonly parts?: readonly Part[]; readonly end: number } | undefined {
  const line = lines[index] ?? "";
  const [, word, rest = ""] = LINE.exec(line) ?? [];
  const path = word === undefined ? pathAlone(line) : undefined;
  const isAbove = word !== undefined || path !== undefined;
  const block = line.trim() === "" ? undefined : fencedAt(lines, isAbove ? index + 1 : index);
  if (word === undefined) {
    const of = path ?? block?.path;
    if (block && of !== undefined) return { parts: [{ what: "file", of, text: block.text }], end: block.end };
    if (path !== undefined || !block) return undefined;
    const framed = block.text.trim().split("\n");
    const isFramed = framed.every((one) => LINE.test(one) && !/^\W*file:/i.test(one));
    return isFramed ? { parts: partsOf(framed).parts, end: block.end } : block;
  }
  const what = word.toLowerCase() === "move" ? "rename" : (word.toLowerCase() as Part["what"]);
  if (what === "file")
    return block && { parts: [{ what, of: plainPath(rest), text: block.text }], end: block.end };
  if (rest !== "") return { parts: [{ what, of: rest }], end: index + 1 };
  return what === "run" && block ? { parts: [{ what, of: block.text.trim() }], end: block.end } : undefined;
}

/** The path of a line with nothing else, like a heading above a fence: `**src/app.py**:`. */
function pathAlone(line: string): string | undefined {
  const [, path] =
    /^[ \t]*(?:#{1,6}[ \t]+)?[*_`]*([\w@.-]+(?:\/[\w@. -]+)*\.\w+|Dockerfile|Makefile)[*_`]*:?[*_`]*[ \t]*$/.exec(
      line,
    ) ?? [];
  return path;
}

/** A path without the marks around it, and without remarks after it. */
function plainPath(text: string): string {
  const bare = text.replace(/\s+\((?:new|changed|updated|deleted|modified)[^)]*\)\s*$/i, "").trim();
  return bare.replace(/^[*_]*[`"']+(.*?)[`"']+[*_:]*$/, "$1").replace(/^\*+|\*+$/g, "");
}

/** A block between fences. */
interface Fenced {
  readonly text: string;
  /** The line after it. */
  readonly end: number;
  /** A path that its first fence names, as in "```python src/app.py". */
  readonly path: string | undefined;
}

/** The fenced block that begins at a line or after blank ones. Blocks within it belong to it. Without its end, all is in it. */
function fencedAt(lines: readonly string[], from: number): Fenced | undefined {
  let first = from;
  while (lines[first]?.trim() === "") first++;
  const [, mark = "", info = ""] = FENCE.exec(lines[first] ?? "") ?? [];
  if (mark === "") return undefined;
  let depth = 1;
  let last = first + 1;
  for (; last < lines.length; last++) {
    const [, other = "", language = ""] = FENCE.exec(lines[last] ?? "") ?? [];
    if (other === "" || other[0] !== mark[0] || other.length < mark.length) continue;
    depth += language.trim() === "" ? -1 : 1;
    if (depth === 0) break;
  }
  const text = lines.slice(first + 1, last).join("\n");
  const [, path] = /(?:^|[\s:=])([\w@./-]+\.\w+)\s*$/.exec(info.trim()) ?? [];
  return { text: text === "" ? "" : `${text}\n`, end: last + 1, path };
}

/** Without files that have no text of their own, and without the earlier texts of one that comes more than once. Commands come last. */
function meantParts(parts: readonly Part[]): readonly Part[] {
  const meant = parts.filter(({ what, text = "" }) => what !== "file" || !isNoText(text));
  const last = meant.filter(
    ({ what, of }, index) =>
      what !== "file" || !meant.slice(index + 1).some((later) => later.what === "file" && later.of === of),
  );
  return [...last.filter(({ what }) => what !== "run"), ...last.filter(({ what }) => what === "run")];
}

/** True for lines of this form, or a remark that nothing changes, in place of a file's text. */
function isNoText(text: string): boolean {
  const lines = text.trim().split("\n");
  const isRemark = lines.length === 1 && /^\W*(?:no changes?(?: (?:are )?needed)?|unchanged)\W*$/i.test(text);
  return text !== "" && (isRemark || lines.every((line) => LINE.test(line)));
}

function callsOf({ what, of, text = "" }: Part): readonly Call[] {
  switch (what) {
    case "file":
      return [{ name: "write_to_file", args: { filename: of, contents: text, keep_end: true } }];
    case "delete":
      return pathsIn(of).map((filename) => ({ name: "delete_file", args: { filename } }));
    case "rename": {
      const [source = "", destination] = of.split(ARROW).map(plainPath);
      const isMeant = destination !== undefined && !(SYMBOL.test(source) && SYMBOL.test(destination));
      return isMeant ? [{ name: "move_file", args: { source, destination } }] : [];
    }
    case "run":
      return [{ name: "execute_shell", args: { command_line: of.replace(/^`+(.*?)`+$/, "$1") } }];
    case "read":
      return pathsIn(of).map((filename) => ({
        name: "read_file",
        args: HAS_SOURCE.test(filename) ? { filename, source: true } : { filename },
      }));
  }
}

/** Files of which `read_file` gives the text without its marks, unless the source is asked for. */
const HAS_SOURCE = /\.(?:html?|ipynb|rtf)$/i;

/** The name of a function or a class, which small models rename by the line that is for files. */
const SYMBOL = /^[a-z_$][\w$]*(?:\(\))?$/i;

/** The paths of a line: one, or several with commas between them. */
function pathsIn(text: string): readonly string[] {
  const all = text.split(/,\s+/).map(plainPath);
  return all.every((one) => /^\S+$/.test(one)) ? all : [plainPath(text)];
}

/** Calls in the form of whole files, for a run that had another form before. Those that it doesn't have are only named. */
export function filesText({ call, also = [], next = [] }: Pick<Proposal, "call" | "also" | "next">): string {
  const line = ({ name, args }: Call): string => {
    switch (name) {
      case "write_to_file":
        return `File: ${args.filename}\n${fenced(String(args.contents))}`;
      case "delete_file":
        return `Delete: ${args.filename}`;
      case "move_file":
        return `Rename: ${args.source} -> ${args.destination}`;
      case "execute_shell":
        return `Run: ${args.command_line}`;
      case "read_file":
        return [args.filename, ...(Array.isArray(args.files) ? args.files : [])]
          .map((one) => `Read: ${one}`)
          .join("\n");
      case "task_complete":
        return String(args.reason);
      default:
        return `(${name}: ${JSON.stringify(args)})`;
    }
  };
  return [call, ...also, ...next].map(line).join("\n\n");
}

/** A text between fences that are longer than those in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((mark) => mark.length));
  const mark = "`".repeat(longest + 1);
  return `${mark}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${mark}`;
}

/** The line above a whole file in the outcome of `read_file`; a file's extracted text isn't one. */
const HEADER = /^(?!The )(.+), (\d[\d,.]*) lines?$/;

/** Sentences with the names of commands, which this form doesn't use. */
const ON_COMMANDS =
  / ?[^.!?\n]*\b(?:write_to_file|append_to_file|edit_file|read_file|list_files|search_files|move_file|delete_file|create_folder|execute_shell|task_complete)\b[^.!?\n]*[.!?]?/g;

/** A text without the sentences that send a model to commands: it would write their names. */
export function withoutCommands(text: string): string {
  return text.replaceAll(ON_COMMANDS, "").trim();
}

/** The outcome of `read_file` with whole files as this form shows them. Anything else in it stays as it is. */
export function fencedFiles(output: string): string {
  const lines = output.split("\n");
  const shown: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, path, count = ""] = HEADER.exec(lines[index] ?? "") ?? [];
    const length = Number(count.replace(/\D/g, ""));
    if (path === undefined || index + length >= lines.length + 1) shown.push(lines[index] ?? "");
    else {
      shown.push(`File: ${path}`, fenced(lines.slice(index + 1, index + 1 + length).join("\n")));
      index += length;
    }
  }
  return shown.join("\n");
}
