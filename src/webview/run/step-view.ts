import { html, nothing, type TemplateResult } from "lit/html.js";
import { counted } from "../../core/base/text.ts";
import { programFailed } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import type { Thoughts } from "../../core/reply/reply.ts";
import type { DecisionSource } from "../../schema/run-values.ts";
import type { Panel } from "../app/panel-state.ts";
import { button } from "../ui/buttons.ts";
import { explainView, foldView } from "../ui/fold-view.ts";
import { tokenCount, usd } from "../ui/format.ts";
import { type IconName, icon } from "../ui/icons.ts";
import { textView } from "../ui/text-view.ts";
import { callView } from "./call-view.ts";
import { outcomeView } from "./outcome-view.ts";
import type { LiveStep, RunView } from "./run-view.ts";

/** One step: thoughts, proposal, decision, outcome and cost. */
export function stepView(panel: Panel, view: RunView, step: StepView, live: LiveStep): TemplateResult {
  const { reply } = step;
  const proposal = reply?.kind === "proposal" ? reply : undefined;
  const sign = stepStatus(step, isResting(view));
  return html`<article
    class="step"
    id="step-${step.step}"
    data-vscode-context=${JSON.stringify({ webviewSection: "step", step: step.step, run: view.state.id })}
  >
    <h3>
      ${icon(sign.icon, sign.tone)}
      <span class="step-number">${step.step}</span>
      <span class="step-name">${proposal?.call.name ?? (reply ? "Unreadable reply" : "Thinking")}</span>
      <span class="step-word">${sign.word}</span>
    </h3>
    ${thoughtsView(panel, view, step.step, withReasoning(proposal?.thoughts ?? live.thoughts, step.reasoning ?? live.reasoning))}
    ${proposal && step.outcome?.status !== "finished" && !isOnCard(view, step) ? callView(panel, view, step, proposal) : nothing}
    ${reply?.kind === "unreadable" && !step.outcome ? html`<p class="problem-text">${reply.problem}</p>` : nothing}
    ${isShownAtEnd(view, step) ? nothing : outcomeView(panel, view, step, live)}
    ${footView(panel, view, step)}
  </article>`;
}

/** True while the run is idle. */
export function isResting({ running, state }: RunView): boolean {
  return !running || state.paused !== undefined;
}

/** True if a card below shows the step's proposal or question, which the step then leaves out. */
export function isOnCard({ card, question, state }: RunView, { step }: StepView): boolean {
  return card?.card.step === step || (question !== undefined && state.open?.step === step);
}

/** True for the step that ended the run: its summary is shown below the feed, once. */
function isShownAtEnd({ state }: RunView, { step, outcome }: StepView): boolean {
  return outcome?.status === "finished" && state.end?.reason === "finished" && step === state.totals.steps;
}

interface StepStatus {
  readonly icon: IconName;
  readonly tone: string;
  readonly word: string;
}

function stepStatus({ stage, reply, outcome, decided }: StepView, resting: boolean): StepStatus {
  switch (outcome?.status) {
    case "done":
      return programFailed(outcome)
        ? {
            icon: "close",
            tone: "bad",
            word: outcome.exitCode === null ? "killed" : `exit code ${outcome.exitCode}`,
          }
        : { icon: "accept", tone: "good", word: "done" };
    case "failed":
      return { icon: "warning", tone: "bad", word: "failed" };
    case "refused":
      return { icon: "refuse", tone: "warn", word: "rejected" };
    case "finished":
      return { icon: "flag", tone: "good", word: "finished" };
    default:
  }
  if (resting && reply?.kind !== "proposal") return { icon: "pause", tone: "", word: "not completed" };
  if (resting && stage === "began") return { icon: "pause", tone: "", word: "interrupted" };
  if (stage === "began") return { icon: "working", tone: "info", word: "running" };
  if (stage === "replied" && reply?.kind === "proposal")
    return { icon: "ask", tone: "warn", word: "proposed" };
  if (decided) return { icon: "working", tone: "info", word: decided.allow ? "approved" : "rejected" };
  return { icon: "working", tone: "info", word: "" };
}

const ALLOWED: Readonly<Record<DecisionSource, string>> = {
  user: "Approved by you",
  rule: "No approval needed",
  grant: "Pre-approved by you",
  continuous: "Approved by continuous mode",
};

const REJECTED: Readonly<Record<DecisionSource, string>> = {
  user: "Rejected by you",
  rule: "Rejected by a rule",
  grant: "Rejected",
  continuous: "Rejected",
};

function decisionView(
  panel: Panel,
  view: RunView,
  { step, decided }: StepView,
): TemplateResult | typeof nothing {
  if (!decided) return nothing;
  const { allow, by, rule, reason, edited } = decided;
  const what = `${(allow ? ALLOWED : REJECTED)[by]}${edited ? ", with your changes" : ""}`;
  return html`<span class="decision">${what}</span>
    ${rule ? explainView(panel, view, { name: `decided-${step}`, rule, reason }) : nothing}`;
}

function footView(panel: Panel, view: RunView, step: StepView): TemplateResult | typeof nothing {
  const { usage, costUsd, recalled, decided } = step;
  if (!usage && !decided && recalled.length === 0) return nothing;
  const cost = [
    ...(usage ? [`${tokenCount(usage.input)} tokens in, ${tokenCount(usage.output)} out`] : []),
    ...(usage?.cached ? [`${Math.round((100 * usage.cached) / Math.max(1, usage.input))} % cached`] : []),
    ...(costUsd === undefined ? [] : [usd(costUsd)]),
  ];
  return html`<footer class="step-foot">
    ${decisionView(panel, view, step)}
    ${cost.length > 0 ? html`<span class="cost">${cost.join(" · ")}</span>` : nothing}
    ${
      view.facts.readOnly
        ? nothing
        : button("Prompt", () => panel.send({ type: "showPrompt", step: step.step }), {
            kind: "quiet",
            title: `Show the prompt of step ${step.step}`,
          })
    }
    ${recalled.length > 0 ? memoriesView(panel, view, step) : nothing}
  </footer>`;
}

function memoriesView(panel: Panel, view: RunView, { step, recalled }: StepView): TemplateResult {
  const summary = counted(recalled.length, "memory", "memories");
  return foldView(
    panel,
    view,
    { name: `memories-${step}`, summary, look: "memories" },
    () => html`
    <ul>
      ${recalled.map(
        ({ text, source, score, why = `${Math.round(score * 100)} % alike` }) =>
          html`<li><p dir="auto">${text}</p><p class="hint">${source} · ${why}</p></li>`,
      )}
    </ul>
  `,
  );
}

/** The thoughts behind the first one, each with its heading. */
const BEHIND = [
  ["reasoning", "Reasoning"],
  ["plan", "Plan"],
  ["criticism", "Criticism"],
] as const;

/** Thoughts with the model's own reasoning, which comes first where there is nothing else. */
function withReasoning(thoughts: Thoughts, own: string): Thoughts {
  if (own === "") return thoughts;
  if (thoughts.text === "" && thoughts.reasoning === "") return { ...thoughts, text: own };
  return thoughts.reasoning === "" ? { ...thoughts, reasoning: own } : thoughts;
}

/** The agent's thoughts: the first one and the spoken one, the others behind "Why". */
function thoughtsView(
  panel: Panel,
  view: RunView,
  step: number,
  thoughts: Thoughts,
): TemplateResult | typeof nothing {
  const behind = BEHIND.filter(([field]) => thoughts[field] !== "");
  if (thoughts.text === "" && thoughts.speak === "" && behind.length === 0) return nothing;
  return html`<div class="thoughts">
    ${thoughts.text === "" ? nothing : textView(panel, thoughts.text)}
    ${isSaidAlready(thoughts) ? nothing : html`<p class="speak" dir="auto">${thoughts.speak}</p>`}
    ${
      behind.length === 0
        ? nothing
        : foldView(panel, view, { name: `why-${step}`, summary: "Why", look: "why" }, () =>
            behind.map(([field, heading]) => html`<h4>${heading}</h4>${textView(panel, thoughts[field])}`),
          )
    }
  </div>`;
}

/** True if the spoken thought is empty or repeats the first one. */
function isSaidAlready({ text, speak }: Thoughts): boolean {
  return speak === "" || speak.trim() === text.trim();
}
