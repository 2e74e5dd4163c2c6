import { listOutcomePictures } from "../../core/commands/outcome.ts";
import type { AgentEvent, EventType } from "../../schema/events.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import type { CardDraft } from "../../schema/saved-panel.ts";
import { addSentence } from "../../texts/display-text.ts";
import { applyCardDraft, setCardFigures, setCardText } from "../approval/waiting-card.ts";
import {
  addLiveDeltas,
  addLiveOutput,
  addStepsToView,
  applyEventToView,
  clearSentDecision,
  openRunView,
  type RunView,
  setRunReview,
  setWaitingReasons,
} from "../run/run-view.ts";
import { createProfileForm } from "../start/profile-form.ts";
import { EMPTY_COMPOSER, omitOffer, setFoundFiles } from "../ui/composer.ts";
import {
  changeRun,
  omitDraft,
  omitForm,
  omitNotice,
  omitRun,
  omitStarting,
  type PanelState,
  START_PAGE,
  switchPlace,
} from "./panel-state.ts";

/** The state after a message, and the answer if one is due. */
export interface PanelTransition {
  readonly state: PanelState;
  readonly answer?: PanelRequest;
}

/** Applies a message from the extension. A message about a run that isn't displayed changes nothing. */
export function receive(state: PanelState, message: PanelUpdate): PanelTransition {
  const taken =
    message.type === "event" ? takeEvent(state, message) : { state: applyMessage(state, message) };
  const answer =
    taken.answer ?? findSightRequest(taken.state, message) ?? findAttachedRequest(taken.state, message);
  return answer ? { ...taken, answer } : taken;
}

/** Asks again whether the composer's pictures can be sent, after another model may have been chosen. */
function findSightRequest(state: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if ((state.composer.pictures ?? []).length === 0) return undefined;
  const isNews =
    message.type === "welcome" ||
    message.type === "snapshot" ||
    message.type === "setupChanged" ||
    (message.type === "event" && message.event.type === "changed" && message.event.model !== undefined);
  return isNews ? { type: "askSight" } : undefined;
}

/** Asks for the pictures that notes and results are about, in a new event or a page. */
function findAttachedRequest({ run }: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if ((message.type !== "event" && message.type !== "page") || message.run !== run?.state.id)
    return undefined;
  const events = message.type === "event" ? [message.event] : (message.sideEvents ?? []);
  const steps = message.type === "page" ? message.steps : [];
  const results = steps.flatMap(({ outcome, also = [] }) => [outcome, ...also]).flatMap(listOutcomePictures);
  const files = [...events.flatMap(listPictures), ...results].map(({ file }) => file);
  const missing = [...new Set(files)].filter((file) => !run.attached.has(file));
  return missing.length === 0 ? undefined : { type: "showAttached", run: message.run, files: missing };
}

function listPictures(event: AgentEvent): readonly AttachedPicture[] {
  if (event.type === "started" || event.type === "said") return event.attached ?? [];
  return event.type === "ended" ? [event.outcome, ...(event.also ?? [])].flatMap(listOutcomePictures) : [];
}

function applyMessage(
  state: PanelState,
  message: Exclude<PanelUpdate, { readonly type: "event" }>,
): PanelState {
  switch (message.type) {
    case "welcome":
      return switchPlace({ ...omitRun(state), warnings: [], welcome: message.welcome }, START_PAGE);
    case "permissions":
      return { ...state, permissions: message.groups };
    case "models":
      return { ...state, models: message.models };
    case "ways":
      return { ...state, ways: message.ways };
    case "drafted":
      return takeDraft(state, message);
    case "snapshot":
      return takeSnapshot(state, message);
    case "notice":
      return takeNotice(state, message);
    case "setupChanged":
      return omitFormNotice(omitNotice(state));
    case "runs":
      return { ...state, runs: message.runs };
    case "sight":
      return { ...state, sight: { model: message.model, sees: message.sees } };
    case "files": {
      const { type: _type, query, files, ...others } = message;
      return { ...state, composer: setFoundFiles(state.composer, query, files, others) };
    }
    default:
      return state.run?.state.id === message.run
        ? changeRun((view) => applyRunMessage(view, message, state.cardDrafts))(state)
        : state;
  }
}

type AboutRun = Extract<
  PanelUpdate,
  {
    readonly type:
      | "page"
      | "account"
      | "changes"
      | "review"
      | "picture"
      | "attached"
      | "processes"
      | "unsavedFiles"
      | "thought"
      | "output"
      | "waiting"
      | "cardText"
      | "figures"
      | "seen"
      | "grant";
  }
>;

function applyRunMessage(view: RunView, message: AboutRun, drafts: readonly CardDraft[]): RunView {
  switch (message.type) {
    case "page":
      return addStepsToView(view, message);
    case "account":
      return { ...view, account: message.account };
    case "changes":
      return { ...view, changes: getChangeFields(message) };
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
      return view.card
        ? { ...view, card: setCardText(view.card, message.hash, message.text, message.more) }
        : view;
    case "figures":
      return view.card ? { ...view, card: setCardFigures(view.card, message.hash, message.figures) } : view;
    case "seen":
      return view.card?.card.hash === message.hash ? { ...view, card: { ...view.card, seen: true } } : view;
    case "grant":
      return { ...view, facts: { ...view.facts, drafting: false, ...getGrantFields(message) } };
  }
}

function getGrantFields({ type: _type, run: _run, ...facts }: Extract<AboutRun, { readonly type: "grant" }>) {
  return facts;
}

function getChangeFields({
  type: _type,
  run: _run,
  ...changes
}: Extract<AboutRun, { readonly type: "changes" }>) {
  return changes;
}

function restoreCardDraft(view: RunView, drafts: readonly CardDraft[]): RunView {
  return view.card ? { ...view, card: applyCardDraft(drafts, view.state.id, view.card) } : view;
}

function takeEvent(
  state: PanelState,
  { run, event }: Extract<PanelUpdate, { readonly type: "event" }>,
): PanelTransition {
  if (state.run?.state.id !== run) return { state };
  const view = applyEventToView(state.run, event);
  const next = { ...(ENDS_WAIT.has(event.type) ? omitInfoNotice(state) : state), run: view };
  if (view.stale) return state.run.stale ? { state: next } : { state: next, answer: { type: "resync", run } };
  const hasPicture =
    event.type === "ended" && event.outcome.status === "done" && event.outcome.picture !== undefined;
  return hasPicture
    ? { state: next, answer: { type: "showPicture", run, step: event.step } }
    : { state: next };
}

/** Events that end the wait for a reply, and with it the notices about that wait. */
const ENDS_WAIT: ReadonlySet<EventType> = new Set(["replied", "paused", "over"]);

function omitInfoNotice(state: PanelState): PanelState {
  return state.notice?.kind === "info" ? omitNotice(state) : state;
}

function takeDraft(
  state: PanelState,
  { type: _type, ...draft }: Extract<PanelUpdate, { readonly type: "drafted" }>,
): PanelState {
  const lastDraft = JSON.stringify(draft);
  if (state.drafting === undefined && lastDraft === state.lastDraft) return state;
  const form = createProfileForm(draft.task, draft.profile, draft.notice);
  return {
    ...omitDraft(omitNotice(state)),
    form,
    lastDraft,
    composer: { ...omitOffer(state.composer), text: "" },
  };
}

function takeSnapshot(
  state: PanelState,
  snapshot: Extract<PanelUpdate, { readonly type: "snapshot" }>,
): PanelState {
  const run = openRunView(snapshot, state.run);
  if (state.run?.state.id === run.state.id) return { ...state, run };
  // The sent task is no unsent text of the start page.
  const sent = state.starting ? { ...state, composer: EMPTY_COMPOSER } : state;
  const { lastDraft: _lastDraft, ...rest } = omitDraft(omitStarting(omitForm(omitNotice(sent))));
  return switchPlace({ ...rest, warnings: [], run }, run.state.id);
}

function omitFormNotice(state: PanelState): PanelState {
  if (!state.form) return state;
  const { notice: _notice, ...form } = state.form;
  return { ...state, form };
}

function takeNotice(
  state: PanelState,
  { text, kind }: Extract<PanelUpdate, { readonly type: "notice" }>,
): PanelState {
  if (kind === "warning") return { ...state, warnings: addSentence(state.warnings, text) };
  const shown = text === "" ? omitNotice(state) : { ...state, notice: { text, kind } };
  return kind === "error" ? omitStarting(omitDraft(changeRun(clearSentDecision)(shown))) : shown;
}
