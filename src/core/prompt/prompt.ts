import type { AgentEvent, PromptTail } from "../../schema/events.ts";
import type { AttachedPicture, Instructions, LaterInstructions, Skill } from "../../schema/run-values.ts";
import { omitUndefined } from "../base/objects.ts";
import { estimatePictureTokens } from "../base/pictures.ts";
import { computeFairShares } from "../base/shares.ts";
import { COMMAND } from "../commands/command-traits.ts";
import { selectFittingCommands } from "../commands/offered-commands.ts";
import type { ChatMessage, CommandSpec, ModelRequest } from "../ports/model.ts";
import { History } from "./history.ts";
import { type PromptHead, renderSystemMessage, renderTailMessage, renderTaskMessage } from "./prompt-texts.ts";
import { createEnforcedForm, isReactStyle, type ReplyForm } from "./reply-form.ts";

/** Builds the request for a step: head, history, tail. */
export function buildStepRequest(
  head: PromptHead,
  history: readonly ChatMessage[],
  tail: PromptTail,
  form: ReplyForm,
  contextWindow = 0,
): ModelRequest {
  const task: ChatMessage = {
    role: "user",
    content: renderTaskMessage(head, form),
    ...(head.attached ? { pictures: selectFittingPictures(head.attached, contextWindow) } : {}),
  };
  const start = form.format === "files" ? history.findIndex(({ role }) => role !== "user") : 0;
  const shown = start === -1 ? history : history.slice(0, start);
  const kept: readonly ChatMessage[] = [
    { role: "system", content: renderSystemMessage(head, form) },
    ...shown,
    task,
    ...history.slice(shown.length),
  ];
  const last: ChatMessage = { role: "user", content: renderTailMessage(tail, form) };
  return {
    messages: form.format === "files" ? joinMessages([...kept, last]) : [...kept, last],
    ...(head.id === undefined ? {} : { cached: { key: head.id, messages: kept.length } }),
    ...createEnforcedForm(head.commands, form),
    ...omitUndefined({ isBrief: form.thoughts === "short" || undefined }),
  };
}

/** Joins consecutive messages of the same side. */
function joinMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.reduce<readonly ChatMessage[]>((before, message) => {
    const last = before.at(-1);
    if (last?.role !== "user" || message.role !== "user") return [...before, message];
    const pictures = [...(last.pictures ?? []), ...(message.pictures ?? [])];
    const content = [last.content, message.content].filter((text) => text !== "").join("\n\n");
    return [...before.slice(0, -1), { role: "user", content, ...(pictures.length > 0 ? { pictures } : {}) }];
  }, []);
}

/** Builds the request that an `asked` event describes, at that place of the run's history. */
export function buildPrompt(
  started: PromptHead,
  history: History,
  { format, thoughts = "full", tail }: Pick<Extract<AgentEvent, { type: "asked" }>, "format" | "thoughts" | "tail">,
): ModelRequest {
  const head = buildPromptHead(started, history);
  const form = {
    format,
    thoughts,
    ...omitUndefined({ isReact: isReactStyle(started, format) || undefined }),
  };
  return buildStepRequest(head, history.messages(format), tail, form, history.contextWindow);
}

const heads = new WeakMap<PromptHead, Map<string, PromptHead>>();

/** Share of the window for a repository's notes; the characters per token are a low estimate. */
const RULES_SHARE = 1 / 8;
const CHARS_PER_TOKEN = 3;

/** The same for the picture of the workspace. */
const PICTURE_SHARE = 1 / 16;

/** The part of a history that decides what prompts offer. */
type Offer = Pick<History, "contextWindow" | "foundCommands"> & Partial<Pick<History, "isLean">>;

/** The head of all prompts to a model with this window: as much of the run's start as fits. Built once for each offer. */
export function buildPromptHead(started: PromptHead, { contextWindow, foundCommands, isLean }: Offer): PromptHead {
  const known = heads.get(started) ?? new Map<string, PromptHead>();
  heads.set(started, known);
  const key = [contextWindow, isLean, ...foundCommands].join(" ");
  const head = known.get(key) ?? {
    ...started,
    ...omitUndefined({ isLean: isLean || undefined }),
    commands: selectFittingCommands(started.commands, contextWindow, foundCommands, isLean).offered,
    ...fitRules(started, contextWindow),
    ...(started.picture === undefined ? {} : { picture: cutPicture(started.picture, contextWindow) }),
  };
  known.set(key, head);
  return head;
}

/** The commands that `find_tools` can add to that head. */
export function listHiddenCommands(
  { commands }: Pick<PromptHead, "commands">,
  { contextWindow, foundCommands, isLean }: Offer,
): readonly CommandSpec[] {
  return selectFittingCommands(commands, contextWindow, foundCommands, isLean).behind;
}

type HeadRules = Pick<PromptHead, "rules" | "laterRules" | "skills" | "moreSkills">;

/** Fits as much of the instructions as possible. Lists of readable texts take at most a quarter of their room. */
function fitRules({ rules, laterRules, skills, moreSkills = 0 }: HeadRules, contextWindow: number): HeadRules {
  const room = computeRulesRoom(contextWindow);
  const forLists = Math.min(MAX_LIST_CHARS, room / 4);
  const later = laterRules && listThatFits(laterRules, skills ? forLists / 2 : forLists, countLaterChars);
  const takenByLater = sumChars(later ?? [], countLaterChars);
  const listed = skills && listThatFits(skills, forLists - takenByLater, countSkillChars);
  const left = moreSkills + (skills?.length ?? 0) - (listed?.length ?? 0);
  const rooms = computeFairShares(
    rules.map(({ text }) => text.length),
    room - takenByLater - sumChars(listed ?? [], countSkillChars),
  );
  return {
    rules: rules.map((rule, index) => shortenRule(rule, rooms[index] ?? 0)),
    ...omitUndefined({ laterRules: later, skills: listed }),
    ...(left > 0 ? { moreSkills: left } : {}),
  };
}

/** Characters that instructions may take in prompts to a model with this window; infinite if it isn't known. */
export function computeRulesRoom(contextWindow: number): number {
  return contextWindow <= 0 ? Number.POSITIVE_INFINITY : Math.floor(contextWindow * RULES_SHARE * CHARS_PER_TOKEN);
}

/** Limit on the characters of a list of readable texts. */
export const MAX_LIST_CHARS = 3_000;

/** Instructions cut to this many characters, with a remark. */
export function shortenRule(rule: Instructions, room: number): Instructions {
  const { file, text } = rule;
  return text.length <= room
    ? rule
    : {
        ...rule,
        text: `${text.slice(0, room)}\n(${file} is longer; ${COMMAND.read} gives the rest.)`.trimStart(),
      };
}

/** The first entries of a list that fit together. */
export function listThatFits<T>(list: readonly T[], room: number, charsOf: (one: T) => number): readonly T[] {
  let left = room;
  const end = list.findIndex((one) => {
    left -= charsOf(one);
    return left < 0;
  });
  return end === -1 ? list : list.slice(0, end);
}

function sumChars<T>(list: readonly T[], charsOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + charsOf(one), 0);
}

/** Instructions for certain files aren't in the list. */
function countLaterChars({ file, globs, description = "" }: LaterInstructions): number {
  return globs === undefined ? file.length + description.length : 0;
}

export function countSkillChars({ name, description }: Pick<Skill, "name" | "description">): number {
  return name.length + description.length;
}

/** Share of the window for the pictures of the task, which stay in every prompt. */
const ATTACHED_SHARE = 1 / 4;

/** The first pictures of the task, as many as fit; the others are only named. */
function selectFittingPictures(
  attached: readonly AttachedPicture[],
  contextWindow: number,
): readonly AttachedPicture[] {
  if (contextWindow <= 0) return attached;
  let room = contextWindow * ATTACHED_SHARE;
  const end = attached.findIndex((picture) => {
    room -= estimatePictureTokens(picture);
    return room < 0;
  });
  return end === -1 ? attached : attached.slice(0, end);
}

/** Cuts the picture to as many lines as fit; the most informative ones come first. */
function cutPicture(picture: string, contextWindow: number): string {
  if (contextWindow <= 0) return picture;
  let room = Math.floor(contextWindow * PICTURE_SHARE * CHARS_PER_TOKEN);
  const lines = picture.split("\n");
  const end = lines.findIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  return end === -1 ? picture : lines.slice(0, Math.max(1, end)).join("\n");
}

/**
 * Rebuilds the request of a step from the events before it. If the model was asked more than once, this is the last request; if the step's
 * call is one of an earlier reply, it's that reply's request.
 */
export function rebuildStepPrompt(events: readonly AgentEvent[], wanted: number): ModelRequest | undefined {
  const [started] = events;
  if (started?.type !== "started") return undefined;
  const step = findAskedStep(events, wanted);
  const history = new History();
  let request: ModelRequest | undefined;
  for (const event of events) {
    history.apply(event);
    if (event.type !== "asked" || event.step < step) continue;
    if (event.step > step) break;
    request = buildPrompt(started, history, event);
  }
  return request;
}

/** Finds the step for which the model was asked and whose reply contains this step's call. */
export function findAskedStep(events: readonly AgentEvent[], step: number): number {
  const replied = events.findLast((event) => event.type === "replied" && event.step === step);
  return replied?.type === "replied" ? (replied.of ?? step) : step;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September"].concat([
  "October",
  "November",
  "December",
]);

/** Formats the day of a local time for the model. */
export function formatLocalDay(now: Date): string {
  return formatLocalTime(now).replace(/ at [\d:]+$/, "");
}

/** A task that may need the current time. In other languages, the model can ask a program. */
const NEEDS_CLOCK = /\b(?:time|clock|o'clock|timestamp|right now|hours?|minutes?)\b/i;

/**
 * The time if the task needs it or the head has no day, and the day once it differs from that of the head. Models wrote a clock in every
 * prompt to files and took it for a reason to stop.
 */
export function findTimeToShow({ task, day }: Pick<PromptHead, "task" | "day">, now: Date): string | undefined {
  if (day === undefined || NEEDS_CLOCK.test(task)) return formatLocalTime(now);
  const today = formatLocalDay(now);
  return today === day ? undefined : today;
}

/** Formats the local date and time for the model. Loading the formats of `Intl` takes 20 ms. */
export function formatLocalTime(now: Date = new Date()): string {
  const [hours, minutes] = [now.getHours(), now.getMinutes()].map((part) => String(part).padStart(2, "0"));
  const month = MONTHS[now.getMonth()];
  return `${DAYS[now.getDay()]}, ${now.getDate()} ${month} ${now.getFullYear()} at ${hours}:${minutes}`;
}
