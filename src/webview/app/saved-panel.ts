import { isSavedPanel } from "../../schema/panel-validators.ts";
import type { SavedPanel } from "../../schema/saved-panel.ts";
import { NEW_PANEL, type PanelState } from "./panel-state.ts";

/** The unsent texts of the panel, as they are saved. */
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

/** A new panel with the unsent texts of an earlier page; a value of another shape is ignored. */
export function restorePanel(value: unknown): PanelState {
  if (!isSavedPanel(value)) return NEW_PANEL;
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

/** True when there is something new to save. */
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
