import { html, nothing, type TemplateResult } from "lit/html.js";
import { type ButtonLook, button } from "./buttons.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** The way into stepping through a run that nobody works on. */
export function walkStartView(
  panel: Panel,
  { facts, running, state }: RunView,
  look: ButtonLook = {},
): TemplateResult | typeof nothing {
  if (facts.at || running || state.totals.steps === 0) return nothing;
  const begin = (): void => panel.send({ type: "stepThrough", step: 1 });
  return button("Step Through", begin, {
    kind: "quiet",
    icon: "walk",
    ...look,
    title: "See the run as it stood after each step",
  });
}

/** Stepping through a run: where one is, one step back and forth, and the way out. */
export function walkView(panel: Panel, { facts }: RunView): TemplateResult | typeof nothing {
  if (!facts.at) return nothing;
  const go = (step: number) => (): void => panel.send({ type: "stepThrough", step });
  const { step, of } = facts.at;
  return html`<div class="row walk" role="group" aria-label="Stepping through the run">
    ${button("Step back", go(step - 1), { icon: "back", iconOnly: true, disabled: step <= 0, id: "walk-back" })}
    <p role="status">After step ${step} of ${of}</p>
    ${button("Step on", go(step + 1), { icon: "play", iconOnly: true, disabled: step >= of, id: "walk-on" })}
    ${button("Leave", () => panel.send({ type: "stepThrough" }), { id: "walk-leave" })}
  </div>`;
}
