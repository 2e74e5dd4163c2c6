import { createPreparedCall, type PreparedCall } from "../../core/commands/command.ts";
import type { Outcome } from "../../core/commands/outcome.ts";
import type { ResolvedPath, Workspace } from "../../core/ports/workspace.ts";
import { type Args, FILE_ALIASES, FILENAME, getTextArgument } from "../arguments.ts";
import { createFailure } from "../outcomes.ts";
import { createTouch, describeMissingFile } from "../places.ts";

/** The schemas of code: as a text, or as a file of the workspace. */
export const CODE_ARGUMENTS = {
  filename: FILENAME,
  code: { type: "string", minLength: 1, description: "In place of filename." },
} as const;

/** Older and other names of these arguments. */
export const CODE_ALIASES: Readonly<Record<string, string>> = { ...FILE_ALIASES, source: "code" };

/** The schema of one or several requests. */
export const WISHES = { type: ["array", "string"], items: { type: "string" } } as const;

/** Requests as lines; "" when there are none. */
export function formatRequests(args: Args, name: string): string {
  const value = args[name];
  const wishes = Array.isArray(value) ? value : [value];
  return wishes
    .filter((wish) => typeof wish === "string" && wish.trim() !== "")
    .map((wish) => `- ${wish}`)
    .join("\n");
}

/** Code that a call is about. */
export interface CodeInput {
  readonly code: string;
  /** For people: the file's label, or "the code". */
  readonly what: string;
  /** The file at the version that was read. */
  readonly place?: ResolvedPath;
}

/** Loads the code of a call, or returns an outcome if there is none. */
export async function loadCodeInput(
  workspace: Workspace,
  args: Args,
  signal: AbortSignal,
): Promise<CodeInput | Outcome> {
  const [code, filename] = [getTextArgument(args, "code"), getTextArgument(args, "filename")];
  if (code !== undefined && filename === undefined)
    return code.trim() === "" ? createFailure("The code is empty.") : { code, what: "the code" };
  if (filename === undefined || code !== undefined)
    return createFailure('Give either "filename" or "code", one of them.');
  const place = await workspace.locate(filename);
  if (place.kind === "missing") return createFailure(await describeMissingFile(workspace, place.label, signal));
  const content = await workspace.read(place);
  if (content.kind === "binary") return createFailure(`"${place.label}" is a binary file, so it holds no code.`);
  if (content.file.text.trim() === "") return createFailure(`"${place.label}" is empty.`);
  return { code: content.file.text, what: `"${place.label}"`, place: { ...place, version: content.version } };
}

/** A request to the fast model, in words for people. */
export interface CodeRequest {
  /** The task, as "review". */
  readonly doing: string;
  /** Text before the requests, as ", above all". */
  readonly lead: string;
  /** As lines; "" when there are none. */
  readonly wishes: string;
}

/** Prepares a question about code as it's shown and judged. It names a file, but shows code that isn't in one. */
export function prepareQuestion(
  { code, what, place }: CodeInput,
  { doing, lead, wishes }: CodeRequest,
  run: PreparedCall["run"],
): PreparedCall {
  const wanted = wishes === "" ? "." : `${lead}:\n${wishes}`;
  const shown = place ? "" : `\n\n${code}`;
  return createPreparedCall("read", `Have the fast model ${doing} ${what}${wanted}${shown}`, run, {
    touches: place ? [createTouch(place, "read")] : [],
  });
}
