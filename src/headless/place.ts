import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { rewriteLog } from "../runs/log/run-log.ts";
import { machineId } from "../runs/store/machine.ts";
import { HOME, homeFolder, newRunId, runsFolder } from "../runs/store/run-folder.ts";
import { runStore } from "../runs/store/run-store.ts";
import type { AgentEvent } from "../schema/events.ts";
import { sha256 } from "../sha256.ts";
import { UsageError } from "./usage-error.ts";

/** Where a run lives, and what of it is there already. */
export interface RunPlace {
  readonly id: string;
  /** The run's own folder, with its log. */
  readonly folder: string;
  /** The `.autogpt` folder it lies in. */
  readonly home: string;
  readonly machine: string;
  /** The events so far; none for a new run. */
  readonly events: readonly AgentEvent[];
}

/** The folder to work in, by its real path. Throws `UsageError` when it is none. */
export async function workspaceFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory())
    throw new UsageError(`There is no folder ${path}. Give --workspace the folder the agent shall work in.`);
  return realpath(path);
}

/** A place for a new run. `data` is the user's own folder, for what cannot be kept in the workspace. */
export async function newPlace(workspace: string, name: string, data: string): Promise<RunPlace> {
  const home = await homeFolder(workspace, fallback(workspace, data));
  const id = newRunId(name, new Date());
  return { id, home, folder: join(runsFolder(home), id), machine: await machineId(data), events: [] };
}

/** A place for a run beside another one. */
export function siblingPlace({ home, machine }: RunPlace, name: string): RunPlace {
  const id = newRunId(name, new Date());
  return { id, home, folder: join(runsFolder(home), id), machine, events: [] };
}

/** The place of a stored run. Throws a sentence when it is not there, or may not be gone on with. */
export async function storedPlace(workspace: string, id: string, data: string): Promise<RunPlace> {
  const machine = await machineId(data);
  const homes = [join(workspace, HOME), fallback(workspace, data)];
  const { folder, events, older, readOnly } = await runStore(homes, machine).open(id);
  if (readOnly !== undefined) throw new Error(readOnly);
  if (older) await rewriteLog(folder, events);
  return { id, folder, home: join(folder, "../.."), machine, events };
}

function fallback(workspace: string, data: string): string {
  return join(data, "workspaces", sha256(workspace).slice(0, 16));
}
