import { isObject } from "../../core/base/json.ts";
import {
  type Command,
  createPreparedCall,
  type PrepareContext,
  type PreparedCall,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import { displayText } from "../../texts/display-text.ts";
import {
  type Args,
  createObjectSchema,
  FILE_ALIASES,
  FILENAME,
  getFlagArgument,
  getNumberArgument,
  getTextArgument,
} from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import type { OnlineServices } from "../web/services.ts";
import { askFile } from "./ask-file.ts";
import {
  catchWorkspaceErrors,
  findReadableSource,
  isReadable,
  type Part,
  type ReadableText,
  type ReadDependencies,
  readAll,
} from "./read-sources.ts";

const LINES = { type: "integer", minimum: 1 } as const;
const MOST_FILES = 20;
const PART = { filename: FILENAME, start_line: LINES, end_line: LINES } as const;

/** Dependencies of reading, with the fast model for questions. */
interface AskDependencies extends ReadDependencies {
  readonly services?: Pick<OnlineServices, "getFastModel"> | undefined;
}

/** Reads files, parts of them, or the full outputs of commands; answers a question from one. */
export function readFile(parts: AskDependencies): Command {
  const offered = {
    ...PART,
    question: { type: "string", rare: true },
    files: { type: "array", items: { type: "string" }, description: "More names, to read them together." },
  } as const;
  const item = { anyOf: [FILENAME, createObjectSchema(PART, ["filename"])] };
  return {
    name: "read_file",
    aliases: ["read", "open_file", "view_file", "cat", "read_files"],
    category: "files",
    effect: "read",
    traits: {
      titles: [
        { code: "ReadFiles", when: "severalFiles", files: "filename" },
        { code: "ReadOutput", step: "filename" },
        { code: "ReadLines", file: "filename", from: "start_line", to: "end_line" },
        { code: "ReadFiles", files: "filename" },
      ],
      question: { code: "read", file: "filename" },
      role: "read",
      rank: 0,
      isLean: true,
      reads: "file",
    },
    description:
      "Reads text files, or the text of PDF, Office, ODT, RTF, HTML and notebook files; long ones in pages. Shows pictures.",
    parameters: createObjectSchema({
      ...offered,
      files: { ...offered.files, items: item, maxItems: MOST_FILES },
      source: { type: "boolean" },
    }),
    offered: createObjectSchema(offered, ["filename"]),
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
      query: "question",
      prompt: "question",
    },
    prepare: (args, preparing) => prepare(parts, args, preparing),
  };
}

async function prepare(
  parts: AskDependencies,
  args: Args,
  { signal }: PrepareContext,
): Promise<PreparedCall | Outcome> {
  const wanted = listWantedParts(args);
  if (wanted.length === 0) return createFailure('read_file was not run: the argument "filename" is missing.');
  const isSource = getFlagArgument(args, "source");
  const sources = await Promise.all(
    wanted.map((part) => catchWorkspaceErrors(findReadableSource(parts, { ...part, isSource }, signal))),
  );
  const readable = sources.filter(isReadable);
  if (readable.length === 0)
    return createFailure(
      sources.map((one) => (isReadable(one) ? "" : one.error)).join("\n"),
      displayText("timeline.notRead"),
    );
  const touches = readable.flatMap(({ touch }) => touch ?? []);
  const question = getTextArgument(args, "question")?.trim() ?? "";
  const [source] = readable;
  if (question === "" || !source)
    return createPreparedCall(
      "read",
      renderReadPreview(readable),
      (running) => readAll(sources, running, parts.services ? ASK : ""),
      { touches },
    );
  if (wanted.length > 1) return createFailure("A question is about one file. Ask about each in a call of its own.");
  const { services } = parts;
  if (!services) return createFailure("There is no fast model here. Read the file without a question.");
  const preview = `Have the fast model answer from ${source.name}: ${question}`;
  return createPreparedCall("read", preview, (running) => askFile(source, question, services, running), {
    touches,
  });
}

/** How to learn from a long text without reading all of it. */
const ASK = '[A call of read_file with the argument "question" has the fast model answer it from all of a long file.]';

/** Lists the files that a call names, each with its lines. */
function listWantedParts(args: Args): readonly Part[] {
  const filename = getTextArgument(args, "filename");
  const first = filename === undefined ? [] : [createWantedPart(filename, args)];
  const files = Array.isArray(args.files) ? args.files : [];
  const further = files.flatMap((item): readonly Part[] => {
    if (typeof item === "string") return [createWantedPart(item, {})];
    return isObject(item) ? [createWantedPart(getTextArgument(item, "filename") ?? "", item)] : [];
  });
  const all = [...first, ...further];
  const keys = all.map((part) => JSON.stringify(part));
  return all.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
}

function createWantedPart(filename: string, args: Args): Part {
  return { filename, from: getNumberArgument(args, "start_line") ?? 1, to: getNumberArgument(args, "end_line") };
}

function renderReadPreview(sources: readonly ReadableText[]): string {
  const names = sources.map(({ name, part: { from, to } }) => {
    const lines = from > 1 || to !== undefined ? `, lines ${from} to ${to ?? "the last"}` : "";
    return `${name}${lines}`;
  });
  return names.length === 1 ? `Read ${names[0]}.` : `Read:\n${names.map((name) => `- ${name}`).join("\n")}`;
}
