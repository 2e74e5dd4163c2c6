import type { RunEnd, Source } from "../commands/outcome.ts";

/** The commands by which a run has agents work for it. It keeps them to itself. */
export const AGENT_COMMANDS = {
  start: "start_agent",
  message: "message_agent",
  list: "list_agents",
  delete: "delete_agent",
} as const;

/** An agent to start for a part of the work. */
export interface AgentRequest {
  readonly name: string;
  /** What it shall do, in a sentence: its role and its goal. */
  readonly task: string;
  /** What it is told beside that; "" for nothing. */
  readonly prompt: string;
  /** Today's names of the commands it may use, as `lend` gave them. */
  readonly commands: readonly string[];
  readonly model: "fast" | "smart";
  /** Of what this run has left to spend: above 0, below 1. */
  readonly share: number;
}

/**
 * What an agent is doing: it works, waits for the user, has answered, ended without an answer, or is gone with the program that it
 * worked in.
 */
export type AgentState = "working" | "waiting" | "answered" | "ended" | "interrupted";

/** An agent that works for this run. */
export interface AgentSummary {
  /** From 1; a number is never used again. */
  readonly id: number;
  readonly name: string;
  readonly task: string;
  /** Its own run. */
  readonly run: string;
  readonly state: AgentState;
  /** Absent when it is gone. */
  readonly steps?: number;
  readonly tokens: number;
  /** US dollars; absent when a price is not known. */
  readonly usd?: number;
  readonly commands: readonly string[];
}

/** How an agent's work on what it was told came to its end. */
export interface AgentAnswer {
  readonly agent: AgentSummary;
  readonly end: RunEnd;
  readonly source: Source;
}

/** The agents that work for a run. What cannot be done comes back as a sentence. */
export interface Agents {
  /** How many there may be at a time. */
  maxCount(): number;
  /** Those that were not deleted. */
  list(): readonly AgentSummary[];
  /** Today's names of commands that an agent may be given. */
  allowedCommands(names: readonly string[]): readonly string[] | string;
  /** Starts an agent and goes on without waiting for it. */
  start(wish: AgentRequest): Promise<AgentSummary | string>;
  /** Tells it something more; it goes on, or reads it with its next step. */
  send(id: number, message: string): Promise<AgentSummary | string>;
  /** Waits until it is done with all that it was told. */
  answer(id: number, signal: AbortSignal): Promise<AgentAnswer | string>;
  /** Stops it and forgets it; its log stays. */
  delete(id: number): Promise<AgentSummary | string>;
}

/** Why an agent ended without an answer, to follow its name. */
export function endReason(end: Exclude<RunEnd, { reason: "finished" }>): string {
  switch (end.reason) {
    case "exhausted":
      return `has used up its share of the budget (${end.limit})`;
    case "stuck":
      return `is stuck, and was told: ${end.why}`;
    case "failed":
      return `could not go on: ${end.error}`;
    case "stopped":
      return "was stopped";
    case "crashed":
      return `broke down: ${end.error}`;
  }
}
