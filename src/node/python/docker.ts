import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { findOnPath } from "../processes/programs.ts";

/** Contains only Python. Docker downloads it on first use. */
export const PYTHON_IMAGE = "python:3-slim";

const ANSWER_MS = 5000;

/** A Docker with a responding engine, or why there is none, as a sentence. */
export type Docker = { readonly path: string } | { readonly why: string };

/** Finds Docker and checks whether its engine responds. */
export async function findDocker(env: NodeJS.ProcessEnv = process.env): Promise<Docker> {
  const path = findOnPath(["docker"], env);
  if (path === undefined)
    return {
      why: "autogpt.python.useDocker is on, and Docker is not installed. Install it, or turn it off.",
    };
  const answers = await promisify(execFile)(path, ["version", "--format", "{{.Server.Version}}"], {
    env,
    timeout: ANSWER_MS,
  }).then(
    () => true,
    () => false,
  );
  return answers
    ? { path }
    : {
        why: "autogpt.python.useDocker is on, and Docker's engine does not answer. Start it, or turn the setting off.",
      };
}

/** A container that runs a Python file. */
export interface Container {
  readonly name: string;
  /** Real path of the workspace folder, the only part of the disk that it sees. */
  readonly folder: string;
  /** Real path of the working directory, within that folder. */
  readonly cwd: string;
  /** Real path of the file to run; it may be elsewhere. */
  readonly file: string;
}

/** Folders that control the user's programs. A container sees them and can't change them. */
const FIXED = [".git", ".vscode", ".autogpt"];

/** The command that runs the file in its own container, which is removed afterward. */
export function createContainerCommand(
  docker: string,
  { name, folder, cwd, file }: Container,
): readonly string[] {
  const user = process.getuid && process.getgid ? ["--user", `${process.getuid()}:${process.getgid()}`] : [];
  const inside = findRelativePath(folder, file);
  const fixed = FIXED.filter((entry) => existsSync(join(folder, entry)));
  return [
    ...[docker, "run", "--rm", "--init", "--name", name],
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges", ...user, "--env", "HOME=/tmp"],
    ...["--volume", `${folder}:/workspace`],
    ...fixed.flatMap((entry) => ["--volume", `${join(folder, entry)}:/workspace/${entry}:ro`]),
    ...(inside === undefined ? ["--volume", `${file}:/code.py:ro`, "--env", "PYTHONPATH=/workspace"] : []),
    ...["--workdir", `/workspace/${findRelativePath(folder, cwd) ?? ""}`.replace(/\/$/, "")],
    ...[PYTHON_IMAGE, "python", "-u", inside === undefined ? "/code.py" : `/workspace/${inside}`],
  ];
}

/** Removes a container that outlived the command that started it. */
export async function removeContainer(
  docker: string,
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  await promisify(execFile)(docker, ["rm", "--force", name], { env, timeout: ANSWER_MS }).catch(
    () => undefined,
  );
}

/** A path relative to the folder, with `/`; undefined if it's outside. */
function findRelativePath(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || /^[a-z]:/i.test(way)
    ? undefined
    : way.split(sep).join("/");
}
