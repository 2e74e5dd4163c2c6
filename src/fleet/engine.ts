import type { FleetDecision, FleetMessage } from "../schema/fleet/decisions.ts";
import type { AskedQuestion, ServedLine } from "../schema/fleet/served.ts";
import type { FleetTask } from "../schema/fleet/tasks.ts";
import type { Sentence } from "../texts/display-text.ts";

/** A run that works in another place. */
export type FleetRun = Omit<Extract<ServedLine, { type: "run" }>, "type"> & {
  /** The place as the user names it, such as `ssh:box`. */
  readonly place: string;
};

/** An answer to a question: for a proposal a decision, for a question words. */
export type FleetAnswer = FleetDecision["answer"];

/** Limits of a run, which count from its beginning. */
export type RaisedLimits = Extract<FleetMessage["act"], { kind: "raise" }>["limits"];

/** A report of a watched run. */
export type FleetEvent =
  /** The next line of its log, as it's there. Together they are the log, which proves by its seals who wrote it. */
  | { readonly type: "stored"; readonly line: string }
  /** The question that waits now; absent: none does. */
  | { readonly type: "asks"; readonly question?: AskedQuestion }
  /** A part of a reply that isn't in the log yet. */
  | Extract<ServedLine, { type: "delta" }>
  /** An answer that changed nothing, and why. */
  | { readonly type: "refused"; readonly question: string; readonly why: string }
  /** The connection was lost, with the reason as a sentence, or is back. `isIdle`: there is one, but no machine works on the run. */
  | { readonly type: "connection"; readonly isLost: boolean; readonly isIdle?: boolean; readonly why?: string };

/** A task to send. */
export interface FleetSubmission extends Pick<FleetTask, "task" | "pictures" | "sources"> {
  /** ID of the run, chosen by a sender who remembers it. Sent again, it's still one run. Absent: a new one. */
  readonly run?: string;
  /** Real path of the workspace folder, which is sent as it is now. */
  readonly folder: string;
  /** Settings that the run gets, by their names. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A run that was sent. */
export interface SubmittedRun extends FleetRun {
  /** Differences between what was sent and the workspace, as sentences. */
  readonly notes?: readonly Sentence[];
}

/** The files that leave this machine with a task, in addition to the history of its repository. */
export interface FleetParcel {
  readonly files: number;
  readonly bytes: number;
}

/** A kind of place for runs. It's trusted with nothing: what comes from it counts by the seals of the user's key. */
export interface FleetEngine {
  /** As the user names it, such as `ssh:box`. */
  readonly place: string;
  /** Sends a task and starts its run there. Throws a sentence that says what to do. */
  submit(submission: FleetSubmission, signal: AbortSignal): Promise<SubmittedRun>;
  list(signal: AbortSignal): Promise<readonly FleetRun[]>;
  /** One run as it is now; undefined if it isn't there. */
  find(run: string, signal: AbortSignal): Promise<FleetRun | undefined>;
  /**
   * Follows a run until it has ended or the signal aborts. `log`: the lines of its log that the caller has, each with its line break.
   * Connects again by itself. A run on which no process works goes on. Throws a sentence if that can't help, and for lines that the user's
   * machines didn't write.
   */
  watch(run: string, log: string, signal: AbortSignal): AsyncIterable<FleetEvent>;
  /** The lines of a run's log as far as they can be had without continuing it. */
  readLog(run: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Sends an answer, which counts once. Throws a sentence if it couldn't be sent. If it changes nothing, `refused` follows. */
  decide(question: AskedQuestion, answer: FleetAnswer, signal: AbortSignal): Promise<void>;
  /** Sends words of the user. A run that has ended continues with them. */
  say(run: string, text: string, signal: AbortSignal): Promise<void>;
  stop(run: string, signal: AbortSignal): Promise<void>;
  /** Changes limits of a run. One that has used up a limit continues. */
  raise(run: string, limits: RaisedLimits, signal: AbortSignal): Promise<void>;
  /** Lays the run and its copy out on this machine, for the ordinary review in a workspace folder. */
  fetch(run: string, folder: string, signal: AbortSignal): Promise<void>;
  /**
   * Deletes a run there, with its copy and the commits that carried it. One that was fetched stays here for its review. Throws a sentence
   * if it works or waits. `folder`: in the repository that it came from.
   */
  remove(run: string, folder: string, signal: AbortSignal): Promise<void>;
}
