import { html, nothing, type TemplateResult } from "lit/html.js";
import type { StepView } from "../core/run-state.ts";
import { button } from "./buttons.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** The picture that came of a step; of an older step it is shown when that is asked for. */
export function pictureView(
  panel: Panel,
  view: RunView,
  { step, outcome }: StepView,
): TemplateResult | typeof nothing {
  if (outcome?.status !== "done" || outcome.picture === undefined) return nothing;
  const data = view.pictures.get(step);
  if (data !== undefined)
    return html`<img class="picture" src=${data} alt=${`Picture ${outcome.picture}`} />`;
  const run = view.state.id;
  return html`<div class="row tight">
    ${button("Show Picture", () => panel.send({ type: "showPicture", run, step }), { kind: "quiet" })}
  </div>`;
}
