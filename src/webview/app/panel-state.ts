import { omitUndefined } from "../../core/base/objects.ts";
import type { PanelRequest } from "../../schema/panel-messages.ts";
import type { CostsPage, ModelsPage, OpenRun, PermissionGroup, Welcome } from "../../schema/panel-values.ts";
import type { ToolsPage } from "../../schema/plugin-values.ts";
import type { WaysPage } from "../../schema/review-page.ts";
import type { CardDraft, ProfileForm, UnsentText } from "../../schema/saved-panel.ts";
import type { Sentence } from "../../texts/display-text.ts";
import type { RunView } from "../run/run-view.ts";
import { type ComposerState, EMPTY_COMPOSER, endEditing } from "../ui/composer.ts";

interface Notice {
  readonly text: Sentence;
  readonly kind: "info" | "error";
}

interface Announcement {
  /** Distinguishes texts that are equal. */
  readonly id: number;
  readonly text: string;
}

/** `review`: the profile is drafted and reviewed before the run starts. `isolated`: the run works in a sandboxed copy. `remote`: on another machine. */
export type StartKind = "agent" | "plan" | "isolated" | "remote" | "review";

/** The state that the whole page is drawn from, once per frame at most. */
export interface PanelState {
  readonly welcome?: Welcome;
  /** The page is the Models page. */
  readonly models?: ModelsPage;
  /** The page is the one of tools and plugins. */
  readonly tools?: ToolsPage;
  /** The page is What Is Allowed. */
  readonly permissions?: readonly PermissionGroup[];
  /** The page compares runs of one task. */
  readonly ways?: WaysPage;
  /** The page has the costs over all folders. */
  readonly costs?: CostsPage;
  /** The extension has not answered for a while. */
  readonly slow?: boolean;
  /** The task whose profile is being drafted. */
  readonly drafting?: string;
  readonly form?: ProfileForm;
  /** The profile of a run while the user edits it. */
  readonly editedProfile?: { readonly run: string; readonly form: ProfileForm };
  /** How the next run starts; absent: as an agent. */
  readonly startMode?: StartKind;
  /** The name of the agent that does the next run; absent: the usual one. */
  readonly startAgent?: string;
  /** True if a requested run hasn't arrived yet, so that it isn't requested twice. */
  readonly starting?: boolean;
  /** The last draft received, as JSON. Receiving it again doesn't undo the user's edits. */
  readonly lastDraft?: string;
  readonly run?: RunView;
  /** The runs that this window has open. */
  readonly runs: readonly OpenRun[];
  readonly composer: ComposerState;
  /** Whether the model accepts pictures; absent until checked. */
  readonly sight?: { readonly model: string; readonly sees: boolean };
  /** Where the composer's text goes: a run by its id, or the start page; unknown until the first message. */
  readonly place?: string;
  /** Unsent texts for other places. */
  readonly written: readonly UnsentText[];
  /** Unsent text on cards. */
  readonly cardDrafts: readonly CardDraft[];
  readonly notice?: Notice;
  /** Warnings about the displayed run, until the user closes them. */
  readonly warnings: readonly Sentence[];
  /** The name of the open menu, if any. */
  readonly menu?: string;
  /** The latest texts for screen readers, which read each of them once. */
  readonly announcements: readonly Announcement[];
  /** There is room for a column beside the feed. */
  readonly wide: boolean;
  /** There is room for all buttons of a card. */
  readonly tall: boolean;
}

export const NEW_PANEL: PanelState = {
  runs: [],
  composer: EMPTY_COMPOSER,
  written: [],
  cardDrafts: [],
  warnings: [],
  announcements: [],
  wide: false,
  tall: true,
};

/** True once the extension has sent a page to show. */
export function isStateKnown({ welcome, run, models, tools, permissions, ways, costs }: PanelState): boolean {
  return [welcome, run, models, tools, permissions, ways, costs].some((page) => page !== undefined);
}

export type PanelChange = (state: PanelState) => PanelState;

/** The state and the operations that views get. */
export interface Panel {
  readonly state: PanelState;
  send(message: PanelRequest): void;
  update(change: PanelChange): void;
  /** Draws immediately and focuses the element with this id, or focuses it as soon as it exists. */
  focus(id: string): void;
}

/** Changes the displayed run; does nothing without one. */
export function changeRun(change: (view: RunView) => RunView): PanelChange {
  return (state) => (state.run ? { ...state, run: change(state.run) } : state);
}

/** Older announcements are removed. Fewer than this arrive at once, so that a page never moves existing ones. */
const MAX_ANNOUNCEMENTS = 20;

export function addAnnouncement(state: PanelState, text: string): PanelState {
  const id = (state.announcements.at(-1)?.id ?? 0) + 1;
  return { ...state, announcements: [...state.announcements, { id, text }].slice(-MAX_ANNOUNCEMENTS) };
}

export function omitNotice(state: PanelState): PanelState {
  const { notice: _notice, ...rest } = state;
  return rest;
}

export function omitEditedProfile(state: PanelState): PanelState {
  const { editedProfile: _editedProfile, ...rest } = state;
  return rest;
}

export function omitStartAgent(state: PanelState): PanelState {
  const { startAgent: _startAgent, ...rest } = state;
  return rest;
}

export function omitStarting(state: PanelState): PanelState {
  const { starting: _starting, ...rest } = state;
  return rest;
}

export function omitForm(state: PanelState): PanelState {
  const { form: _form, ...rest } = state;
  return rest;
}

export function omitDraft(state: PanelState): PanelState {
  const { drafting: _drafting, ...rest } = state;
  return rest;
}

export function omitRun(state: PanelState): PanelState {
  const { run: _run, ...rest } = state;
  return rest;
}

/** The place of the start page's texts. A run's place is its id. */
export const START_PAGE = "";

/** The user's unsent texts: for the displayed place, and for places that may be displayed again. */
interface ComposerPlaces {
  readonly composer: ComposerState;
  readonly place?: string;
  readonly written: readonly UnsentText[];
}

const MAX_UNSENT = 20;

/** Displays another place. Stores the previous place's text, so that it's never sent to the wrong place. */
export function switchPlace<State extends ComposerPlaces>(state: State, place: string): State {
  if (state.place === place) return state;
  if (state.place === undefined) return { ...state, place };
  const { text, pictures = [], note } = endEditing(state.composer, false);
  const others = state.written.filter((one) => one.place !== place && one.place !== state.place);
  const kept = { place: state.place, text, ...(pictures.length > 0 ? { pictures } : {}), ...omitUndefined({ note }) };
  const left = text.trim() === "" && pictures.length === 0 ? [] : [kept];
  const { place: _place, ...composer } = state.written.find((one) => one.place === place) ?? {
    place,
    text: "",
  };
  return {
    ...state,
    place,
    composer,
    written: [...others, ...left].slice(-MAX_UNSENT),
  };
}
