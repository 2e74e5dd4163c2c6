import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { escapeSmuggled } from "../../core/base/text.ts";
import { createCallTitle } from "../../core/commands/call-title.ts";
import type { LiveRun } from "../../core/loop/live-run.ts";
import type { ApprovalRequest } from "../../core/ports/approver.ts";
import type { ComposedRun, LiveComposedRun } from "../../runtime/composed-run.ts";
import type { AskingRun, HostLog } from "../../runtime/host.ts";
import { unattendedApprover } from "../../safety/policy/with-policy.ts";
import type { AttachedPicture } from "../../schema/run-values.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import type { Person } from "../host.ts";
import { createTurnTaker, describeRefusal } from "../terminal.ts";
import { RunUpdates } from "./run-updates.ts";
import { getToolKind, writeOnOneLine } from "./tool-calls.ts";

type Question = Omit<RequestPermissionRequest, "sessionId">;

/** The way to the person. */
interface EditorDoor {
  ask(question: Question, signal: AbortSignal): Promise<RequestPermissionResponse>;
  send(update: SessionUpdate): void;
  /** False while no prompt is being worked on. */
  isListening(): boolean;
  /** Ends the turn, because the next message is an answer. */
  waitForWords(): void;
  /** Stops the run, because the person has dismissed a question. */
  stop(): void;
}

const OPTIONS: PermissionOption[] = [
  { optionId: "approve", name: "Approve", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
  { optionId: "comment", name: "Reject and comment", kind: "reject_once" },
];

/** The requests of a session's agents to the person: proposals as permission requests, one at a time, and questions as messages. */
export class AgentsRequests {
  private readonly door: EditorDoor;
  private readonly followed = new Map<LiveRun, RunUpdates>();
  private readonly byId = new Map<string, RunUpdates>();
  /** Requests that were put to the person already. */
  private readonly put = new WeakSet<object>();
  private readonly waiting = new Map<LiveRun, AbortController>();
  private main: RunUpdates | undefined;
  private over = new AbortController();
  /** The agent that the next message answers. */
  private answered: LiveRun | undefined;
  private take = createTurnTaker();

  readonly person: Person = {
    createApprover: (asking) => {
      this.watch(asking);
      return asking.live.requests.approver;
    },
    findUser: (requests) => requests?.user,
  };

  readonly log: Partial<HostLog> = {
    reportDelta: (run, _step, delta) => this.byId.get(run)?.showDelta(delta),
    reportRestart: (run) => this.byId.get(run)?.beginReply(),
    reportOutput: (run, step, chunk) => this.byId.get(run)?.showOutput(step, chunk),
    notice: (_run, text) => this.main?.showMessage(writeInEnglish(text)),
  };

  constructor(door: EditorDoor) {
    this.door = door;
  }

  /** Shows a run of the session, until it's left. */
  follow({ id, folder, run, live }: LiveComposedRun): RunUpdates {
    const updates = new RunUpdates({ id, folder }, this.door.send);
    this.main = updates;
    this.over = new AbortController();
    this.take = createTurnTaker();
    this.register({ run, live }, updates);
    return updates;
  }

  leave(): void {
    this.dismiss();
    this.followed.clear();
    this.byId.clear();
    this.waiting.clear();
    this.main = undefined;
    this.answered = undefined;
  }

  /** Withdraws what waits for the person. */
  dismiss(): void {
    this.over.abort(new Error("The answer isn't needed any more."));
  }

  /** Gives a message to the agent that asked for it, or else to the run, which goes on. */
  async say(live: LiveRun, text: string, attached: readonly AttachedPicture[]): Promise<void> {
    const to = this.answered?.pending ? this.answered : live;
    this.answered = undefined;
    await to.say(text, attached);
    if (!live.running) live.resume();
    for (const one of this.followed.keys()) this.look(one);
  }

  /** True if the person chooses the option "yes". */
  async confirm(question: Question): Promise<boolean> {
    const { outcome } = await this.door
      .ask(question, this.over.signal)
      .catch((): RequestPermissionResponse => ({ outcome: { outcome: "cancelled" } }));
    const isYes = outcome.outcome === "selected" && outcome.optionId === "yes";
    const { toolCallId } = question.toolCall;
    this.door.send({ sessionUpdate: "tool_call_update", toolCallId, status: isYes ? "completed" : "failed" });
    return isYes;
  }

  /** Follows an agent that works for the run. */
  private watch({ run, live }: AskingRun): void {
    if (this.followed.has(live)) return;
    const { id, folder, profile } = run.state;
    const agent = writeOnOneLine(profile.name);
    this.register({ run, live }, new RunUpdates({ id, folder, agent }, this.door.send));
  }

  private register({ run, live }: Pick<ComposedRun, "run"> & { readonly live: LiveRun }, updates: RunUpdates): void {
    this.followed.set(live, updates);
    this.byId.set(run.state.id, updates);
    run.onEvent((event, state) => updates.handleEvent(event, state));
    live.onPending(() => this.look(live));
  }

  /** Puts what an agent waits for to the person, once, and withdraws what it no longer waits for. */
  private look(live: LiveRun): void {
    const { pending } = live;
    const updates = this.followed.get(live);
    if (!pending || (pending.kind === "proposal" && !this.put.has(pending))) this.waiting.get(live)?.abort();
    if (!pending || !updates || this.put.has(pending) || !this.door.isListening()) return;
    this.put.add(pending);
    if (pending.kind === "question") {
      this.answered = live;
      this.main?.showMessage(escapeSmuggled(pending.text));
      this.door.waitForWords();
      return;
    }
    const withdrawn = new AbortController();
    this.waiting.set(live, withdrawn);
    const signal = AbortSignal.any([withdrawn.signal, this.over.signal]);
    void this.take(signal, () => this.propose(live, updates, pending.request, signal)).catch(() => undefined);
  }

  private async propose(
    live: LiveRun,
    updates: RunUpdates,
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const { step, proposal } = request;
    const title = writeOnOneLine(createCallTitle(proposal.call).before);
    const toolCall = {
      toolCallId: updates.getCallId(step),
      title: updates.nameStep(title),
      kind: getToolKind(proposal.call),
      status: "pending" as const,
      content: updates.describeProposal(request),
      rawInput: proposal.call.args,
    };
    const answer = await this.door.ask({ toolCall, options: OPTIONS }, signal).catch(() => undefined);
    if (signal.aborted) return;
    if (!answer) return settleUnasked(live, request, signal);
    const { outcome } = answer;
    if (outcome.outcome === "cancelled") return this.door.stop();
    switch (outcome.optionId) {
      case "approve":
        return live.decide(step, { allow: true });
      case "comment":
        this.answered = live;
        this.main?.showMessage("What should it do instead? Your next message rejects this step with your words.");
        return this.door.waitForWords();
      default:
        return live.decide(step, { allow: false, feedback: describeRefusal("") });
    }
  }
}

/** Rejects a proposal that the editor couldn't show. */
async function settleUnasked({ requests }: LiveRun, request: ApprovalRequest, signal: AbortSignal): Promise<void> {
  const { open } = requests;
  if (open?.kind === "proposal" && open.request === request)
    open.settle(await unattendedApprover.decide(request, signal));
}
