import type { AgentEvent } from "../../src/schema/events.ts";

export interface CheckedReply {
  readonly isReadable: boolean;
  readonly isValid: boolean;
  readonly problem?: string;
}
export interface MeasuredRun {
  readonly window: number;
  readonly end: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly promptTokens: number;
  readonly replies: readonly CheckedReply[];
}
export interface Figures {
  readonly readable: number;
  readonly valid: number;
  readonly endedAsDeclared: boolean;
  readonly windowKept: boolean;
}
export declare function repliesIn(events: readonly AgentEvent[]): readonly CheckedReply[];
export declare function figuresOf(runs: readonly MeasuredRun[]): Figures;
export declare function missed(figures: Figures): readonly string[];
