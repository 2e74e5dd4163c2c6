import { quotePictureName } from "../base/pictures.ts";
import { cutText, escapeInvisible } from "../base/text.ts";
import { COMMAND, findTraits, isLook } from "../commands/command-traits.ts";
import { getOutcomeText, listOutcomePictures, type Outcome } from "../commands/outcome.ts";
import { type Episode, type HistoryEntry, type OutcomeText, replaceOutcomeTexts } from "../prompt/entries.ts";
import { listStepCalls } from "../reply/further-calls.ts";
import type { Call } from "../reply/reply.ts";

/** A shorter text that replaces a past outcome from the next prompt on. */
export type Trim = OutcomeText & { readonly step: number };

/** At least this many of the newest episodes stay whole, and as many as fit into this share of the room. */
const LEAST_WHOLE = 2;
const WHOLE_SHARE = 1 / 2;
/** Older outcomes with more characters than this are shortened. */
const LONG_OUTCOME = 1_200;
const KEPT_CHARS = 600;
const HEAD_SHARE = 0.7;

/** Selects the outcomes of older steps to trim in a history that may have `maxTokens`: superseded ones, and long ones. */
export function selectTrims(
  entries: readonly HistoryEntry[],
  maxTokens: number,
  tokensOf: (entry: HistoryEntry) => number,
): readonly Trim[] {
  const superseded = Map.groupBy(findSupersededOutcomes(entries), ({ step }) => step);
  const newest = entries.filter((entry) => entry.kind === "episode").toReversed();
  let room = maxTokens * WHOLE_SHARE;
  const trims = newest.map((episode, index) => {
    room -= tokensOf(episode);
    if (index < LEAST_WHOLE) return [];
    const replaced = superseded.get(episode.step) ?? [];
    if (room >= 0) return replaced;
    const others = listStepCalls(episode).flatMap(({ call, outcome }, at) => {
      const text = replaced.some(({ also = 0 }) => also === at)
        ? undefined
        : shortenOutcome(episode.step, call, outcome);
      return text === undefined ? [] : [{ step: episode.step, text, ...(at > 0 ? { also: at } : {}) }];
    });
    return [...replaced, ...others];
  });
  return trims.toReversed().flat();
}

const variants = new WeakMap<Episode, Map<string, Episode>>();

/** Returns the entry with its trimmed outcomes: the same object for the same texts, so that its tokens are counted once. */
export function applyTrims(entry: HistoryEntry, trims: ReadonlyMap<number, readonly Trim[]>): HistoryEntry {
  const texts = entry.kind === "episode" ? trims.get(entry.step) : undefined;
  if (entry.kind !== "episode" || !texts || texts.length === 0) return entry;
  const known = variants.get(entry) ?? new Map<string, Episode>();
  variants.set(entry, known);
  const key = JSON.stringify(texts);
  const variant = known.get(key) ?? replaceOutcomeTexts(entry, texts);
  known.set(key, variant);
  return variant;
}

/** Shortens an outcome to its beginning and end, without its pictures; undefined if it isn't long and has none. */
function shortenOutcome(step: number, call: Call, outcome: Outcome): string | undefined {
  if (outcome.status !== "done" && outcome.status !== "failed") return undefined;
  const text = cutOutcome(step, call, outcome);
  const pictures = listOutcomePictures(outcome);
  if (pictures.length === 0) return text;
  const names = pictures.map(({ name }) => quotePictureName(name)).join(", ");
  return `${text ?? getOutcomeText(outcome)}\n[Pictures of this older outcome are left out: ${names}; repeat the call to see them]`;
}

function cutOutcome(step: number, { name }: Call, outcome: Outcome): string | undefined {
  const text = getOutcomeText(outcome);
  if (text.length <= LONG_OUTCOME) return undefined;
  const head = Math.floor(KEPT_CHARS * HEAD_SHARE);
  const rest = findTraits(name)?.keepsOutput
    ? `${COMMAND.read} with filename "output:${step}" gives them`
    : "repeat the call to see them";
  const note = `[… ${text.length - KEPT_CHARS} characters of this older outcome are left out; ${rest} …]`;
  return `${text.slice(0, head)}\n${note}\n${text.slice(head - KEPT_CHARS)}`;
}

/** Outcomes that a later step replaced: the same look again, or a change of the file that was read. */
function findSupersededOutcomes(entries: readonly HistoryEntry[]): readonly Trim[] {
  const trims: Trim[] = [];
  const looks = new Map<string, number>();
  const changes = new Map<string, number>();
  for (const entry of entries.toReversed()) {
    if (entry.kind !== "episode") continue;
    const { step } = entry;
    const done = listStepCalls(entry).map((called, at) => ({ ...called, at }));
    for (const { call, outcome, at } of done.filter((called) => called.outcome.status === "done")) {
      const key = lookKey(call) ?? "";
      const line = describeSupersededOutcome(call, looks.get(key), changes.get(readFile(call) ?? ""));
      const isShorter = line !== undefined && line.length < getOutcomeText(outcome).length;
      if (line !== undefined && (isShorter || listOutcomePictures(outcome).length > 0))
        trims.push({ step, text: line, ...(at > 0 ? { also: at } : {}) });
    }
    for (const { call, outcome } of done) {
      const [key, changed] = [lookKey(call), findChangedFile(call)];
      if (outcome.status !== "done") continue;
      if (key !== undefined && !looks.has(key)) looks.set(key, step);
      if (changed !== undefined && !changes.has(changed)) changes.set(changed, step);
    }
  }
  return trims;
}

function describeSupersededOutcome(
  call: Call,
  again: number | undefined,
  changedIn: number | undefined,
): string | undefined {
  const file = readFile(call);
  const what =
    file === undefined
      ? `outcome of ${call.name}`
      : `reading of ${escapeInvisible(cutText(file.replace(/\s+/g, " "), 120))}`;
  if (again !== undefined)
    return `(an older ${what}; ${file === undefined ? "called" : "read"} again in step ${again})`;
  return changedIn === undefined ? undefined : `(an older ${what}; changed in step ${changedIn})`;
}

/** Identifies a look by its command and arguments; undefined for other calls. */
function lookKey({ name, args }: Call): string | undefined {
  if (!isLook({ name })) return undefined;
  const sorted = Object.entries(args).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const plain = sorted.map(([key, value]) => [key, typeof value === "string" ? normalizePath(value) : value]);
  return JSON.stringify([name, plain]);
}

/** The only file that a call reads. */
function readFile({ name, args }: Call): string | undefined {
  if (findTraits(name)?.reads !== "file" || args.files !== undefined || typeof args.filename !== "string")
    return undefined;
  return normalizePath(args.filename);
}

function findChangedFile({ name, args }: Call): string | undefined {
  const argument = findTraits(name)?.changes;
  const file = argument === undefined ? undefined : args[argument];
  return typeof file === "string" ? normalizePath(file) : undefined;
}

function normalizePath(path: string): string {
  return path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
}
