import type { RunState } from "../../core/events/run-state.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import type { ShownProcess, UsageReport } from "../../schema/panel-values.ts";
import type { ReviewPage } from "../../schema/review-page.ts";
import type { Sentence } from "../../texts/display-text.ts";
import type { WaitingCard } from "../approval/waiting-card.ts";
import type { LiveStep } from "./live-step.ts";
import type { RunNote } from "./notes.ts";
import { type StepWindow, trimWindow } from "./step-window.ts";

type Message<Type extends PanelUpdate["type"]> = Extract<PanelUpdate, { readonly type: Type }>;

/** A displayed run: its state, a window of its steps, the streaming step and the pending decision. */
export interface RunView {
  /** Its `recent` is empty, because ended steps are in the window. */
  readonly state: RunState;
  readonly facts: Omit<Message<"snapshot">, "type" | "run" | "state" | "running">;
  readonly running: boolean;
  /** The step that the user wants to see, until it's displayed. */
  readonly wantedStep?: number;
  readonly window: StepWindow;
  readonly notes: readonly RunNote[];
  readonly live: LiveStep;
  readonly card?: WaitingCard;
  /** The agent's question. */
  readonly question?: string;
  /** A problem that a person must fix before the run continues, as a sentence. */
  readonly blockedReason?: Sentence;
  /** Why there's no connection to its machine, as a sentence. */
  readonly lost?: Sentence;
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
  /** True while changes are compared or accepted. */
  readonly reviewing?: boolean;
  /** Files of the review that the user doesn't want. */
  readonly left: ReadonlySet<string>;
  /** The run's background processes. */
  readonly processes?: readonly ShownProcess[];
  /** Real paths of the files in its folders whose edits aren't saved. */
  readonly unsavedFiles?: readonly string[];
  /** The end of the feed is in view, so it is followed. */
  readonly atEnd: boolean;
  /** True if an event is missing; then nothing is applied until the next snapshot. */
  readonly stale: boolean;
}

/** Removes notes and pictures of steps that left the window. They return with those steps' page. */
export function setStepWindow(view: RunView, window: StepWindow): RunView {
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

/** The view after the user reached the end of the feed, or left it. */
export function setAtEnd(view: RunView, atEnd: boolean): RunView {
  if (view.atEnd === atEnd) return view;
  return { ...(atEnd ? setStepWindow(view, trimWindow(view.window)) : view), atEnd };
}

export function setFold(view: RunView, name: string, open: boolean): RunView {
  return { ...view, folds: new Map(view.folds).set(name, open) };
}

/** Resets a failed decision in the view, so that it can be made again. */
export function clearSentDecision(view: RunView): RunView {
  const waiting = view.reviewing ? { ...view, reviewing: false } : view;
  return waiting.card ? { ...waiting, card: { ...waiting.card, sent: false } } : waiting;
}
