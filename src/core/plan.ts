import { brief } from "./brief.ts";

/** One line of the agent's checklist. */
export interface PlanItem {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "done" | "dropped";
}

/** A checklist has this many items at most. */
export const MAX_ITEMS = 30;

const MARK: Readonly<Record<PlanItem["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  done: "[x]",
  dropped: "[-]",
};

/** A plan takes at most this share of the window; characters a token, on the small side. */
const PLAN_SHARE = 1 / 10;
const CHARS_PER_TOKEN = 3;

/** The checklist as far as a prompt has room for it: each item the shorter, the more there are. 0 for a window that is not known. */
export function planIn(items: readonly PlanItem[], contextWindow: number): readonly PlanItem[] {
  const room = contextWindow * PLAN_SHARE * CHARS_PER_TOKEN;
  if (contextWindow <= 0 || planText(items).length <= room) return items;
  return items.map((item) => ({ ...item, text: brief(item.text, Math.floor(room / items.length)) }));
}

/** The checklist as the model reads it. */
export function planText(items: readonly PlanItem[]): string {
  return items.map((item) => `${MARK[item.status]} ${item.text}`).join("\n");
}
