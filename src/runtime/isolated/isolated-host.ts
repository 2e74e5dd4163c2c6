import { relative } from "node:path";
import type { Git, Python } from "../../core/ports/programs.ts";
import { type BinaryFiles, type ResolvedPath, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import type { BorrowedFolder, Copy } from "../../isolation/copy/copy.ts";
import { getLayer } from "../../isolation/walls/layers.ts";
import type { Walls } from "../../isolation/walls/walls.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { createNodePython } from "../../node/python/python.ts";
import { createNodeWorkspace, type FolderWorkspace } from "../../node/workspace.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { Host, RunCopy } from "../host.ts";
import type { ProgramsOptions, RunPrograms } from "../inert-programs.ts";
import { convertToBytes } from "./isolated-run.ts";

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

/** Where the programs of an isolated run work. */
interface IsolatedPlace {
  readonly copy: Copy;
  readonly walls: Walls;
  readonly run: ProgramsOptions;
  /** See `HostProcesses.findPythonInterpreter`. */
  findChosenPython(folder: string): Promise<string | undefined>;
}

/** The programs of an isolated run, or of an agent that works for it. All of them run within the walls. */
async function createIsolatedPrograms(place: IsolatedPlace): Promise<RunPrograms> {
  const { copy, walls, run } = place;
  const { runHome, settings, redact } = run;
  const walled = await walls.createPrograms(copy, {
    runHome,
    hosts: settings.isolation.hosts,
    redact,
    quotaBytes: convertToBytes(settings.isolation.quotaMb),
  });
  return {
    shell: settings.shell.enabled ? { shell: walled.shell, processes: walled.processes } : {},
    python: await createPythonForCopy(place),
    git: walled.git && confineGit(walled.git),
    walls: walled.walls,
    dispose: () => walled.dispose(),
  };
}

/** Restricts git in a copy. References of its repositories to other places are visible only within the walls, if at all. */
function confineGit(git: Git): Git {
  return {
    ...git,
    findRepository: async (folder) => {
      const found = await git.findRepository(folder);
      return found && { root: found.root, gitFolder: found.gitFolder };
    },
  };
}

/**
 * Python for an isolated run: first the environments of the copy, then those of the workspace, whose folders are lent to the copy at its
 * own paths. This only looks Python up; it runs within the walls.
 */
async function createPythonForCopy({ copy: { folders }, run, findChosenPython }: IsolatedPlace): Promise<Python> {
  const { runHome, settings } = run;
  const [own] = folders;
  const python = await createNodePython({
    setting: settings.python.interpreter,
    useDocker: false,
    findChosenInterpreter: () => findChosenPython(own?.origin ?? ""),
    listFolders: () => [...folders.map(({ path }) => path), ...folders.map(({ origin }) => origin)],
    sandboxed: true,
    runFolder: runHome,
  });
  const convertToCopyPath = (word: string): string => {
    const folder = folders.find(({ origin }) => isAtOrBelow(word, origin));
    return folder ? `${folder.path}${word.slice(folder.origin.length)}` : word;
  };
  return {
    ...python,
    start: async (file, cwd) => {
      const {
        words: [interpreter = "", ...words],
        ...start
      } = await python.start(file, cwd);
      return { ...start, words: [convertToCopyPath(interpreter), ...words] };
    },
  };
}

/** Names the folder with the changes that programs made in a borrowed folder; undefined where they can make none. */
type LayerFolder = (borrowed: BorrowedFolder) => string | undefined;

/** A file that is really in a layer or in the workspace. */
interface Lent {
  readonly files: FolderWorkspace;
  readonly place: ResolvedPath;
}

/**
 * Lets file commands read the folders that a copy borrows, as its programs see them: changed files from the layer, the others from the
 * workspace. Only programs can change them.
 */
export function addBorrowedFiles<W extends Workspace & BinaryFiles>(
  base: W,
  { borrowed: all }: Pick<Copy, "borrowed">,
  layer: LayerFolder,
): W {
  const lent = new WeakMap<ResolvedPath, Lent>();
  const findBorrowedFolder = (path: string): BorrowedFolder | undefined =>
    all.find((one) => isAtOrBelow(path, one.path));
  const refuseBorrowed = (place: ResolvedPath): void => {
    if (findBorrowedFolder(place.path)) throw new WorkspaceError(explainReadOnly(place.label));
  };
  const guardAgainstBorrowed =
    <Rest extends readonly unknown[], T>(act: (place: ResolvedPath, ...rest: Rest) => Promise<T>) =>
    async (place: ResolvedPath, ...rest: Rest): Promise<T> => {
      refuseBorrowed(place);
      return act(place, ...rest);
    };
  return {
    ...base,
    locate: async (path, use) => {
      const place = await base.locate(path, use);
      const borrowed = place.kind === "missing" ? findBorrowedFolder(place.path) : undefined;
      const found = borrowed && (await findLentFile(borrowed, place, layer));
      if (!found) return place;
      const { kind, bytes, version } = found.place;
      const shown: ResolvedPath = { ...place, kind, bytes, version, ignored: true };
      lent.set(shown, found);
      return shown;
    },
    read: async (place) => {
      const found = lent.get(place);
      return found ? found.files.read(found.place) : base.read(place);
    },
    readBytes: async (place) => {
      const found = lent.get(place);
      return found ? found.files.readBytes(found.place) : base.readBytes(place);
    },
    write: guardAgainstBorrowed(base.write.bind(base)),
    writeBytes: guardAgainstBorrowed(base.writeBytes.bind(base)),
    createFolder: guardAgainstBorrowed(base.createFolder.bind(base)),
    move: guardAgainstBorrowed(async (from, to: ResolvedPath) => {
      refuseBorrowed(to);
      return base.move(from, to);
    }),
    remove: guardAgainstBorrowed(base.remove.bind(base)),
  };
}

/** A file below a borrowed folder, from its layer first; undefined if neither has it. */
async function findLentFile(
  borrowed: BorrowedFolder,
  { path, label }: ResolvedPath,
  layer: LayerFolder,
): Promise<Lent | undefined> {
  const name = normalizeSlashes(relative(borrowed.path, path));
  if (name === "") return undefined;
  for (const folder of [layer(borrowed), borrowed.origin]) {
    if (folder === undefined) continue;
    const files = createNodeWorkspace({ folders: [{ name: "", path: folder }] });
    const place = await files.locate(name).catch(() => undefined);
    // An overlay hides a deleted name behind a device.
    if (place?.kind === "other") return undefined;
    if (place && place.kind !== "missing") return { files, place: { ...place, label } };
  }
  return undefined;
}

function explainReadOnly(label: string): string {
  return `"${label}" is in a folder that this copy shares with the workspace, so file commands only read it. Change it with a command line, if it has to be changed.`;
}
