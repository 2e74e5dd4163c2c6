import { html, nothing, type TemplateResult } from "lit/html.js";
import { PAUSED_BY_USER } from "../core/gate.ts";
import { actionButton, helpButton } from "./buttons.ts";
import { canContinue } from "./doing.ts";
import { helpFor } from "./help.ts";
import { icon } from "./icons.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** What the run waits for, until somebody has mended it. */
function hinderedView(panel: Panel, hindrance: string): TemplateResult {
  return html`<section class="card paused" aria-label="Waiting for its disk">
    <h2>${icon("warning", "warn")}Waiting for its disk</h2>
    <p dir="auto">${hindrance}</p>
    <div class="row">${actionButton(panel, "stop")}</div>
  </section>`;
}

/** Why the run rests, and what helps. */
export function pausedView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts, card, question, hindrance } = view;
  if (hindrance !== undefined) return hinderedView(panel, hindrance);
  if (state.end || facts.readOnly || card || question !== undefined || !canContinue(view)) return nothing;
  const trouble = state.paused !== undefined && state.paused !== PAUSED_BY_USER;
  const heading = trouble ? "Paused: action required" : state.paused === undefined ? "Interrupted" : "Paused";
  const text =
    state.paused ??
    "VS Code was closed or reloaded while the agent was working. Continue to pick up where it stopped.";
  const helps = helpFor(
    trouble ? text : "",
    trouble ? ["continue", "selectModel", "setApiKey"] : ["continue"],
  );
  return html`<section class="card paused" aria-label=${heading}>
    <h2>${icon(trouble ? "warning" : "pause", trouble ? "warn" : "")}${heading}</h2>
    <p dir="auto">${text}</p>
    <div class="row">
      ${helps.map((help, index) => helpButton(panel, help, index === 0 ? { kind: "primary" } : {}))}
    </div>
  </section>`;
}
