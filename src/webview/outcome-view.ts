import { html, nothing, type TemplateResult } from "lit/html.js";
import { outcomeText, programFailed, sourceName } from "../core/outcome.ts";
import type { StepView } from "../core/run-state.ts";
import { SHOWN_TEXT } from "../protocol.ts";
import { actionButton, button } from "./buttons.ts";
import type { LiveStep } from "./live-step.ts";
import { longTextView } from "./long-text-view.ts";
import type { Panel } from "./panel-state.ts";
import { pictureView } from "./picture-view.ts";
import type { RunView } from "./run-view.ts";
import { textView } from "./text-view.ts";

/** What came of a step; while its command runs, the end of its output. */
export function outcomeView(
  panel: Panel,
  view: RunView,
  stepView: StepView,
  live: LiveStep,
): TemplateResult | typeof nothing {
  const { step, outcome, stage } = stepView;
  if (!outcome)
    return stage === "began" && live.output !== "" ? outputView(panel, step, live.output) : nothing;
  const text = outcomeText(outcome).replace(/^The user says: /, "You: ");
  if (text === "") return nothing;
  const label = `Outcome of step ${step}`;
  const whole = button(
    "Open in Editor",
    () => panel.send({ type: "showOutcome", run: view.state.id, step }),
    { kind: "quiet", title: `Open the whole outcome of step ${step}` },
  );
  const source = "source" in outcome ? outcome.source : undefined;
  return html`<div class="outcome ${outcome.status}">
    <h4 class="hidden">${label}</h4>
    ${
      outcome.status === "finished" || outcome.status === "refused"
        ? textView(panel, text)
        : longTextView(panel, view, {
            name: `outcome-${step}`,
            label,
            text,
            ...(programFailed(outcome) ? { fromEnd: true } : {}),
            ...(text.length > SHOWN_TEXT ? { isPart: true, buttons: whole } : {}),
          })
    }
    ${pictureView(panel, view, stepView)}
    ${source ? html`<p class="hint" dir="auto">${source.isClean ? "From" : "Unverified text from"} ${sourceName(source)}</p>` : nothing}
  </div>`;
}

function outputView(panel: Panel, step: number, output: string): TemplateResult {
  return html`<div class="outcome running">
    <pre class="verbatim tail" tabindex="0" role="group" aria-label="Output of step ${step} so far" dir="auto">${output}</pre>
    <div class="row tight">${actionButton(panel, "showOutput", { kind: "quiet" })}</div>
  </div>`;
}
