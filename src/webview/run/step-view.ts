import { html, nothing, type TemplateResult } from "lit/html.js";
import { omitUndefined } from "../../core/base/objects.ts";
import { createLookTitle } from "../../core/commands/call-title.ts";
import { hasProgramFailed } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { createStepLine, type StepLine } from "../../core/events/step-line.ts";
import type { Call } from "../../core/reply/reply.ts";
import { displayText } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { changeRun, type Panel } from "../app/panel-state.ts";
import { isFoldOpen } from "../ui/fold-view.ts";
import type { LiveStep } from "./live-step.ts";
import { renderAttachments, renderFailure, renderFeedback, renderRunningOutput } from "./outcome-view.ts";
import { type RunView, setFold } from "./run-view.ts";
import { renderStepDetails } from "./step-details.ts";
import { renderStepLine } from "./step-line.ts";
import { addReasoning, renderThoughtLine, renderThoughts } from "./thoughts-view.ts";

/** The fold of all steps' lines of thought. */
export const THOUGHTS_FOLD = "thoughts";

interface StepOptions {
  readonly live: LiveStep;
  /** True if the step has ended and its thoughts are still the latest. */
  readonly isLatest: boolean;
}

/** One step: before it ends, its thoughts and activity; after that, a line with details on demand. */
export function renderStep(panel: Panel, view: RunView, step: StepView, options: StepOptions): TemplateResult {
  return html`<article class="step ${step.stage === "ended" ? "" : "open"}" id="step-${step.step}" aria-label=${t("approval.stepWord", { step: step.step })} data-vscode-context=${formatStepContext(view, step)}>
    ${step.stage === "ended" ? renderEndedStep(panel, view, step, options.isLatest) : openView(panel, view, step, options.live)}
  </article>`;
}

/** Steps that only read something, on one line. When unfolded, each has its own line. */
export function renderLookingSteps(panel: Panel, view: RunView, steps: readonly StepView[]): TemplateResult {
  const [from = 0, to = 0] = [steps[0]?.step, steps.at(-1)?.step];
  const name = `looks-${from}`;
  const open = isFoldOpen(
    view,
    name,
    steps.some((step) => isStepOpen(view, step)),
  );
  const calls = steps.flatMap(listCalls);
  const first = calls[0];
  const command = calls.every((call) => call.name === first?.name) ? first?.name : undefined;
  return html`<section class="looks" data-steps=${steps.map(({ step }) => step).join(" ")}>
    ${renderStepLine(
      panel,
      {
        icon: "accept",
        tone: "good",
        word: displayText("timeline.done"),
        title: createLookTitle(calls),
        ...omitUndefined({ command }),
      },
      {
        numbers: t("timeline.stepNumbers", { from, to }),
        open,
        toggle: () => panel.update(changeRun((run) => setFold(run, name, !open))),
        label: t("timeline.showGroup", { from, to }),
      },
    )}
    ${open ? html`<div class="inside">${steps.map((step) => renderStep(panel, view, step, { live: view.live, isLatest: false }))}</div>` : nothing}
  </section>`;
}

function listCalls({ reply }: StepView): readonly Call[] {
  return reply?.kind === "proposal" ? [reply.call, ...(reply.also ?? [])] : [];
}

function formatStepContext({ state }: RunView, { step }: StepView): string {
  return JSON.stringify({ webviewSection: "step", step, run: state.id });
}

/** True if the user opened a step's details, or if it's the current step when stepping through. */
function isStepOpen(view: RunView, { step }: StepView): boolean {
  return isFoldOpen(view, `step-${step}`, view.facts.at?.step === step);
}

function renderEndedStep(panel: Panel, view: RunView, step: StepView, isLatest: boolean): TemplateResult {
  const open = isStepOpen(view, step);
  const { reply } = step;
  const thoughts = isLatest && !open && reply?.kind === "proposal" ? reply.thoughts : undefined;
  const toggle = (): void => panel.update(changeRun((run) => setFold(run, `step-${step.step}`, !open)));
  const showsLine = !thoughts && !open && reply?.kind === "proposal" && isFoldOpen(view, THOUGHTS_FOLD);
  // The card of the end says the same.
  if (step.outcome?.status === "finished" && view.state.end?.reason === "finished" && !open)
    return html`${showsLine ? renderThoughtLine(reply.thoughts) : nothing}`;
  return html`${thoughts ? renderThoughts(panel, view, thoughts, { step: step.step, isStreaming: false }) : nothing}
  ${renderStepLine(panel, createStepLine(step, false), {
    numbers: t("timeline.stepNumber", { step: step.step }),
    open,
    toggle,
    label: t("timeline.showDetails", { step: step.step }),
  })}
  ${showsLine ? renderThoughtLine(reply.thoughts) : nothing}
  ${renderFeedback(panel, step)}
  ${open || !step.outcome || !hasProgramFailed(step.outcome) ? nothing : renderFailure(panel, step.outcome)}
  ${renderAttachments(panel, view, step)}
  ${open ? html`<div class="inside">${renderStepDetails(panel, view, step)}</div>` : nothing}`;
}

function openView(panel: Panel, view: RunView, step: StepView, live: LiveStep): TemplateResult {
  const { reply, stage } = step;
  const said = reply?.kind === "proposal" ? reply.thoughts : live.thoughts;
  const thoughts = addReasoning(said, step.reasoning ?? live.reasoning);
  const numbers = t("timeline.stepNumber", { step: step.step });
  const options = { step: step.step, isStreaming: stage === "asked" && !isResting(view) };
  const isAsked = isOnCard(view, step);
  return html`${isAsked ? html`<h3 class="hidden">${t("approval.stepWord", { step: step.step })}</h3>` : nothing}
    ${renderThoughts(panel, view, thoughts, options)}
    ${
      isAsked
        ? nothing
        : renderStepLine(panel, addWritingProgress(createStepLine(step, isResting(view)), step, live), {
            numbers,
            open: false,
            label: "",
          })
    }
    ${reply?.kind === "unreadable" ? html`<p class="problem-text">${reply.problem}</p>` : nothing}
    ${stage === "began" && live.output !== "" ? renderRunningOutput(panel, step.step, live.output) : nothing}`;
}

/** The first few characters of a reply aren't informative. */
const LEAST_WRITTEN = 60;

/** Adds the amount written to the line of a step whose command is arriving, to show that a long one grows. */
function addWritingProgress(line: StepLine, { stage }: StepView, { written }: LiveStep): StepLine {
  if (stage !== "asked" || line.icon !== "working" || written < LEAST_WRITTEN) return line;
  const title = displayText("timeline.writingCall");
  return { ...line, title, word: title, summary: displayText("timeline.characters", { count: written }) };
}

/** True while the run is idle. */
export function isResting({ running, state }: RunView): boolean {
  return !running || state.paused !== undefined;
}

/** True if a card below shows the step's proposal or question, so that the step omits it. */
export function isOnCard({ card, question, state }: RunView, { step }: StepView): boolean {
  return card?.card.step === step || (question !== undefined && state.open?.step === step);
}
