import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { delimiter, parse } from "node:path";
import { promisify } from "node:util";
import { isWithinAny } from "../../disk/below.ts";
import { findOnPath, listSearchedFolders } from "./programs.ts";
import { createShellEnvironment, mergeVariables } from "./shell-environment.ts";

/** Time for a program to print its version. */
const ANSWER_MS = 1500;

/** Versions by a program's path. Programs are asked once per process. */
const known = new Map<string, Promise<string | undefined>>();

/** A program with a version to query. */
interface VersionedProgram {
  /** For people: "Node". */
  readonly title: string;
  /** The names it may have, best first. */
  readonly names: readonly string[];
}

const PROGRAMS: readonly VersionedProgram[] = [
  { title: "Node", names: ["node"] },
  { title: "Python", names: ["python3", "python"] },
];

/** The installed versions of Node and Python, like "Node 24.1.0". No program below these folders is run. */
export async function listProgramVersions(
  folders: readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Promise<readonly string[]> {
  const outside = createEnvironmentOutside(folders, env);
  const versions = await Promise.all(
    PROGRAMS.map(async ({ title, names }) => {
      const path = findProgramOutside(names, folders, outside);
      if (path === undefined) return undefined;
      const asking = known.get(path) ?? readVersion(path, outside);
      known.set(path, asking);
      const version = await asking;
      return version === undefined ? undefined : `${title} ${version}`;
    }),
  );
  return versions.filter((version) => version !== undefined);
}

/** A program on the search path that isn't below these folders, and isn't a link into them. */
export function findProgramOutside(
  names: readonly string[],
  folders: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): string | undefined {
  const path = findOnPath(names, env);
  return path === undefined || isWithinAny(path, folders) ? undefined : path;
}

/** The environment of commands, without the workspace's folders in its search path. */
export function createEnvironmentOutside(
  folders: readonly string[],
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): NodeJS.ProcessEnv {
  const outside = listSearchedFolders(env).filter((folder) => !isWithinAny(folder, folders));
  return mergeVariables(createShellEnvironment(env, []), { PATH: outside.join(delimiter) });
}

/** Runs in the root folder, because version managers obey files in the working directory. */
async function readVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if ((await realpath(path).catch(() => "")) === process.execPath) return process.versions.node;
  const answer = await promisify(execFile)(path, ["--version"], {
    cwd: parse(path).root,
    env,
    timeout: ANSWER_MS,
    killSignal: "SIGKILL",
    maxBuffer: 4096,
    windowsHide: true,
  }).catch(() => undefined);
  return /(\d+\.\d+(?:\.\d+)?[\w.+-]{0,20})\s*$/.exec(answer?.stdout ?? "")?.[1];
}
