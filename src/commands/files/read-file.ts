import { counted } from "../../core/base/text.ts";
import {
  type Command,
  type PrepareContext,
  type PreparedCall,
  prepared,
} from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { CommandOutputs } from "../../core/ports/programs.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type DocumentKind, type Documents, documentKind } from "../../core/ports/workspace.ts";
import { type Args, FILE_ALIASES, FILENAME, flag, number, objectSchema, requiredText } from "../arguments.ts";
import { done, failed, fromPlace } from "../outcomes.ts";
import { missingFile, touchOf } from "../places.ts";
import { pageOf, type TextPage } from "../text-page.ts";
import { size } from "../units.ts";

/** Dependencies of reading. */
export interface ReadDependencies {
  readonly workspace: Workspace;
  readonly outputs?: CommandOutputs | undefined;
  /** Absent: documents are read as plain text. */
  readonly documents?: Documents | undefined;
}

/** Reads a file, a part of it, or the full output of a command. */
export function readFile(parts: ReadDependencies): Command {
  return {
    name: "read_file",
    aliases: ["read", "open_file", "view_file", "cat"],
    category: "files",
    effect: "read",
    description:
      'Reads a text file, or the text of a PDF, Word, HTML or notebook file. Long ones come in pages: read on with start_line. The filename "output:7" is all that step 7\'s shell command printed.',
    parameters: objectSchema(
      {
        filename: FILENAME,
        start_line: { type: "integer", minimum: 1, description: "Counted from 1." },
        end_line: { type: "integer", minimum: 1 },
        source: {
          type: "boolean",
          description: "The source of HTML or a notebook, to edit it.",
        },
      },
      ["filename"],
    ),
    argumentAliases: {
      ...FILE_ALIASES,
      from_line: "start_line",
      line_start: "start_line",
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
  const filename = requiredText(args, "filename");
  const from = number(args, "start_line") ?? 1;
  const to = number(args, "end_line");
  if (to !== undefined && to < from) return failed(`end_line (${to}) comes before start_line (${from}).`);
  const part = from > 1 || to !== undefined ? `, lines ${from} to ${to ?? "the last"}` : "";
  const step = /^output:\s*(\d+)$/i.exec(filename)?.[1];
  if (step !== undefined)
    return prepared("read", `Read the full output of step ${step}${part}.`, () =>
      readOutput(parts.outputs, Number(step), from, to),
    );
  const place = await parts.workspace.locate(filename);
  if (place.kind === "missing") return failed(await missingFile(parts.workspace, place.label, signal));
  const { documents } = parts;
  const kind = flag(args, "source") ? undefined : documentKind(place.label);
  const read = (signal: AbortSignal): Promise<Outcome> =>
    kind !== undefined && documents
      ? readDocument(documents, place, kind, { from, to, signal })
      : readPlace(parts.workspace, place, from, to);
  return prepared(
    "read",
    `Read ${kind === undefined ? "" : "the text of "}"${place.label}"${part}.`,
    (running) => read(running.signal),
    { touches: [touchOf(place, "read")] },
  );
}

async function readDocument(
  documents: Documents,
  place: ResolvedPath,
  kind: DocumentKind,
  how: { readonly from: number; readonly to: number | undefined; readonly signal: AbortSignal },
): Promise<Outcome> {
  const text = await documents.textOf(place, kind, how.signal);
  const outcome = told(pageOf(text, how.from, how.to), `The text of "${place.label}"`, how.from);
  if (outcome.status !== "done") return outcome;
  const isEditable = kind === "html" || kind === "ipynb";
  const hint = isEditable ? "\n\n[This is its text. To edit it, read it with source: true.]" : "";
  return fromPlace(done(outcome.output + hint), place);
}

async function readPlace(
  workspace: Workspace,
  place: ResolvedPath,
  from: number,
  to?: number,
): Promise<Outcome> {
  const content = await workspace.read(place);
  if (content.kind === "binary")
    return failed(
      `"${place.label}" is a binary file (${size(content.bytes)}), so it has no text to read. Choose another file, or have a program look at it.`,
    );
  const { text, eol } = content.file;
  const page = pageOf(eol === "\r" ? text.replace(/\r\n?/g, "\n") : text, from, to);
  return fromPlace(told(page, `"${place.label}"`, from), place);
}

async function readOutput(
  outputs: CommandOutputs | undefined,
  step: number,
  from: number,
  to?: number,
): Promise<Outcome> {
  const output = await outputs?.read(step);
  if (output === undefined)
    return failed(`No output of step ${step} was kept. Only commands run with execute_shell keep theirs.`);
  return told(pageOf(output, from, to), `The output of step ${step}`, from);
}

function told(page: TextPage, what: string, from: number): Outcome {
  if (page.lines === 0) return done(`${what} is empty.`);
  if (from > page.lines)
    return failed(`${what} has only ${counted(page.lines, "line")}; start_line ${from} is past its end.`);
  return done(page.note === undefined ? page.text : `${page.text}\n\n${page.note}`);
}
