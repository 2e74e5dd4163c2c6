import { html, type TemplateResult } from "lit/html.js";
import { button } from "./buttons.ts";
import { noticeView } from "./notice-view.ts";
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
  return restoringView(panel);
}

/** Stands for the page until the extension says which one it is; its first answer replaces this view. */
function restoringView(panel: Panel): TemplateResult {
  if (!panel.state.slow)
    return html`<main class="starting" role="status"><p>Restoring…</p>${noticeView(panel)}</main>`;
  return html`<main class="broken" role="status">
    <h1>AutoGPT is taking longer than usual</h1>
    <p>Restoring… The extension is still starting, and this page fills as soon as it answers. If it never does, reload the window.</p>
    ${noticeView(panel)} ${button("Try Again", () => panel.send({ type: "ready" }))}
  </main>`;
}
