import { html, nothing, type TemplateResult } from "lit/html.js";
import type { PlanItem } from "../../core/reply/plan.ts";
import { t } from "../../texts/language.ts";
import { type IconName, renderIcon } from "../ui/icons.ts";

const MARKS: Readonly<Record<PlanItem["status"], IconName | undefined>> = {
  pending: undefined,
  in_progress: "play",
  done: "accept",
  dropped: "close",
};

const STATUS_TEXTS = {
  pending: "header.item.pending",
  in_progress: "header.item.doing",
  done: "header.item.done",
  dropped: "header.item.dropped",
} as const;

/** A plan's items, each with its status. */
export function renderChecklist(plan: readonly PlanItem[]): TemplateResult {
  return html`<ul class="checklist" role="list">${plan.map(renderPlanItem)}</ul>`;
}

function renderPlanItem({ text, status }: PlanItem): TemplateResult {
  const mark = MARKS[status];
  return html`<li class=${status}>
    <span class="box">${mark ? renderIcon(mark) : nothing}</span><span dir="auto">${text}</span
    ><span class="hidden"> (${t(STATUS_TEXTS[status])})</span>
  </li>`;
}
