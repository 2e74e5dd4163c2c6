/** One line of the agent's checklist. */
export interface PlanItem {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "done" | "dropped";
}

const BULLET = /^\s*(?:[-*•]|\d+[.)])\s*/;
const MAX_ITEMS = 30;

/** The checklist that a thought's free-text plan stands for; empty when it holds no line. */
export function planFromText(text: string): PlanItem[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(BULLET, "").trim())
    .filter((line) => line !== "")
    .slice(0, MAX_ITEMS)
    .map((line) => ({ text: line, status: "pending" }));
}

const MARK: Readonly<Record<PlanItem["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  done: "[x]",
  dropped: "[-]",
};

/** The checklist as the model reads it. */
export function planText(items: readonly PlanItem[]): string {
  return items.map((item) => `${MARK[item.status]} ${item.text}`).join("\n");
}
