import { cutText, visible } from "../base/text.ts";
import { outcomeText } from "../commands/outcome.ts";
import { type Episode, type HistoryEntry, withOutcomeText } from "../prompt/entries.ts";
import type { Call } from "../reply/reply.ts";

/** A shorter text for a past outcome, from the next prompt on. */
export interface Trim {
  readonly step: number;
  readonly text: string;
}

/** At least so many newest episodes stay whole, and as many as fit into this share of the room. */
const LEAST_WHOLE = 2;
const WHOLE_SHARE = 1 / 2;
/** Older outcomes with more characters than this are shortened. */
const LONG_OUTCOME = 1_200;
const KEPT_CHARS = 600;
const HEAD_SHARE = 0.7;

/** Selects the outcomes of older steps to trim in a history that may have `maxTokens`: superseded ones, and long ones. */
export function trimsWithin(
  entries: readonly HistoryEntry[],
  maxTokens: number,
  tokensOf: (entry: HistoryEntry) => number,
): readonly Trim[] {
  const superseded = new Map(supersededIn(entries).map((trim) => [trim.step, trim]));
  let whole = 0;
  let room = maxTokens * WHOLE_SHARE;
  const trims: Trim[] = [];
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "episode") continue;
    const trim = superseded.get(entry.step) ?? shortened(entry);
    room -= tokensOf(entry);
    if (whole < LEAST_WHOLE || (room >= 0 && !superseded.has(entry.step))) whole++;
    else if (trim) trims.unshift(trim);
  }
  return trims;
}

const variants = new WeakMap<Episode, Map<string, Episode>>();

/** The entry with its trimmed outcome; the same object for the same text, so that its tokens are counted once. */
export function trimmed(entry: HistoryEntry, trims: ReadonlyMap<number, Trim>): HistoryEntry {
  const text = entry.kind === "episode" ? trims.get(entry.step)?.text : undefined;
  if (entry.kind !== "episode" || text === undefined) return entry;
  const known = variants.get(entry) ?? new Map<string, Episode>();
  variants.set(entry, known);
  const variant = known.get(text) ?? withOutcomeText(entry, text);
  known.set(text, variant);
  return variant;
}

/** Shortens an outcome to its beginning and end; undefined if nothing is long. Those of further calls are left out with it. */
function shortened({ step, reply, outcome, also = [] }: Episode): Trim | undefined {
  if (outcome.status !== "done" && outcome.status !== "failed") return undefined;
  const text = outcomeText(outcome);
  const further = also.reduce((sum, one) => sum + outcomeText(one).length, 0);
  if (text.length <= LONG_OUTCOME) return further > LONG_OUTCOME ? { step, text } : undefined;
  const head = Math.floor(KEPT_CHARS * HEAD_SHARE);
  const isKept = reply.kind === "proposal" && reply.call.name === "execute_shell";
  const rest = isKept ? `read_file with filename "output:${step}" gives them` : "repeat the call to see them";
  const note = `[… ${text.length - KEPT_CHARS} characters of this older outcome are left out; ${rest} …]`;
  return { step, text: `${text.slice(0, head)}\n${note}\n${text.slice(head - KEPT_CHARS)}` };
}

/** Calls that only look, so that a later one with the same arguments replaces an earlier one. */
const LOOKS: ReadonlySet<string> = new Set([
  "read_file",
  "list_files",
  "search_files",
  "search_code",
  "get_problems",
  "find_symbol",
  "find_references",
  "git_status",
  "git_diff",
  "git_log",
  "list_processes",
  "list_agents",
]);

/** The argument that names the file which a command changes. */
const CHANGED_FILE: Readonly<Record<string, string>> = {
  write_to_file: "filename",
  append_to_file: "filename",
  edit_file: "filename",
  delete_file: "filename",
  move_file: "source",
};

/** Outcomes that a later step replaced: the same look again, or a change of the file that was read. */
function supersededIn(entries: readonly HistoryEntry[]): readonly Trim[] {
  const trims: Trim[] = [];
  const looks = new Map<string, number>();
  const changes = new Map<string, number>();
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "episode" || entry.outcome.status !== "done" || entry.reply.kind !== "proposal")
      continue;
    const { step, outcome } = entry;
    const { call, also = [] } = entry.reply;
    const key = lookKey(call);
    const changed = changedFile(call);
    if (changed !== undefined) changes.set(changed, Math.max(step, changes.get(changed) ?? 0));
    const further = also.flatMap((one) => lookKey(one) ?? []);
    for (const one of further) looks.set(one, Math.max(step, looks.get(one) ?? 0));
    if (key === undefined) continue;
    const line = supersededLine(call, looks.get(key), changes.get(readFile(call) ?? ""));
    const isReplaced = line !== undefined && also.length === 0 && line.length < outcome.output.length;
    if (isReplaced) trims.push({ step, text: line });
    looks.set(key, Math.max(step, looks.get(key) ?? 0));
  }
  return trims.toReversed();
}

function supersededLine(
  call: Call,
  again: number | undefined,
  changedIn: number | undefined,
): string | undefined {
  const file = call.name === "read_file" ? readFile(call) : undefined;
  const what =
    file === undefined
      ? `outcome of ${call.name}`
      : `reading of ${visible(cutText(file.replace(/\s+/g, " "), 120))}`;
  if (again !== undefined)
    return `(an older ${what}; ${file === undefined ? "called" : "read"} again in step ${again})`;
  return changedIn === undefined ? undefined : `(an older ${what}; changed in step ${changedIn})`;
}

/** Identifies a look by its command and arguments; undefined for other calls. */
function lookKey({ name, args }: Call): string | undefined {
  if (!LOOKS.has(name)) return undefined;
  const sorted = Object.entries(args).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const plain = sorted.map(([key, value]) => [key, typeof value === "string" ? plainPath(value) : value]);
  return JSON.stringify([name, plain]);
}

function readFile({ name, args }: Call): string | undefined {
  return name === "read_file" && typeof args.filename === "string" ? plainPath(args.filename) : undefined;
}

function changedFile({ name, args }: Call): string | undefined {
  const argument = Object.hasOwn(CHANGED_FILE, name) ? CHANGED_FILE[name] : undefined;
  const file = argument === undefined ? undefined : args[argument];
  return typeof file === "string" ? plainPath(file) : undefined;
}

function plainPath(path: string): string {
  return path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
}
