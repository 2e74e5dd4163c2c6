import { criticise } from "../core/criticism.ts";
import {
  type Approver,
  type Decided,
  type Model,
  ModelError,
  type Request,
  type User,
} from "../core/ports.ts";
import type { Run } from "../core/run.ts";
import { visible } from "../core/visible.ts";
import type { Grants } from "../safety/grants.ts";
import { nobodyToAsk } from "../safety/nobody.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { cardText } from "./card.ts";
import type { Terminal } from "./terminal.ts";

export interface TerminalParts {
  readonly terminal: Terminal;
  readonly grants: Grants;
  /** Criticises, when that is asked for, within the run's budget. */
  readonly model: Model;
  readonly run: Run;
}

const PROMPT =
  "y = yes · y -N = yes to the next N · n [reason] = no · s = let it criticise itself · or say what to do\n> ";

/** Asks the person at the terminal. */
export function terminalApprover(parts: TerminalParts): Approver {
  return {
    async decide(request, signal) {
      const { terminal, grants } = parts;
      terminal.say(cardText(request));
      for (;;) {
        const line = await terminal.ask(PROMPT, signal);
        if (line === undefined) return nobodyToAsk.decide(request, signal);
        const answer = readAnswer(line);
        if (answer.kind === "approve" && answer.count > 1) grants.grantNext(answer.count);
        const decided = await decidedBy(answer, request, parts, signal);
        if (decided) return decided;
      }
    },
  };
}

/** The decision an answer stands for; undefined when the question has to be asked again. */
async function decidedBy(
  answer: Answer,
  { proposal }: Request,
  { terminal, model, run }: TerminalParts,
  signal: AbortSignal,
): Promise<Decided | undefined> {
  switch (answer.kind) {
    case "approve":
      return { decision: { allow: true }, by: "user", reason: "approved on the terminal" };
    case "refuse":
      return refused(answer.feedback);
    case "criticise":
      try {
        await criticise(run, proposal, model, signal);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        terminal.say(error.message);
        return undefined;
      }
      return refused(
        "It was set aside so that you can think again; what you found in your thoughts follows.",
      );
    case "unclear":
      terminal.say(answer.text);
      return undefined;
  }
}

function refused(feedback: string): Decided {
  return { decision: { allow: false, feedback }, by: "user", reason: "refused on the terminal" };
}

/** The person at the terminal, for the agent's questions. */
export function terminalUser(terminal: Terminal): User {
  return {
    ask: (question, signal) => terminal.ask(`── The agent asks ──\n${visible(question)}\n> `, signal),
  };
}
