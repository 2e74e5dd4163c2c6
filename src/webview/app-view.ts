import { html, type TemplateResult } from "lit/html.js";
import type { Panel } from "./panel-state.ts";
import { profileView } from "./profile-view.ts";
import { runPageView } from "./run-page-view.ts";
import { startView } from "./start-view.ts";

/** The whole panel: one of its pages, and the line that a screen reader reads out. */
export function appView(panel: Panel): TemplateResult {
  return html`<div class="panel ${panel.state.wide ? "wide" : ""}">
    ${pageView(panel)}
    <p class="hidden" role="status" aria-live="polite">${panel.state.announcement}</p>
  </div>`;
}

function pageView(panel: Panel): TemplateResult {
  const { form, run, welcome } = panel.state;
  if (form) return profileView(panel, form);
  if (run) return runPageView(panel, run);
  if (welcome) return startView(panel, welcome);
  return html`<main class="starting"><p>AutoGPT is starting…</p></main>`;
}
