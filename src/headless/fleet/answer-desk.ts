import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { Queue } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import type { LiveRun } from "../../core/loop/live-run.ts";
import type { PendingInput } from "../../core/loop/user-requests.ts";
import { createCard } from "../../editor/review/card.ts";
import { checkDecision, createBinding, hashAsked } from "../../fleet/decision.ts";
import type { FleetKey } from "../../fleet/key.ts";
import { HeardLedger } from "../../fleet/message.ts";
import { openQuestion, sealQuestion } from "../../fleet/question.ts";
import type { LiveComposedRun } from "../../runtime/composed-run.ts";
import { changeLimits } from "../../runtime/run-control.ts";
import type { FleetBinding, FleetDecision, FleetMessage } from "../../schema/fleet/decisions.ts";
import type { AskedQuestion, ServedRecord, ServedRequest } from "../../schema/fleet/served.ts";
import { type DisplayText, writeInEnglish } from "../../texts/display-text.ts";
import { renderApprovalCard } from "../display.ts";
import type { Person } from "../host.ts";
import { describeRefusal } from "../terminal.ts";
import { getInbox, isDiskFull, takeRequests, watchFolders, writeServedRecord } from "./served-runs.ts";

const MOST_REFUSALS = 20;
const MOST_HANDLED = 200;

/** Dependencies of the desk. */
interface DeskParts {
  readonly data: string;
  readonly key: FleetKey;
  readonly attempt: number;
  readonly record: ServedRecord;
  /** Called once a question waits that isn't answered yet. */
  handleQuestion(): void;
}

/** Puts what the agents of a run ask into its record, one question at a time, and applies the requests that come from its user. */
export class AnswerDesk {
  private readonly parts: DeskParts;
  private readonly agents = new Set<LiveRun>();
  private readonly turns = new Queue();
  private record: ServedRecord;
  private asked: AskedQuestion | undefined;
  private open:
    | { readonly live: LiveRun; readonly pending: PendingInput; readonly question: AskedQuestion }
    | undefined;
  private main: { readonly composed: LiveComposedRun; readonly heard: HeardLedger } | undefined;
  /** The last question of the attempt before this one: an answer to it counts if the same is asked again. */
  private readonly earlier: FleetBinding | undefined;
  /** Answers that came before this attempt has asked anything. */
  private early: readonly string[] = [];
  private hasAsked = false;
  private isLeaving = false;
  /** Requests that were carried out, also if that couldn't be written down. */
  private readonly done = new Set<string>();
  private stopWatching: () => void = () => undefined;

  readonly person: Person = {
    createApprover: ({ live }) => {
      this.hear(live);
      return live.requests.approver;
    },
    findUser: (requests) => requests?.user,
  };

  /** True once the user has asked for the end of the run. */
  isStopped = false;

  constructor(parts: DeskParts) {
    this.parts = parts;
    this.record = parts.record;
    const { record, key, attempt } = parts;
    const before = record.asked && openQuestion(key, record.run, record.asked);
    this.earlier = before?.binding.attempt === attempt - 1 ? before.binding : undefined;
  }

  /** The question that waits. */
  get question(): AskedQuestion | undefined {
    return this.asked;
  }

  /** Why the last answer or message changed nothing. */
  get refusal(): string | undefined {
    return this.record.refused.at(-1)?.why;
  }

  /** Begins with a run that is open, and takes what was sent before. */
  async begin(main: LiveComposedRun): Promise<void> {
    const { data, attempt } = this.parts;
    this.main = { composed: main, heard: await HeardLedger.open(main.home) };
    this.hear(main.live);
    main.run.onEvent(({ type }) => {
      if (type === "ended")
        void this.turns
          .add(() => this.change({ ...this.record, steps: main.run.state.totals.steps }))
          .catch(() => undefined);
    });
    const { asked: _asked, failed: _failed, isOver: _isOver, ...rest } = this.record;
    await this.change({ ...rest, task: main.run.state.task, home: main.home, attempt });
    const inbox = getInbox(data, main.id);
    await mkdir(inbox, { recursive: true, mode: 0o700 });
    // A write that fails for now, such as on a full disk, is tried again with the next look.
    this.stopWatching = watchFolders([inbox], () => void this.readInbox().catch(() => undefined));
    await this.readInbox();
  }

  /** The run is about to be suspended: what it asks now is answered on its next machine. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Takes no more requests: those that come now are for the next worker. */
  close(): void {
    this.stopWatching();
  }

  /** Ends the work. */
  async end(): Promise<void> {
    this.close();
    await this.turns.add(async () => {
      this.open = undefined;
      const { asked, ...rest } = this.record;
      const isOver = this.main?.composed.run.state.end !== undefined;
      await this.change({ ...rest, ...(isOver ? { isOver } : omitUndefined({ asked })) });
    });
  }

  private hear(live: LiveRun): void {
    if (this.agents.has(live)) return;
    this.agents.add(live);
    live.onPending(() => void this.turns.add(() => this.look()).catch(() => undefined));
  }

  private async readInbox(): Promise<void> {
    const { run } = this.record;
    await this.turns.add(async () => {
      await takeRequests(this.parts.data, run, (request) => this.handleRequest(request));
      await this.look();
    });
  }

  /** Shows the oldest request that waits, unless it's shown already. */
  private async look(): Promise<void> {
    if (this.isLeaving || (this.open && this.open.live.pending === this.open.pending)) return;
    const live = [...this.agents].find(({ pending }) => pending !== undefined);
    const pending = live?.pending;
    if (!live || !pending) {
      if (!this.record.asked) return;
      this.open = undefined;
      this.asked = undefined;
      const { asked: _asked, ...rest } = this.record;
      return this.change(rest);
    }
    const question = createQuestion(this.record.run, this.parts.attempt, pending);
    await this.change({ ...this.record, asked: sealQuestion(this.parts.key, question) });
    this.open = { live, pending, question };
    this.asked = question;
    const { early } = this;
    this.hasAsked = true;
    this.early = [];
    for (const text of early) if (this.open?.live.pending === pending) await this.handleDecision(text);
    if (live.pending === pending) this.parts.handleQuestion();
    else await this.look();
  }

  private async handleRequest(request: ServedRequest): Promise<void> {
    const { main } = this;
    if (!main || this.record.handled.includes(request.id)) return;
    // A request that can't be carried out isn't tried again, unless there was no room. One that was isn't carried out twice.
    if (!this.done.has(request.id))
      await this.applyRequest(request, main).catch(async (error: unknown) => {
        if (isDiskFull(error)) throw error;
        await this.refuse("", getErrorMessage(error));
      });
    this.done.add(request.id);
    const handled = [...this.record.handled, request.id].slice(-MOST_HANDLED);
    await this.change({ ...this.record, handled });
  }

  private async applyRequest(
    request: ServedRequest,
    { composed, heard }: NonNullable<AnswerDesk["main"]>,
  ): Promise<void> {
    if (request.type === "decide") return this.handleDecision(request.decision);
    const checked = await heard.check(request.message, this.record.run, { ...this.parts, nowMs: Date.now() });
    if (checked.kind === "refused") return this.refuse("", writeInEnglish(checked.why));
    if (checked.kind === "known") return heard.save();
    await this.applyMessage(checked.message.act, composed);
    await heard.add(checked.message);
  }

  private async applyMessage(act: FleetMessage["act"], { live, run }: LiveComposedRun): Promise<void> {
    switch (act.kind) {
      case "said":
        return live.say(act.text);
      case "raise":
        return changeLimits(run, act.limits);
      case "stop":
        this.isStopped = true;
        void live.stop();
    }
  }

  private async handleDecision(text: string): Promise<void> {
    const { open } = this;
    const { data, key } = this.parts;
    if (this.earlier && !this.hasAsked) {
      this.early = [...this.early, text].slice(-MOST_HANDLED);
      return;
    }
    if (!open || open.live.pending !== open.pending)
      return this.refuse("", "The question no longer waited when the answer came. If the run asks again, answer that.");
    const { binding } = open.question;
    const place = { data, key, nowMs: Date.now() };
    const { earlier } = this;
    const bindings = earlier ? [binding, { ...earlier, hash: hashAsked(binding.run, open.pending) }] : [binding];
    const reasons: DisplayText[] = [];
    for (const asked of bindings) {
      const checked = await checkDecision(text, asked, place);
      if (checked.ok) {
        await applyAnswer(open.live, open.pending, checked.answer);
        return;
      }
      reasons.push(checked.why);
    }
    // One that isn't for this attempt may still have been for the one before.
    const why = reasons.find(({ code }) => code !== "fleet.decision.foreign") ?? reasons[0];
    if (why) await this.refuse(binding.id, writeInEnglish(why));
  }

  private async refuse(question: string, why: string): Promise<void> {
    const refused = [...this.record.refused, { id: randomUUID(), question, why }].slice(-MOST_REFUSALS);
    await this.change({ ...this.record, refused });
  }

  private async change(record: ServedRecord): Promise<void> {
    await writeServedRecord(this.parts.data, record);
    this.record = record;
  }
}

function createQuestion(run: string, attempt: number, pending: PendingInput): AskedQuestion {
  const binding = createBinding(run, attempt, pending, { nowMs: Date.now() });
  if (pending.kind === "question") return { binding, text: escapeInvisible(pending.text) };
  const { request } = pending;
  const { card, rest } = createCard(request, { seen: false });
  const { more: _more, ...shown } = card;
  return {
    binding,
    text: renderApprovalCard(request),
    card: { ...shown, text: [card.text, ...rest].join("") },
  };
}

async function applyAnswer(live: LiveRun, pending: PendingInput, answer: FleetDecision["answer"]): Promise<void> {
  if (answer.kind === "said") return live.say(answer.text);
  if (pending.kind === "question") return live.say(answer.kind === "approved" ? "Yes." : `No. ${answer.reason}`.trim());
  const reason = answer.kind === "rejected" ? answer.reason : "";
  const decision =
    answer.kind === "approved"
      ? { allow: true as const }
      : { allow: false as const, feedback: describeRefusal(reason) };
  await live.decide(pending.request.step, decision);
}
