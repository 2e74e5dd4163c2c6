import { COMMAND, omitUndefined } from "../../../../../src/headless/library.ts";
import type { OracleCall } from "../../suite.ts";

/** One task as its file describes it. */
export interface EditTaskText {
  readonly name: string;
  readonly task: string;
  /** The project, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Files that the grader adds before it runs the tests. */
  readonly tests: Readonly<Record<string, string>>;
  readonly oracle: readonly OracleCall[];
}

/** A marked part of a task file: `@@@ kind words`, then its lines. */
interface Part {
  readonly kind: string;
  readonly words: readonly string[];
  readonly text: string;
}

const MARK = /^@@@ (\w+)(.*)$/;

/**
 * Reads the tasks of one language. Parts before the first task are comments or test files that all of its tasks share.
 * A file's line ends, byte order mark and missing last line end are words after its path: `crlf`, `bom`, `open`.
 */
export function readEditTasks(text: string): readonly EditTaskText[] {
  const parts = splitParts(text);
  const first = parts.findIndex(({ kind }) => kind === "task");
  const shared = collectFiles(parts.slice(0, first), "test");
  const starts = parts.flatMap(({ kind }, index) => (kind === "task" ? [index] : []));
  return starts.map((start, index) => createTaskText(parts.slice(start, starts[index + 1]), shared));
}

function splitParts(text: string): readonly Part[] {
  const parts: (Part & { readonly lines: string[] })[] = [];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const [, kind, rest = ""] = MARK.exec(line) ?? [];
    if (kind !== undefined) parts.push({ kind, words: rest.trim().split(" "), text: "", lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  return parts.map(({ kind, words, lines }) => ({ kind, words, text: lines.join("\n") }));
}

function createTaskText(parts: readonly Part[], shared: Readonly<Record<string, string>>): EditTaskText {
  const [head] = parts;
  const name = head?.words[0] ?? "";
  return {
    name,
    task: head?.text.trim() ?? "",
    files: collectFiles(parts, "file"),
    tests: { ...shared, ...collectFiles(parts, "test") },
    oracle: createOracle(name, parts),
  };
}

function collectFiles(parts: readonly Part[], wanted: string): Record<string, string> {
  return Object.fromEntries(
    parts
      .filter(({ kind }) => kind === wanted)
      .map(({ words: [path = "", ...styles], text }) => [path, applyStyles(text, styles)]),
  );
}

function applyStyles(text: string, styles: readonly string[]): string {
  const closed = styles.includes("open") ? text : `${text}\n`;
  const ended = styles.includes("crlf") ? closed.replaceAll("\n", "\r\n") : closed;
  return styles.includes("bom") ? `\uFEFF${ended}` : ended;
}

/** `edit PATH [all]` with `to` is one replacement; those of one file that follow one another are one call. */
function createOracle(name: string, parts: readonly Part[]): readonly OracleCall[] {
  const calls: { command: string; args: { filename: string; edits?: object[]; contents?: string } }[] = [];
  for (const [index, { kind, words, text }] of parts.entries()) {
    const [filename = "", which] = words;
    if (kind === "write")
      calls.push({
        command: COMMAND.write,
        args: { filename, contents: `${stripTrailingNewlines(text)}\n` },
      });
    if (kind !== "edit") continue;
    const to = parts[index + 1];
    if (to?.kind !== "to") throw new Error(`The task ${name} has an edit without the text it becomes.`);
    const edit = {
      search: stripTrailingNewlines(text),
      replace: stripTrailingNewlines(to.text),
      ...omitUndefined({ all: which === "all" || undefined }),
    };
    const last = calls.at(-1)?.args;
    if (last?.edits && last.filename === filename) last.edits.push(edit);
    else calls.push({ command: COMMAND.edit, args: { filename, edits: [edit] } });
  }
  return calls;
}

/** Without the empty lines that separate tasks. */
function stripTrailingNewlines(text: string): string {
  return text.replace(/\n+$/, "");
}
