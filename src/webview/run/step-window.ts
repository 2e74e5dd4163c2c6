import { isLook } from "../../core/commands/command-traits.ts";
import { RECENT_STEPS, type StepView } from "../../core/events/run-state.ts";
import { mergeUndoNotes, type RunNote } from "./notes.ts";

/** The displayed past steps, without gaps, oldest first. */
export interface StepWindow {
  readonly steps: readonly StepView[];
  /** Whether there are earlier steps: no, yes, or already requested. */
  readonly earlier: "none" | "some" | "asked";
}

export const EMPTY_WINDOW: StepWindow = { steps: [], earlier: "none" };

/** A window at the end of the feed is cut back to a page when it exceeds this number of steps. */
const MAX_STEPS_SHOWN = 2 * RECENT_STEPS;

/** Adds a page that adjoins the window. Drops a page that would leave a gap. */
export function addPageToWindow(window: StepWindow, page: readonly StepView[], earlier: boolean): StepWindow {
  const more = earlier ? "some" : "none";
  const first = page[0]?.step;
  const last = page.at(-1)?.step;
  if (first === undefined || last === undefined)
    return window.earlier === "asked" ? { ...window, earlier: more } : window;
  const from = window.steps[0]?.step;
  const to = window.steps.at(-1)?.step;
  if (from === undefined || to === undefined) return { steps: page, earlier: more };
  if (last < from - 1 || first > to + 1) return window;
  const kept = window.steps.filter(({ step }) => step < first || step > last);
  const steps = [...kept, ...page].toSorted((a, b) => a.step - b.step);
  return { steps, earlier: first < from ? more : window.earlier };
}

/** Adds a step that has just ended. */
export function addEndedStep(window: StepWindow, step: StepView, followsEnd: boolean): StepWindow {
  const added = { ...window, steps: [...window.steps.filter((past) => past.step !== step.step), step] };
  return followsEnd ? trimWindow(added) : added;
}

/** The last page of a window that has grown too long. */
export function trimWindow(window: StepWindow): StepWindow {
  if (window.steps.length <= MAX_STEPS_SHOWN) return window;
  return { steps: window.steps.slice(-RECENT_STEPS), earlier: "some" };
}

/** A line of the stream. */
export type FeedItem =
  | { readonly kind: "step"; readonly key: string; readonly step: StepView }
  /** Steps that only read something, sharing a line. */
  | { readonly kind: "looks"; readonly key: string; readonly steps: readonly StepView[] }
  | { readonly kind: "note"; readonly key: string; readonly note: RunNote };

/**
 * Steps and the notes between them, in order. Notes older than the first step appear with its page. The `latest` step still shows its
 * thoughts, so it doesn't share a line.
 */
export function listFeedItems(
  steps: readonly StepView[],
  notes: readonly RunNote[],
  earlier: boolean,
  latest?: number,
): readonly FeedItem[] {
  const items: FeedItem[] = [];
  const first = steps[0]?.at ?? "";
  const inReach = earlier ? notes.filter((note) => note.at >= first) : notes;
  let next = 0;
  for (const step of steps) {
    for (let note = inReach[next]; note && note.at < step.at; note = inReach[++next]) addNote(items, note);
    addStep(items, step, latest);
  }
  for (const note of inReach.slice(next)) addNote(items, note);
  return items;
}

/** A line for more steps wouldn't be informative. */
const MAX_LOOKS = 12;

function addStep(items: FeedItem[], step: StepView, latest: number | undefined): void {
  const last = items.at(-1);
  const before = last?.kind === "looks" ? last.steps : last?.kind === "step" ? [last.step] : [];
  const key = `step-${step.step}`;
  if (
    before.length > 0 &&
    before.length < MAX_LOOKS &&
    step.step !== latest &&
    isPastLook(step) &&
    before.every(isPastLook)
  )
    items[items.length - 1] = { kind: "looks", key: last?.key ?? key, steps: [...before, step] };
  else items.push({ kind: "step", key, step });
}

/** True for a successful finished step that only read something. */
export function isPastLook({ stage, reply, outcome, also = [] }: StepView): boolean {
  return (
    stage === "ended" &&
    reply?.kind === "proposal" &&
    isLook(reply.call) &&
    [outcome, ...also].every((one) => one?.status === "done" && !one.picture && !one.pictures && !one.inEditor)
  );
}

function addNote(items: FeedItem[], note: RunNote): void {
  const last = items.at(-1);
  const merged = last?.kind === "note" ? mergeUndoNotes(last.note, note) : undefined;
  if (merged && last) items[items.length - 1] = { kind: "note", key: last.key, note: merged };
  else items.push({ kind: "note", key: `note-${note.seq}`, note });
}
