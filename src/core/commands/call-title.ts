import type { ChangeFigures } from "../../schema/panel-values.ts";
import type { Call } from "../../schema/run-values.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";
import type { TextParameter } from "../../texts/writer.ts";
import { assertNever } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { findTraits, type TitleForm } from "./command-traits.ts";
import type { Outcome } from "./outcome.ts";

/** A call as people read it: "Edit src/a.ts" before it ran, and "Edited src/a.ts" after. */
interface CallTitle {
  readonly before: DisplayText;
  readonly after: DisplayText;
}

/** The title of a call. A tool without a title of its own is named. */
export function createCallTitle({ name, args }: Call, outcome?: Outcome): CallTitle {
  const forms = findTraits(name)?.titles ?? [];
  for (const [index, { code, when, ...shown }] of forms.entries()) {
    const values = Object.entries(shown).map(([key, argument]) => [key, readValue(args, key, argument)] as const);
    const isLast = index === forms.length - 1;
    const fits = when ? isForCall(when, args, outcome) : values.every(([key, value]) => isGiven(key, value, isLast));
    if (fits) return createTitle(code, Object.fromEntries(values));
  }
  return createTitle("UseTool", { tool: formatCommandName(name) });
}

/** The name of a command as people read it: a tool of a server with the server's name before it. */
export function formatCommandName(name: string): string {
  return name.replace(/(?<=.)__(?=.)/, ": ");
}

/** The title of calls that only looked: the names of files, or else a count. */
export function createLookTitle(calls: readonly Call[]): DisplayText {
  const byKind = Map.groupBy(calls, ({ name }) => findTraits(name)?.reads ?? "state");
  const reads = byKind.get("file") ?? [];
  const files = [...new Set(reads.flatMap(({ args }) => listFileNames(args, "filename")))];
  const others = calls.length - reads.length;
  if (others === 0 && files.length <= MOST_NAMES) return { code: "timeline.didReadFiles", parameters: { files } };
  return displayText("timeline.explored", { count: files.length + others });
}

/** Maximum number of names on a line. */
const MOST_NAMES = 3;

type Args = Call["args"];

function createTitle(code: TitleForm["code"], parameters: Readonly<Record<string, TextParameter>>): CallTitle {
  return {
    before: { code: `timeline.to${code}`, parameters },
    after: { code: `timeline.did${code}`, parameters },
  };
}

function isForCall(when: NonNullable<TitleForm["when"]>, args: Args, outcome: Outcome | undefined): boolean {
  switch (when) {
    case "severalFiles":
      return listFileNames(args, "filename").length > 1;
    case "createdFile":
      return outcome?.status === "done" && outcome.files?.[0]?.change === "created";
    case "shared":
      return args.shared === true;
    default:
      return assertNever(when);
  }
}

/** True if a call has what a title shows. The last title also fits without it, except for a list of files. */
function isGiven(parameter: string, value: string | readonly string[], isLast: boolean): boolean {
  if (isLast && parameter !== "files") return true;
  return value.length > 0 && !(PLACES.has(parameter) && isWorkspace(String(value)));
}

/** Parameters that show a place in the workspace. */
const PLACES: ReadonlySet<string> = new Set(["file", "path"]);

function isWorkspace(folder: string): boolean {
  return /^\.?[\\/]*$/.test(folder);
}

/** The value of a title's parameter; empty if the call doesn't have it. */
function readValue(args: Args, parameter: string, argument: string): string | readonly string[] {
  const value = getArgumentText(args, argument);
  switch (parameter) {
    case "files":
      return listFileNames(args, argument);
    case "step":
      return /^output:(\d+)$/.exec(value)?.[1] ?? "";
    case "address":
      return value.replace(/^https?:\/\//, "");
    case "text":
    case "command": {
      const [first = "", ...rest] = value.split("\n");
      return rest.length > 0 ? `${first} …` : first;
    }
    default:
      return value;
  }
}

/** The value of an argument as text; "" without one. */
function getArgumentText(args: Args, name: string): string {
  const found = args[name];
  return typeof found === "string" || typeof found === "number" ? String(found).trim() : "";
}

/** The files that a call reads: that of its argument, and those of its list. */
function listFileNames(args: Args, argument: string): readonly string[] {
  const more = Array.isArray(args.files) ? args.files : [];
  const names = [args[argument], ...more].map((one) => (isObject(one) ? one.filename : one));
  return names.filter((name) => typeof name === "string");
}

/** A sentence on what the user's edit did to a proposed change, for the status bar and screen readers. */
export function describeChangeFigures(figures: ChangeFigures, before: ChangeFigures | undefined): DisplayText {
  const { added, removed, hunks, dropped, edited } = figures;
  if (!edited) return displayText("review.proposalRestored", { added, removed });
  if (hunks === 0) return displayText("review.everythingDropped");
  if (dropped !== (before?.dropped ?? 0) && dropped > 0)
    return displayText("review.hunksDropped", { count: dropped, added, removed });
  return displayText("review.proposalEdited", { added, removed });
}
