import type { AgentEvent } from "../../schema/events.ts";
import type { Outcome } from "../commands/outcome.ts";
import type { ChatMessage, ReplyFormat } from "../ports/model.ts";
import {
  type Episode,
  entryMessages,
  type HistoryEntry,
  type MessageStyle,
  maxOutcomeChars,
  type SaidEntry,
} from "./entries.ts";

/** What has been summed up: the steps up to `through`, told by `summary` and what is never left out of it. */
export interface HistorySummary {
  readonly through: number;
  readonly summary: string;
  /** The user's words in those steps. */
  readonly feedback: readonly string[];
  /** What failed in them and was not mended. */
  readonly problems: readonly string[];
}

/**
 * The middle of every prompt, read from the run's events. It only grows at its end, so that each prompt begins
 * with the bytes of the one before; a compaction alone takes from its front.
 */
export class History {
  private entries: HistoryEntry[] = [];
  private folded: HistorySummary | undefined;
  private open: Partial<Omit<Episode, "kind">> = {};
  private held: SaidEntry[] = [];
  private window = 0;
  private rendered = new WeakMap<HistoryEntry, Partial<Record<MessageStyle, readonly ChatMessage[]>>>();

  /** Tokens of the model's window, as the events tell it; 0 when they do not. */
  get contextWindow(): number {
    return this.window;
  }

  get summary(): HistorySummary | undefined {
    return this.folded;
  }

  get episodes(): readonly Episode[] {
    return this.entries.filter((entry) => entry.kind === "episode");
  }

  /** All that is not summed up, oldest first. */
  get untold(): readonly HistoryEntry[] {
    return this.entries;
  }

  apply(event: AgentEvent): void {
    switch (event.type) {
      case "started":
        this.window = event.model.contextWindow;
        return;
      case "changed":
        if (event.model) this.fitInto(event.model.contextWindow);
        return;
      case "asked":
        this.release();
        this.open = { step: event.step };
        return;
      case "replied":
        this.open = {
          step: event.step,
          format: event.format,
          text: event.text,
          calls: event.calls,
          reply: event.reply,
        };
        return;
      case "decided":
        if (!event.allow && event.by === "user" && event.feedback)
          this.open = { ...this.open, refusal: event.feedback };
        return;
      case "ended":
        this.close(event.outcome);
        return;
      case "said":
        this.hold({ kind: "said", text: event.text, by: event.by });
        return;
      case "undone":
        this.hold({ kind: "said", text: undoneText(event), by: "undo" });
        return;
      case "compacted":
        this.compact(event);
        return;
      case "began":
      case "planned":
      case "recalled":
      case "granted":
      case "paused":
      case "resumed":
      case "spent":
      case "child":
      case "over":
      case "unknown":
        return;
      default:
        event satisfies never;
    }
  }

  /** The messages for a prompt in this format, oldest first. Tool messages appear only in the tools format. */
  messages(format: ReplyFormat): ChatMessage[] {
    const style = format === "tools" ? "tools" : "text";
    const start: ChatMessage[] = this.folded ? [{ role: "user", content: summaryMessage(this.folded) }] : [];
    return [...start, ...this.entries.flatMap((entry) => this.render(entry, style))];
  }

  /** An entry's messages, rendered once for each style. */
  render(entry: HistoryEntry, style: MessageStyle): readonly ChatMessage[] {
    const known = this.rendered.get(entry);
    if (known?.[style]) return known[style];
    const messages = entryMessages(entry, style, maxOutcomeChars(this.window));
    this.rendered.set(entry, { ...known, [style]: messages });
    return messages;
  }

  /** Another window has room for more or less of each outcome. */
  private fitInto(contextWindow: number): void {
    if (contextWindow !== this.window) this.rendered = new WeakMap();
    this.window = contextWindow;
  }

  private close(outcome: Outcome): void {
    const { step, format, text, calls, reply, refusal } = this.open;
    if (step !== undefined && format && text !== undefined && calls && reply) {
      const told = { kind: "episode", step, format, text, calls, reply, outcome } as const;
      this.entries.push(refusal === undefined ? told : { ...told, refusal });
    }
    this.open = {};
    this.release();
  }

  private compact(event: Extract<AgentEvent, { type: "compacted" }>): void {
    const { through, summary, feedback = [], problems = [] } = event;
    this.folded = { through, summary, feedback, problems };
    this.entries = this.entries.slice(foldedEntries(this.entries, through));
  }

  private hold(said: SaidEntry): void {
    this.held.push(said);
    if (this.open.step === undefined) this.release();
  }

  /** Words said while a step was open follow that step, so that reply and outcome stay together. */
  private release(): void {
    this.entries.push(...this.held);
    this.held = [];
  }
}

/** How many entries the steps up to `through` take, with the words that came between them. */
export function foldedEntries(entries: readonly HistoryEntry[], through: number): number {
  return entries.findLastIndex((entry) => entry.kind === "episode" && entry.step <= through) + 1;
}

function summaryMessage({ through, summary, feedback, problems }: HistorySummary): string {
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `- ${line}`).join("\n")}`];
  return [
    `What happened in steps 1 to ${through}, in brief:\n${summary}`,
    ...list("What the user said in these steps:", feedback),
    ...list("What failed and was not mended:", problems),
  ].join("\n\n");
}

function undoneText({ step, files, redone }: Extract<AgentEvent, { type: "undone" }>): string {
  const names = files.join(", ");
  return redone
    ? `the changes of step ${step} are there again in ${names}.`
    : `step ${step} was undone, so these are as they were before it: ${names}.`;
}
