import { html, nothing, type TemplateResult } from "lit/html.js";
import type { StepView } from "../../core/events/run-state.ts";
import type { PlanItem } from "../../core/reply/plan.ts";
import type { Proposal } from "../../core/reply/reply.ts";
import { isPlan } from "../../schema/panel-validators.ts";
import type { Panel } from "../app/panel-state.ts";
import { button } from "../ui/buttons.ts";
import { type IconName, icon } from "../ui/icons.ts";
import { longTextView } from "../ui/long-text-view.ts";
import type { RunView } from "./run-view.ts";

/** Arguments that name a file of the workspace, so that it can be opened. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set(["filename", "file", "path"]);
const SHORT_VALUE = 80;

/** The command's arguments, each in full or folded. */
export function callView(
  panel: Panel,
  view: RunView,
  { step }: StepView,
  proposal: Proposal,
): TemplateResult {
  const args = Object.entries(proposal.call.args);
  const { ignored = [], dropped = [] } = proposal;
  return html`${
    args.length === 0
      ? nothing
      : html`<dl class="arguments">
          ${args.map(
            ([name, value]) => html`<div>
              <dt>${name}</dt>
              <dd>${valueView(panel, view, { step, name, value })}</dd>
            </div>`,
          )}
        </dl>`
  }
    ${ignored.length > 0 ? html`<p class="hint">Not run, because one command a step is run: ${ignored.join(", ")}.</p>` : nothing}
    ${dropped.length > 0 ? html`<p class="hint">Left out because ${proposal.call.name} doesn't take it: ${dropped.join(", ")}.</p>` : nothing}`;
}

interface Argument {
  readonly step: number;
  readonly name: string;
  readonly value: unknown;
}

function valueView(panel: Panel, view: RunView, { step, name, value }: Argument): unknown {
  if (isPlan(value)) return checklistView(value);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (FILE_ARGUMENTS.has(name) && typeof value === "string" && value !== "" && !value.includes("\n"))
    return button(value, () => panel.send({ type: "openFile", label: value }), {
      kind: "quiet",
      icon: "file",
      title: `Open ${value}`,
    });
  if (text.length <= SHORT_VALUE && !text.includes("\n")) return html`<code dir="auto">${text}</code>`;
  return longTextView(panel, view, {
    name: `argument-${step}-${name}`,
    label: `Argument ${name} of step ${step}`,
    text,
  });
}

const MARK: Readonly<Record<PlanItem["status"], { readonly icon?: IconName; readonly word: string }>> = {
  pending: { word: "to do" },
  in_progress: { icon: "play", word: "being done" },
  done: { icon: "accept", word: "done" },
  dropped: { icon: "close", word: "dropped" },
};

/** A plan's items, each with its status. */
export function checklistView(plan: readonly PlanItem[]): TemplateResult {
  return html`<ul class="checklist" role="list">${plan.map(itemView)}</ul>`;
}

function itemView({ text, status }: PlanItem): TemplateResult {
  const { icon: mark, word } = MARK[status];
  return html`<li class=${status}>
    <span class="box">${mark ? icon(mark) : nothing}</span><span dir="auto">${text}</span
    ><span class="hidden"> (${word})</span>
  </li>`;
}
