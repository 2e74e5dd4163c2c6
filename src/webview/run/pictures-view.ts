import { html, nothing, type TemplateResult } from "lit/html.js";
import { listOutcomePictures } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderLinkButton } from "../ui/buttons.ts";
import { renderMarkButton } from "./mark-picture-view.ts";
import type { RunView } from "./run-view.ts";

/** The pictures that the model saw with the results of a step. */
export function listStepPictures({ outcome, also = [] }: StepView): readonly AttachedPicture[] {
  return [outcome, ...also].flatMap(listOutcomePictures);
}

/** The pictures of a step's results; each can be marked and sent back with a comment. */
export function renderStepPictures(panel: Panel, view: RunView, step: StepView): TemplateResult | typeof nothing {
  return renderAttachedPictures(panel, view, listStepPictures(step), t("timeline.pictures"), true);
}

/** Pictures that the user attached, or of a result; each opens in an editor. A missing picture is only named. */
export function renderAttachedPictures(
  panel: Panel,
  { attached, state }: RunView,
  pictures: readonly AttachedPicture[],
  label: string = t("start.pictures"),
  canMark = false,
): TemplateResult | typeof nothing {
  if (pictures.length === 0) return nothing;
  return html`<ul class="sent-pictures" role="list" aria-label=${label}>
    ${pictures.map(({ name, file }) => {
      const data = attached.get(file);
      const open = (): void => panel.send({ type: "openAttached", run: state.id, file });
      const inside = data === undefined ? name : html`<img src=${data} alt=${name} />`;
      const mark = canMark && data !== undefined ? renderMarkButton(panel, { name, data }) : nothing;
      return html`<li>${renderLinkButton(inside, t("timeline.openAttached", { name }), open)}${mark}</li>`;
    })}
  </ul>`;
}
