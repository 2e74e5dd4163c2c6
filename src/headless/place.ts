import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tryJson } from "../core/base/json.ts";
import { readFileText } from "../disk/plain-file.ts";
import { sha256 } from "../disk/sha256.ts";
import { findLockHolder } from "../node/processes/process-lock.ts";
import { loadRunOwner } from "../runs/store/machine.ts";
import { HOME } from "../runs/store/run-folder.ts";
import { createRunStoreForHomes, type RunStore } from "../runs/store/run-store.ts";
import { UsageError } from "./usage-error.ts";

/** The folder to work in, by its real path. Throws `UsageError` when it is none. */
export async function resolveWorkspaceFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory())
    throw new UsageError(`There is no folder ${path}. Give --workspace the folder the agent should work in.`);
  return realpath(path);
}

/** Throws `UsageError` if a path of `--plugin` doesn't exist. */
export async function demandPlugins(paths: readonly string[]): Promise<void> {
  for (const path of paths)
    if (!(await stat(path).catch(() => undefined)))
      throw new UsageError(`--plugin names ${path}, where nothing is. Give it the folder or the file of a plugin.`);
}

/** The `.autogpt` folders of a workspace's runs; `data` is the user's own folder, for runs that can't be stored in the workspace. */
export function getRunHomes(workspace: string, data: string): { readonly own: string; readonly fallback: string } {
  const hash = sha256(workspace).slice(0, 16);
  return { own: join(workspace, HOME), fallback: join(data, "workspaces", hash) };
}

/** The stored runs of a workspace. */
export function createRunStore(workspace: string, data: string): RunStore {
  const { own, fallback } = getRunHomes(workspace, data);
  const made: { store?: Promise<RunStore> } = {};
  const store = (): Promise<RunStore> => {
    made.store ??= loadRunOwner(data).then((owner) => createRunStoreForHomes([own, fallback], owner, findLockHolder));
    return made.store;
  };
  return {
    list: async () => (await store()).list(),
    open: async (id) => (await store()).open(id),
    findRunFolder: async (id) => (await store()).findRunFolder(id),
  };
}

/** The version of the package that this program is part of. */
export async function findOwnVersion(folder = import.meta.dirname): Promise<string> {
  const found = tryJson(await readFileText(join(folder, "package.json")).catch(() => ""));
  if (typeof found === "object" && found !== null && "version" in found) return String(found.version);
  return dirname(folder) === folder ? "0.0.0" : findOwnVersion(dirname(folder));
}
