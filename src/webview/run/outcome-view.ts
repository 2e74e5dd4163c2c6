import { html, nothing, type TemplateResult } from "lit/html.js";
import {
  type Outcome,
  outcomeText,
  programFailed,
  rulesOf,
  sourceName,
} from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { calledIn } from "../../core/reply/further-calls.ts";
import { SHOWN_TEXT_CHARS } from "../../schema/formats.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { actionButton, button, fileButton } from "../ui/buttons.ts";
import { excerptOfEnd } from "../ui/long-text.ts";
import { longTextView } from "../ui/long-text-view.ts";
import { textView } from "../ui/text-view.ts";
import { attachedView, stepPictures } from "./pictures-view.ts";
import type { RunView } from "./run-view.ts";

/** The results of a step's calls as the agent got them. */
export function outcomesView(panel: Panel, view: RunView, step: StepView): unknown {
  const called = calledIn(step);
  if (called.length === 0)
    return step.outcome ? outcomeView(panel, view, step.step, { outcome: step.outcome }) : nothing;
  return called.map(({ call, outcome }, index) =>
    outcomeView(panel, view, step.step, {
      outcome,
      ...(called.length > 1 ? { further: { index, tool: call.name } } : {}),
    }),
  );
}

interface ShownOutcome {
  readonly outcome: Outcome;
  /** One of several calls of the step. */
  readonly further?: { readonly index: number; readonly tool: string };
}

function outcomeView(
  panel: Panel,
  view: RunView,
  step: number,
  { outcome, further }: ShownOutcome,
): TemplateResult | typeof nothing {
  const text = outcomeText(outcome);
  if (text === "") return nothing;
  const label = further
    ? t("timeline.outcomeOf", { tool: further.tool, step })
    : t("timeline.outcomeLabel", { step });
  const isFirst = !further || further.index === 0;
  const whole = button(
    t("actions.openInEditorButton"),
    () => panel.send({ type: "showOutcome", run: view.state.id, step }),
    { kind: "quiet", title: t("timeline.openOutcome", { step }) },
  );
  return html`<div class="outcome ${outcome.status}">
    <h4>${further ? further.tool : t("timeline.outcome")}</h4>
    ${
      outcome.status === "finished"
        ? textView(panel, text)
        : longTextView(panel, view, {
            name: `outcome-${step}${isFirst ? "" : `-${further.index}`}`,
            label,
            text,
            ...(programFailed(outcome) ? { fromEnd: true } : {}),
            ...(text.length > SHOWN_TEXT_CHARS && isFirst ? { isPart: true, buttons: whole } : {}),
          })
    }
    ${sourceView(outcome)} ${rulesView(panel, outcome)}
  </div>`;
}

function sourceView(outcome: Outcome): TemplateResult | typeof nothing {
  const found = "source" in outcome ? outcome.source : undefined;
  if (!found) return nothing;
  const source = sourceName(found);
  return html`<p class="hint" dir="auto">${found.isClean ? t("timeline.from", { source }) : t("timeline.unverified", { source })}</p>`;
}

/** The files whose instructions came with the outcome. */
function rulesView(panel: Panel, outcome: Outcome): TemplateResult | typeof nothing {
  const rules = rulesOf(outcome);
  return rules.length === 0
    ? nothing
    : html`<p class="hint">${t("timeline.applyingNotes")} ${rules.map(({ file }) => fileButton(panel, file))}</p>`;
}

/** Lines of a failed program that are shown without its details. */
const LAST_LINES = 4;

/** The last lines of a program that failed. */
export function failureView(outcome: Outcome): TemplateResult | typeof nothing {
  const { text } = excerptOfEnd(outcomeText(outcome).replace(/^Exit code .*\n/, ""), LAST_LINES, 600);
  if (text.trim() === "") return nothing;
  return html`<pre class="last-lines" role="group" aria-label=${t("timeline.lastLines")} dir="auto">${text}</pre>`;
}

/** Begins a feedback with the user's own words, for the model. */
const USER_SAYS = "The user says: ";

/** The reason that the user gave for rejecting a step. */
export function feedbackView(panel: Panel, { outcome }: StepView): TemplateResult | typeof nothing {
  const said = outcome?.status === "refused" ? outcome.feedback : "";
  const reason = said.startsWith(USER_SAYS) ? said.slice(USER_SAYS.length) : undefined;
  return reason === undefined ? nothing : html`<div class="feedback">${textView(panel, reason)}</div>`;
}

/** The end of a running program's output. */
export function outputView(panel: Panel, step: number, output: string): TemplateResult {
  return html`<div class="outcome running">
    <pre class="verbatim tail" tabindex="0" role="group" aria-label=${t("timeline.outputSoFar", { step })} dir="auto">${output}</pre>
    <div class="row tight">${actionButton(panel, "showOutput", { kind: "quiet" })}</div>
  </div>`;
}

/** The parts of a result that are shown without its details: pictures, and a file to be saved. */
export function attachmentsView(panel: Panel, view: RunView, step: StepView): unknown {
  const shown = attachedView(panel, view, stepPictures(step), t("timeline.pictures"));
  return html`${pictureView(panel, view, step)} ${shown} ${unsavedView(panel, view, step)}`;
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
  return html`<div class="row tight attached">
    <span class="hint">${t("timeline.inEditor")}</span>
    ${button(t("timeline.saveButton"), () => panel.send({ type: "saveChanges", run, step }), {
      kind: "secondary",
      title: t("timeline.saveTooltip"),
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
    return html`<img class="picture" src=${data} alt=${t("timeline.picture", { file: outcome.picture })} />`;
  const run = view.state.id;
  return html`<div class="row tight attached">
    ${button(t("timeline.showPictureButton"), () => panel.send({ type: "showPicture", run, step }), { kind: "quiet" })}
  </div>`;
}
