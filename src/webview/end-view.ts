import { html, nothing, type TemplateResult } from "lit/html.js";
import { actionButton, button, fileButton, helpButton } from "./buttons.ts";
import { endText } from "./end-text.ts";
import { counted } from "./format.ts";
import { helpFor } from "./help.ts";
import { icon } from "./icons.ts";
import { inRun, type Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";
import { textView } from "./text-view.ts";

/** How the run ended, and where to go from there. */
export function endView(panel: Panel, view: RunView): TemplateResult | typeof nothing {
  const { state, facts } = view;
  if (!state.end) return nothing;
  const { heading, text, actions } = endText(state);
  const told = facts.readOnly && state.end.reason === "stopped" ? "" : text;
  const finished = state.end.reason === "finished";
  const useful = facts.readOnly ? actions.filter((action) => action === "newRun") : actions;
  const helps = helpFor(state.end.reason === "failed" && !facts.readOnly ? text : "", useful);
  return html`<section class="card end" aria-label="The end">
    <h2>${icon(finished ? "flag" : "warning", finished ? "good" : "warn")}${heading}</h2>
    ${told === "" ? nothing : html`<div class="scrolls" tabindex="0" role="group" aria-label=${heading}>${textView(panel, told)}</div>`}
    ${changesView(panel, view)}
    <div class="row">
      ${helps.map((help, index) => helpButton(panel, help, index === 0 ? { kind: "primary" } : {}))}
    </div>
  </section>`;
}

/** What the run has changed, and what can become of it: all of it is kept unless the user says otherwise. */
function changesView(panel: Panel, { changes, facts }: RunView): TemplateResult | typeof nothing {
  if (facts.readOnly || !changes || changes.count === 0) return nothing;
  const { files, count } = changes;
  const keep = (): void => panel.update(inRun(withoutChanges));
  return html`<div class="changes">
    <p>${counted(count, files.every(isFolder) ? "folder" : "file")} changed:</p>
    <ul role="list">
      ${files
        .slice(0, SHOWN)
        .map((file) => (isFolder(file) ? html`<li>${file}</li>` : html`<li>${fileButton(panel, file)}</li>`))}
    </ul>
    ${count > SHOWN ? html`<p class="hint">and ${count - Math.min(SHOWN, files.length)} more</p>` : nothing}
    <div class="row">
      ${actionButton(panel, "reviewChanges")} ${button("Keep", keep, { icon: "accept" })}
      ${actionButton(panel, "commitChanges")} ${actionButton(panel, "undoRun")}
    </div>
  </div>`;
}

function isFolder(label: string): boolean {
  return label.endsWith("/");
}

/** So many names are shown; the review has them all. */
const SHOWN = 8;

function withoutChanges(view: RunView): RunView {
  const { changes: _changes, ...rest } = view;
  return rest;
}
