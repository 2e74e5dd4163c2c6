import { html, nothing, type TemplateResult } from "lit/html.js";
import type { StepView } from "../../core/events/run-state.ts";
import type { Call, Proposal } from "../../core/reply/reply.ts";
import { isPlan } from "../../schema/panel-validators.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderButton } from "../ui/buttons.ts";
import { renderLongText } from "../ui/long-text-view.ts";
import { renderChecklist } from "./checklist-view.ts";
import type { RunView } from "./run-view.ts";

/** Arguments that name a file of the workspace, so that it can be opened. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set(["filename", "file", "path"]);
const SHORT_VALUE = 80;

/** The command's arguments, each in full or folded. */
export function renderCall(panel: Panel, view: RunView, { step }: StepView, proposal: Proposal): TemplateResult {
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
