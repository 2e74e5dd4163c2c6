import { join } from "node:path";
import type { Run } from "../core/run.ts";
import type { MemoryStore } from "../memory/memory-store.ts";
import { type RecallSettings, RunMemory } from "../memory/run-memory.ts";

/** A run's memory on a machine without an editor; the same as the editor's by default. */
export interface HeadlessMemory {
  readonly memory: RunMemory;
  /** To be called once the run is there. */
  follow(run: Run): void;
  /** Keeps what the run has still to remember, and lets go of the folder. */
  close(): Promise<void>;
}

const SETTINGS: RecallSettings = { enabled: true, recallCount: 10, maxTokens: 1500 };

/** The memory in a workspace's `.autogpt` folder, opened when it is first used. */
export function headlessMemory(
  home: string,
  redact: (text: string) => string,
  warn: (sentence: string) => void,
): HeadlessMemory {
  const followed: { run?: Run } = {};
  let store: Promise<MemoryStore> | undefined;
  const open = async (): Promise<MemoryStore> => {
    const { openWorkspaceMemory } = await import("../memory/workspace-memory.ts");
    return openWorkspaceMemory({ kind: "hashed" }, { folder: join(home, "memory"), redact });
  };
  const memory = new RunMemory({
    open: () => {
      store ??= open();
      return store;
    },
    settings: () => SETTINGS,
    toldInBrief: () => followed.run?.history.summary?.through ?? 0,
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
