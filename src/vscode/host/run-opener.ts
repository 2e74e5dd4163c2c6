import type { StartedBody } from "../../core/events/run.ts";
import type { HostedRun } from "../../editor/panel/hosted-runs.ts";
import { SideEvents } from "../../editor/panel/side-events.ts";
import type { StoredRun } from "../../runs/store/run-store.ts";
import type { RunSummary } from "../../runs/store/run-summary.ts";
import { beginRun, openRun } from "../../runtime/compose-run.ts";
import type { ComposedRun, LiveComposedRun } from "../../runtime/composed-run.ts";
import { createDemoHost } from "../../runtime/demo-host.ts";
import type { NewRun } from "../../runtime/first-event.ts";
import {
  type ForkedRun,
  type ForkFileActions,
  type ForkOptions,
  forkRun,
  loadForkableStart,
} from "../../runtime/fork-run.ts";
import type { Host } from "../../runtime/host.ts";
import { explainIsolationProblem } from "../../runtime/isolated/isolated-start.ts";
import { cleanUpCopies, finishAccepts, removeRunCopy } from "../../runtime/isolated/stored-copies.ts";
import type { Sentence } from "../../texts/display-text.ts";

/** Opens runs in this window. */
export interface RunOpener {
  /** A new run; `live.resume()` starts it. */
  begin(wanted: NewRun): Promise<LiveComposedRun & HostedRun>;
  /** A demo in its folder below the extension's storage. Without the window's trust, it has a host of its own. */
  beginDemo(wanted: NewRun, storage: string): Promise<LiveComposedRun & HostedRun>;
  /** Opens a stored run, to resume or to read. */
  open(stored: StoredRun): Promise<HostedRun>;
  /** Why isolated runs can't start in a folder, as a sentence; undefined if they can. */
  explainNoIsolation(folder: string): Promise<Sentence | undefined>;
  canIsolate(folder: string): Promise<boolean>;
  /** Completes interrupted accepts, and deletes copies that aren't needed. */
  tidyCopies(open: (id: string) => Promise<StoredRun>, quotaMb: number): Promise<void>;
  /** Deletes the copy of a run that was deleted for good. */
  removeCopy(run: RunSummary): Promise<void>;
  /** Throws a sentence when the run can't be forked that way. */
  demandForkable(fork: Omit<ForkOptions, "folder" | "models">): Promise<StartedBody>;
  fork(fork: ForkOptions, actions: ForkFileActions): Promise<ForkedRun & { readonly fork: HostedRun }>;
}

/** Opens the runs of a host in this window. */
export function createRunOpener(host: Host): RunOpener {
  return {
    begin: async (wanted) => createHostedRun(await beginRun(host, wanted)),
    beginDemo: async (wanted, storage) => {
      const demoHost = host.workspace.isTrusted() ? host : createDemoHost(host, storage, wanted.folder);
      return createHostedRun(await beginRun(demoHost, wanted));
    },
    open: async (stored) => createHostedRun(await openRun(host, stored)),
    explainNoIsolation: (folder) => explainIsolationProblem(host, folder),
    canIsolate: (folder) =>
      explainIsolationProblem(host, folder).then(
        (why) => why === undefined,
        () => false,
      ),
    tidyCopies: async (open, quotaMb) => {
      try {
        await finishAccepts(host, async (id) => openRun(host, await open(id)));
      } finally {
        await cleanUpCopies(host, quotaMb);
      }
    },
    removeCopy: (run) => removeRunCopy(host, run),
    demandForkable: (fork) => loadForkableStart(host, fork),
    fork: async (fork, actions) => {
      const forked = await forkRun(host, fork, actions);
      return { ...forked, fork: createHostedRun(forked.fork) };
    },
  };
}

/** Wraps a run for this window, and collects the events between its steps. */
export function createHostedRun<R extends ComposedRun>(composed: R): R & HostedRun {
  const sideEvents = new SideEvents();
  for (const event of composed.past) sideEvents.add(event);
  composed.run.onEvent((event) => sideEvents.add(event));
  return Object.assign(composed, { sideEvents });
}
