import { join } from "node:path";
import type { Source } from "../core/commands/outcome.ts";
import type { Run } from "../core/events/run.ts";
import type { Model } from "../core/ports/model.ts";
import type { RecallSettings } from "../memory/recall/recall-settings.ts";
import { RunMemory } from "../memory/recall/run-memory.ts";
import type { WorkspaceMemory } from "../memory/workspace-memory.ts";
import { memoryKey } from "../runs/store/machine.ts";

/** A run's memory on a machine without an editor; the same as the editor's. */
export interface HeadlessMemory {
  readonly memory: RunMemory;
  /** To be called once the run is there. */
  follow(run: Run): void;
  /** Keeps what the run has still to remember, and lets go of the folder. */
  close(): Promise<void>;
}

/** What a run's memory needs of the run. */
export interface HeadlessMemoryParts {
  /** The workspace's `.autogpt` folder. */
  readonly home: string;
  readonly settings: RecallSettings;
  /** The user's data folder on this machine. */
  readonly data: string;
  /** The untrusted text that the run has read so far. */
  sources(): readonly Source[];
  /** Tells what is recalled in brief, where that is wanted. */
  readonly fast: Model;
  redact(text: string): string;
  warn(sentence: string): void;
}

/** The memory in a workspace's `.autogpt` folder, opened when it is first used. */
export function headlessMemory(parts: HeadlessMemoryParts): HeadlessMemory {
  const { home, data, settings, fast, redact, warn } = parts;
  const followed: { run?: Run } = {};
  let store: Promise<WorkspaceMemory> | undefined;
  const open = async (): Promise<WorkspaceMemory> => {
    const { openWorkspaceMemory } = await import("../memory/open-memory.ts");
    const key = await memoryKey(data);
    return openWorkspaceMemory({ kind: "hashed" }, { folder: join(home, "memory"), key, redact });
  };
  const memory = new RunMemory({
    open: () => {
      store ??= open();
      return store;
    },
    settings: () => settings,
    summarizedUpTo: () => followed.run?.history.summary?.through ?? 0,
    fast: () => fast,
    sources: () => parts.sources(),
    record: async (event) => followed.run?.record(event),
    notice: warn,
  });
  return {
    memory,
    follow(run) {
      followed.run = run;
      run.onEvent(memory.apply);
    },
    async close() {
      await memory.settled();
      await (await store?.catch(() => undefined))?.close();
    },
  };
}
