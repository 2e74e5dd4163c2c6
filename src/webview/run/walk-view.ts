import { live } from "lit/directives/live.js";
import { html, nothing, svg, type TemplateResult } from "lit/html.js";
import { splitTextParts, t, writeValue } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import { renderButton } from "../ui/buttons.ts";
import type { RunView } from "./run-view.ts";

/** The control that gets the focus, so that the arrow keys, Home and End work at once. */
export const WALK_SLIDER_ID = "walk-slider";

/** Controls for stepping through a run: a slider with the steps that changed files, back, forward, the number and leave. */
export function renderWalk(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { at } = view.facts;
  if (!at) return nothing;
  const { of, changes } = at;
  const step = view.wantedStep ?? at.step;
  const go = (wanted: number): void => {
    // Anything but a number is replaced by the current step.
    const next = Number.isInteger(wanted) ? Math.min(Math.max(wanted, 0), of) : step;
    panel.update(changeRun((run) => ({ ...run, wantedStep: next })));
    if (next !== step) panel.send({ type: "stepThrough", step: next });
  };
  const goTyped = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) go(target.valueAsNumber);
  };
  const look = { kind: "quiet", iconOnly: true } as const;
  const number = html`<input type="number" id="walk-number" min="0" max=${of} .value=${live(String(step))} aria-label=${t("header.stepNumber")} @change=${goTyped} />`;
  return html`<div class="walk" role="group" aria-label=${t("header.stepping")}>
    <div class="walk-steps">
      ${renderMarks(changes, of)}
      <input type="range" id=${WALK_SLIDER_ID} min="0" max=${of} .value=${live(String(step))} aria-label=${t("header.stepSlider", { count: changes.length })} @input=${goTyped} />
    </div>
    <div class="row">
      ${renderButton(t("header.stepBackButton"), () => go(step - 1), { ...look, icon: "previous", disabled: step <= 0, id: "walk-back" })}
      ${renderButton(t("header.stepForwardButton"), () => go(step + 1), { ...look, icon: "next", disabled: step >= of, id: "walk-on" })}
      <p>${splitTextParts("header.stepPosition", { step: number, of: writeValue(of) })}</p>
      ${renderButton(t("header.stepLeaveButton"), () => panel.send({ type: "stepThrough" }), { id: "walk-leave" })}
    </div>
    <p class="hidden" role="status">${t("header.stepPosition", { step, of })}</p>
  </div>`;
}

/** A mark above the slider for each step that changed files. */
function renderMarks(changes: readonly number[], of: number): TemplateResult | typeof nothing {
  if (changes.length === 0) return nothing;
  const path = changes.map((step) => `M${step} 0v1`).join("");
  return html`<svg class="walk-marks" viewBox="0 0 ${of} 1" preserveAspectRatio="none" aria-hidden="true">
    ${svg`<path d=${path} vector-effect="non-scaling-stroke"></path>`}
  </svg>`;
}
