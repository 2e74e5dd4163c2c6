import { assertNever } from "../../core/base/errors.ts";
import { createPreparedCall } from "../../core/commands/command.ts";
import type { CompactionResult } from "../../core/context/compaction-requests.ts";
import type { Run } from "../../core/events/run.ts";
import { LiveRun } from "../../core/loop/live-run.ts";
import { UserRequests } from "../../core/loop/user-requests.ts";
import type { ApprovalRequest, Decision } from "../../core/ports/approver.ts";
import type { ModelDelta } from "../../core/ports/model.ts";
import { NO_THOUGHTS } from "../../core/reply/reply.ts";
import type { FleetAnswer, FleetEngine, FleetEvent } from "../../fleet/engine.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { AskedQuestion } from "../../schema/fleet/served.ts";
import type { Card } from "../../schema/panel-values.ts";
import { displayText, fail, getErrorText, type Sentence } from "../../texts/display-text.ts";

/** Dependencies of a run on another machine. */
interface RemoteDependencies {
  readonly engine: Pick<FleetEngine, "watch" | "decide" | "say" | "stop">;
  /** The lines of its log that are here. */
  readLog(): Promise<string>;
  /** Stores a line of its log, and returns the event. */
  store(line: string): Promise<AgentEvent>;
  reportDelta(step: number, delta: ModelDelta): void;
  notice(text: Sentence): void;
}

/** How long a message to the other machine may take. */
export const MESSAGE_MS = 60_000;

/**
 * A run on another machine, controlled as if it were one of this window: it follows the events from there, and the answers to its questions
 * go there. Nothing of it runs here.
 */
export class RemoteLiveRun extends LiveRun {
  private readonly parts: RemoteDependencies;
  private watching: AbortController | undefined;
  private asked: AskedQuestion | undefined;
  private trouble: Sentence | undefined;
  private sending: Promise<void> = Promise.resolve();
  private following: Promise<void> = Promise.resolve();

  constructor(run: Run, parts: RemoteDependencies) {
    super(run, new UserRequests(), async () => fail("fleet.worksThere"));
    this.parts = parts;
  }

  override get running(): boolean {
    return this.watching !== undefined && this.run.state.end === undefined;
  }

  /** Why there's no connection now, as a sentence; undefined while there is one. */
  get lost(): Sentence | undefined {
    return this.trouble;
  }

  /** The question that waits, as the other machine asked it. */
  get question(): AskedQuestion | undefined {
    return this.asked;
  }

  /** Resolves once its machine has nothing more to report; after its end, all of its changes can be fetched then. */
  get settled(): Promise<void> {
    return this.following;
  }

  /** Follows the run, from its last known event on. */
  override resume(): void {
    if (this.watching) return;
    const watching = new AbortController();
    this.watching = watching;
    this.trouble = undefined;
    // Each line is taken once, also if the one before is still being stored.
    this.following = this.following
      .then(() => this.follow(watching.signal))
      .finally(() => {
        if (this.watching === watching) this.watching = undefined;
        this.ask(undefined);
        this.requests.changes.fire();
      });
    this.requests.changes.fire();
  }

  override pause(): void {
    fail("fleet.worksThere");
  }

  override async compact(): Promise<CompactionResult> {
    return { kind: "stopped" };
  }

  override async stop(): Promise<void> {
    await this.parts.engine
      .stop(this.id, AbortSignal.timeout(MESSAGE_MS))
      .catch((error: unknown) => fail("fleet.notStopped", { why: getErrorText(error) }));
  }

  /** Stops following it. The run itself continues there. */
  override async suspend(): Promise<void> {
    this.watching?.abort();
    this.watching = undefined;
  }

  override async decide(step: number, decision: Decision): Promise<void> {
    if (decision.allow && (decision.args !== undefined || decision.accepted !== undefined)) fail("fleet.onlyApprove");
    await super.decide(step, decision);
    await this.sending;
  }

  /** Answers the question that waits, or sends words. A run that has ended continues there with them. */
  override async say(text: string, pictures: readonly unknown[] = []): Promise<void> {
    if (pictures.length > 0) fail("fleet.noPictures");
    if (this.pending) {
      await super.say(text);
      return this.sending;
    }
    await this.parts.engine.say(this.id, text, AbortSignal.timeout(MESSAGE_MS));
    this.resume();
  }

  private async follow(signal: AbortSignal): Promise<void> {
    try {
      const log = await this.parts.readLog();
      for await (const event of this.parts.engine.watch(this.id, log, signal)) {
        if (signal.aborted) return;
        await this.take(event);
      }
    } catch (error) {
      if (!signal.aborted) this.setTrouble(getErrorText(error));
    }
  }

  private async take(event: FleetEvent): Promise<void> {
    switch (event.type) {
      case "stored":
        this.run.follow(await this.parts.store(event.line));
        // Its questions have ended with it.
        return this.run.state.end && this.ask(undefined);
      case "asks":
        return this.ask(event.question);
      case "delta":
        return this.takeDelta(event);
      case "refused":
        this.parts.notice(event.why);
        return this.askAgain(event.question);
      case "connection":
        return this.setTrouble(event.isLost ? describeLoss(event) : undefined);
      default:
        return assertNever(event);
    }
  }

  /** Shows a piece of a reply, unless the log has all of it by now. */
  private takeDelta({ step, kind = "text", name = "", text }: Extract<FleetEvent, { type: "delta" }>): void {
    const { open } = this.run.state;
    if (open?.step === step && open.stage === "asked")
      this.parts.reportDelta(step, kind === "call" ? { kind, name, text } : { kind, text });
  }

  private setTrouble(trouble: Sentence | undefined): void {
    this.trouble = trouble;
    this.requests.changes.fire();
  }

  private ask(question: AskedQuestion | undefined): void {
    if (question?.binding.id === this.asked?.binding.id) return;
    this.asked = question;
    this.requests.open = question && this.open(question);
    this.requests.changes.fire();
  }

  /** Shows a question again whose answer changed nothing there, if it still waits. */
  private askAgain(id: string): void {
    if (this.asked?.binding.id !== id || this.requests.open) return;
    this.requests.open = this.open(this.asked);
    this.requests.changes.fire();
  }

  private open(question: AskedQuestion): NonNullable<UserRequests["open"]> {
    const { text, card } = question;
    if (!card) return { kind: "question", text, settle: (said) => this.send(question, { kind: "said", text: said }) };
    return {
      kind: "proposal",
      request: createRemoteRequest(question, card),
      settle: (record) => {
        if (record !== "again") this.send(question, convertDecision(record.decision));
      },
    };
  }

  /** Sends an answer. If it can't be sent, the question waits as before. */
  private send(question: AskedQuestion, answer: FleetAnswer): void {
    const { open } = this.requests;
    this.requests.open = undefined;
    this.requests.changes.fire();
    this.sending = this.parts.engine
      .decide(question, answer, AbortSignal.timeout(MESSAGE_MS))
      .catch((error: unknown) => {
        if (this.asked === question) this.requests.open = open;
        this.requests.changes.fire();
        throw error;
      });
    this.sending.catch(() => undefined);
  }
}

/** Why the run isn't followed now. It continues there, unless no machine works on it. */
function describeLoss({ isIdle = false, why }: Extract<FleetEvent, { type: "connection" }>): Sentence {
  return isIdle && why !== undefined ? why : displayText("fleet.lost", { why: why ?? "" });
}

/** The card of a remote proposal, with the facts that only the other machine knows. */
export function completeRemoteCard(card: Card, { question }: RemoteLiveRun): Card {
  const { caption, explanation, folder, marks, influence, sources = [] } = question?.card ?? {};
  const facts = { caption, explanation, folder, marks, influence };
  const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  return { ...card, ...known, sources, remote: true };
}

/** A proposal as the other machine describes it in words. Nothing here can run it. */
function createRemoteRequest({ text, binding: { hash } }: AskedQuestion, card: Card): ApprovalRequest {
  const { step, command: name, args = {}, rule, reason, sensitive } = card;
  return {
    step,
    hash,
    proposal: { kind: "proposal", thoughts: NO_THOUGHTS, call: { name, args } },
    prepared: createPreparedCall("run", text, async () => fail("fleet.worksThere")),
    why: { rule, reason, sensitive, sources: [] },
  };
}

const SAID = "The user says: ";

function convertDecision(decision: Decision): FleetAnswer {
  if (decision.allow) return { kind: "approved" };
  const { feedback } = decision;
  return { kind: "rejected", reason: feedback.startsWith(SAID) ? feedback.slice(SAID.length) : "" };
}
