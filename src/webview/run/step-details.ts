import { html, nothing, type TemplateResult } from "lit/html.js";
import { describeRecalledSource } from "../../core/events/memory-source.ts";
import type { StepView } from "../../core/events/run-state.ts";
import type { DecisionSource } from "../../schema/run-values.ts";
import { restoreSentence } from "../../texts/display-text.ts";
import { formatTokenCount, formatUsd, t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderButton } from "../ui/buttons.ts";
import { explainView, foldView } from "../ui/fold-view.ts";
import { renderCall } from "./call-view.ts";
import { renderOutcomes } from "./outcome-view.ts";
import type { RunView } from "./run-view.ts";
import { addReasoning, renderAllThoughts } from "./thoughts-view.ts";

/** All of a step that has ended: thoughts, call, result, decision and cost. */
export function renderStepDetails(panel: Panel, view: RunView, step: StepView): TemplateResult {
  const { reply, reasoning = "" } = step;
  const proposal = reply?.kind === "proposal" ? reply : undefined;
  return html`${proposal ? renderAllThoughts(panel, addReasoning(proposal.thoughts, reasoning)) : nothing}
    ${proposal && step.outcome?.status !== "finished" ? renderCall(panel, view, step, proposal) : nothing}
    ${renderOutcomes(panel, view, step)}
    ${renderFoot(panel, view, step)}`;
}

const ALLOWED = {
  user: "timeline.allowedByUser",
  rule: "timeline.allowedByRule",
  grant: "timeline.allowedByGrant",
  continuous: "timeline.allowedByContinuous",
} as const satisfies Readonly<Record<DecisionSource, string>>;

const REJECTED = {
  user: "timeline.rejectedByUser",
  rule: "timeline.rejectedByRule",
  grant: "timeline.rejected",
  continuous: "timeline.rejected",
} as const satisfies Readonly<Record<DecisionSource, string>>;

function renderDecision(panel: Panel, view: RunView, { step, decided }: StepView): TemplateResult | typeof nothing {
  if (!decided) return nothing;
  const { allow, by, rule, edited } = decided;
  const reason = write(restoreSentence(decided.reason, decided.text));
  const code = allow && by === "user" && edited ? "timeline.allowedByUserEdited" : (allow ? ALLOWED : REJECTED)[by];
  return html`<span class="decision">${t(code)}</span>
    ${rule ? explainView(panel, view, { name: `decided-${step}`, rule, reason }) : nothing}`;
}

function renderFoot(panel: Panel, view: RunView, step: StepView): TemplateResult | typeof nothing {
  const { usage, costUsd, recalled, decided, hooks = [] } = step;
  if (!usage && !decided && recalled.length + hooks.length === 0) return nothing;
  const cost = [
    ...(usage
      ? [
          t("timeline.usage", {
            input: formatTokenCount(usage.input),
            output: formatTokenCount(usage.output),
          }),
        ]
      : []),
    ...(usage?.cached
      ? [t("timeline.cached", { percent: Math.round((100 * usage.cached) / Math.max(1, usage.input)) })]
      : []),
    ...(costUsd === undefined ? [] : [formatUsd(costUsd)]),
  ];
  return html`<footer class="step-foot">
    ${renderDecision(panel, view, step)}
    ${cost.length > 0 ? html`<span class="cost">${cost.join(" · ")}</span>` : nothing}
    ${
      view.facts.readOnly
        ? nothing
        : renderButton(t("timeline.promptButton"), () => panel.send({ type: "showPrompt", step: step.step }), {
            kind: "quiet",
            title: t("timeline.promptTooltip", { step: step.step }),
          })
    }
    ${recalled.length > 0 ? renderMemories(panel, view, step) : nothing}
    ${hooks.length > 0 ? renderHooks(panel, view, step.step, hooks) : nothing}
  </footer>`;
}

function renderMemories(panel: Panel, view: RunView, { step, recalled }: StepView): TemplateResult {
  const summary = t("timeline.recalled", { count: recalled.length });
  return foldView(
    panel,
    view,
    { name: `memories-${step}`, summary, look: "memories" },
    () => html`
    <ul>
      ${recalled.map(
        ({ text, source, score, why = t("timeline.alike", { percent: Math.round(score * 100) }), reason }) =>
          html`<li><p dir="auto">${text}</p><p class="hint">${write(describeRecalledSource(source))} · ${reason ? write(reason) : why}</p></li>`,
      )}
    </ul>
  `,
  );
}

/** Calls of plugins: which plugins answered, how fast, and their changes. */
function renderHooks(panel: Panel, view: RunView, step: number, hooks: NonNullable<StepView["hooks"]>): TemplateResult {
  const failed = hooks.filter(({ result }) => result === "failed").length;
  const summary =
    failed > 0
      ? t("timeline.hooksFailed", { count: hooks.length, failed })
      : t("timeline.hooks", { count: hooks.length });
  return foldView(
    panel,
    view,
    { name: `hooks-${step}`, summary, look: "memories" },
    () => html`
    <ul>
      ${hooks.map(
        ({ plugin, hook, ms, result, why = "" }) =>
          html`<li>
            <p dir="auto">${plugin}: <code>${hook}</code></p>
            <p class="hint">${t(`timeline.hook.${result}`, { why })} · ${t("timeline.hookTime", { ms: Math.round(ms) })}</p>
          </li>`,
      )}
    </ul>
  `,
  );
}
