import { html, nothing, type TemplateResult } from "lit/html.js";
import { formatDisplaySize } from "../../core/base/text.ts";
import { PICTURE_TYPES } from "../../schema/run-values.ts";
import type { ComposerPicture } from "../../schema/saved-panel.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { attachPictures, filterPictureFiles, removeComposerPicture } from "./attached-pictures.ts";
import { renderActionButton, renderButton } from "./buttons.ts";
import { renderIcon } from "./icons.ts";

const PICKER_ID = "composer-pictures";

/** True if the composer's pictures can't be sent, because the model doesn't accept any. */
export function arePicturesUnseen({ composer, sight }: Panel["state"]): boolean {
  return (composer.pictures ?? []).length > 0 && sight?.sees === false;
}

/** The button that opens the file picker, and the picker. */
export function attachButton(panel: Panel, disabled: boolean, focusAfter: string): TemplateResult {
  const handlePick = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    void attachPictures(panel, filterPictureFiles(target.files));
    target.value = "";
    panel.focus(focusAfter);
  };
  return html`<input
      id=${PICKER_ID}
      type="file"
      hidden
      multiple
      accept=${PICTURE_TYPES.join(",")}
      @change=${handlePick}
    />${renderButton(t("start.attachButton"), () => document.getElementById(PICKER_ID)?.click(), {
      kind: "quiet",
      icon: "attach",
      iconOnly: true,
      title: t("start.attachHint"),
      disabled,
    })}`;
}

/** The composer's pictures, each with a button to remove it, and advice if the model doesn't accept any. */
export function renderComposerPictures(panel: Panel, focusAfter: string): TemplateResult | typeof nothing {
  const { pictures = [] } = panel.state.composer;
  if (pictures.length === 0) return nothing;
  const keep = (left: readonly ComposerPicture[]): void => {
    panel.update((state) => ({ ...state, composer: { ...state.composer, pictures: left } }));
    panel.focus(focusAfter);
  };
  return html`<ul class="attached-pictures" role="list" aria-label=${t("start.pictures")}>
      ${pictures.map((picture, index) => renderPictureRow(picture, () => keep(removeComposerPicture(pictures, index))))}
    </ul>
    ${arePicturesUnseen(panel.state) ? renderUnseenNotice(panel, () => keep([])) : nothing}`;
}

function renderPictureRow(picture: ComposerPicture, remove: () => void): TemplateResult {
  const { name, mediaType, data, width, height, bytes, scaled } = picture;
  const facts = { width: String(width), height: String(height), size: formatDisplaySize(bytes) };
  const text = scaled ? t("start.pictureScaled", facts) : t("start.pictureSize", facts);
  return html`<li title=${name}>
    <img src=${`data:${mediaType};base64,${data}`} alt="" />
    <span class="picture-name" dir="auto">${name}</span>
    <span class="picture-facts">${text}</span>
    ${renderButton(t("start.removePicture", { name }), remove, { kind: "quiet", icon: "close", iconOnly: true })}
  </li>`;
}

function renderUnseenNotice(panel: Panel, removeAll: () => void): TemplateResult {
  const model = panel.state.sight?.model ?? "";
  return html`<div class="notice warning" role="status">
    ${renderIcon("warning", "warn")}
    <p dir="auto">${t("start.picturesUnseen", { model })}</p>
    <div class="row">${renderActionButton(panel, "selectModel")} ${renderButton(t("start.removePicturesButton"), removeAll)}</div>
  </div>`;
}
