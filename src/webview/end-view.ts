import { html, nothing, type TemplateResult } from "lit/html.js";
import { actionButton } from "./buttons.ts";
import { endText } from "./end-text.ts";
import { icon } from "./icons.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";
import { textView } from "./text-view.ts";

/** How the run ended, and where to go from there. */
export function endView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts } = view;
  if (!state.end) return nothing;
  const { heading, text, actions } = endText(state);
  const told = facts.readOnly && state.end.reason === "stopped" ? "The run was stopped." : text;
  const finished = state.end.reason === "finished";
  const useful = facts.readOnly ? actions.filter((action) => action === "newRun") : actions;
  return html`<section class="card end" aria-label="The end">
    <h2>${icon(finished ? "flag" : "warning", finished ? "good" : "warn")}${heading}</h2>
    <div class="scrolls" tabindex="0" role="group" aria-label=${heading}>${textView(told)}</div>
    <div class="row">
      ${useful.map((action, index) => actionButton(panel, action, index === 0 ? { kind: "primary" } : {}))}
    </div>
  </section>`;
}
