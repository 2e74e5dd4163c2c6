import { isAtOrBelow } from "../../disk/below.ts";
import type { Copy } from "../../isolation/copy/copy.ts";
import { getLayer } from "../../isolation/walls/layers.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { Host, RunCopy } from "../host.ts";
import { addBorrowedFiles } from "./borrowed-files.ts";
import { createIsolatedPrograms } from "./isolated-programs.ts";

/**
 * A host for one isolated run: its folders are those of the copy, its programs run within the walls, and the editor isn't involved.
 * Settings, models, memory, logs and the user come from the host, for the workspace folder.
 */
export function createIsolatedHost(isolated: RunCopy): Host {
  const { host, copy, walls } = isolated;
  const { storage, models, processes, workspace } = host;
  const getOrigin = (folder: string): string => findWorkspacePath(copy, folder) ?? folder;
  const { editor: _editor, ...withoutEditor } = host;
  const { terminals: _terminals, ...withoutTerminals } = processes;
  return {
    ...withoutEditor,
    isolated,
    workspace: {
      isTrusted: () => workspace.isTrusted(),
      listFolders: () => listCopiedFolders(copy),
      guard: (base) => addBorrowedFiles(base, copy, (one) => (walls.hasLayers ? getLayer(copy, one).upper : undefined)),
      createTrash: (fallback) => fallback,
      explainUndoProblem: () => undefined,
    },
    processes: {
      ...withoutTerminals,
      disk: { ...processes.disk, findRepository: async () => NOT_ASKED },
      createPrograms: (run) =>
        createIsolatedPrograms({ findChosenPython: processes.findPythonInterpreter, copy, walls, run }),
    },
    getSettings: (folder) => host.getSettings(getOrigin(folder)),
    storage: {
      ...storage,
      getFallbackFolder: (folder) => storage.getFallbackFolder(getOrigin(folder)),
      openMemory: (folder) => storage.openMemory(getOrigin(folder)),
    },
    models: {
      ...models,
      resolveModelPair: (folder, model) => models.resolveModelPair(getOrigin(folder), model),
    },
  };
}

/** No program, not even git, runs with the settings of a copy outside its walls. */
const NOT_ASKED = "The repository of a copy is never opened outside its sandbox.";

/** Lists the folders of a copy under the names of the workspace's folders. */
function listCopiedFolders({ folders }: Copy): readonly WorkspaceFolder[] {
  return folders.map(({ name, path }) => ({ name, path }));
}

/** The workspace's own folders of a copy. */
export function listOriginFolders({ folders }: Copy): readonly WorkspaceFolder[] {
  return folders.map(({ name, origin }) => ({ name, path: origin }));
}

/** The folder that the commands of a run work in, for a run of this workspace folder. */
export function getWorkFolder({ isolated }: Pick<Host, "isolated">, folder: string): string {
  return isolated?.copy.folders[0]?.path ?? folder;
}

/** Finds the workspace path that a path of the copy represents; undefined for any other. */
export function findWorkspacePath({ folders }: Pick<Copy, "folders">, path: string): string | undefined {
  const folder = folders.find((one) => isAtOrBelow(path, one.path));
  return folder && `${folder.origin}${path.slice(folder.path.length)}`;
}
