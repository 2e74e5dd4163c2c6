import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Python, PythonStart } from "../../core/ports/programs.ts";
import { WorkspaceError } from "../../core/ports/workspace.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { expandHomePath } from "../../disk/home-path.ts";
import { displayText } from "../../texts/display-text.ts";
import { runFileOperation } from "../files/file-errors.ts";
import { createPrivateFile } from "../files/private-file.ts";
import { type ContainerEngine, findContainerEngine } from "../processes/container-engine.ts";
import { findOnPath, isExecutable } from "../processes/programs.ts";
import { createContainerCommand, PYTHON_IMAGE } from "./docker.ts";

/** Options of Python on this machine. */
export interface PythonOptions extends PythonLocations {
  readonly useDocker: boolean;
  /** Command lines run in a sandbox. */
  readonly sandboxed: boolean;
  /** The run's own folder, for files of code. */
  readonly runFolder: string;
}

const ANSWER_MS = 5000;

const NOT_INSTALLED = "autogpt.python.useDocker is on, and Docker is not installed. Install it, or turn it off.";
const SILENT =
  "autogpt.python.useDocker is on, and Docker's engine does not answer. Start it, or turn the setting off.";
const NOT_BOTH =
  "autogpt.python.useDocker and autogpt.shell.sandbox exclude each other, since the sandbox keeps commands from Docker's engine. Turn one of them off.";

/**
 * Creates Python on this machine. The interpreter is searched for at each use, because a run may create an environment; Docker only once.
 */
export async function createNodePython(parts: PythonOptions): Promise<Python> {
  const getCodeFile = (step: number): string => join(parts.runFolder, "code", `${step}.py`);
  const keep = (step: number, code: string): Promise<void> =>
    runFileOperation(`code/${step}.py`, () => write(getCodeFile(step), code));
  const drop = (step: number): Promise<void> => rm(getCodeFile(step), { force: true });
  const code = { getCodePath: getCodeFile, keep, drop };
  if (!parts.useDocker) {
    const found = await findPythonInterpreter(parts);
    const problem = "why" in found ? { problem: found.why } : {};
    return { ...problem, ...code, start: (file) => createMachineStart(parts, file) };
  }
  const docker = parts.sandboxed ? "sandboxed" : await findContainerEngine("docker", ANSWER_MS, parts.env);
  if (typeof docker === "string") {
    const problem = { sandboxed: NOT_BOTH, absent: NOT_INSTALLED, silent: SILENT }[docker];
    return { problem, ...code, start: () => throwNoPython(problem) };
  }
  return { ...code, start: async (file, cwd) => createDockerStart(parts, docker, file, cwd) };
}

async function createMachineStart(parts: PythonOptions, file: string): Promise<PythonStart> {
  const found = await findPythonInterpreter(parts);
  if ("why" in found) return throwNoPython(found.why);
  return { words: [found.path, "-u", file], where: displayText("approval.onMachine") };
}

function createDockerStart(
  { listFolders }: PythonOptions,
  docker: ContainerEngine,
  file: string,
  cwd: string,
): PythonStart {
  const name = `autogpt-${randomUUID()}`;
  const holding = listFolders().find((folder) => isAtOrBelow(cwd, folder)) ?? cwd;
  return {
    words: createContainerCommand(docker.path, { name, folder: holding, cwd, file }),
    where: displayText("approval.inDocker", { image: PYTHON_IMAGE }),
    confined: true,
    clear: () => docker.remove(name),
  };
}

async function throwNoPython(why: string): Promise<never> {
  throw new WorkspaceError(why);
}

async function write(path: string, code: string): Promise<void> {
  await using file = await createPrivateFile(path);
  await file.writeFile(code);
}

/** Possible locations of Python. */
interface PythonLocations {
  /** The user's setting: a path, or a name on the search path; "" finds one automatically. */
  readonly setting: string;
  /** The interpreter that the editor's Python extension has selected for the workspace. */
  findChosenInterpreter?(): Promise<string | undefined>;
  /** Real paths of the workspace folders. */
  listFolders(): readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** An interpreter, or why there is none, as a sentence. */
type Interpreter = { readonly path: string } | { readonly why: string };

const ENVIRONMENTS = [".venv", "venv"];

/** The interpreter from the setting; otherwise the editor's choice, the workspace's environment, or the machine's. */
export async function findPythonInterpreter(places: PythonLocations): Promise<Interpreter> {
  const { env = process.env, platform = process.platform } = places;
  const setting = expandHomePath(places.setting.trim());
  if (setting !== "") {
    const named = isAbsolute(setting) ? [setting].find(isExecutable) : findOnPath([setting], env, platform);
    return named === undefined
      ? {
          why: `autogpt.python.interpreter names ${setting}, which isn't a program on this machine. Correct the setting.`,
        }
      : { path: named };
  }
  const chosen = await places.findChosenInterpreter?.().catch(() => undefined);
  const path =
    [chosen, ...places.listFolders().flatMap((folder) => listEnvironments(folder, platform))].find(
      (candidate) => candidate !== undefined && isExecutable(candidate),
    ) ?? findOnPath(["python3", "python"], env, platform);
  return path === undefined
    ? { why: "There is no Python on this machine. Install it, or name one in autogpt.python.interpreter." }
    : { path };
}

function listEnvironments(folder: string, platform: NodeJS.Platform): readonly string[] {
  const below = platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  return ENVIRONMENTS.map((name) => join(folder, name, ...below));
}
