import { realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DEMO_FILES } from "../models/demo/demo-files.ts";
import type { Host } from "./host.ts";

/** The folder of the demos, in the extension's own storage. */
export function getDemosFolder(storage: string): string {
  return join(storage, "demo");
}

/** Makes the folder of a new demo. Never takes one that exists, whoever made it. */
export async function createDemoFolder(storage: string, name: string): Promise<string> {
  const demos = getDemosFolder(storage);
  await mkdir(demos, { recursive: true });
  const folder = join(demos, name);
  await mkdir(folder);
  for (const [file, text] of Object.entries(DEMO_FILES)) {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return folder;
}

/**
 * A host for one demo, whose trust doesn't depend on the window's: the demo's folder is ours, and its real path decides that at each question.
 * The window's editors, terminals and memory belong to the workspace, so they aren't involved.
 */
export function createDemoHost(host: Host, storage: string, demo: string): Host {
  const { editor: _editor, ...withoutEditor } = host;
  const { terminals: _terminals, ...processes } = host.processes;
  return {
    ...withoutEditor,
    processes,
    workspace: {
      ...host.workspace,
      isTrusted: () => isOwnFolder(storage, demo),
      listFolders: (folder) => [{ name: basename(folder), path: folder }],
    },
    getSettings: (folder) => {
      const settings = host.getSettings(folder);
      return { ...settings, memory: { ...settings.memory, enabled: false } };
    },
  };
}

/** True if no link leads from the demo's folder to another place. */
function isOwnFolder(storage: string, folder: string): boolean {
  try {
    return realpathSync(folder) === join(getDemosFolder(realpathSync(storage)), basename(folder));
  } catch {
    return false;
  }
}
