import type { ChangedFile } from "../../schema/run-values.ts";
import { type DisplayText, displayText, isDisplayText } from "../../texts/display-text.ts";
import { createCallTitle, createLookTitle } from "../commands/call-title.ts";
import { hasProgramFailed } from "../commands/outcome.ts";
import type { StepView } from "./run-state.ts";

/** A step on one line: its state, its action and its outcome. */
export interface StepLine {
  readonly icon: "accept" | "close" | "warning" | "refuse" | "flag" | "pause" | "ask" | "working";
  readonly tone: "" | "good" | "bad" | "warn" | "info";
  /** The state for screen readers. */
  readonly word: DisplayText;
  readonly title: DisplayText;
  /** Name of the command, for the tooltip. */
  readonly command?: string;
  readonly summary?: DisplayText;
  readonly files?: readonly ChangedFile[];
}

/** Creates the line of a step. `isResting` means that nothing works on the run, so an open step was interrupted. */
export function createStepLine(step: StepView, isResting: boolean): StepLine {
  const { reply, outcome, began } = step;
  const proposal = reply?.kind === "proposal" ? reply : undefined;
  const call = began ?? proposal?.call;
  const title = call && createCallTitle(call, outcome);
  const named = call ? { command: call.name } : {};
  const unreadable = displayText("timeline.unreadable");
  switch (outcome?.status) {
    case "done":
      return {
        ...createDoneLine(step, outcome),
        title: proposal?.also ? createLookTitle([proposal.call, ...proposal.also]) : (title?.after ?? unreadable),
        ...named,
      };
    case "failed":
      return {
        ...(proposal ? BAD : { icon: "warning", tone: "warn" }),
        word: displayText("timeline.failed"),
        title: title?.before ?? unreadable,
        summary: findKnownSummary(outcome) ?? displayText(outcome.isInvalid ? "timeline.invalid" : "timeline.failed"),
        ...named,
      };
    case "refused": {
      const summary = describeRejection(step);
      return {
        icon: "refuse",
        tone: "",
        word: summary,
        title: title?.before ?? unreadable,
        summary,
        ...named,
      };
    }
    case "finished":
      return { ...GOOD, icon: "flag", title: title?.after ?? unreadable, ...named };
    default:
      return { ...openLine(step, isResting), ...named };
  }
}

const GOOD = { icon: "accept", tone: "good", word: displayText("timeline.done") } as const;
const BAD = { icon: "close", tone: "bad" } as const;

/** The summary of an outcome; undefined for one from a newer version or a damaged log. */
function findKnownSummary({
  summary,
}: Pick<Extract<StepView["outcome"], { status: "done" }>, "summary">): DisplayText | undefined {
  return summary && isDisplayText(summary) ? summary : undefined;
}

function createDoneLine(
  { also = [] }: StepView,
  outcome: Extract<StepView["outcome"], { status: "done" }>,
): Pick<StepLine, "icon" | "tone" | "word" | "summary" | "files"> {
  const files = outcome.files ? { files: outcome.files } : {};
  const known = findKnownSummary(outcome);
  const summary = known ? { summary: known } : {};
  if (also.some(({ status }) => status === "failed"))
    return { ...BAD, word: displayText("timeline.failed"), summary: displayText("timeline.failed") };
  if (!hasProgramFailed(outcome)) return { ...GOOD, ...summary, ...files };
  const { exitCode } = outcome;
  const code =
    exitCode == null ? displayText("timeline.killed") : displayText("timeline.exitCode", { code: `${exitCode}` });
  return { ...BAD, word: displayText("timeline.failed"), summary: code, ...summary, ...files };
}

function describeRejection({ decided }: StepView): DisplayText {
  if (decided?.by === "user") return displayText("timeline.rejectedByUser");
  if (decided?.rule === "untrusted-workspace") return displayText("timeline.rejectedUntrusted");
  return displayText(decided?.by === "rule" ? "timeline.rejectedByRule" : "timeline.rejected");
}

/** The line of a step that hasn't ended. */
function openLine({ stage, reply, began, decided }: StepView, isResting: boolean): StepLine {
  const call = began ?? (reply?.kind === "proposal" ? reply.call : undefined);
  const busy = { icon: "working", tone: "info" } as const;
  const thinking = displayText("timeline.thinking");
  if (!call) {
    if (isResting) {
      const title = displayText("timeline.notCompleted");
      return { icon: "pause", tone: "", word: title, title };
    }
    if (reply) {
      const title = displayText("timeline.unreadable");
      return { icon: "warning", tone: "warn", word: title, title, summary: displayText("timeline.retrying") };
    }
    return { ...busy, word: thinking, title: thinking };
  }
  const title = createCallTitle(call).before;
  if (isResting && stage === "began")
    return {
      icon: "pause",
      tone: "",
      word: displayText("timeline.interrupted"),
      title,
      summary: displayText("timeline.interrupted"),
    };
  if (!decided && !began) return { icon: "ask", tone: "", word: displayText("timeline.proposed"), title };
  return { ...busy, word: displayText("timeline.running"), title };
}
