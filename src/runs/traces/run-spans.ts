import { omitUndefined } from "../../core/base/objects.ts";
import { getOutcomeText, hasProgramFailed, type Outcome } from "../../core/commands/outcome.ts";
import type { RunState } from "../../core/events/run-state.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { Usage } from "../../schema/run-values.ts";

export type SpanAttributes = Readonly<Record<string, string | number | readonly string[]>>;

/** A span that has begun. Times are in ms since 1970. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
  /** Adds an event of the span. */
  note(name: string, attributes: SpanAttributes, at: number): void;
  /** `errorType` is set for what failed. */
  end(at: number, errorType?: string): void;
}

/** Begins spans. */
export interface SpanTracer {
  /** `client`: a service outside of this process does the work. */
  start(
    name: string,
    span: { readonly kind: "client" | "internal"; readonly at: number; readonly attributes: SpanAttributes },
    parent?: OpenSpan,
  ): OpenSpan;
}

/** Facts about a run that its events don't have, and what its spans contain. */
export interface TracedRun {
  /** The provider of its model, by the names of the conventions. */
  readonly provider: string;
  /** Prompts, replies, arguments and results are included, without secrets as in the log. */
  readonly hasTexts: boolean;
  /** The span that a sub-agent's work belongs to. */
  findParent(): OpenSpan | undefined;
}

/** Usage and cost of a reply. */
interface Spent {
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
}

/**
 * Spans of a run by the semantic conventions for generative AI: the agent's work from its start or resumption to its end, and in it a span
 * for each question to a model and each command.
 */
export class RunSpans {
  private readonly tracer: SpanTracer;
  private readonly run: TracedRun;
  private work: OpenSpan | undefined;
  private chat: OpenSpan | undefined;
  private tool: OpenSpan | undefined;
  private lastAt = 0;
  private spent = { input: 0, output: 0, usd: 0 };

  constructor(tracer: SpanTracer, run: TracedRun) {
    this.tracer = tracer;
    this.run = run;
  }

  /** The span that is at work now, for the sub-agents that it starts. */
  get current(): OpenSpan | undefined {
    return this.tool ?? this.work;
  }

  handleEvent(event: AgentEvent, state: RunState): void {
    const at = Date.parse(event.at);
    if (!Number.isFinite(at)) return;
    this.lastAt = at;
    if (BEGINS.has(event.type)) this.work ??= this.startWork(event, state, at);
    const { work } = this;
    if (!work) return;
    switch (event.type) {
      case "asked":
        this.endChat(at, "replaced");
        this.chat = this.startChat(state, state.model.smart, at);
        break;
      case "replied":
        if (event.of === undefined) this.endReply(event, at);
        break;
      case "decided":
        if (!event.allow) work.note("autogpt.rejected", { "autogpt.step": event.step, "autogpt.by": event.by }, at);
        break;
      case "began":
        this.tool = this.startTool(event, at);
        break;
      case "ended":
        this.endTool(event.outcome, at);
        break;
      case "spent":
      case "compacted":
        // Sub-agents have spans of their own.
        if (event.model !== undefined && !("run" in event && event.run !== undefined))
          this.addSmallTask(event, event.model, state, at);
        break;
      case "over":
        this.endWork(event.end.reason === "finished" ? undefined : event.end.reason, at, getEndText(event.end));
    }
  }

  /** Ends what is open, because no more events come. */
  close(): void {
    this.endWork("interrupted", this.lastAt, "");
  }

  private startWork(event: AgentEvent, state: RunState, at: number): OpenSpan {
    const { profile, model, task, id } = state;
    this.spent = { input: 0, output: 0, usd: 0 };
    const isFirst = event.type === "asked" && event.step <= 1;
    const started = Date.parse(state.startedAt);
    return this.tracer.start(
      `invoke_agent ${profile.name}`,
      {
        kind: "internal",
        at: isFirst && Number.isFinite(started) ? Math.min(started, at) : at,
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.provider.name": this.run.provider,
          "gen_ai.agent.name": profile.name,
          "gen_ai.conversation.id": id,
          "gen_ai.request.model": model.smart,
          ...(this.run.hasTexts ? { "gen_ai.input.messages": createMessages("user", task) } : {}),
        },
      },
      this.run.findParent(),
    );
  }

  private startChat({ id }: RunState, model: string, at: number): OpenSpan {
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": this.run.provider,
      "gen_ai.request.model": model,
      "gen_ai.conversation.id": id,
    };
    return this.tracer.start(`chat ${model}`, { kind: "client", at, attributes }, this.work);
  }

  private endReply(event: Extract<AgentEvent, { type: "replied" }>, at: number): void {
    const { chat } = this;
    if (!chat) return;
    const said = [event.text, ...event.calls.map(({ name, arguments: given }) => `${name} ${given}`)].join("\n").trim();
    chat.set({
      "gen_ai.response.model": event.model,
      "gen_ai.response.finish_reasons": [event.finish],
      "autogpt.step": event.step,
      ...(this.run.hasTexts ? { "gen_ai.output.messages": createMessages("assistant", said) } : {}),
    });
    this.addSpent(chat, event);
    this.endChat(at, event.reply.kind === "unreadable" ? "unreadable_reply" : undefined);
  }

  private endChat(at: number, errorType: string | undefined): void {
    this.chat?.end(at, errorType);
    this.chat = undefined;
  }

  private startTool({ step, command, args }: Extract<AgentEvent, { type: "began" }>, at: number): OpenSpan {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": command,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": String(step),
      ...(this.run.hasTexts ? { "gen_ai.tool.call.arguments": JSON.stringify(args) } : {}),
    };
    return this.tracer.start(`execute_tool ${command}`, { kind: "internal", at, attributes }, this.work);
  }

  private endTool(outcome: Outcome, at: number): void {
    if (this.run.hasTexts) this.tool?.set({ "gen_ai.tool.call.result": getOutcomeText(outcome) });
    this.tool?.end(at, getErrorType(outcome));
    this.tool = undefined;
  }

  /** A question beside the steps, of which only the end is known. */
  private addSmallTask(event: Spent, model: string, state: RunState, at: number): void {
    const chat = this.startChat(state, model, at);
    this.addSpent(chat, event);
    chat.end(at);
  }

  private addSpent(chat: OpenSpan, { usage, costUsd }: Spent): void {
    this.spent.input += usage?.input ?? 0;
    this.spent.output += usage?.output ?? 0;
    this.spent.usd += costUsd ?? 0;
    chat.set(
      omitUndefined({
        "gen_ai.usage.input_tokens": usage?.input,
        "gen_ai.usage.output_tokens": usage?.output,
        "gen_ai.usage.cache_read.input_tokens": usage?.cached,
        "autogpt.cost.usd": costUsd,
      }),
    );
  }

  private endWork(errorType: string | undefined, at: number, text: string): void {
    this.endChat(at, errorType);
    this.tool?.end(at, errorType);
    this.tool = undefined;
    this.work?.set({
      "gen_ai.usage.input_tokens": this.spent.input,
      "gen_ai.usage.output_tokens": this.spent.output,
      "autogpt.cost.usd": this.spent.usd,
      ...(this.run.hasTexts && text !== "" ? { "gen_ai.output.messages": createMessages("assistant", text) } : {}),
    });
    this.work?.end(at, errorType);
    this.work = undefined;
  }
}

/** Events with which the agent begins to work. */
const BEGINS: ReadonlySet<AgentEvent["type"]> = new Set(["asked", "replied", "began", "resumed"]);

function getErrorType(outcome: Outcome): string | undefined {
  if (outcome.status === "failed" || outcome.status === "refused") return outcome.status;
  return hasProgramFailed(outcome) ? "program_failed" : undefined;
}

function getEndText(end: Extract<AgentEvent, { type: "over" }>["end"]): string {
  if (end.reason === "finished") return end.summary;
  return "error" in end ? end.error : "";
}

/** A message in the form of the conventions. */
function createMessages(role: "user" | "assistant", content: string): string {
  return JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
}
