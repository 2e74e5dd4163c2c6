import { randomUUID } from "node:crypto";
import { PassThrough, Writable } from "node:stream";
import { waitUntilAborted } from "../../core/base/async.ts";
import { Emitter } from "../../core/base/emitter.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { createCallTitle } from "../../core/commands/call-title.ts";
import type { RunEnd } from "../../core/commands/outcome.ts";
import type { DecisionRecord } from "../../core/ports/approver.ts";
import type { LiveComposedRun } from "../../runtime/composed-run.ts";
import { unattendedApprover } from "../../safety/policy/with-policy.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import { renderApprovalCard } from "../display.ts";
import type { Person } from "../host.ts";
import type { RunOptions } from "../options.ts";
import { startRun, toItsEnd } from "../run-headless.ts";
import { runWithSession, type Surroundings } from "../session.ts";
import { createTurnTaker, describeRefusal, wrapApproverInTurns, wrapUserInTurns } from "../terminal.ts";

/** Something that a run asks the person. */
export interface Asked {
  readonly id: string;
  readonly kind: "proposal" | "question";
  /** All that the person has to see. */
  readonly text: string;
  /** Aborts once the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The person's answer; without approval, a proposal is rejected. */
export type PersonAnswer =
  | { readonly kind: "approved" }
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "none" };

/** The current state of a run, for the tool's caller. */
export interface RunStatus {
  readonly run: string;
  readonly status: "working" | "waiting" | RunEnd["reason"];
  readonly step: number;
  /** Its current action, its question, or its result. */
  readonly text: string;
}

/** How long a person may take for an answer. */
export const PERSON_MS = 600_000;

/** A run that a client of our MCP server started. */
export class ServedRun {
  private readonly stopping = new AbortController();
  private readonly changes = new Emitter();
  private readonly printed: string[] = [];
  private readonly asking = new Map<string, { readonly asked: Asked; settle(answer: PersonAnswer): void }>();
  private composed: LiveComposedRun | undefined;
  private doing = "It's starting.";
  private end: RunEnd | undefined;
  private readonly ended: Promise<void>;
  /** True once it has ended or failed to start. */
  isOver = false;

  /** `asks` is false if no person can be asked, so that whatever needs approval is rejected. */
  constructor(options: RunOptions, around: Surroundings, asks: boolean) {
    const signal = AbortSignal.any([around.signal, this.stopping.signal]);
    const stdout = new Writable({
      write: (chunk, _encoding, done) => {
        this.printed.push(String(chunk));
        done();
      },
    });
    const stdin = new PassThrough().end();
    const surroundings = {
      ...around,
      stdin,
      stdout,
      signal,
      ...(asks ? { person: this.createPerson() } : {}),
    };
    this.ended = runWithSession(options, surroundings, async (session) => {
      this.composed = await startRun(session);
      this.composed.run.onEvent((event) => this.hear(event));
      this.changes.fire();
      this.end = await toItsEnd(session, this.composed);
    }).finally(() => {
      this.isOver = true;
      this.changes.fire();
    });
    this.ended.catch(() => undefined);
  }

  /** The oldest question that waits for the person. */
  get asked(): Asked | undefined {
    return this.asking.values().next().value?.asked;
  }

  /** Resolves with the id of the run. Throws a sentence if it can't begin. */
  async waitForId(): Promise<string> {
    while (!this.composed) await Promise.race([this.ended, this.change()]);
    return this.composed.id;
  }

  /** Calls back whenever something changes that may interest a client. */
  onChange(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  /** Waits until the run is over or asks something. Throws a sentence if it couldn't start, or the signal's reason. */
  async waitForQuestionOrEnd(signal: AbortSignal): Promise<void> {
    while (!this.isOver && !this.asked) await waitUntilAborted(Promise.race([this.ended, this.change()]), signal);
  }

  /** Passes on the person's answer to a pending question. A late answer has no effect. */
  answer(id: string, answer: PersonAnswer): void {
    this.asking.get(id)?.settle(answer);
  }

  /** Ends the run and the programs that it has started. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error("The run was stopped."));
    await this.ended.catch(() => undefined);
  }

  async getStatus(): Promise<RunStatus> {
    const run = await this.waitForId();
    const step = this.composed?.run.state.totals.steps ?? 0;
    const { end, asked } = this;
    if (end) return { run, status: end.reason, step, text: this.printed.join("").trim() };
    if (asked) return { run, status: "waiting", step, text: asked.text };
    return { run, status: "working", step, text: this.doing };
  }

  /** Keeps only output that is printed from the end of the run on. */
  private hear(event: AgentEvent): void {
    if (event.type !== "over" && event.type !== "spent") this.printed.length = 0;
    if (event.type !== "replied" || event.reply.kind !== "proposal") return;
    this.doing = escapeInvisible(`Step ${event.step}: ${writeInEnglish(createCallTitle(event.reply.call).before)}`);
    this.changes.fire();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      const remove = this.onChange(() => {
        remove();
        resolve();
      });
    });
  }

  private createPerson(): Person {
    const take = createTurnTaker();
    return {
      createApprover: () =>
        wrapApproverInTurns(
          {
            decide: async (request, signal) => {
              const answer = await this.ask("proposal", renderApprovalCard(request), signal);
              return parseDecision(answer) ?? unattendedApprover.decide(request, signal);
            },
          },
          take,
        ),
      findUser: () =>
        wrapUserInTurns(
          {
            ask: async (question, signal) => {
              const answer = await this.ask("question", escapeInvisible(question), signal);
              return answer.kind === "said" && answer.text !== "" ? answer.text : undefined;
            },
          },
          take,
        ),
    };
  }

  /** Asks the person, and waits for a limited time. */
  private async ask(kind: Asked["kind"], text: string, signal: AbortSignal): Promise<PersonAnswer> {
    signal.throwIfAborted();
    const id = randomUUID();
    const over = new AbortController();
    const { promise, resolve } = Promise.withResolvers<PersonAnswer>();
    const settle = (answer: PersonAnswer): void => {
      this.asking.delete(id);
      resolve(answer);
    };
    const timer = setTimeout(() => settle({ kind: "none" }), PERSON_MS);
    this.asking.set(id, { asked: { id, kind, text, signal: over.signal }, settle });
    this.changes.fire();
    try {
      return await waitUntilAborted(promise, signal);
    } finally {
      clearTimeout(timer);
      this.asking.delete(id);
      over.abort(new Error("The answer isn't needed any more."));
    }
  }
}

/** Converts an answer to a decision; undefined without an answer. */
function parseDecision(answer: PersonAnswer): DecisionRecord | undefined {
  if (answer.kind === "none") return undefined;
  if (answer.kind === "approved")
    return { decision: { allow: true }, by: "user", reason: "approved in the MCP client" };
  const feedback = describeRefusal(answer.text);
  return { decision: { allow: false, feedback }, by: "user", reason: "rejected in the MCP client" };
}
