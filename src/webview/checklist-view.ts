import { html, nothing, type TemplateResult } from "lit/html.js";
import type { PlanItem } from "../core/plan.ts";
import { type Check, listOf, objectOf, oneOf, text } from "../shape.ts";
import { type IconName, icon } from "./icons.ts";

/** What a plan is made of, as the agent's own call holds it. */
export const isPlan: Check<readonly PlanItem[]> = listOf(
  objectOf<PlanItem>({ text, status: oneOf("pending", "in_progress", "done", "dropped") }),
);

const MARK: Readonly<Record<PlanItem["status"], { readonly icon?: IconName; readonly word: string }>> = {
  pending: { word: "to do" },
  in_progress: { icon: "play", word: "being done" },
  done: { icon: "accept", word: "done" },
  dropped: { icon: "close", word: "dropped" },
};

/** A plan's items, each with what became of it. */
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
