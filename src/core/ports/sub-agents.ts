import type { Instructions } from "../../schema/run-values.ts";
import { assertNever } from "../base/errors.ts";
import type { RunEnd, Source } from "../commands/outcome.ts";

/** Options of a new agent that does a part of the work. */
export interface AgentRequest {
  readonly name: string;
  /** The agent's task in one sentence, which is also its role and its goal. */
  readonly task: string;
  /** Further instructions; "" for none. */
  readonly prompt: string;
  /** How it works, from the file that describes it. */
  readonly instructions?: readonly Instructions[];
  /** Today's names of the commands it may use, as resolved by `resolveAllowedCommands`. */
  readonly commands: readonly string[];
  readonly model: "fast" | "smart";
  /** Share of the run's remaining budget: above 0, below 1. */
  readonly share: number;
}

/** State of an agent. `waiting`: for the user; `ended`: without an answer; `interrupted`: the program was closed. */
export type AgentState = "working" | "waiting" | "answered" | "ended" | "interrupted";

/** An agent that works for this run. */
export interface AgentSummary {
  /** Counts from 1; a number is never reused. */
  readonly id: number;
  readonly name: string;
  readonly task: string;
  /** Id of its own run. */
  readonly run: string;
  readonly state: AgentState;
  /** Absent if it is gone. */
  readonly steps?: number;
  readonly tokens: number;
  /** US dollars; absent if a price isn't known. */
  readonly usd?: number;
  readonly commands: readonly string[];
}

/** The end of an agent's work on its messages. */
export interface AgentAnswer {
  readonly agent: AgentSummary;
  readonly end: RunEnd;
  readonly source: Source;
}

/** An agent as its file describes it. */
export interface DescribedAgent {
  readonly instructions: readonly Instructions[];
  /** The only commands that it may use; absent: all that a run can give. */
  readonly commands?: readonly string[];
  readonly model?: AgentRequest["model"];
}

/** The agents that files describe, which can be started by name. */
export interface DescribedAgents {
  readonly listed: readonly { readonly name: string; readonly description: string }[];
  /** Reads an agent's file. A failed request returns a sentence. */
  load(name: string): Promise<DescribedAgent | string>;
}

/** The agents that work for a run. A failed request returns a sentence. */
export interface Agents {
  /** Limit on the number of agents at a time. */
  getMaxCount(): number;
  /** Absent if there are none. */
  readonly described?: DescribedAgents | undefined;
  /** All agents except deleted ones. */
  list(): readonly AgentSummary[];
  /** Resolves the commands for an agent to today's names. */
  resolveAllowedCommands(names: readonly string[]): readonly string[] | string;
  /** The commands that an agent may get: all, or those of these names. */
  selectAllowedCommands(names?: readonly string[]): readonly string[];
  /** Starts an agent without waiting for it. */
  start(wish: AgentRequest): Promise<AgentSummary | string>;
  /** Sends an agent a message, with which it resumes or takes its next step. */
  send(id: number, message: string): Promise<AgentSummary | string>;
  /** Waits until an agent has answered all its messages. */
  answer(id: number, signal: AbortSignal): Promise<AgentAnswer | string>;
  /** Stops and removes an agent; its log stays. */
  delete(id: number): Promise<AgentSummary | string>;
}

/** Why an agent ended without an answer, as a phrase that follows its name. */
export function describeEndReason(end: Exclude<RunEnd, { reason: "finished" }>): string {
  switch (end.reason) {
    case "exhausted":
      return `has used up its share of the budget (${end.limit})`;
    case "stuck":
      return `is stuck: ${end.why}`;
    case "failed":
      return `could not continue: ${end.error}`;
    case "stopped":
      return "was stopped";
    case "crashed":
      return `broke down: ${end.error}`;
    default:
      return assertNever(end);
  }
}
