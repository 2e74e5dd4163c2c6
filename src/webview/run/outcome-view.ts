import { html, nothing, type TemplateResult } from "lit/html.js";
import { type Outcome, outcomeText, programFailed, sourceName } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { type CalledOutcome, calledIn } from "../../core/reply/further-calls.ts";
import { SHOWN_TEXT_CHARS } from "../../schema/formats.ts";
import type { Panel } from "../app/panel-state.ts";
import { actionButton, button } from "../ui/buttons.ts";
import { longTextView } from "../ui/long-text-view.ts";
import { textView } from "../ui/text-view.ts";
import type { LiveStep, RunView } from "./run-view.ts";

/** The outcome of a step; while its command runs, the end of its output. */
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
  if (text === "" && !stepView.also) return nothing;
  const label = `Outcome of step ${step}`;
  const whole = button(
    "Open in Editor",
    () => panel.send({ type: "showOutcome", run: view.state.id, step }),
    { kind: "quiet", title: `Open the whole outcome of step ${step}` },
  );
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
            ...(text.length > SHOWN_TEXT_CHARS ? { isPart: true, buttons: whole } : {}),
          })
    }
    ${pictureView(panel, view, stepView)}
    ${unsavedView(panel, view, stepView)}
    ${sourceView(outcome)}
  </div>
  ${calledIn(stepView)
    .slice(1)
    .map((called, index) => furtherView(panel, view, { step, index: index + 1 }, called))}`;
}

function sourceView(outcome: Outcome): TemplateResult | typeof nothing {
  const source = "source" in outcome ? outcome.source : undefined;
  if (!source) return nothing;
  return html`<p class="hint" dir="auto">${source.isClean ? "From" : "Unverified text from"} ${sourceName(source)}</p>`;
}

/** The outcome of a further call of the step. */
function furtherView(
  panel: Panel,
  view: RunView,
  { step, index }: { readonly step: number; readonly index: number },
  { call, outcome }: CalledOutcome,
): TemplateResult {
  const label = `Outcome of ${call.name} in step ${step}`;
  const text = outcomeText(outcome);
  return html`<div class="outcome ${outcome.status}">
    <h4 class="also">${call.name}</h4>
    ${longTextView(panel, view, { name: `outcome-${step}-${index}`, label, text })}
    ${sourceView(outcome)}
  </div>`;
}

function outputView(panel: Panel, step: number, output: string): TemplateResult {
  return html`<div class="outcome running">
    <pre class="verbatim tail" tabindex="0" role="group" aria-label="Output of step ${step} so far" dir="auto">${output}</pre>
    <div class="row tight">${actionButton(panel, "showOutput", { kind: "quiet" })}</div>
  </div>`;
}

/** True while a file that was changed in an editor isn't saved. */
export function isUnsaved({ unsavedFiles = [] }: RunView, outcome: Outcome | undefined): boolean {
  const changed = outcome?.status === "done" ? (outcome.inEditor ?? []) : [];
  return changed.some((path) => unsavedFiles.includes(path));
}

/** A button to save what a step changed in editors, while that isn't saved. */
function unsavedView(
  panel: Panel,
  view: RunView,
  { step, outcome }: StepView,
): TemplateResult | typeof nothing {
  if (!isUnsaved(view, outcome)) return nothing;
  const run = view.state.id;
  return html`<div class="row tight">
    <span class="hint">In the editor, not on disk.</span>
    ${button("Save", () => panel.send({ type: "saveChanges", run, step }), {
      kind: "secondary",
      title: "Save the file as it is in the editor, without formatting",
    })}
  </div>`;
}

/** The picture that a step produced; an older step's is loaded on request. */
function pictureView(
  panel: Panel,
  view: RunView,
  { step, outcome }: StepView,
): TemplateResult | typeof nothing {
  if (outcome?.status !== "done" || outcome.picture === undefined) return nothing;
  const data = view.pictures.get(step);
  if (data !== undefined)
    return html`<img class="picture" src=${data} alt=${`Picture ${outcome.picture}`} />`;
  const run = view.state.id;
  return html`<div class="row tight">
    ${button("Show Picture", () => panel.send({ type: "showPicture", run, step }), { kind: "quiet" })}
  </div>`;
}
