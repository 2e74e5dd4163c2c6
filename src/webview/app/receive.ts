import { omitUndefined } from "../../core/base/objects.ts";
import { listEventPictures, listOutcomePictures } from "../../core/commands/outcome.ts";
import type { EventType } from "../../schema/events.ts";
import type { PanelRequest, PanelUpdate } from "../../schema/panel-messages.ts";
import { addSentence } from "../../texts/display-text.ts";
import { applyRunUpdate, openRunView, restoreCardDraft } from "../run/run-updates.ts";
import { clearSentDecision } from "../run/run-view.ts";
import { createProfileForm } from "../start/profile-form.ts";
import { EMPTY_COMPOSER, omitOffer, setFoundFiles } from "../ui/composer.ts";
import {
  changeRun,
  omitDraft,
  omitForm,
  omitNotice,
  omitRun,
  omitStartAgent,
  omitStarting,
  type PanelState,
  START_PAGE,
  switchPlace,
} from "./panel-state.ts";

/** The state after a message, and the response, if any. */
interface PanelTransition {
  readonly state: PanelState;
  readonly answer?: PanelRequest;
}

/** Applies a message from the extension. A message about a run that isn't displayed changes nothing. */
export function receive(before: PanelState, message: PanelUpdate): PanelTransition {
  const state = applyMessage(before, message);
  const answer = findAnswer(before, state, message);
  return answer ? { state, answer } : { state };
}

function applyMessage(state: PanelState, message: PanelUpdate): PanelState {
  switch (message.type) {
    case "welcome":
      return switchPlace({ ...omitRun(state), warnings: [], welcome: message.welcome }, START_PAGE);
    case "permissions":
      return { ...state, permissions: message.groups };
    case "models":
      return { ...state, models: message.models };
    case "tools":
      return { ...state, tools: message.tools };
    case "ways":
      return { ...state, ways: message.ways };
    case "costs":
      return { ...state, costs: message.costs };
    case "drafted":
      return takeDraft(state, message);
    case "snapshot":
      return takeSnapshot(state, message);
    case "notice":
      return takeNotice(state, message);
    case "focusInput":
      return state;
    case "setupChanged":
      return omitFormNotice(omitNotice(state));
    case "runs":
      return { ...state, runs: message.runs };
    case "sight":
      return { ...state, sight: { model: message.model, sees: message.sees } };
    case "offered":
      return takeOffered(state, message);
    case "unsent":
      return takeUnsent(state, message);
    case "files": {
      const { type: _type, query, files, ...others } = message;
      return { ...state, composer: setFoundFiles(state.composer, query, files, others) };
    }
    default: {
      if (state.run?.state.id !== message.run) return state;
      const run = applyRunUpdate(state.run, message, state.cardDrafts);
      const endsWait = message.type === "event" && ENDS_WAIT.has(message.event.type);
      return { ...(endsWait ? omitInfoNotice(state) : state), run };
    }
  }
}

/** Events that end the wait for a reply, and the notices about that wait. */
const ENDS_WAIT: ReadonlySet<EventType> = new Set(["replied", "paused", "over"]);

function omitInfoNotice(state: PanelState): PanelState {
  return state.notice?.kind === "info" ? omitNotice(state) : state;
}

/** Adds the text that was typed in another window for the run; without one, another window has taken the text over. */
function takeUnsent(
  state: PanelState,
  { run, unsent: { text, cards } }: Extract<PanelUpdate, { readonly type: "unsent" }>,
): PanelState {
  const cardDrafts = [...state.cardDrafts, ...cards];
  const view = state.run ? { run: restoreCardDraft(state.run, cardDrafts) } : {};
  const next = { ...state, ...view, cardDrafts };
  if (state.place !== run) return next;
  const typed = state.composer.text;
  const both = typed.trim() === "" || text === "" || typed === text ? text : `${typed}\n${text}`;
  return { ...next, composer: { ...state.composer, text: both } };
}

/** Puts an offered text into the composer, behind what was written there, for the agent that it's for. */
function takeOffered(
  state: PanelState,
  { text, note, agent }: Extract<PanelUpdate, { readonly type: "offered" }>,
): PanelState {
  const { note: earlier, ...composer } = omitOffer(state.composer);
  const both = composer.text.trim() === "" ? text : `${composer.text.trimEnd()}\n\n${text}`;
  return {
    ...state,
    ...omitUndefined({ startAgent: agent }),
    // An edited message keeps its note, which says that files will go back, and has the button to cancel that.
    composer: { ...composer, text: both, ...omitUndefined({ note: composer.editing ? earlier : note }) },
  };
}

function takeDraft(
  state: PanelState,
  { type: _type, ...draft }: Extract<PanelUpdate, { readonly type: "drafted" }>,
): PanelState {
  const lastDraft = JSON.stringify(draft);
  if (state.drafting === undefined && lastDraft === state.lastDraft) return state;
  const form = {
    ...createProfileForm(draft.task, draft.profile, draft.notice),
    ...omitUndefined({ agent: draft.agent }),
  };
  return {
    ...omitDraft(omitNotice(state)),
    form,
    lastDraft,
    composer: { ...omitOffer(state.composer), text: "" },
  };
}

function takeSnapshot(state: PanelState, snapshot: Extract<PanelUpdate, { readonly type: "snapshot" }>): PanelState {
  const run = openRunView(snapshot, state.run);
  if (state.run?.state.id === run.state.id) return { ...state, run };
  // The sent task is no unsent text of the start page.
  const sent = state.starting ? { ...omitStartAgent(state), composer: EMPTY_COMPOSER } : state;
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
  { text, kind, sent }: Extract<PanelUpdate, { readonly type: "notice" }>,
): PanelState {
  if (kind === "warning") return { ...state, warnings: addSentence(state.warnings, text) };
  const shown = text === "" ? omitNotice(state) : { ...state, notice: { text, kind } };
  if (sent) return { ...omitStarting(omitStartAgent(shown)), composer: EMPTY_COMPOSER };
  return kind === "error" ? omitStarting(omitDraft(changeRun(clearSentDecision)(shown))) : shown;
}

/** The request with which the page answers a message; undefined if none is due. */
function findAnswer(before: PanelState, after: PanelState, message: PanelUpdate): PanelRequest | undefined {
  return (
    findEventAnswer(before, after, message) ?? findSightRequest(after, message) ?? findAttachedRequest(after, message)
  );
}

/** Asks for a missed event, or for the picture that a command made. */
function findEventAnswer(before: PanelState, after: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if (message.type !== "event" || before.run?.state.id !== message.run) return undefined;
  const { run, event } = message;
  if (after.run?.stale) return before.run.stale ? undefined : { type: "resync", run };
  const hasPicture = event.type === "ended" && event.outcome.status === "done" && event.outcome.picture !== undefined;
  return hasPicture ? { type: "showPicture", run, step: event.step } : undefined;
}

/** Checks again whether the composer's pictures can be sent, after the model may have changed. */
function findSightRequest(state: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if ((state.composer.pictures ?? []).length === 0) return undefined;
  const isNews =
    message.type === "welcome" ||
    message.type === "snapshot" ||
    message.type === "setupChanged" ||
    (message.type === "event" && message.event.type === "changed" && message.event.model !== undefined);
  return isNews ? { type: "askSight" } : undefined;
}

/** Requests the pictures that belong to notes and results in a new event or page. */
function findAttachedRequest({ run }: PanelState, message: PanelUpdate): PanelRequest | undefined {
  if ((message.type !== "event" && message.type !== "page") || message.run !== run?.state.id) return undefined;
  const events = message.type === "event" ? [message.event] : (message.sideEvents ?? []);
  const steps = message.type === "page" ? message.steps : [];
  const results = steps.flatMap(({ outcome, also = [] }) => [outcome, ...also]).flatMap(listOutcomePictures);
  const files = [...events.flatMap(listEventPictures), ...results].map(({ file }) => file);
  const missing = [...new Set(files)].filter((file) => !run.attached.has(file));
  return missing.length === 0 ? undefined : { type: "showAttached", run: message.run, files: missing };
}
