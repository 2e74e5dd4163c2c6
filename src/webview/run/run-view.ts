import { applyEvent, type RunState } from "../../core/events/run-state.ts";
import { NO_THOUGHTS, type Thoughts } from "../../core/reply/reply.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import type { ShownProcess, UsageReport } from "../../schema/panel-values.ts";
import type { ReviewPage } from "../../schema/review-page.ts";
import type { Sentence } from "../../texts/display-text.ts";
import { createWaitingCard, type WaitingCard } from "../approval/waiting-card.ts";
import { convertToRunNote, mergeNotes, type RunNote } from "./notes.ts";
import { addEndedStep, addPageToWindow, EMPTY_WINDOW, type StepWindow, trimWindow } from "./step-window.ts";

type Message<Type extends PanelUpdate["type"]> = Extract<PanelUpdate, { readonly type: Type }>;

/** A displayed run: its state, a window of its steps, the streaming step and the pending decision. */
export interface RunView {
  /** Its `recent` is empty, because ended steps are in the window. */
  readonly state: RunState;
  readonly facts: Omit<Message<"snapshot">, "type" | "run" | "state" | "running">;
  readonly running: boolean;
  readonly window: StepWindow;
  readonly notes: readonly RunNote[];
  readonly live: LiveStep;
  readonly card?: WaitingCard;
  /** The agent's question. */
  readonly question?: string;
  /** A problem that a person must fix before the run continues, as a sentence. */
  readonly blockedReason?: Sentence;
  /** Folds that the user opened or closed, by name. */
  readonly folds: ReadonlyMap<string, boolean>;
  /** Pictures of steps, each as a data address. */
  readonly pictures: ReadonlyMap<number, string>;
  /** Pictures that the user attached, by their files, each as a data address. */
  readonly attached: ReadonlyMap<string, string>;
  /** The cost of runs and the state of the memory. */
  readonly account?: UsageReport;
  /** The files that the run has changed, once it is over. */
  readonly changes?: Omit<Message<"changes">, "type" | "run">;
  /** The changes in the copy of an isolated run, once they were compared with the workspace. */
  readonly review?: ReviewPage;
  /** They are being compared, or accepted. */
  readonly reviewing?: boolean;
  /** Files of the review that the user doesn't want. */
  readonly left: ReadonlySet<string>;
  /** The run's background processes. */
  readonly processes?: readonly ShownProcess[];
  /** Real paths of the files in its folders whose edits aren't saved. */
  readonly unsavedFiles?: readonly string[];
  /** The end of the feed is in view, so it is followed. */
  readonly atEnd: boolean;
  /** An event is missing; nothing is applied before the next snapshot. */
  readonly stale: boolean;
}

/** The view of a snapshot's run. If the same run was displayed before, the user's own state stays. */
export function openRunView(snapshot: Message<"snapshot">, before?: RunView): RunView {
  const { type: _type, run: _run, state, running, ...facts } = snapshot;
  const same = before?.state.id === state.id ? before : undefined;
  return {
    state: { ...state, recent: [] },
    facts,
    running: running ?? true,
    window: EMPTY_WINDOW,
    notes: [],
    live: same && same.live.step === state.open?.step ? same.live : NOTHING_LIVE,
    folds: same?.folds ?? new Map(),
    pictures: same?.pictures ?? new Map(),
    attached: same?.attached ?? new Map(),
    left: same?.left ?? new Set(),
    atEnd: same?.atEnd ?? true,
    stale: false,
    ...(same?.account ? { account: same.account } : {}),
    ...(same?.changes ? { changes: same.changes } : {}),
    ...(same?.review ? { review: same.review } : {}),
    ...(same?.processes ? { processes: same.processes } : {}),
    ...(same?.unsavedFiles ? { unsavedFiles: same.unsavedFiles } : {}),
    ...(same?.card ? { card: same.card } : {}),
    ...(same?.question === undefined ? {} : { question: same.question }),
    ...(same?.blockedReason === undefined ? {} : { blockedReason: same.blockedReason }),
  };
}

export function addStepsToView(view: RunView, { steps, earlier, sideEvents = [] }: Message<"page">): RunView {
  const notes = sideEvents.map(convertToRunNote).filter((note) => note !== undefined);
  return {
    ...view,
    window: addPageToWindow(view.window, steps, earlier),
    notes: mergeNotes(view.notes, notes),
  };
}

/** The view after the next event. A known event is ignored; a gap makes the view stale. */
export function applyEventToView(view: RunView, event: AgentEvent): RunView {
  if (view.stale || event.seq <= view.state.seq) return view;
  if (event.seq !== view.state.seq + 1) return { ...view, stale: true };
  const state = applyEvent(view.state, event);
  const note = convertToRunNote(event);
  const ended = state.recent.at(-1);
  const next: RunView = {
    ...(ended ? setStepWindow(view, addEndedStep(view.window, ended, view.atEnd)) : view),
    state: { ...state, recent: [] },
    running: event.type !== "over" && (view.running || event.type !== "said"),
    ...(note ? { notes: [...view.notes, note] } : {}),
    ...(event.type === "asked" ? { live: { ...NOTHING_LIVE, step: event.step } } : {}),
  };
  return isDecided(event, view.card) ? omitCard(next) : next;
}

/** Drops the notes and pictures of steps that left the window. They return with the page of those steps. */
function setStepWindow(view: RunView, window: StepWindow): RunView {
  const [first] = window.steps;
  const before = view.window.steps[0];
  if (!first || !before || first.step <= before.step) return { ...view, window };
  return {
    ...view,
    window,
    notes: view.notes.filter(({ at }) => at >= first.at),
    pictures: new Map([...view.pictures].filter(([step]) => step >= first.step)),
  };
}

/** The view with the reasons why the run waits; without any in the message, it doesn't wait. */
export function setWaitingReasons(view: RunView, message: Message<"waiting">): RunView {
  const { card, question, blockedReason, running = view.running } = message;
  const { card: cardBefore, question: _question, blockedReason: _blockedReason, ...rest } = view;
  return {
    ...rest,
    running,
    ...(blockedReason === undefined ? {} : { blockedReason }),
    ...(card ? { card: createWaitingCard(card, cardBefore) } : {}),
    ...(question === undefined ? {} : { question }),
  };
}

/** The view with what the copy changes; undefined while that is compared. */
export function setRunReview(view: RunView, review: ReviewPage | undefined): RunView {
  if (review === undefined) return { ...view, reviewing: true };
  const left = review.rows.map(({ file }) => file).filter((file) => view.left.has(file));
  return { ...view, review, reviewing: false, left: new Set(left) };
}

/** The view after the user reached the end of the feed, or left it. */
export function setAtEnd(view: RunView, atEnd: boolean): RunView {
  if (view.atEnd === atEnd) return view;
  return { ...(atEnd ? setStepWindow(view, trimWindow(view.window)) : view), atEnd };
}

export function setFold(view: RunView, name: string, open: boolean): RunView {
  return { ...view, folds: new Map(view.folds).set(name, open) };
}

/** The view after a decision failed, so that it can be made again. */
export function clearSentDecision(view: RunView): RunView {
  const waiting = view.reviewing ? { ...view, reviewing: false } : view;
  return waiting.card ? { ...waiting, card: { ...waiting.card, sent: false } } : waiting;
}

function isDecided(event: AgentEvent, card: WaitingCard | undefined): boolean {
  return event.type === "decided" && event.step === card?.card.step && event.hash === card.card.hash;
}

function omitCard(view: RunView): RunView {
  const { card: _card, ...rest } = view;
  return rest;
}

/** The streaming part of the open step: its thoughts, then its command's output. */
export interface LiveStep {
  readonly step: number;
  readonly thoughts: Thoughts;
  /** The model's own reasoning before the reply. */
  readonly reasoning: string;
  /** Characters of the reply that are no thoughts. */
  readonly written: number;
  readonly output: string;
}

export const NOTHING_LIVE: LiveStep = {
  step: 0,
  thoughts: NO_THOUGHTS,
  reasoning: "",
  written: 0,
  output: "",
};

/** Characters of the output's end that are shown; the outcome has the rest. */
const MAX_LIVE_OUTPUT = 16_000;

export function addLiveDeltas(
  live: LiveStep,
  step: number,
  { deltas, restarted = false, written }: Pick<Message<"thought">, "deltas" | "restarted" | "written">,
): LiveStep {
  const same = live.step === step;
  const before = same && !restarted ? live : NOTHING_LIVE;
  const thoughts = { ...before.thoughts };
  let { reasoning } = before;
  for (const { field, text } of deltas) {
    if (field === "own") reasoning += text;
    else thoughts[field] += text;
  }
  const output = same ? live.output : "";
  return { step, thoughts, reasoning, written: written ?? before.written, output };
}

export function addLiveOutput(live: LiveStep, step: number, text: string): LiveStep {
  const at = live.step === step ? live : { ...NOTHING_LIVE, step };
  return { ...at, output: (at.output + text).slice(-MAX_LIVE_OUTPUT) };
}
