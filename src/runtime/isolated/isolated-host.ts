import type { Copy } from "../../isolation/copy/copy.ts";
import { layerOf } from "../../isolation/walls/layers.ts";
import { isAtOrBelow } from "../../node/files/real-path.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { Host, RunCopy } from "../host.ts";
import { withBorrowedFiles } from "./borrowed-files.ts";
import { isolatedPrograms } from "./isolated-programs.ts";

/**
 * A host for one isolated run: its folders are those of the copy, its programs run within the walls, and the editor has no part in it.
 * Settings, models, memory, logs and the user are the host's own, those of the workspace folder.
 */
export function isolatedHost(isolated: RunCopy): Host {
  const { host, copy, walls } = isolated;
  const { storage, models, processes, workspace } = host;
  const origin = (folder: string): string => workspacePath(copy, folder) ?? folder;
  const { editor: _editor, ...withoutEditor } = host;
  const { terminals: _terminals, ...withoutTerminals } = processes;
  return {
    ...withoutEditor,
    isolated,
    workspace: {
      isTrusted: () => workspace.isTrusted(),
      folders: () => copiedFolders(copy),
      guard: (base) =>
        withBorrowedFiles(base, copy, (one) => (walls.hasLayers ? layerOf(copy, one).upper : undefined)),
      trash: (fallback) => fallback,
      undoProblem: () => undefined,
    },
    processes: {
      ...withoutTerminals,
      disk: { ...processes.disk, repository: async () => NOT_ASKED },
      programs: (run) => isolatedPrograms({ chosen: processes.pythonInterpreter, copy, walls, run }),
    },
    settings: (folder) => host.settings(origin(folder)),
    storage: {
      ...storage,
      fallback: (folder) => storage.fallback(origin(folder)),
      memory: (folder) => storage.memory(origin(folder)),
    },
    models: { ...models, pair: (folder, model) => models.pair(origin(folder), model) },
  };
}

/** No program, git included, runs with the settings of a copy outside its walls. */
const NOT_ASKED = "The repository of a copy is never opened outside its sandbox.";

/** The folders of a copy under the names of the workspace's. */
function copiedFolders({ folders }: Copy): readonly WorkspaceFolder[] {
  return folders.map(({ name, path }) => ({ name, path }));
}

/** The workspace's own folders of a copy. */
export function originFolders({ folders }: Copy): readonly WorkspaceFolder[] {
  return folders.map(({ name, origin }) => ({ name, path: origin }));
}

/** The folder that the commands of a run work in, for a run of this workspace folder. */
export function workFolder({ isolated }: Pick<Host, "isolated">, folder: string): string {
  return isolated?.copy.folders[0]?.path ?? folder;
}

/** The path in the workspace that a path of the copy stands for; undefined for any other. */
export function workspacePath({ folders }: Pick<Copy, "folders">, path: string): string | undefined {
  const folder = folders.find((one) => isAtOrBelow(path, one.path));
  return folder && `${folder.origin}${path.slice(folder.path.length)}`;
}
