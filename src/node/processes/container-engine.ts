import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ViewUser } from "../../walls/view.ts";
import { findOnPath } from "./programs.ts";

/** Docker or Podman. */
export interface ContainerEngine {
  readonly path: string;
  /** The output of a command of it. Throws if that fails or takes too long. */
  run(...args: readonly string[]): Promise<string>;
  /** Removes containers that outlived the commands that started them. */
  remove(...names: readonly string[]): Promise<void>;
}

/** Finds an engine on the search path and checks whether it answers in time, as all of its commands must. */
export async function findContainerEngine(
  kind: "docker" | "podman",
  answerMs: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ContainerEngine | "absent" | "silent"> {
  const path = findOnPath([kind], env);
  if (path === undefined) return "absent";
  const run: ContainerEngine["run"] = async (...args) => {
    const { stdout } = await promisify(execFile)(path, args, { env, timeout: answerMs });
    return stdout.trim();
  };
  const engine: ContainerEngine = {
    path,
    run,
    remove: (...names) =>
      run("rm", "--force", ...names).then(
        () => undefined,
        () => undefined,
      ),
  };
  return run("version", "--format", "{{.Server.Version}}").then(
    () => engine,
    () => "silent" as const,
  );
}

/** The user whose files containers work with. */
export function findContainerUser(): ViewUser {
  return process.getuid && process.getgid ? { id: process.getuid(), group: process.getgid() } : "same";
}
