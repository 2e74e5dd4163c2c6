import { html, nothing, type TemplateResult } from "lit/html.js";
import type { Panel } from "../app/panel-state.ts";
import type { RunView } from "../run/run-view.ts";
import { icon } from "../ui/icons.ts";
import { textView } from "../ui/text-view.ts";

/** The end of the stream, below the open step: what the run waits for. */
export function pendingView(panel: Panel, view: RunView): unknown {
  return questionView(panel, view);
}

/** The agent's question, which is answered in the composer. */
function questionView(panel: Panel, { question }: RunView): TemplateResult | typeof nothing {
  if (question === undefined) return nothing;
  return html`<section class="card question" aria-label="Question">
    <h2>${icon("ask", "warn")}The agent asks</h2>
    ${textView(panel, question)}
  </section>`;
}
