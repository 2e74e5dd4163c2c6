import { omitUndefined } from "../../core/base/objects.ts";
import { isSavedPanel } from "../../schema/panel-validators.ts";
import type { SavedPanel } from "../../schema/saved-panel.ts";
import { displayText } from "../../texts/display-text.ts";
import { endEditing } from "../ui/composer.ts";
import { NEW_PANEL, type PanelState } from "./panel-state.ts";

/** The state is saved with each key, so it must stay small. */
const MOST_PICTURE_CHARS = 1_000_000;

/** The panel's unsent texts, in the form that is saved. */
export function createSavedPanel({ composer, place, written, form, lastDraft, cardDrafts }: PanelState): SavedPanel {
  const { pictures = [], note } = endEditing(composer, false);
  const isKept = pictures.reduce((sum, { data }) => sum + data.length, 0) <= MOST_PICTURE_CHARS;
  const isLost = !isKept || written.some((one) => one.pictures);
  return {
    composer: composer.text,
    ...(isKept && pictures.length > 0 ? { pictures } : {}),
    ...(isLost ? { picturesLost: true as const } : {}),
    written: written.map(({ pictures: _pictures, ...one }) => one),
    cardDrafts,
    ...omitUndefined({ note, place, form, lastDraft }),
  };
}

/** A new panel with an earlier page's unsent texts; ignores a value of another shape. */
export function restorePanel(value: unknown): PanelState {
  if (!isSavedPanel(value)) return NEW_PANEL;
  const { composer, pictures, note, picturesLost, place, written, form, lastDraft, cardDrafts = [] } = value;
  return {
    ...NEW_PANEL,
    composer: { text: composer, ...omitUndefined({ pictures, note }) },
    ...(picturesLost ? { notice: { text: displayText("start.picturesLost"), kind: "info" } } : {}),
    written,
    cardDrafts,
    ...omitUndefined({ place, form, lastDraft }),
  };
}

/** True when there is something new to save. */
export function isSavedStateChanged(before: PanelState, after: PanelState): boolean {
  return (
    before.composer.text !== after.composer.text ||
    before.composer.pictures !== after.composer.pictures ||
    before.composer.note !== after.composer.note ||
    before.place !== after.place ||
    before.written !== after.written ||
    before.form !== after.form ||
    before.lastDraft !== after.lastDraft ||
    before.cardDrafts !== after.cardDrafts
  );
}
