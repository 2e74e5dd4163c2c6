import type { AgentEvent, PromptTail } from "../../schema/events.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import { pictureTokens } from "../base/pictures.ts";
import { commandsThatFit } from "../commands/offered-commands.ts";
import type { ChatMessage, CommandSpec, ModelRequest } from "../ports/model.ts";
import { History } from "./history.ts";
import { type PromptHead, systemText, tailText, taskText } from "./prompt-texts.ts";
import { enforcedForm, type ReplyForm, usesReact } from "./reply-form.ts";

/** Builds the request for a step: head, history, tail. */
export function stepRequest(
  head: PromptHead,
  history: readonly ChatMessage[],
  tail: PromptTail,
  form: ReplyForm,
  contextWindow = 0,
): ModelRequest {
  return {
    messages: [
      { role: "system", content: systemText(head, form) },
      {
        role: "user",
        content: taskText(head),
        ...(head.attached ? { pictures: picturesIn(head.attached, contextWindow) } : {}),
      },
      ...history,
      { role: "user", content: tailText(tail, form) },
    ],
    ...enforcedForm(head.commands, form),
  };
}

/** The request that an `asked` event describes, at that place of the run's history. */
export function promptFor(
  started: PromptHead,
  history: History,
  {
    format,
    thoughts = "full",
    tail,
  }: Pick<Extract<AgentEvent, { type: "asked" }>, "format" | "thoughts" | "tail">,
): ModelRequest {
  const head = headFor(started, history);
  const form = { format, thoughts, ...(usesReact(started, format) ? { isReact: true } : {}) };
  return stepRequest(head, history.messages(format), tail, form, history.contextWindow);
}

const heads = new WeakMap<PromptHead, Map<string, PromptHead>>();

/** Share of the window for a repository's notes; the characters per token are a low estimate. */
const RULES_SHARE = 1 / 8;
const CHARS_PER_TOKEN = 3;

/** The same for the picture of the workspace. */
const PICTURE_SHARE = 1 / 16;

/** The head of all prompts to a model with this window: as much of the run's start as fits. Built once for each offer. */
export function headFor(
  started: PromptHead,
  { contextWindow, foundCommands }: Pick<History, "contextWindow" | "foundCommands">,
): PromptHead {
  const known = heads.get(started) ?? new Map<string, PromptHead>();
  heads.set(started, known);
  const key = [contextWindow, ...foundCommands].join(" ");
  const head = known.get(key) ?? {
    ...started,
    commands: commandsThatFit(started.commands, contextWindow, foundCommands).offered,
    rules: rulesIn(started.rules, contextWindow),
    ...(started.picture === undefined ? {} : { picture: pictureIn(started.picture, contextWindow) }),
  };
  known.set(key, head);
  return head;
}

/** The commands that `find_tools` can add to that head. */
export function hiddenCommands(
  { commands }: Pick<PromptHead, "commands">,
  { contextWindow, foundCommands }: Pick<History, "contextWindow" | "foundCommands">,
): readonly CommandSpec[] {
  return commandsThatFit(commands, contextWindow, foundCommands).behind;
}

function rulesIn(rules: PromptHead["rules"], contextWindow: number): PromptHead["rules"] {
  if (contextWindow <= 0 || rules.length === 0) return rules;
  const room = Math.floor((contextWindow * RULES_SHARE * CHARS_PER_TOKEN) / rules.length);
  return rules.map(({ file, text }) =>
    text.length <= room
      ? { file, text }
      : { file, text: `${text.slice(0, room)}\n(${file} is longer; read_file gives the rest.)` },
  );
}

/** Share of the window for the pictures of the task, which stay in every prompt. */
const ATTACHED_SHARE = 1 / 4;

/** The first pictures of the task, as many as fit; the others are only named. */
function picturesIn(attached: readonly AttachedPicture[], contextWindow: number): readonly AttachedPicture[] {
  if (contextWindow <= 0) return attached;
  let room = contextWindow * ATTACHED_SHARE;
  const end = attached.findIndex((picture) => {
    room -= pictureTokens(picture);
    return room < 0;
  });
  return end === -1 ? attached : attached.slice(0, end);
}

/** As many lines of the picture as fit; the most telling ones come first. */
function pictureIn(picture: string, contextWindow: number): string {
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
 * Rebuilds the request that was sent for a step from the events before it. If the step was asked more than once, this is the last
 * request.
 */
export function promptOfStep(events: readonly AgentEvent[], step: number): ModelRequest | undefined {
  const [started] = events;
  if (started?.type !== "started") return undefined;
  const history = new History();
  let request: ModelRequest | undefined;
  for (const event of events) {
    history.apply(event);
    if (event.type !== "asked" || event.step < step) continue;
    if (event.step > step) break;
    request = promptFor(started, history, event);
  }
  return request;
}

let timeFormat: Intl.DateTimeFormat | undefined;

/** Local date and time in the form for the model. */
export function localTime(now: Date = new Date()): string {
  timeFormat ??= new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });
  return timeFormat.format(now);
}
