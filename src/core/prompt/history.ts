import type { AgentEvent } from "../../schema/events.ts";
import type { Instructions, StrategyName } from "../../schema/run-values.ts";
import { omitUndefined } from "../base/objects.ts";
import { listOutcomeRules } from "../commands/outcome.ts";
import { OPENING } from "../events/run-state.ts";
import type { ChatMessage, ReplyFormat } from "../ports/model.ts";
import type { CalledOutcome } from "../reply/further-calls.ts";
import {
  computeMaxOutcomeChars,
  type Episode,
  type HistoryEntry,
  type MessageStyle,
  renderEntryMessages,
  replaceOutcomeTexts,
  type SaidEntry,
} from "./entries.ts";
import { isReactStyle } from "./reply-form.ts";

/** The summary of the steps up to `through`, with the facts that it must never omit. */
export interface HistorySummary {
  readonly through: number;
  readonly summary: string;
  /** The user's messages in those steps. */
  readonly feedback: readonly string[];
  /** Failures in those steps that weren't fixed. */
  readonly problems: readonly string[];
}

/**
 * The middle of every prompt, derived from the run's events. It only grows at its end, so that each prompt starts with the bytes of the
 * previous one; only a compaction removes from its front and shortens older outcomes.
 */
export class History {
  private entries: HistoryEntry[] = [];
  private folded: HistorySummary | undefined;
  private open: Partial<Omit<Episode, "kind">> & { readonly of?: number } = {};
  private held: SaidEntry[] = [];
  private window = 0;
  private lean = false;
  private strategy: StrategyName | undefined;
  private found: readonly string[] = [];
  private rendered = new WeakMap<HistoryEntry, Partial<Record<MessageStyle, readonly ChatMessage[]>>>();

  /** Tokens of the model's window according to the events; 0 if unknown. */
  get contextWindow(): number {
    return this.window;
  }

  /** Commands that `find_tools` added to the offer, in the order in which they were found. */
  get foundCommands(): readonly string[] {
    return this.found;
  }

  /** The model is small and local; see `ModelNames`. */
  get isLean(): boolean {
    return this.lean;
  }

  get summary(): HistorySummary | undefined {
    return this.folded;
  }

  /** The instructions that came with outcomes outside the summary. */
  get rules(): readonly Instructions[] {
    return this.episodes.flatMap(({ outcome, also = [] }) => [outcome, ...also].flatMap(listOutcomeRules));
  }

  get episodes(): readonly Episode[] {
    return this.entries.filter((entry) => entry.kind === "episode");
  }

  /** All entries outside the summary, oldest first. */
  get untold(): readonly HistoryEntry[] {
    return this.entries;
  }

  apply(event: AgentEvent): void {
    switch (event.type) {
      case "started":
        this.begin(event);
        return;
      case "changed":
        this.change(event);
        return;
      case "asked":
        this.release();
        this.open = { step: event.step, thoughts: event.thoughts ?? "full" };
        return;
      case "replied":
        this.answer(event);
        return;
      case "decided":
        if (!event.allow && event.by === "user" && event.feedback)
          this.open = { ...this.open, refusal: event.feedback };
        return;
      case "ended":
        this.close(event);
        return;
      case "said":
      case "undone":
      case "reviewed":
        this.hold(createSaidEntry(event));
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
      case "hooked":
      case "child":
      case "over":
      case "unknown":
      case "lost":
        return;
      default:
        event satisfies never;
    }
  }

  /** Messages for a prompt in this format, oldest first. Only the tools format has tool messages. */
  messages(format: ReplyFormat): ChatMessage[] {
    const style = isReactStyle({ strategy: this.strategy }, format)
      ? "react"
      : format === "tools"
        ? "tools"
        : format === "files"
          ? "files"
          : "text";
    const start: ChatMessage[] = this.folded ? [{ role: "user", content: renderSummary(this.folded) }] : [];
    return [...start, ...this.entries.flatMap((entry) => this.render(entry, style))];
  }

  /** Renders an entry's messages, once for each style. */
  render(entry: HistoryEntry, style: MessageStyle): readonly ChatMessage[] {
    const known = this.rendered.get(entry);
    if (known?.[style]) return known[style];
    const messages = renderEntryMessages(entry, style, computeMaxOutcomeChars(this.window));
    this.rendered.set(entry, { ...known, [style]: messages });
    return messages;
  }

  private begin({ model, strategy }: Extract<AgentEvent, { type: "started" }>): void {
    this.window = model.contextWindow;
    this.lean = model.isLean === true;
    this.strategy = strategy;
  }

  private change({ model, commands = [] }: Extract<AgentEvent, { type: "changed" }>): void {
    if (model) {
      this.fitInto(model.contextWindow);
      this.lean = model.isLean === true;
    }
    this.found = [...this.found.filter((name) => !commands.includes(name)), ...commands];
  }

  /** Adapts to a new window, which changes how much of each outcome fits. */
  private fitInto(contextWindow: number): void {
    if (contextWindow !== this.window) this.rendered = new WeakMap();
    this.window = contextWindow;
  }

  private answer(event: Extract<AgentEvent, { type: "replied" }>): void {
    const { step, of, format, text, calls, sentBack, reasoning, reply } = event;
    const isOpening = of === OPENING;
    this.open = {
      ...this.open,
      step,
      format,
      text,
      calls,
      reply,
      ...omitUndefined({ isOpening: isOpening || undefined }),
      ...(of === undefined || isOpening ? {} : { of }),
      ...omitUndefined({ sentBack }),
      ...(reasoning ? { reasoning } : {}),
    };
  }

  private close({ outcome, also }: Extract<AgentEvent, { type: "ended" }>): void {
    const { step, format, thoughts = "full", text, calls, sentBack, reasoning, reply, refusal } = this.open;
    const { of, isOpening } = this.open;
    if (of !== undefined && reply?.kind === "proposal") this.extend(of, { call: reply.call, outcome, refusal });
    else if (step !== undefined && format && text !== undefined && calls && reply) {
      const episode = { kind: "episode", step, format, thoughts, text, calls, reply, outcome } as const;
      this.entries.push({
        ...episode,
        ...omitUndefined({ also, sentBack }),
        ...(reasoning ? { reasoning } : {}),
        ...omitUndefined({ refusal, isOpening }),
      });
    }
    this.open = {};
    this.release();
  }

  /** Adds the outcome of a further call to the step whose reply contains the call. */
  private extend(
    of: number,
    { call, outcome, refusal }: CalledOutcome & { readonly refusal: string | undefined },
  ): void {
    this.entries = this.entries.map((entry) => {
      if (entry.kind !== "episode" || entry.step !== of || entry.reply.kind !== "proposal") return entry;
      const { also = [], next = [], ...reply } = entry.reply;
      return {
        ...entry,
        reply: { ...reply, also: [...also, call], next: next.slice(1) },
        also: [...(entry.also ?? []), outcome],
        ownSteps: (entry.ownSteps ?? 0) + 1,
        ...omitUndefined({ refusal }),
      };
    });
  }

  private compact(event: Extract<AgentEvent, { type: "compacted" }>): void {
    const { through, summary = "", feedback = [], problems = [], trimmed = [] } = event;
    if (through !== undefined) {
      this.folded = { through, summary, feedback, problems };
      this.entries = this.entries.slice(countFoldedEntries(this.entries, through));
    }
    const texts = Map.groupBy(trimmed, ({ step }) => step);
    this.entries = this.entries.map((entry) => {
      const own = entry.kind === "episode" ? texts.get(entry.step) : undefined;
      return entry.kind === "episode" && own ? replaceOutcomeTexts(entry, own) : entry;
    });
  }

  private hold(said: SaidEntry): void {
    this.held.push(said);
    if (this.open.step === undefined) this.release();
  }

  /** Adds messages that arrived during a step after that step, so that reply and outcome stay together. */
  private release(): void {
    this.entries.push(...this.held);
    this.held = [];
  }
}

/** Number of entries up to step `through`, including the messages between the steps. */
export function countFoldedEntries(entries: readonly HistoryEntry[], through: number): number {
  return entries.findLastIndex((entry) => entry.kind === "episode" && entry.step <= through) + 1;
}

function renderSummary({ through, summary, feedback, problems }: HistorySummary): string {
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `- ${line}`).join("\n")}`];
  return [
    `Summary of steps 1 to ${through}:\n${summary}`,
    ...list("What the user said in these steps:", feedback),
    ...list("What failed and wasn't fixed:", problems),
  ].join("\n\n");
}

function createSaidEntry(event: Extract<AgentEvent, { type: "said" | "undone" | "reviewed" }>): SaidEntry {
  if (event.type === "undone") return { kind: "said", text: describeUndo(event), by: "undo" };
  if (event.type === "reviewed") return { kind: "said", text: describeReview(event), by: "review" };
  const { text, by, attached } = event;
  return { kind: "said", text, by, ...omitUndefined({ attached }) };
}

function describeUndo({ step, files, redone }: Extract<AgentEvent, { type: "undone" }>): string {
  const names = files.join(", ");
  return redone
    ? `the changes of step ${step} were redone in ${names}.`
    : `step ${step} was undone, so these are as they were before it: ${names}.`;
}

const REVIEWED = {
  accepted: "these were merged into the workspace, and your copy stays as it is",
  branch: "these were committed to a branch of the workspace's repository, and your copy stays as it is",
  discarded: "these were thrown away",
  withdrawn: "accepting these was undone, and your copy stays as it is",
} as const;

function describeReview({ what, files, conflicts = [] }: Extract<AgentEvent, { type: "reviewed" }>): string {
  const left =
    conflicts.length > 0
      ? ` Left out, because the workspace's own files were changed as well: ${conflicts.join(", ")}.`
      : "";
  return `${REVIEWED[what]}: ${files.join(", ")}.${left}`;
}
