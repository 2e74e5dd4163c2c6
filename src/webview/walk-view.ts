import { html, nothing, type TemplateResult } from "lit/html.js";
import { button } from "./buttons.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** Stepping through a run that nobody works on: where one is, one step back and forth, and the way out. */
export function walkView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { facts, running, state } = view;
  const go = (step: number) => (): void => panel.send({ type: "stepThrough", step });
  if (!facts.at) {
    if (running || state.totals.steps === 0) return nothing;
    return html`<div class="row walk">${button("Step Through", go(1), { kind: "quiet", icon: "play" })}</div>`;
  }
  const { step, of } = facts.at;
  return html`<div class="row walk" role="group" aria-label="Stepping through the run">
    ${button("Step back", go(step - 1), { icon: "back", iconOnly: true, disabled: step <= 0, id: "walk-back" })}
    <p role="status">After step ${step} of ${of}</p>
    ${button("Step on", go(step + 1), { icon: "play", iconOnly: true, disabled: step >= of, id: "walk-on" })}
    ${button("Leave", () => panel.send({ type: "stepThrough" }), { id: "walk-leave" })}
  </div>`;
}
