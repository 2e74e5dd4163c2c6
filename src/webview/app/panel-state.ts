import type { PanelRequest, Welcome } from "../../schema/panel-messages.ts";
import type { CardDraft } from "../approval/waiting-card.ts";
import type { RunView } from "../run/run-view.ts";
import type { ProfileForm } from "../start/profile-form.ts";
import { type ComposerState, EMPTY_COMPOSER } from "../ui/composer.ts";

interface Notice {
  readonly text: string;
  readonly kind: "info" | "error";
}

/** All that the panel shows. The page is drawn from it anew, once a frame at most. */
export interface PanelState {
  readonly welcome?: Welcome;
  /** The extension has not answered for a while. */
  readonly slow?: boolean;
  /** The task whose profile is being drafted. */
  readonly drafting?: string;
  readonly form?: ProfileForm;
  /** A run was asked for and is not there yet: it is not asked for twice. */
  readonly starting?: boolean;
  /** The last draft that came, as JSON: sent again, it does not undo what the user made of it. */
  readonly lastDraft?: string;
  readonly run?: RunView;
  readonly composer: ComposerState;
  /** What the composer's text is for: a run by its id, or the start page; unknown until the first message. */
  readonly place?: string;
  /** What was written for other places and not sent. */
  readonly written: readonly UnsentText[];
  /** Unsent text on cards. */
  readonly cardDrafts: readonly CardDraft[];
  readonly notice?: Notice;
  /** What a screen reader says next. */
  readonly announcement: string;
  /** There is room for a column beside the feed. */
  readonly wide: boolean;
  /** There is room for all the ways to decide on a proposal. */
  readonly tall: boolean;
}

export const NEW_PANEL: PanelState = {
  composer: EMPTY_COMPOSER,
  written: [],
  cardDrafts: [],
  announcement: "",
  wide: false,
  tall: true,
};

/** True once the extension has said what to show. */
export function isStateKnown({ welcome, run }: PanelState): boolean {
  return welcome !== undefined || run !== undefined;
}

export type PanelChange = (state: PanelState) => PanelState;

/** What a view may do. */
export interface Panel {
  readonly state: PanelState;
  send(message: PanelRequest): void;
  update(change: PanelChange): void;
  /** Draws at once and focuses the element of this id; if it is not there yet, as soon as it is. */
  focus(id: string): void;
}

/** A change of the run on show; nothing when there is none. */
export function inRun(change: (view: RunView) => RunView): PanelChange {
  return (state) => (state.run ? { ...state, run: change(state.run) } : state);
}

export function withoutNotice(state: PanelState): PanelState {
  const { notice: _notice, ...rest } = state;
  return rest;
}

export function withoutStarting(state: PanelState): PanelState {
  const { starting: _starting, ...rest } = state;
  return rest;
}

export function withoutForm(state: PanelState): PanelState {
  const { form: _form, ...rest } = state;
  return rest;
}

export function withoutDraft(state: PanelState): PanelState {
  const { drafting: _drafting, ...rest } = state;
  return rest;
}

export function withoutRun(state: PanelState): PanelState {
  const { run: _run, ...rest } = state;
  return rest;
}

/** Where the page to begin at stands among the places that something is written for; runs stand under their ids. */
export const START_PAGE = "";

/** Text that was not sent, and what it is for. */
export interface UnsentText {
  readonly place: string;
  readonly text: string;
}

/** What the user writes, for the place on show and for those that it may come back to. */
interface ComposerPlaces {
  readonly composer: ComposerState;
  readonly place?: string;
  readonly written: readonly UnsentText[];
}

const MAX_UNSENT = 20;

/** Another place is shown: what was written for the one before waits there, so that it is never sent to another. */
export function switchPlace<State extends ComposerPlaces>(state: State, place: string): State {
  if (state.place === place) return state;
  if (state.place === undefined) return { ...state, place };
  const { text } = state.composer;
  const others = state.written.filter((one) => one.place !== place && one.place !== state.place);
  const left = text.trim() === "" ? [] : [{ place: state.place, text }];
  return {
    ...state,
    place,
    composer: { text: state.written.find((one) => one.place === place)?.text ?? "" },
    written: [...others, ...left].slice(-MAX_UNSENT),
  };
}
