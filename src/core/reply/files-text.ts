import { COMMAND } from "../commands/command-traits.ts";
import type { Call, Proposal } from "./reply.ts";

/** Renders calls in the form of whole files, for a run that had another form before. Calls that the form doesn't have are only named. */
export function renderFilesReply({ call, also = [], next = [] }: Pick<Proposal, "call" | "also" | "next">): string {
  const renderCall = ({ name, args }: Call): string => {
    switch (name) {
      case COMMAND.write:
        return `File: ${args.filename}\n${wrapInFences(String(args.contents))}`;
      case COMMAND.delete:
        return `Delete: ${args.filename}`;
      case COMMAND.move:
        return `Rename: ${args.source} -> ${args.destination}`;
      case COMMAND.shell:
        return `Run: ${args.command_line}`;
      case COMMAND.read:
        return [args.filename, ...(Array.isArray(args.files) ? args.files : [])]
          .map((one) => `Read: ${one}`)
          .join("\n");
      case COMMAND.finish:
        return String(args.reason);
      default:
        return `(${name}: ${JSON.stringify(args)})`;
    }
  };
  return [call, ...also, ...next].map(renderCall).join("\n\n");
}

/** Wraps a text in fences that are longer than those in it. */
function wrapInFences(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((mark) => mark.length));
  const mark = "`".repeat(longest + 1);
  return `${mark}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${mark}`;
}

/** The line above a whole file in the outcome of `read_file`; a file's extracted text isn't one. */
const HEADER = /^(?!The )(.+), (\d[\d,.]*) lines?$/;

/** The names of commands outside of paths. This form doesn't use them. */
const COMMANDS = new RegExp(
  `(?<![\\w./-])(?:${[
    COMMAND.write,
    COMMAND.append,
    COMMAND.edit,
    COMMAND.read,
    COMMAND.list,
    COMMAND.search,
    COMMAND.move,
    COMMAND.delete,
    COMMAND.createFolder,
    COMMAND.shell,
    COMMAND.finish,
  ].join("|")})(?![\\w/-]|\\.\\w)`,
);

/** Omits the sentences that refer a model to commands, because it would write their names. */
export function omitCommandSentences(text: string): string {
  const sentences = text.split(/(?<=[.!?])(?= )|(?<=\n)|(?=\n)/);
  return sentences
    .filter((sentence) => !COMMANDS.test(sentence))
    .join("")
    .trim();
}

/** Part of the line that replaces text for which an outcome had no room. */
export const CUT = "characters are left out here, as the model's window is too small for them";

/** Renders the whole files in an outcome of `read_file` as this form shows them. The rest stays as it is. */
export function renderFencedFiles(output: string): string {
  const lines = output.split("\n");
  const shown: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, path, count = ""] = HEADER.exec(lines[index] ?? "") ?? [];
    const length = Number(count.replace(/\D/g, ""));
    const isCut = lines.slice(index + 1, index + 1 + length).some((line) => line.includes(CUT));
    if (path === undefined || isCut || index + length >= lines.length) shown.push(lines[index] ?? "");
    else {
      shown.push(`File: ${path}`, wrapInFences(lines.slice(index + 1, index + 1 + length).join("\n")));
      index += length;
    }
  }
  return shown.join("\n");
}
