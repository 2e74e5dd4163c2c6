import { html, nothing, type TemplateResult } from "lit/html.js";
import { lookTitle } from "../../core/commands/call-title.ts";
import { programFailed } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import { type StepLine, stepLine } from "../../core/events/step-line.ts";
import type { Call } from "../../core/reply/reply.ts";
import { displayText } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";
import { inRun, type Panel } from "../app/panel-state.ts";
import { isFoldOpen } from "../ui/fold-view.ts";
import { attachmentsView, failureView, feedbackView, outputView } from "./outcome-view.ts";
import { type LiveStep, type RunView, withFold } from "./run-view.ts";
import { stepDetailsView } from "./step-details.ts";
import { lineView } from "./step-line.ts";
import { thoughtsView, withReasoning } from "./thoughts-view.ts";

interface StepOptions {
  readonly live: LiveStep;
  /** It has ended, and its thoughts are still the latest ones. */
  readonly isLatest: boolean;
}

/** One step: a line once it has ended, with its details on demand; before that, its thoughts and what it does. */
export function stepView(panel: Panel, view: RunView, step: StepView, options: StepOptions): TemplateResult {
  return html`<article class="step ${step.stage === "ended" ? "" : "open"}" id="step-${step.step}" aria-label=${t("approval.stepWord", { step: step.step })} data-vscode-context=${stepContext(view, step)}>
    ${step.stage === "ended" ? endedView(panel, view, step, options.isLatest) : openView(panel, view, step, options.live)}
  </article>`;
}

/** Steps that only looked, on one line. Unfolded, each has its own. */
export function looksView(panel: Panel, view: RunView, steps: readonly StepView[]): TemplateResult {
  const [from = 0, to = 0] = [steps[0]?.step, steps.at(-1)?.step];
  const name = `looks-${from}`;
  const open = isFoldOpen(
    view,
    name,
    steps.some((step) => isStepOpen(view, step)),
  );
  const calls = steps.flatMap(callsOf);
  const first = calls[0];
  const command = calls.every((call) => call.name === first?.name) ? first?.name : undefined;
  return html`<section class="looks" data-steps=${steps.map(({ step }) => step).join(" ")}>
    ${lineView(
      panel,
      {
        icon: "accept",
        tone: "good",
        word: displayText("timeline.done"),
        title: lookTitle(calls),
        ...(command === undefined ? {} : { command }),
      },
      {
        numbers: t("timeline.stepNumbers", { from, to }),
        open,
        toggle: () => panel.update(inRun((run) => withFold(run, name, !open))),
        label: t("timeline.showGroup", { from, to }),
      },
    )}
    ${open ? html`<div class="inside">${steps.map((step) => stepView(panel, view, step, { live: view.live, isLatest: false }))}</div>` : nothing}
  </section>`;
}

function callsOf({ reply }: StepView): readonly Call[] {
  return reply?.kind === "proposal" ? [reply.call, ...(reply.also ?? [])] : [];
}

function stepContext({ state }: RunView, { step }: StepView): string {
  return JSON.stringify({ webviewSection: "step", step, run: state.id });
}

/** The details of a step are open if the user opened them. When stepping through, those of the current step are, too. */
function isStepOpen(view: RunView, { step }: StepView): boolean {
  return isFoldOpen(view, `step-${step}`, view.facts.at?.step === step);
}

function endedView(panel: Panel, view: RunView, step: StepView, isLatest: boolean): TemplateResult {
  const open = isStepOpen(view, step);
  const { reply } = step;
  const thoughts = isLatest && !open && reply?.kind === "proposal" ? reply.thoughts : undefined;
  const toggle = (): void => panel.update(inRun((run) => withFold(run, `step-${step.step}`, !open)));
  return html`${thoughts ? thoughtsView(panel, view, thoughts, { step: step.step, isStreaming: false }) : nothing}
  ${lineView(panel, stepLine(step, false), {
    numbers: t("timeline.stepNumber", { step: step.step }),
    open,
    toggle,
    label: t("timeline.showDetails", { step: step.step }),
  })}
  ${feedbackView(panel, step)}
  ${open || !step.outcome || !programFailed(step.outcome) ? nothing : failureView(step.outcome)}
  ${attachmentsView(panel, view, step)}
  ${open ? html`<div class="inside">${stepDetailsView(panel, view, step)}</div>` : nothing}`;
}

function openView(panel: Panel, view: RunView, step: StepView, live: LiveStep): TemplateResult {
  const { reply, stage } = step;
  const said = reply?.kind === "proposal" ? reply.thoughts : live.thoughts;
  const thoughts = withReasoning(said, step.reasoning ?? live.reasoning);
  const numbers = t("timeline.stepNumber", { step: step.step });
  const options = { step: step.step, isStreaming: stage === "asked" && !isResting(view) };
  const isAsked = isOnCard(view, step);
  return html`${isAsked ? html`<h3 class="hidden">${t("approval.stepWord", { step: step.step })}</h3>` : nothing}
    ${thoughtsView(panel, view, thoughts, options)}
    ${
      isAsked
        ? nothing
        : lineView(panel, writing(stepLine(step, isResting(view)), step, live), {
            numbers,
            open: false,
            label: "",
          })
    }
    ${reply?.kind === "unreadable" ? html`<p class="problem-text">${reply.problem}</p>` : nothing}
    ${stage === "began" && live.output !== "" ? outputView(panel, step.step, live.output) : nothing}`;
}

/** A reply begins with a few characters that say nothing. */
const LEAST_WRITTEN = 60;

/** The line of a step whose command is arriving: how much of it, so that a long one is seen to grow. */
function writing(line: StepLine, { stage }: StepView, { written }: LiveStep): StepLine {
  if (stage !== "asked" || line.icon !== "working" || written < LEAST_WRITTEN) return line;
  const title = displayText("timeline.writingCall");
  return { ...line, title, word: title, summary: displayText("timeline.characters", { count: written }) };
}

/** True while the run is idle. */
export function isResting({ running, state }: RunView): boolean {
  return !running || state.paused !== undefined;
}

/** True if the step's proposal or question follows below the stream, so that the step leaves it out. */
export function isOnCard({ card, question, state }: RunView, { step }: StepView): boolean {
  return card?.card.step === step || (question !== undefined && state.open?.step === step);
}
