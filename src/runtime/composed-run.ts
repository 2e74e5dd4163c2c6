import type { CommandSet } from "../core/commands/command-set.ts";
import { type ModelPair, Run } from "../core/events/run.ts";
import type { LiveRun } from "../core/loop/live-run.ts";
import type { Model } from "../core/ports/model.ts";
import type { ProcessHolder } from "../core/ports/process-locks.ts";
import type { RunLog } from "../core/ports/storage.ts";
import type { RunProcesses } from "../node/processes/background-processes.ts";
import { createLogFollower } from "../runs/log/read-log.ts";
import { describeRunInUse, type RunLease } from "../runs/log/run-lease.ts";
import type { StoredRun } from "../runs/store/run-store.ts";
import type { Undo } from "../runs/undo/undo.ts";
import type { Grants } from "../safety/policy/grants.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import type { Provenance } from "../safety/provenance/provenance.ts";
import type { AgentEvent } from "../schema/events.ts";
import { fail, type Sentence } from "../texts/display-text.ts";
import type { IsolatedRun } from "./isolated/isolated-run.ts";

/** A run that a host has open: a run that can continue, or a stored one to read. */
export interface ComposedRun {
  readonly id: string;
  readonly run: Run;
  /** Events from before the run was opened; only the first event of a new run. */
  readonly past: readonly AgentEvent[];
  /** Absent for a run that is only read. */
  readonly live?: LiveRun;
  /** Approvals that the user has given in advance; they end with the host. */
  readonly grants?: Grants;
  readonly provenance?: Provenance;
  readonly policy?: PolicyState;
  /** Programs in the background. */
  readonly processes?: RunProcesses;
  readonly commands?: Pick<CommandSet, "specs" | "withheld" | "resolve">;
  /** Reverts the run's changes to files; absent for a run that is only read. */
  readonly undo?: Undo;
  /** Ensures that only this process works on the run; absent for a run that is only read. */
  readonly lease?: RunLease;
  /** The run's own folder, with its log. */
  readonly home: string;
  /** The workspace folder it works in. */
  readonly folder: string;
  /** The copy and the walls of an isolated run; absent for other runs, and if the copy is gone. */
  readonly isolation?: IsolatedRun;
  /** Why the run can only be read, as a sentence. */
  readonly readOnly?: Sentence;
  /** The other process that worked on the run when it was opened, and whose events it follows. */
  readonly holder?: ProcessHolder;
  /** The other process that works on the run now; absent for a run that no process can continue here. */
  findHolder?(): Promise<ProcessHolder | undefined>;
  /** Its fast model, for small tasks within its budget; absent for a run that is only read. */
  getFastModel?(): Model;
  /** Whether its main model accepts pictures; undefined if that isn't known. */
  canSeePictures?(): Promise<boolean | undefined>;
  /** Uses other models from the next step on; absent for a run that is only read. */
  useModels?(models: ModelPair): Promise<void>;
  dispose(): Promise<void>;
}

/** A run that can continue. */
export type LiveComposedRun = ComposedRun &
  Required<Pick<ComposedRun, "live" | "grants" | "provenance" | "undo" | "getFastModel" | "useModels" | "commands">>;

/** A run that can only be read. */
export function createReadOnlyRun(stored: StoredRun, folder: string, readOnly: Sentence): ComposedRun {
  const refuse = async (): Promise<never> => {
    fail("trouble.openReadOnly");
  };
  const closed: RunLog = { append: refuse, sync: refuse, close: async () => undefined };
  return {
    id: stored.id,
    run: Run.openStored(closed, stored.events),
    past: stored.events,
    home: stored.folder,
    folder,
    readOnly,
    dispose: async () => undefined,
  };
}

/** A run on which another process works: it can only be read, and follows the events in the log. */
export function createFollowedRun(
  stored: StoredRun,
  folder: string,
  { holder, lease }: { readonly holder: ProcessHolder; readonly lease: Pick<RunLease, "findOther"> },
): ComposedRun {
  const composed = createReadOnlyRun(stored, folder, describeRunInUse(holder));
  const { run } = composed;
  const readNews = createLogFollower(stored.folder);
  let reading: Promise<void> | undefined;
  const follow = async (): Promise<void> => {
    for (const event of await readNews()) if (event.seq > run.state.seq) run.follow(event);
  };
  const timer = setInterval(() => {
    reading ??= follow()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
  }, FOLLOW_MS);
  timer.unref();
  return { ...composed, holder, findHolder: () => lease.findOther(), dispose: async () => clearInterval(timer) };
}

/** How often a run on which another process works is read. */
const FOLLOW_MS = 500;
