import type { PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { addPictureNames } from "../../core/base/pictures.ts";
import { escapeInvisible, escapeSmuggled } from "../../core/base/text.ts";
import { COMMAND, findTraits } from "../../core/commands/command-traits.ts";
import { describeRunEnd } from "../../core/events/end-text.ts";
import { applyEvent, NO_RUN, type RunState } from "../../core/events/run-state.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { ModelDelta } from "../../core/ports/model.ts";
import type { PlanItem } from "../../core/reply/plan.ts";
import { createThoughtStream } from "../../core/reply/thought-stream.ts";
import type { AgentEvent } from "../../schema/events.ts";
import {
  createProposalContent,
  createTextContent,
  describeStep,
  describeStepEnd,
  stopPictures,
  writeOnOneLine,
} from "./tool-calls.ts";

/** A run as an editor follows it. */
interface FollowedRun {
  readonly id: string;
  readonly folder: string;
  /** The name of a sub-agent; only its steps are shown. */
  readonly agent?: string | undefined;
}

/** The end of a program's output that is shown while it runs. */
const SHOWN_OUTPUT = 4_000;
/** How often that is renewed. */
const OUTPUT_MS = 250;

/** Converts the events of a run, and what it reports while it works, to what an editor shows. */
export class RunUpdates {
  private readonly run: FollowedRun;
  private readonly send: (update: SessionUpdate) => void;
  private read = createThoughtStream();
  private held = "";
  /** Thoughts of the open reply were streamed. */
  private hasThoughts = false;
  private plan = "[]";
  private readonly diffs = new Map<number, readonly ToolCallContent[]>();
  private output = { step: 0, text: "", isDue: false };

  constructor(run: FollowedRun, send: (update: SessionUpdate) => void) {
    this.run = run;
    this.send = send;
  }

  /** The id of a step's call. */
  getCallId(step: number): string {
    return `${this.run.id}/${step}`;
  }

  /** The title of a step, with the name of the sub-agent that does it. */
  nameStep(title: string): string {
    return this.run.agent === undefined ? title : `${this.run.agent}: ${title}`;
  }

  /** Shows everything that has happened in a stored run. */
  showPast(events: readonly AgentEvent[]): void {
    let state = NO_RUN;
    for (const event of events) {
      state = applyEvent(state, event);
      if (event.type === "started") this.showWords(addPictureNames(event.task, event.attached));
      if (event.type === "said" && event.by === "user") this.showWords(addPictureNames(event.text, event.attached));
      this.handleEvent(event, state);
      if (event.type === "began" && event.command === COMMAND.ask) this.showMessage(String(event.args.question ?? ""));
      if (event.type === "ended") this.showAnswer(state);
      if (event.type === "over") this.showMessage(describeRunEnd(state).text);
    }
    if (state.open?.stage === "began" && !this.isSilent(state))
      this.send({ sessionUpdate: "tool_call_update", toolCallId: this.getCallId(state.open.step), status: "failed" });
  }

  handleEvent(event: AgentEvent, state: RunState): void {
    if (event.type === "asked") this.beginReply();
    if (event.type === "replied") this.showReply(event, state);
    if (event.type === "began" && !this.isSilent(state))
      this.send({ sessionUpdate: "tool_call_update", toolCallId: this.getCallId(event.step), status: "in_progress" });
    if (event.type === "ended") this.showOutcome(event.step, state);
    if (this.run.agent !== undefined) return;
    if (event.type === "paused") this.showMessage(event.reason);
    this.showPlan(state.plan);
  }

  /** Starts a reply, perhaps again. Text that was streamed already can't be taken back. */
  beginReply(): void {
    if (this.hasThoughts) this.sendChunk("agent_thought_chunk", "\n\n");
    this.read = createThoughtStream();
    this.hasThoughts = false;
    this.held = "";
  }

  showDelta(delta: ModelDelta): void {
    if (this.run.agent !== undefined || delta.kind === "call") return;
    if (delta.kind === "reasoning") this.streamThought(delta.text);
    else
      for (const { field, text } of this.read(delta.text))
        if (field === "text" || field === "reasoning" || field === "own") this.streamThought(text);
  }

  /** Shows the end of a program's output, not more often than a person can read. */
  showOutput(step: number, chunk: string): void {
    const before = this.output.step === step ? this.output.text : "";
    const isDue = this.output.step === step && this.output.isDue;
    this.output = { step, text: `${before}${chunk}`.slice(-SHOWN_OUTPUT), isDue: true };
    if (isDue) return;
    setTimeout(() => {
      if (!this.output.isDue || this.output.step !== step) return;
      this.output.isDue = false;
      const content = [...(this.diffs.get(step) ?? []), createTextContent(escapeInvisible(this.output.text))];
      this.send({ sessionUpdate: "tool_call_update", toolCallId: this.getCallId(step), content });
    }, OUTPUT_MS).unref();
  }

  /** The content of a proposal's card, whose diff stays with the call. */
  describeProposal(request: ApprovalRequest): ToolCallContent[] {
    const content = createProposalContent(request);
    this.diffs.set(
      request.step,
      content.filter(({ type }) => type === "diff"),
    );
    return content;
  }

  showMessage(text: string): void {
    if (text.trim() !== "") this.sendChunk("agent_message_chunk", `${stopPictures(escapeSmuggled(text))}\n\n`);
  }

  /** Shows what the user answered to a question in the past. */
  private showAnswer({ recent }: RunState): void {
    const { reply, outcome } = recent.at(-1) ?? {};
    if (reply?.kind === "proposal" && reply.call.name === COMMAND.ask && outcome?.status === "done")
      this.showWords(outcome.output);
  }

  private showWords(text: string): void {
    if (text !== "") this.sendChunk("user_message_chunk", `${stopPictures(text)}\n\n`);
  }

  private showReply({ reply }: Extract<AgentEvent, { type: "replied" }>, state: RunState): void {
    if (this.run.agent === undefined && reply.kind === "proposal") {
      const { text, reasoning, speak } = reply.thoughts;
      if (!this.hasThoughts) this.streamThought(text || reasoning);
      this.streamThought(this.held === "" ? "" : " ");
      this.showMessage(speak);
    }
    this.showSpending(state);
    const { open } = state;
    if (!open || this.isSilent(state)) return;
    this.send({
      sessionUpdate: "tool_call",
      toolCallId: this.getCallId(open.step),
      status: "pending",
      ...describeStep(open, this.run.folder, this.run.agent),
    });
  }

  private showOutcome(step: number, state: RunState): void {
    const past = state.recent.at(-1);
    if (past?.step !== step || isSilentStep(past)) return;
    this.output.isDue = false;
    const described = describeStep(past, this.run.folder, this.run.agent);
    const end = describeStepEnd(past, this.diffs.get(step) ?? [], this.run.folder);
    this.send({ sessionUpdate: "tool_call_update", toolCallId: this.getCallId(step), ...described, ...end });
    this.diffs.delete(step);
  }

  private showSpending({ promptTokens, model, totals }: RunState): void {
    if (this.run.agent !== undefined || promptTokens === undefined) return;
    const cost = { cost: { amount: totals.usd, currency: "USD" } };
    this.send({ sessionUpdate: "usage_update", used: promptTokens, size: model.contextWindow, ...cost });
  }

  private showPlan(items: readonly PlanItem[]): void {
    const entries = items.filter(({ status }) => status !== "dropped").map(createPlanEntry);
    const plan = JSON.stringify(entries);
    if (plan === this.plan) return;
    this.plan = plan;
    this.send({ sessionUpdate: "plan", entries });
  }

  private streamThought(text: string): void {
    if (text === "") return;
    this.hasThoughts = true;
    // An exclamation mark may begin a picture, whose address would leave the machine.
    const whole = this.held + text;
    this.held = whole.endsWith("!") ? "!" : "";
    this.sendChunk(
      "agent_thought_chunk",
      stopPictures(escapeSmuggled(whole.slice(0, whole.length - this.held.length))),
    );
  }

  private sendChunk(
    sessionUpdate: "agent_thought_chunk" | "agent_message_chunk" | "user_message_chunk",
    text: string,
  ): void {
    if (text !== "") this.send({ sessionUpdate, content: { type: "text", text } });
  }

  private isSilent({ open }: RunState): boolean {
    return open === undefined || isSilentStep(open);
  }
}

/** True for a step that shows in another way: a plan, a question or the end. */
function isSilentStep({ reply, began }: Pick<NonNullable<RunState["open"]>, "reply" | "began">): boolean {
  const call = began ?? (reply?.kind === "proposal" ? reply.call : undefined);
  return call === undefined || findTraits(call.name)?.isIdle === true;
}

function createPlanEntry({ text, status }: PlanItem): PlanEntry {
  const states = { pending: "pending", in_progress: "in_progress", done: "completed", dropped: "completed" } as const;
  return { content: writeOnOneLine(text), priority: "medium", status: states[status] };
}
