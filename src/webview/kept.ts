import { type Check, listOf, objectOf, optional, text, whole } from "../shape.ts";
import { NEW_PANEL, type PanelState } from "./panel-state.ts";
import type { GoalField, ProfileForm } from "./profile-form.ts";

/** What the user has written and not yet sent: it outlives the page. */
export interface Kept {
  readonly composer: string;
  readonly form?: ProfileForm;
  readonly lastDraft?: string;
}

const kept: Check<Kept> = objectOf<Kept>({
  composer: text,
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

export function keptOf({ composer, form, lastDraft }: PanelState): Kept {
  return {
    composer: composer.text,
    ...(form ? { form } : {}),
    ...(lastDraft === undefined ? {} : { lastDraft }),
  };
}

/** A new panel with what an earlier page has kept; anything that is not of this form is left aside. */
export function restored(value: unknown): PanelState {
  if (!kept(value)) return NEW_PANEL;
  const { composer, form, lastDraft } = value;
  return {
    ...NEW_PANEL,
    composer: { text: composer },
    ...(form ? { form } : {}),
    ...(lastDraft === undefined ? {} : { lastDraft }),
  };
}
