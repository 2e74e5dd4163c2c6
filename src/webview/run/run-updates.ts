import { omitUndefined } from "../../core/base/objects.ts";
import { applyEvent } from "../../core/events/run-state.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { PanelUpdate } from "../../schema/panel-messages.ts";
import type { ReviewPage } from "../../schema/review-page.ts";
import type { CardDraft } from "../../schema/saved-panel.ts";
import {
  applyCardDraft,
  createWaitingCard,
  setCardFigures,
  setCardText,
  type WaitingCard,
} from "../approval/waiting-card.ts";
import { addLiveDeltas, addLiveOutput, NOTHING_LIVE } from "./live-step.ts";
import { convertToRunNote, mergeNotes } from "./notes.ts";
import { type RunView, setStepWindow } from "./run-view.ts";
import { addEndedStep, addPageToWindow, EMPTY_WINDOW } from "./step-window.ts";

type Message<Type extends PanelUpdate["type"]> = Extract<PanelUpdate, { readonly type: Type }>;

/** A message about a displayed run. */
type RunUpdate = Exclude<Extract<PanelUpdate, { readonly run: string }>, { readonly type: "snapshot" | "unsent" }>;

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
    ...omitUndefined({
      wantedStep: facts.at && facts.at.step !== same?.wantedStep ? same?.wantedStep : undefined,
      account: same?.account,
      changes: same?.changes,
      review: same?.review,
      processes: same?.processes,
      unsavedFiles: same?.unsavedFiles,
      card: same?.card,
      question: same?.question,
      blockedReason: same?.blockedReason,
      lost: same?.lost,
    }),
  };
}

/** The view after a message about its run. */
export function applyRunUpdate(view: RunView, message: RunUpdate, drafts: readonly CardDraft[]): RunView {
  switch (message.type) {
    case "event":
      return applyEventToView(view, message.event);
    case "page":
      return addStepsToView(view, message);
    case "account":
      return { ...view, account: message.account };
    case "changes":
      return { ...view, changes: getFields(message) };
    case "review":
      return setRunReview(view, message.review);
    case "picture":
      return { ...view, pictures: new Map([...view.pictures, [message.step, message.data]]) };
    case "attached":
      return { ...view, attached: new Map([...view.attached, [message.file, message.data]]) };
    case "processes":
      return { ...view, processes: message.processes };
    case "unsavedFiles":
      return { ...view, unsavedFiles: message.paths };
    case "thought":
      return { ...view, live: addLiveDeltas(view.live, message.step, message) };
    case "output":
      return { ...view, live: addLiveOutput(view.live, message.step, message.text) };
    case "waiting":
      return restoreCardDraft(setWaitingReasons(view, message), drafts);
    case "cardText":
      return view.card ? { ...view, card: setCardText(view.card, message.hash, message.text, message.more) } : view;
    case "figures":
      return view.card ? { ...view, card: setCardFigures(view.card, message.hash, message.figures) } : view;
    case "seen":
      return view.card?.card.hash === message.hash ? { ...view, card: { ...view.card, seen: true } } : view;
    case "grant":
      return { ...view, facts: { ...view.facts, drafting: false, ...getFields(message) } };
  }
}

/** The fields of a message beside those that say what it is about. */
function getFields<M extends { readonly type: unknown; readonly run: unknown }>({
  type: _type,
  run: _run,
  ...fields
}: M) {
  return fields;
}

export function restoreCardDraft(view: RunView, drafts: readonly CardDraft[]): RunView {
  return view.card ? { ...view, card: applyCardDraft(drafts, view.state.id, view.card) } : view;
}

function addStepsToView(view: RunView, { steps, earlier, sideEvents = [] }: Message<"page">): RunView {
  const notes = sideEvents.map(convertToRunNote).filter((note) => note !== undefined);
  return {
    ...view,
    window: addPageToWindow(view.window, steps, earlier),
    notes: mergeNotes(view.notes, notes),
  };
}

/** Applies the next event to the view. Ignores a known event; a gap makes the view stale. */
function applyEventToView(view: RunView, event: AgentEvent): RunView {
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

function isDecided(event: AgentEvent, card: WaitingCard | undefined): boolean {
  return event.type === "decided" && event.step === card?.card.step && event.hash === card.card.hash;
}

function omitCard(view: RunView): RunView {
  const { card: _card, ...rest } = view;
  return rest;
}

/** Sets the reasons why the run waits; if the message has none, the run doesn't wait. */
function setWaitingReasons(view: RunView, message: Message<"waiting">): RunView {
  const { card, question, blockedReason, lost, running = view.running } = message;
  const { card: cardBefore, question: _question, blockedReason: _blockedReason, lost: _lost, ...rest } = view;
  return {
    ...rest,
    running,
    ...omitUndefined({ blockedReason, lost }),
    ...(card ? { card: createWaitingCard(card, cardBefore) } : {}),
    ...omitUndefined({ question }),
  };
}

/** Sets the copy's changes; undefined while they are being compared. */
function setRunReview(view: RunView, review: ReviewPage | undefined): RunView {
  if (review === undefined) return { ...view, reviewing: true };
  const left = review.rows.map(({ file }) => file).filter((file) => view.left.has(file));
  return { ...view, review, reviewing: false, left: new Set(left) };
}
