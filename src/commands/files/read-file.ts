import { isObject } from "../../core/base/json.ts";
import {
  type Command,
  type PrepareContext,
  type PreparedCall,
  prepared,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import { type Args, FILE_ALIASES, FILENAME, flag, number, objectSchema, text } from "../arguments.ts";
import { failed } from "../outcomes.ts";
import {
  isReadable,
  orUnread,
  type Part,
  type ReadableText,
  type ReadDependencies,
  readAll,
  sourceOf,
} from "./read-sources.ts";

const LINES = { type: "integer", minimum: 1 } as const;
const MOST_FILES = 20;
const PART = { filename: FILENAME, start_line: LINES, end_line: LINES } as const;

/** Reads files, parts of them, or the full outputs of commands. */
export function readFile(parts: ReadDependencies): Command {
  const offered = {
    ...PART,
    files: {
      type: "array",
      items: { type: "string" },
      description: 'More of them, or parts: "src/b.ts:10-40".',
    },
  } as const;
  const item = { anyOf: [FILENAME, objectSchema(PART, ["filename"])] };
  return {
    name: "read_file",
    aliases: ["read", "open_file", "view_file", "cat", "read_files"],
    category: "files",
    effect: "read",
    description:
      'Reads text files, or the text of PDF, Office, ODT, RTF, HTML and notebook files; long ones in pages. The filename "output:7" is what step 7\'s command printed.',
    parameters: objectSchema({
      ...offered,
      files: { ...offered.files, items: item, maxItems: MOST_FILES },
      source: { type: "boolean" },
    }),
    offered: objectSchema(offered, ["filename"]),
    argumentAliases: {
      ...FILE_ALIASES,
      filenames: "files",
      file_names: "files",
      file_paths: "files",
      paths: "files",
      from: "start_line",
      from_line: "start_line",
      line_start: "start_line",
      to: "end_line",
      to_line: "end_line",
      line_end: "end_line",
      raw: "source",
    },
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: ReadDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const wanted = partsIn(args);
  if (wanted.length === 0) return failed('read_file was not run: the argument "filename" is missing.');
  const isSource = flag(args, "source");
  const sources = await Promise.all(
    wanted.map((part) => orUnread(sourceOf(parts, { ...part, isSource }, signal))),
  );
  const readable = sources.filter(isReadable);
  if (readable.length === 0)
    return failed(
      sources.map((one) => (isReadable(one) ? "" : one.error)).join("\n"),
      displayText("timeline.notRead"),
    );
  return prepared("read", previewOf(readable), (running) => readAll(sources, running.signal), {
    touches: readable.flatMap(({ touch }) => touch ?? []),
  });
}

/** The files that a call names, each with its lines. */
function partsIn(args: Args): readonly Part[] {
  const filename = text(args, "filename");
  const first = filename === undefined ? [] : [partOf(filename, args)];
  const files = Array.isArray(args.files) ? args.files : [];
  const further = files.flatMap((item): readonly Part[] => {
    if (typeof item === "string") return [partOf(item, {})];
    return isObject(item) ? [partOf(text(item, "filename") ?? "", item)] : [];
  });
  const all = [...first, ...further];
  const keys = all.map((part) => JSON.stringify(part));
  return all.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

function partOf(filename: string, args: Args): Part {
  return { filename, from: number(args, "start_line") ?? 1, to: number(args, "end_line") };
}

function previewOf(sources: readonly ReadableText[]): string {
  const names = sources.map(({ name, part: { from, to } }) => {
    const lines = from > 1 || to !== undefined ? `, lines ${from} to ${to ?? "the last"}` : "";
    return `${name}${lines}`;
  });
  return names.length === 1 ? `Read ${names[0]}.` : `Read:\n${names.map((name) => `- ${name}`).join("\n")}`;
}
