import { type Check, listOf, objectOf, optional, text, whole } from "../shape.ts";
import { NEW_PANEL, type PanelState } from "./panel-state.ts";
import type { Written } from "./places.ts";
import type { GoalField, ProfileForm } from "./profile-form.ts";

/** What the user has written and not yet sent: it outlives the page. */
export interface Kept {
  readonly composer: string;
  readonly place?: string;
  readonly written: readonly Written[];
  readonly form?: ProfileForm;
  readonly lastDraft?: string;
}

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
});

export function keptOf({ composer, place, written, form, lastDraft }: PanelState): Kept {
  return {
    composer: composer.text,
    written,
    ...(place === undefined ? {} : { place }),
    ...(form ? { form } : {}),
    ...(lastDraft === undefined ? {} : { lastDraft }),
  };
}

/** A new panel with what an earlier page has kept; anything that is not of this form is left aside. */
export function restored(value: unknown): PanelState {
  if (!kept(value)) return NEW_PANEL;
  const { composer, place, written, form, lastDraft } = value;
  return {
    ...NEW_PANEL,
    composer: { text: composer },
    written,
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
    before.lastDraft !== after.lastDraft
  );
}
