import type { Disposable, Event, Uri } from "vscode";
import type { Command } from "../core/command.ts";
import type { AgentEvent } from "../core/event.ts";
import type { RunEnd } from "../core/outcome.ts";
import type { Decision, Model } from "../core/ports.ts";
import type { Profile } from "../core/profile.ts";
import type { RunState } from "../core/run-state.ts";
import type { RunSummary } from "../runs/summary.ts";

/** What `activate()` returns, for other extensions and for tests. */
export interface AutoGptApi {
  readonly version: 1;
  /** Starts a run without showing the profile form. Throws a sentence when no run can start here. */
  startRun(options: StartOptions): Promise<RunHandle>;
  /** The runs of the open folders, newest first. */
  runs(): Promise<readonly RunSummary[]>;
  /** A stored run. `resume()` goes on with it, where it may be gone on with. */
  openRun(id: string): Promise<RunHandle>;
  readonly onEvent: Event<{ readonly runId: string; readonly event: AgentEvent }>;
  /** Adds a command to runs started from now on. It always asks before it runs, and what it returns is quoted as data. */
  registerCommand(command: Command): Disposable;
}

export interface StartOptions {
  readonly task: string;
  readonly profile?: Partial<Profile>;
  /** The workspace folder to work in; the first one when absent. */
  readonly folder?: Uri;
  /** `plan`: it only reads and plans at first; `autogpt.carryOut` lets it act. */
  readonly approval?: "ask" | "continuous" | "plan";
  readonly maxSteps?: number;
  /** Takes the place of the configured models. */
  readonly model?: Model;
}

/** One run, to steer it. */
export interface RunHandle {
  readonly id: string;
  readonly state: RunState;
  /** Decides the proposal of a step, once; throws, and executes nothing, when that step does not wait for it. */
  decide(step: number, decision: Decision): Promise<void>;
  /** Answers a question, refuses a waiting proposal with these words, or queues them for the next prompt. */
  say(text: string): void;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
  /** Undoes what a step, or else the whole run, did to files. Throws a sentence that names the files it left alone because they were changed since. */
  undo(step?: number): Promise<void>;
  readonly end: Promise<RunEnd>;
}
