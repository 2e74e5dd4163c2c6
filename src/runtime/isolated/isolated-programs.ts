import type { Git, Python } from "../../core/ports/programs.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import type { Copy } from "../../isolation/copy/copy.ts";
import type { Walls } from "../../isolation/walls/walls.ts";
import { createNodePython } from "../../node/python/python.ts";
import type { ProgramsOptions, RunPrograms } from "../inert-programs.ts";
import { convertToBytes } from "./isolated-run.ts";

/** Where the programs of an isolated run work. */
interface IsolatedPlace {
  readonly copy: Copy;
  readonly walls: Walls;
  readonly run: ProgramsOptions;
  /** See `HostProcesses.pythonInterpreter`. */
  findChosenPython(folder: string): Promise<string | undefined>;
}

/** The programs of an isolated run, or of an agent that works for it. All of them run within the walls. */
export async function createIsolatedPrograms(place: IsolatedPlace): Promise<RunPrograms> {
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
