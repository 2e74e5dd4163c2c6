import type { PlanItem } from "../../schema/run-values.ts";
import { cutText } from "../base/text.ts";

export type { PlanItem } from "../../schema/run-values.ts";

/** Limit on the items of a checklist. */
const MAX_PLAN_ITEMS = 30;

const MARK: Readonly<Record<PlanItem["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  done: "[x]",
  dropped: "[-]",
};

/** Share of the window for the plan; the characters per token are a low estimate. */
const PLAN_SHARE = 1 / 10;
const CHARS_PER_TOKEN = 3;

/** Shortens the checklist's items so that it fits into a prompt. A window of 0 is unknown and fits everything. */
export function fitPlan(items: readonly PlanItem[], contextWindow: number): readonly PlanItem[] {
  const room = contextWindow * PLAN_SHARE * CHARS_PER_TOKEN;
  if (contextWindow <= 0 || renderChecklistText(items).length <= room) return items;
  return items.map((item) => ({ ...item, text: cutText(item.text, Math.floor(room / items.length)) }));
}

/** The checklist as text for the model. */
export function renderChecklistText(items: readonly PlanItem[]): string {
  return items.map((item) => `${MARK[item.status]} ${item.text}`).join("\n");
}

/** One line of a thought's plan. Without a status if the model didn't mark it. */
interface PlanLine {
  readonly text: string;
  readonly status?: PlanItem["status"];
}

type Status = PlanItem["status"];

/** The panel gets at least this much of any plan, so that it reads the same items as the run. */
const MAX_CHARACTERS = 3_000;

const BULLET = /^\s*(?:[-*•+]|\d+[.)])(?=\s|$)\s*/;
const NOTHING = /^(?:none|n\/a|nothing|no (?:more|further) steps|[-–—_*=\s]*)\.?$/i;
const TITLE = /^(?:my |the |updated |current )?(?:plan|steps|checklist)$/i;

const SIGNS: readonly (readonly [Status, RegExp])[] = [
  ["done", /^(?:\[\s*[xX✓✔✅]\uFE0F?\s*\]|[✓✔✅☑]\uFE0F?)/u],
  ["pending", /^(?:\[\s*\](?!\()|[☐⬜]\uFE0F?)/u],
  ["in_progress", /^(?:\[\s*[>~/…]\s*\]|[⏳▶🔄]\uFE0F?)/u],
  ["dropped", /^\[\s*[-–]\s*\]/],
];

const WORDS: Readonly<Record<Status, string>> = {
  done: "done|completed?|finished",
  pending: "to ?-?do|pending|next(?: steps?)?|remaining(?: steps?)?|not started|open",
  in_progress: "in[ _-]progress|doing|ongoing|now|current(?:ly)?",
  dropped: "dropped|skipped|cancell?ed|obsolete",
};
const STATUSES: readonly Status[] = ["done", "pending", "in_progress", "dropped"];
/** A status as a word before a step ("Done: …", "[done] …", "(done) …"), after it, or as a heading. */
const WORD = STATUSES.map((status) => ({
  status,
  before: new RegExp(`^(?:(?:${WORDS[status]})\\s*(?::|\\s[-–—]\\s)|[([](?:${WORDS[status]})[)\\]]:?)\\s*`, "i"),
  after: new RegExp(`\\s*(?:[([](?:${WORDS[status]})[)\\]]|\\s[-–—:]\\s*(?:${WORDS[status]}))[.!]?$`, "i"),
  alone: new RegExp(`^(?:${WORDS[status]})$`, "i"),
}));
const SIGN_AFTER = /\s*[✓✔✅☑]\uFE0F?$/u;
const STRUCK = /^~~(.+)~~$/;

/** Reads the steps of a thought's free-text plan, with the status of marked ones. */
export function parsePlanText(text: string): PlanLine[] {
  const items: PlanLine[] = [];
  let section: Status | undefined;
  for (const line of text.slice(0, MAX_CHARACTERS).split(/\r?\n/)) {
    const bare = line.replace(BULLET, "").trim();
    const heading = /^(?:#+\s*)?[*_]*([\p{L} -]+?)[*_]*:?[*_]*$/u.exec(bare)?.[1]?.trim() ?? "";
    const named = /[:#]/.test(bare) ? WORD.find(({ alone }) => alone.test(heading)) : undefined;
    if (named) section = named.status;
    else if (!TITLE.test(heading)) {
      const read = parsePlanLine(bare);
      const item = read.status === undefined && section ? { ...read, status: section } : read;
      if (!NOTHING.test(item.text)) items.push(item);
    }
  }
  return items.slice(0, MAX_PLAN_ITEMS);
}

function parsePlanLine(line: string): PlanLine {
  const sign = SIGNS.find(([, pattern]) => pattern.test(line));
  if (sign) return { text: removeStrikethrough(line.replace(sign[1], "").trim()), status: sign[0] };
  const plain = line.replace(/^(\*\*|__)(.+?)\1/, "$2");
  for (const { status, before, after } of WORD) {
    if (before.test(plain)) return { text: removeStrikethrough(plain.replace(before, "")), status };
    if (after.test(plain)) return { text: removeStrikethrough(plain.replace(after, "").trim()), status };
  }
  if (SIGN_AFTER.test(line)) return { text: line.replace(SIGN_AFTER, ""), status: "done" };
  return STRUCK.test(line) ? { text: removeStrikethrough(line), status: "done" } : { text: line };
}

function removeStrikethrough(text: string): string {
  return text.replace(STRUCK, "$1");
}

/** A run's checklist. `isKept` is set while its latest status comes from `update_plan`. */
export interface Plan {
  readonly items: readonly PlanItem[];
  readonly isKept: boolean;
}

/**
 * Updates the checklist from a thought. The latest marks count, and unmarked steps keep their status. A plan from `update_plan` holds until
 * a thought marks its steps or plans something else. `worked` is true if the previous step succeeded.
 */
export function updatePlanFromThought(plan: Plan, thought: string, worked: boolean): Plan {
  const lines = parsePlanText(thought);
  if (lines.length === 0) return plan;
  const known = matchLines(lines, plan.items);
  if (plan.isKept && !lines.some(({ status }) => status) && (known.size > 0 || lines.length === 1)) return plan;
  const items = lines.map(({ text, status }, at): PlanItem => {
    const before = plan.items[known.get(at) ?? -1]?.status ?? "pending";
    return { text, status: status ?? (before === "dropped" ? "pending" : before) };
  });
  const isWhole = lines.some(({ status }) => status === "done");
  const past = isWhole ? [] : listPastSteps(plan.items, new Set(known.values()), worked);
  return { items: [...past, ...items].slice(-MAX_PLAN_ITEMS), isKept: false };
}

/** Lists the steps that a new plan omits because they are over: done ones, and those at its start before a step that worked. */
function listPastSteps(items: readonly PlanItem[], known: ReadonlySet<number>, worked: boolean): PlanItem[] {
  const next = items.findIndex((item, at) => known.has(at) && isOpen(item));
  return items.flatMap((item, at): PlanItem[] => {
    if (known.has(at)) return [];
    const isOver = item.status === "done" || (worked && at < next && isOpen(item));
    return isOver ? [{ ...item, status: "done" }] : [];
  });
}

/** Marks the items as done that a thought marks as done; returns the same array if there are none. */
export function applyDoneMarks(items: readonly PlanItem[], thought: string): readonly PlanItem[] {
  const lines = parsePlanText(thought).filter(({ status }) => status === "done");
  const done = new Set([...matchLines(lines, items).values()].filter((at) => isOpen(items[at] as PlanItem)));
  return done.size === 0
    ? items
    : items.map((item, at): PlanItem => (done.has(at) ? { ...item, status: "done" } : item));
}

/** The texts of open items, to compare two checklists. */
export function openTexts(items: readonly PlanItem[]): string {
  return items
    .filter(isOpen)
    .map(({ text }) => text)
    .join("\n");
}

/** True for an item that is still to be done. */
export function isOpen({ status }: PlanItem): boolean {
  return status === "pending" || status === "in_progress";
}

/** Matches lines to known steps by index: first by equal words, then by similar ones. */
function matchLines(lines: readonly PlanLine[], items: readonly PlanItem[]): ReadonlyMap<number, number> {
  const words = {
    lines: lines.map(({ text }) => extractWords(text)),
    items: items.map(({ text }) => extractWords(text)),
  };
  const found = new Map<number, number>();
  const taken = new Set<number>();
  for (const same of [isSame, isNear])
    for (const [at, line] of words.lines.entries()) {
      if (found.has(at)) continue;
      const item = words.items.findIndex((other, place) => !taken.has(place) && same(line, other));
      if (item < 0) continue;
      found.set(at, item);
      taken.add(item);
    }
  return found;
}

const FILLERS = new Set(["the", "an", "of", "to", "and", "in"]);

function extractWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.join(" ") === other.join(" ");
}

/** Words and numbers that distinguish otherwise similar steps. */
const TELLING = /\p{N}|^(?:again|re\w+|not|no|other|another|remaining|rest|first|second|third|before|after|without)$/u;
const NEAR = 0.8;
const FEWEST_WORDS = 4;

/** True if nearly all words are shared (Dice's coefficient) and no other word is significant. */
function isNear(one: readonly string[], other: readonly string[]): boolean {
  if (Math.min(one.length, other.length) < FEWEST_WORDS) return false;
  const [ones, others] = [new Set(one), new Set(other)];
  const shared = [...ones].filter((word) => others.has(word));
  const different = [...ones, ...others].filter((word) => !ones.has(word) || !others.has(word));
  return (2 * shared.length) / (ones.size + others.size) >= NEAR && !different.some((word) => TELLING.test(word));
}
