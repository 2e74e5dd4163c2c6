import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { waitUntilAborted } from "../core/base/async.ts";
import { assertNever } from "../core/base/errors.ts";
import { escapeInvisible } from "../core/base/text.ts";
import type { Run } from "../core/events/run.ts";
import { requestCriticism } from "../core/loop/think.ts";
import type { ApprovalRequest, Approver, DecisionRecord, User } from "../core/ports/approver.ts";
import { type Model, ModelError } from "../core/ports/model.ts";
import type { Grants } from "../safety/policy/grants.ts";
import { unattendedApprover } from "../safety/policy/with-policy.ts";
import { renderApprovalCard } from "./display.ts";

/** Lines typed by a person. */
export interface Terminal {
  /** The next line after a prompt; undefined once the input is closed. An abort throws the signal's reason. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  say(text: string): void;
  close(): void;
}

/** A terminal with two streams. The terminal itself handles line editing and Ctrl-C. */
export function createTerminal(input: Readable, output: Writable): Terminal {
  const lines = createInterface({ input, output, terminal: false });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  return {
    async ask(prompt, signal) {
      signal.throwIfAborted();
      if (closed.signal.aborted) return undefined;
      try {
        return await lines.question(prompt, { signal: AbortSignal.any([signal, closed.signal]) });
      } catch {
        signal.throwIfAborted();
        return undefined;
      }
    },
    say: (text) => void output.write(`${text}\n`),
    close: () => lines.close(),
  };
}

/** Meaning of a line typed for a pending proposal. */
export type Answer =
  /** `count` includes this one. */
  | { readonly kind: "approve"; readonly count: number }
  | { readonly kind: "refuse"; readonly feedback: string }
  | { readonly kind: "criticise" }
  | { readonly kind: "unclear"; readonly text: string };

const COUNT_FORM = 'Write "y -N" with a number of commands, as in "y -5".';

/** Reads a line: `y`, `y -N`, `n [reason]`, `s`; anything else is feedback, which refuses the command. */
export function readAnswer(line: string): Answer {
  const text = line.trim();
  const lower = text.toLowerCase();
  if (text === "") return { kind: "unclear", text: "Nothing was typed." };
  if (lower === "y" || lower === "yes") return { kind: "approve", count: 1 };
  if (lower === "s") return { kind: "criticise" };
  if (/^y\s+-/.test(lower)) return readCount(lower);
  if (lower === "n" || lower === "no") return { kind: "refuse", feedback: describeRefusal("") };
  return { kind: "refuse", feedback: describeRefusal(text.replace(/^[nN]\s+/, "")) };
}

/** Describes a refusal to the model, with the words of the user. */
export function describeRefusal(words: string): string {
  return words === "" ? "The user said no and gave no reason." : `The user says: ${words}`;
}

function readCount(text: string): Answer {
  const [, digits] = /^y\s+-(\d{1,6})$/.exec(text) ?? [];
  if (digits === undefined) return { kind: "unclear", text: COUNT_FORM };
  return { kind: "approve", count: Math.max(1, Number(digits)) };
}

/** Runs one action at a time; others wait until it's done. */
export type TakeTurn = <T>(signal: AbortSignal, act: () => Promise<T>) => Promise<T>;

/** Makes turns at one terminal, for runs that all ask there. */
export function createTurnTaker(): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (signal, act) => {
    const before = last;
    const mine = waitUntilAborted(before, signal).then(() => {
      signal.throwIfAborted();
      return act();
    });
    last = before.then(() => mine).catch(() => undefined);
    return mine;
  };
}

export function wrapApproverInTurns(approver: Approver, take: TakeTurn): Approver {
  return { decide: (request, signal) => take(signal, () => approver.decide(request, signal)) };
}

export function wrapUserInTurns(user: User, take: TakeTurn): User {
  return { ask: (question, signal) => take(signal, () => user.ask(question, signal)) };
}

export interface TerminalApproverOptions {
  readonly terminal: Terminal;
  readonly grants: Grants;
  /** Reviews the agent's thinking on request, within the run's budget. */
  getFastModel(): Model;
  readonly run: Run;
}

const PROMPT =
  "y = yes · y -N = yes to the next N · n [reason] = no · s = let it criticise itself · or say what to do\n> ";

/** Asks the person at the terminal. */
export function createTerminalApprover(parts: TerminalApproverOptions): Approver {
  return {
    async decide(request, signal) {
      const { terminal, grants } = parts;
      terminal.say(renderApprovalCard(request));
      for (;;) {
        const line = await terminal.ask(PROMPT, signal);
        if (line === undefined) return unattendedApprover.decide(request, signal);
        const answer = readAnswer(line);
        if (answer.kind === "approve" && answer.count > 1) {
          await parts.run.record({ type: "granted", count: answer.count });
          grants.grantNext(answer.count);
        }
        const decided = await decideByAnswer(answer, request, parts, signal);
        if (decided) return decided;
      }
    },
  };
}

/** The decision for an answer; undefined if the question must be repeated. */
async function decideByAnswer(
  answer: Answer,
  { proposal }: ApprovalRequest,
  { terminal, getFastModel, run }: TerminalApproverOptions,
  signal: AbortSignal,
): Promise<DecisionRecord | undefined> {
  switch (answer.kind) {
    case "approve":
      return { decision: { allow: true }, by: "user", reason: "approved on the terminal" };
    case "refuse":
      return createRefusal(answer.feedback);
    case "criticise":
      try {
        await requestCriticism(run, proposal, getFastModel(), signal);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        terminal.say(error.message);
        return undefined;
      }
      return createRefusal("It was set aside so that you can think again; what you found in your thoughts follows.");
    case "unclear":
      terminal.say(answer.text);
      return undefined;
    default:
      return assertNever(answer);
  }
}

function createRefusal(feedback: string): DecisionRecord {
  return { decision: { allow: false, feedback }, by: "user", reason: "refused on the terminal" };
}

/** The person at the terminal, who answers the agent's questions. */
export function createTerminalUser(terminal: Terminal): User {
  return {
    ask: (question, signal) => terminal.ask(`── The agent asks ──\n${escapeInvisible(question)}\n> `, signal),
  };
}
