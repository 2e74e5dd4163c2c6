import { html, nothing, type TemplateResult } from "lit/html.js";
import { fileButton } from "./buttons.ts";
import { icon } from "./icons.ts";
import type { Panel } from "./panel-state.ts";

/** The files in which the repository speaks to the agent, before a run reads them. */
export function wordsView(panel: Panel): TemplateResult | typeof nothing {
  const { words } = panel.state.welcome ?? {};
  if (!words) return nothing;
  const { files, unread } = words;
  return html`<section class="words" aria-labelledby="words-heading">
    <h2 id="words-heading">From this repository</h2>
    ${files.length > 0 ? html`<p>The agent also reads these files. They can add to its constraints, but can't widen what it may do.</p>` : nothing}
    <ul>${files.map((file) => html`<li>${fileButton(panel, file)}</li>`)}</ul>
    ${unread.map((text) => html`<div class="notice info">${icon("warning", "warn")}<p>${text}</p></div>`)}
  </section>`;
}
