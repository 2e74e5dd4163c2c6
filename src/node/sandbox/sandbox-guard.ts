import { rmdirSync } from "node:fs";
import { join } from "node:path";
import type { Shell } from "../../core/ports/programs.ts";
import type { WatchedPaths } from "../../walls/sandbox-view.ts";
import type { View } from "../../walls/view.ts";
import type { RunProcesses } from "../processes/background-processes.ts";
import { type ControlChange, type ControlSnapshot, findControlChanges, takeControlSnapshot } from "./control-files.ts";
import { createPrivateHome, type PrivateHome, removePrivateHome } from "./private-home.ts";
import { findChangesInRest, type KnownFolders, listWorkspaceFolder, type SandboxListing } from "./sandbox-listing.ts";

/** Changes by a sandboxed line to files that control programs. Until the user has seen them, further lines need approval. */
export interface TamperingReport {
  /** The changes as a clause; undefined if there are none. */
  readonly what: string | undefined;
  /** The user has seen the changes and continues. */
  accept(): void;
}

/** Dependencies of guarding sandboxed lines. */
export interface SandboxGuardOptions {
  /** Real paths of the workspace folders. */
  listFolders(): readonly string[];
  /** Lists the paths in a folder that control programs, and the hidden ones. */
  listWatchedPaths(listing: SandboxListing): WatchedPaths;
  /** `own`: real paths that a run's lines need in addition to the workspace. */
  describeView(listings: readonly SandboxListing[], own: readonly string[]): View;
  /** The lines' own home, if the sandbox can't cover the user's. It's there while lines run. */
  readonly own?: PrivateHome;
}

/** Maximum number of changes to list. */
const MAX_LISTED = 10;

/**
 * Compares files that control programs before and after each sandboxed line. Placeholders for missing files are removed once no line runs.
 * A run and its agents share a guard, since they work in the same folders.
 */
export class SandboxGuard implements TamperingReport {
  private readonly parts: SandboxGuardOptions;
  private readonly standIns = new Set<string>();
  private readonly background = new Set<{ before: ControlSnapshot }>();
  private readonly known: KnownFolders = new Map();
  private running = 0;
  private found: string | undefined;
  /** The folders as listed when watching the next line began. Listing them again would delay the line. */
  private listed: readonly SandboxListing[] | undefined;

  constructor(parts: SandboxGuardOptions) {
    this.parts = parts;
  }

  get own(): PrivateHome | undefined {
    return this.parts.own;
  }

  get what(): string | undefined {
    // A background process may run for hours, so its changes count at once.
    for (const watching of this.background) {
      const now = this.snapshot();
      this.report(findControlChanges(watching.before, now, undefined));
      watching.before = { ...now, at: watching.before.at };
    }
    return this.found;
  }

  accept(): void {
    this.found = undefined;
  }

  /** The view of a line, based on the content of the folders when watching it began, or now. */
  describeView(own: readonly string[]): View {
    const view = this.parts.describeView(this.listed ?? this.listWorkspaceFolders(), own);
    this.listed = undefined;
    for (const path of view.sealed) this.standIns.add(path);
    if (this.own) createPrivateHome(this.own);
    return view;
  }

  /**
   * Starts watching a line, or a background process if there is no folder for new repositories. The returned function stops and returns the
   * changes.
   */
  watch(quarantine?: string): () => readonly string[] {
    this.listed = this.listWorkspaceFolders();
    const watching = { before: takeControlSnapshot(this.listed, this.parts.listWatchedPaths) };
    if (quarantine === undefined) this.background.add(watching);
    this.running++;
    return () => {
      this.running--;
      this.background.delete(watching);
      if (this.running === 0) this.removeStandIns();
      if (this.running === 0 && this.own) void removePrivateHome(this.own);
      // The user may have created a repository while a background process ran.
      return this.report(findControlChanges(watching.before, this.snapshot(watching.before.at), quarantine));
    };
  }

  /** Takes a snapshot. With `since`, it includes changes after that time in folders that aren't listed. */
  private snapshot(since?: number): ControlSnapshot {
    const listed = this.listWorkspaceFolders();
    const further = since === undefined ? [] : listed.map((one) => findChangesInRest(one, since, this.known));
    return takeControlSnapshot([...listed, ...further], this.parts.listWatchedPaths);
  }

  private listWorkspaceFolders(): readonly SandboxListing[] {
    return this.parts.listFolders().map(listWorkspaceFolder);
  }

  private report(changes: readonly ControlChange[]): readonly string[] {
    const real = changes.filter(({ path }) => !this.standIns.has(path));
    if (real.length === 0) return [];
    const sentences = real
      .slice(0, MAX_LISTED)
      .map(
        ({ path, how, movedTo }) => `${path} ${HOW[how]}${movedTo === undefined ? "" : ` and was moved to ${movedTo}`}`,
      );
    const more = real.length > MAX_LISTED ? `; ${real.length - MAX_LISTED} more` : "";
    this.found = `${sentences.join("; ")}${more}`;
    return [
      `While it ran in the sandbox, protected files changed: ${this.found}. The user is asked about the next line.`,
    ];
  }

  private removeStandIns(): void {
    for (const path of this.standIns)
      try {
        rmdirSync(path);
      } catch {
        // It has been removed already, or isn't empty any more.
      }
    this.standIns.clear();
  }
}

const HOW = {
  appeared: "appeared",
  changed: "changed",
  gone: "is gone",
  shown: "is no longer hidden, as it has another name now",
} as const;

/** Wraps a shell so that each line's notes include its changes to such files. New repositories are moved to `quarantine`. */
export function guardShell(shell: Shell, guard: SandboxGuard, quarantine: string): Shell {
  return {
    ...shell,
    async run(commandLine, options) {
      const end = guard.watch(join(quarantine, `step-${options.step}`));
      let notes: readonly string[] = [];
      const result = await shell.run(commandLine, options).finally(() => {
        notes = end();
      });
      const kept = KEPT.test(result.output) ? [GIT_STAYS] : [];
      return { ...result, notes: [...notes, ...kept] };
    },
  };
}

const KEPT = /\.git\/[^\n]*: Read-only file system|could not lock config file|\.git: Read-only file system/;
const GIT_STAYS =
  "The sandbox keeps .git as it is, so nothing can be committed or staged from a command line. Leave commits to the user.";

/** Wraps processes so that each is watched from start to end. */
export function guardProcesses(processes: RunProcesses, guard: SandboxGuard): RunProcesses {
  const watched = new Map<number, () => readonly string[]>();
  processes.onChange(() => {
    for (const { id, state } of processes.list()) {
      const end = watched.get(id);
      if (state === "running" || !end) continue;
      watched.delete(id);
      end();
    }
  });
  return {
    ...processes,
    async start(commandLine, options) {
      const end = guard.watch();
      const started = await processes.start(commandLine, options).catch((error: unknown) => {
        end();
        throw error;
      });
      if (typeof started === "string" || processes.list()[started.id - 1]?.state !== "running") end();
      else watched.set(started.id, end);
      return started;
    },
  };
}
