import { phase } from "../core/run-state.ts";
import { doing } from "./doing.ts";
import { endText } from "./end-text.ts";
import type { PanelState } from "./panel-state.ts";
import type { RunView } from "./run-view.ts";

/** What a screen reader should say after a change of state; undefined when it was nothing to interrupt anybody for. */
export function announcement(before: PanelState, after: PanelState): string | undefined {
  if (after.notice && after.notice !== before.notice)
    return sameButNumbers(after.notice.text, before.notice?.text) ? undefined : after.notice.text;
  if (after.form && !before.form) return "A profile is drafted. Review it, then start the agent.";
  if (!after.run || after.run === before.run) return undefined;
  const same = before.run?.state.id === after.run.state.id ? before.run : undefined;
  return aboutRun(same, after.run);
}

/** A wait that is told of again, with other numbers, is no news. */
function sameButNumbers(text: string, before = ""): boolean {
  return text.replace(/\d+/g, "") === before.replace(/\d+/g, "");
}

function aboutRun(before: RunView | undefined, after: RunView): string | undefined {
  const { card, question, state, hindrance } = after;
  if (hindrance !== undefined && hindrance !== before?.hindrance) return hindrance;
  if (card && card.card.hash !== before?.card?.card.hash)
    return `Step ${card.card.step}: the agent waits for your decision on ${card.card.command}.`;
  if (question !== undefined && question !== before?.question) return `The agent asks: ${question}`;
  if (state.end && state.end !== before?.state.end) {
    const { heading, text } = endText(state);
    return `${heading}. ${text}`;
  }
  if (state.paused !== undefined && before?.state.paused === undefined) return `Paused. ${state.paused}`;
  const now = doing(after);
  const { decided } = state.open ?? {};
  if (decided?.by === "user" && before && !before.state.open?.decided)
    return decided.allow ? `${now.text}.` : "Refused.";
  if (phase(state) === "waiting") return undefined;
  if (now.kind === "busy" && before !== undefined && doing(before).kind !== "busy") return `${now.text}.`;
  return undefined;
}
