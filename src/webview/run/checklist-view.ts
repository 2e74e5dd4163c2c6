import { html, nothing, type TemplateResult } from "lit/html.js";
import { isOpen, type PlanItem } from "../../core/reply/plan.ts";
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

/** A plan's items, each with its status. After the run, open items are only known not to be marked as done. */
export function renderChecklist(plan: readonly PlanItem[], isOver = false): TemplateResult {
  return html`<ul class="checklist" role="list">${plan.map((item) => renderPlanItem(item, isOver && isOpen(item)))}</ul>`;
}

function renderPlanItem({ text, status }: PlanItem, isLeft: boolean): TemplateResult {
  const mark = isLeft ? undefined : MARKS[status];
  return html`<li class=${isLeft ? "left" : status}>
    <span class="box">${mark ? renderIcon(mark) : nothing}</span><span dir="auto">${text}${isLeft ? ` · ${t("header.item.left")}` : nothing}</span
    >${isLeft ? nothing : html`<span class="hidden"> (${t(STATUS_TEXTS[status])})</span>`}
  </li>`;
}
