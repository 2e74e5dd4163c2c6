import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join, sep } from "node:path";
import { WorkspaceError } from "../core/ports/model.ts";
import type { Python, PythonStart } from "../core/ports/programs.ts";
import { type Docker, findDocker, inContainer, PYTHON_IMAGE, removeContainer } from "./docker.ts";
import { told } from "./file-errors.ts";
import { ownFile } from "./own-file.ts";
import { type PythonPlaces, pythonInterpreter } from "./python-interpreter.ts";

/** What Python on this machine is made of. */
export interface PythonParts extends PythonPlaces {
  readonly useDocker: boolean;
  /** Command lines are held in a sandbox. */
  readonly sandboxed: boolean;
  /** The run's own folder, for the files of code. */
  readonly runFolder: string;
}

const NOT_BOTH =
  "autogpt.python.useDocker and autogpt.shell.sandbox exclude each other, since the sandbox keeps commands from Docker's engine. Turn one of them off.";

/** Python as this machine has it. The interpreter is looked for at each use, for a run may make an environment; Docker once. */
export async function nodePython(parts: PythonParts): Promise<Python> {
  const codeFile = (step: number): string => join(parts.runFolder, "code", `${step}.py`);
  const keep = (step: number, code: string): Promise<void> =>
    told(`code/${step}.py`, () => write(codeFile(step), code));
  const drop = (step: number): Promise<void> => rm(codeFile(step), { force: true });
  const code = { codeFile, keep, drop };
  if (!parts.useDocker) {
    const found = await pythonInterpreter(parts);
    const problem = "why" in found ? { problem: found.why } : {};
    return { ...problem, ...code, start: (file) => onMachine(parts, file) };
  }
  const docker: Docker = parts.sandboxed ? { why: NOT_BOTH } : await findDocker(parts.env);
  if ("why" in docker) return { problem: docker.why, ...code, start: () => noPython(docker.why) };
  const start: Python["start"] = async (file, cwd) => inDocker(parts, docker.path, file, cwd);
  return { ...code, start };
}

async function onMachine(parts: PythonParts, file: string): Promise<PythonStart> {
  const found = await pythonInterpreter(parts);
  if ("why" in found) return noPython(found.why);
  return { words: [found.path, "-u", file], where: "on this machine" };
}

function inDocker({ folders, env }: PythonParts, docker: string, file: string, cwd: string): PythonStart {
  const name = `autogpt-${randomUUID()}`;
  const holding = folders().find((folder) => cwd === folder || cwd.startsWith(folder + sep)) ?? cwd;
  return {
    words: inContainer(docker, { name, folder: holding, cwd, file }),
    where: `in Docker (${PYTHON_IMAGE})`,
    confined: true,
    clear: () => removeContainer(docker, name, env),
  };
}

async function noPython(why: string): Promise<never> {
  throw new WorkspaceError(why);
}

async function write(path: string, code: string): Promise<void> {
  const file = await ownFile(path);
  try {
    await file.writeFile(code);
  } finally {
    await file.close();
  }
}
