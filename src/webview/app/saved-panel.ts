import { type Check, listOf, objectOf, optional, tagged, text, whole } from "../../schema/shape.ts";
import type { CardDraft } from "../approval/waiting-card.ts";
import type { GoalField, ProfileForm } from "../start/profile-form.ts";
import { NEW_PANEL, type PanelState, type UnsentText } from "./panel-state.ts";

/** What the user has written and not yet sent: it outlives the page. */
export interface SavedPanel extends Pick<PanelState, "place" | "written" | "form" | "lastDraft"> {
  readonly composer: string;
  /** Absent in what 0.1.0 kept. */
  readonly cardDrafts?: readonly CardDraft[];
}

const cardDraft = objectOf<CardDraft>({
  run: text,
  step: whole,
  form: tagged<CardDraft["form"], "kind">("kind", {
    refusing: { reason: text },
    editing: { text, problem: optional(text) },
  }),
});

const savedPanel: Check<SavedPanel> = objectOf<SavedPanel>({
  composer: text,
  place: optional(text),
  written: listOf(objectOf<UnsentText>({ place: text, text })),
  form: optional(
    objectOf<ProfileForm>({
      task: text,
      name: text,
      role: text,
      goals: listOf(objectOf<GoalField>({ key: whole, text })),
      budget: text,
      notice: optional(text),
    }),
  ),
  lastDraft: optional(text),
  cardDrafts: optional(listOf(cardDraft)),
});

export function savedPanelOf({
  composer,
  place,
  written,
  form,
  lastDraft,
  cardDrafts,
}: PanelState): SavedPanel {
  return {
    composer: composer.text,
    written,
    cardDrafts,
    ...(place === undefined ? {} : { place }),
    ...(form ? { form } : {}),
    ...(lastDraft === undefined ? {} : { lastDraft }),
  };
}

/** A new panel with what an earlier page has kept; anything of another form is ignored. */
export function restorePanel(value: unknown): PanelState {
  if (!savedPanel(value)) return NEW_PANEL;
  const { composer, place, written, form, lastDraft, cardDrafts = [] } = value;
  return {
    ...NEW_PANEL,
    composer: { text: composer },
    written,
    cardDrafts,
    ...(place === undefined ? {} : { place }),
    ...(form ? { form } : {}),
    ...(lastDraft === undefined ? {} : { lastDraft }),
  };
}

/** True when what is kept is not what was kept before. */
export function isSavedStateChanged(before: PanelState, after: PanelState): boolean {
  return (
    before.composer.text !== after.composer.text ||
    before.place !== after.place ||
    before.written !== after.written ||
    before.form !== after.form ||
    before.lastDraft !== after.lastDraft ||
    before.cardDrafts !== after.cardDrafts
  );
}
