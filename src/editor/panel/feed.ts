import { assertNever } from "../../core/base/errors.ts";
import { mapTexts } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { getOutcomeText, hasChangedFiles, type Outcome, setOutcomeText } from "../../core/commands/outcome.ts";
import { describeMemoryText } from "../../core/events/memory-sentence.ts";
import { applyEvent, listPastSteps, NO_RUN, type RunState, type StepView } from "../../core/events/run-state.ts";
import type { Reply } from "../../core/reply/reply.ts";
import { countEventsUpToStep } from "../../runs/store/fork-events.ts";
import type { ComposedRun } from "../../runtime/composed-run.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { MAX_MESSAGE_CHARS } from "../../schema/formats.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import type { ShownProcess } from "../../schema/panel-values.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import { write } from "../../texts/language.ts";
import { listSideEvents } from "./side-events.ts";

/** Characters of a text that the panel gets at first; it requests the rest on demand. */
const TEXT = 4_000;
const THOUGHT = 6_000;
const ARGUMENT = 2_000;
const ROOM = MAX_MESSAGE_CHARS - 2_000;

/** Trims an event to what the panel shows, so that it fits into one message. */
export function trimEventForPanel(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case "started":
      return {
        ...event,
        commands: [],
        ...(event.skills ? { skills: event.skills.map((skill) => ({ ...skill, description: "" })) } : {}),
        rules: event.rules.map((rule) => ({ ...rule, text: "" })),
        task: cutMiddle(event.task, TEXT),
        directives: { constraints: [], resources: [], bestPractices: [] },
      };
    case "asked":
      return {
        ...event,
        tail: {
          ...event.tail,
          remarks: [],
          recalled: event.tail.recalled.map(summarizeMemory),
        },
      };
    case "replied":
      return trimReplyForPanel(event);
    case "decided":
      return event.args ? { ...event, args: trimArgsForPanel(event.args) } : event;
    case "began":
      return { ...event, args: trimArgsForPanel(event.args) };
    case "ended":
      return { ...event, outcome: trimOutcomeForPanel(event.outcome), ...trimAlsoForPanel(event) };
    case "compacted":
      return {
        ...event,
        ...(event.summary === undefined ? {} : { summary: cutMiddle(event.summary, TEXT) }),
        ...(event.trimmed ? { trimmed: [] } : {}),
      };
    case "said":
      return { ...event, text: cutMiddle(event.text, TEXT) };
    case "child":
      return { ...event, what: cutMiddle(event.what, 300) };
    case "unknown":
      return { ...event, original: { type: event.original.type } };
    case "planned":
    case "recalled":
    case "granted":
    case "paused":
    case "resumed":
    case "changed":
    case "spent":
    case "undone":
    case "reviewed":
    case "hooked":
    case "over":
    case "lost":
      return event;
    default:
      return assertNever(event);
  }
}

/** Removes past steps from a state; they follow in pages. */
export function trimStateForPanel(state: RunState): RunState {
  return {
    ...state,
    task: cutMiddle(state.task, TEXT),
    queued: state.queued.map((text) => cutMiddle(text, 500)),
    recent: [],
    ...(state.open ? { open: trimStepForPanel(state.open) } : {}),
  };
}

/** Splits steps into as many messages as they need; events between the steps go with the last one. */
export function splitStepsForPanel(
  run: string,
  steps: readonly StepView[],
  earlier: boolean,
  beside: readonly AgentEvent[] = [],
): PanelUpdate[] {
  const pages: StepView[][] = [[]];
  let size = 0;
  for (const step of steps.map(trimStepForPanel)) {
    const length = JSON.stringify(step).length;
    if (size + length > ROOM) {
      pages.push([]);
      size = 0;
    }
    pages.at(-1)?.push(step);
    size += length;
  }
  const shown = beside.map(trimEventForPanel);
  const fitting = JSON.stringify(shown).length < ROOM - size ? shown : [];
  return pages.map((page, index) => ({
    type: "page",
    run,
    steps: page,
    earlier: earlier || index > 0,
    ...(index === pages.length - 1 && fitting.length > 0 ? { sideEvents: fitting } : {}),
  }));
}

function trimReplyForPanel(event: Extract<AgentEvent, { type: "replied" }>): AgentEvent {
  const { sentBack: _, reasoning, ...rest } = event;
  return {
    ...rest,
    text: "",
    calls: [],
    ...(reasoning === undefined ? {} : { reasoning: cutMiddle(reasoning, THOUGHT) }),
    reply: trimReplyTexts(event.reply),
  };
}

function trimStepForPanel(step: StepView): StepView {
  return {
    ...step,
    recalled: step.recalled.map(summarizeMemory),
    ...(step.reply ? { reply: trimReplyTexts(step.reply) } : {}),
    ...(step.reasoning === undefined ? {} : { reasoning: cutMiddle(step.reasoning, THOUGHT) }),
    ...(step.began ? { began: { ...step.began, args: trimArgsForPanel(step.began.args) } } : {}),
    ...(step.outcome ? { outcome: trimOutcomeForPanel(step.outcome) } : {}),
    ...trimAlsoForPanel(step),
  };
}

/** Outcomes of additional calls together get the space of one outcome. */
function trimAlsoForPanel({ also }: Pick<StepView, "also">): Pick<StepView, "also"> {
  if (!also) return {};
  return { also: also.map((outcome) => trimOutcomeForPanel(outcome, Math.floor(TEXT / also.length))) };
}

function trimReplyTexts(reply: Reply): Reply {
  if (reply.kind === "unreadable") return reply;
  const { thoughts, call, also } = reply;
  return {
    ...reply,
    thoughts: {
      text: cutMiddle(thoughts.text, THOUGHT),
      reasoning: cutMiddle(thoughts.reasoning, THOUGHT),
      plan: cutMiddle(thoughts.plan, THOUGHT),
      criticism: cutMiddle(thoughts.criticism, THOUGHT),
      speak: cutMiddle(thoughts.speak, 500),
    },
    call: { name: call.name, args: trimArgsForPanel(call.args) },
    ...(also ? { also: also.map(({ name, args }) => ({ name, args: trimArgsForPanel(args) })) } : {}),
  };
}

function trimArgsForPanel(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(args).slice(0, 12);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return [name, text.length > ARGUMENT ? cutMiddle(text, ARGUMENT) : value];
    }),
  );
}

function trimOutcomeForPanel(outcome: Outcome, length = TEXT): Outcome {
  const shown = setOutcomeText(outcome, cutMiddle(getOutcomeText(outcome), length));
  if (shown.status !== "done" && shown.status !== "failed") return shown;
  return shown.rules ? { ...shown, rules: shown.rules.map((rule) => ({ ...rule, text: "" })) } : shown;
}

/** Cuts a text in the middle and states how much is missing; the panel offers the whole text. */
function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters more …\n${text.slice(-half)}`;
}

/**
 * Makes every hidden character of a message visible, except in editable arguments. Those are sent back, so the page itself makes their
 * characters visible.
 */
export function revealHiddenText(message: PanelUpdate): PanelUpdate {
  const shown = mapTexts(message, escapeInvisible);
  if (message.type !== "waiting" || shown.type !== "waiting" || !message.card?.args || !shown.card) return shown;
  return { ...shown, card: { ...shown.card, args: message.card.args } };
}

const MOST_CHARACTERS = 300;

/** Number of ended processes that are shown. */
const MOST_OVER = 5;

/** Background processes of a run for the panel, running ones first. */
export function listShownProcesses(
  processes: Pick<NonNullable<ComposedRun["processes"]>, "list"> | undefined,
): readonly ShownProcess[] {
  const all = processes?.list() ?? [];
  const running = all.filter(({ state }) => state === "running");
  const over = all.filter(({ state }) => state !== "running").slice(-MOST_OVER);
  return [...running, ...over].map(({ id, commandLine, state, code, kept }) => ({
    id,
    commandLine: commandLine.length > MOST_CHARACTERS ? `${commandLine.slice(0, MOST_CHARACTERS)}…` : commandLine,
    state,
    ...omitUndefined({ code }),
    kept,
  }));
}

/** Messages that show a stored run as of one of its steps. A step out of range becomes the nearest one; one without an end adds nothing. */
export function listStepMessages(run: string, events: readonly AgentEvent[], wanted: number): readonly PanelUpdate[] {
  const ended = events.filter((event) => event.type === "ended");
  const of = ended.at(-1)?.step ?? 0;
  const step = Math.min(Math.max(wanted, 0), of);
  const past = events.slice(0, countEventsUpToStep(events, ended.findLast((event) => event.step <= step)?.step ?? 0));
  const state = past.reduce(applyEvent, NO_RUN);
  const all = listPastSteps(past, Number.MAX_SAFE_INTEGER, PAGE_OF_WALK);
  return [
    {
      type: "snapshot",
      run,
      state: trimStateForPanel(state),
      readOnly: true,
      running: false,
      commands: [],
      withheld: [],
      continuous: false,
      grant: 0,
      speech: false,
      at: { step, of, changes: [...new Set(ended.filter(hasFileChanges).map((event) => event.step))] },
    },
    ...splitStepsForPanel(run, all, (all[0]?.step ?? 1) > 1, listSideEvents(past, all)),
    { type: "waiting", run },
  ];
}

/** A recalled memory in one sentence. */
function summarizeMemory(memory: RecalledMemory): RecalledMemory {
  return { ...memory, text: write(describeMemoryText(memory.text)) };
}

function hasFileChanges({ outcome, also = [] }: Extract<AgentEvent, { type: "ended" }>): boolean {
  return [outcome, ...also].some(hasChangedFiles);
}

/** Number of steps shown before and including the requested one. */
const PAGE_OF_WALK = 20;
