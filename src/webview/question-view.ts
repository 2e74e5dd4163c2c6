import { html, nothing, type TemplateResult } from "lit/html.js";
import { icon } from "./icons.ts";
import type { Panel } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";
import { textView } from "./text-view.ts";

/** The agent's question; it is answered in the composer below. */
export function questionView(panel: Panel, { question }: RunView): TemplateResult | typeof nothing {
  if (question === undefined) return nothing;
  return html`<section class="card question" aria-label="Question">
    <h2>${icon("ask", "warn")}The agent asks</h2>
    <div class="scrolls" tabindex="0" role="group" aria-label="The question">${textView(panel, question)}</div>
  </section>`;
}
