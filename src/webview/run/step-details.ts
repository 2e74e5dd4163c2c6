import { html, nothing, type TemplateResult } from "lit/html.js";
import { describeRecalledSource } from "../../core/events/memory-source.ts";
import type { StepView } from "../../core/events/run-state.ts";
import type { Call, Proposal } from "../../core/reply/reply.ts";
import { isPlan } from "../../schema/panel-validators.ts";
import type { DecisionSource } from "../../schema/run-values.ts";
import { restoreSentence } from "../../texts/display-text.ts";
import { formatTokenCount, formatUsd, t, write } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderButton } from "../ui/buttons.ts";
import { explainView, foldView } from "../ui/fold-view.ts";
import { renderLongText } from "../ui/long-text-view.ts";
import { renderChecklist } from "./checklist-view.ts";
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

/** Arguments that name a file of the workspace, so that it can be opened. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set(["filename", "file", "path"]);
const SHORT_VALUE = 80;

/** The command's arguments, each in full or folded. */
function renderCall(panel: Panel, view: RunView, { step }: StepView, proposal: Proposal): TemplateResult {
  const { also = [], ignored = [], dropped = [] } = proposal;
  return html`<h4>${t("timeline.call")} <code>${proposal.call.name}</code></h4>
    ${renderArguments(panel, view, { step, key: "" }, proposal.call)}
    ${also.map(
      (call, index) => html`<h4 class="also">${call.name}</h4>
        ${renderArguments(panel, view, { step, key: `${index + 1}-` }, call)}`,
    )}
    ${ignored.length > 0 ? html`<p class="hint">${also.length > 0 ? t("timeline.notRunReads", { names: ignored }) : t("timeline.notRunMore", { names: ignored })}</p>` : nothing}
    ${dropped.length > 0 ? html`<p class="hint">${t("timeline.leftOut", { tool: proposal.call.name, names: dropped })}</p>` : nothing}`;
}

function renderArguments(
  panel: Panel,
  view: RunView,
  { step, key }: Pick<Argument, "step" | "key">,
  call: Call,
): TemplateResult | typeof nothing {
  const args = Object.entries(call.args);
  if (args.length === 0) return nothing;
  return html`<dl class="arguments">
    ${args.map(
      ([name, value]) => html`<div>
        <dt>${name}</dt>
        <dd>${renderArgumentValue(panel, view, { step, key, name, value })}</dd>
      </div>`,
    )}
  </dl>`;
}

interface Argument {
  readonly step: number;
  /** Distinguishes the arguments of further calls. */
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
}

function renderArgumentValue(panel: Panel, view: RunView, { step, key, name, value }: Argument): unknown {
  if (isPlan(value)) return renderChecklist(value);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (FILE_ARGUMENTS.has(name) && typeof value === "string" && value !== "" && !value.includes("\n"))
    return renderButton(value, () => panel.send({ type: "openFile", label: value }), {
      kind: "quiet",
      icon: "file",
      title: t("actions.openFile", { file: value }),
    });
  if (text.length <= SHORT_VALUE && !text.includes("\n")) return html`<code dir="auto">${text}</code>`;
  return renderLongText(panel, view, {
    name: `argument-${step}-${key}${name}`,
    label: t("timeline.argument", { name, step }),
    text,
  });
}
