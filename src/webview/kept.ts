import { type Check, listOf, objectOf, optional, tagged, text, whole } from "../shape.ts";
import type { CardDraft } from "./card-drafts.ts";
import { NEW_PANEL, type PanelState } from "./panel-state.ts";
import type { Written } from "./places.ts";
import type { GoalField, ProfileForm } from "./profile-form.ts";

/** What the user has written and not yet sent: it outlives the page. */
export interface Kept extends Pick<PanelState, "place" | "written" | "form" | "lastDraft"> {
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

const kept: Check<Kept> = objectOf<Kept>({
  composer: text,
  place: optional(text),
  written: listOf(objectOf<Written>({ place: text, text })),
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

export function keptOf({ composer, place, written, form, lastDraft, cardDrafts }: PanelState): Kept {
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
export function restored(value: unknown): PanelState {
  if (!kept(value)) return NEW_PANEL;
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
export function keepsOther(before: PanelState, after: PanelState): boolean {
  return (
    before.composer.text !== after.composer.text ||
    before.place !== after.place ||
    before.written !== after.written ||
    before.form !== after.form ||
    before.lastDraft !== after.lastDraft ||
    before.cardDrafts !== after.cardDrafts
  );
}
