import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { buildContainerArguments } from "../../walls/containers.ts";
import { createView } from "../../walls/view.ts";
import { findContainerUser } from "../processes/container-engine.ts";

/** Contains only Python. Docker downloads it on first use. */
export const PYTHON_IMAGE = "python:3-slim";

/** A container that runs a Python file. */
export interface Container {
  readonly name: string;
  /** Real path of the workspace folder, the only part of the disk that the container sees. */
  readonly folder: string;
  /** Real path of the working directory, within that folder. */
  readonly cwd: string;
  /** Real path of the file to run, possibly outside that folder. */
  readonly file: string;
}

/** Folders that control the user's programs. A container can read but not change them. */
const FIXED = [".git", ".vscode", ".autogpt"];

/** The command that runs the file in its own container, which is removed afterward. */
export function createContainerCommand(docker: string, { name, folder, cwd, file }: Container): readonly string[] {
  const inside = findRelativePath(folder, file);
  const fixed = FIXED.filter((entry) => existsSync(join(folder, entry))).map((entry) => ({
    from: join(folder, entry),
    at: `/workspace/${entry}`,
    writable: false,
  }));
  const code = inside === undefined ? [{ from: file, at: "/code.py", writable: false }] : [];
  const view = createView({
    user: findContainerUser(),
    network: { kind: "machine" },
    mounted: [{ from: folder, at: "/workspace", writable: true }, ...fixed, ...code],
  });
  const args = buildContainerArguments(view, {
    image: PYTHON_IMAGE,
    name,
    cwd: `/workspace/${findRelativePath(folder, cwd) ?? ""}`.replace(/\/$/, ""),
    variables: { HOME: "/tmp", ...(inside === undefined ? { PYTHONPATH: "/workspace" } : {}) },
    words: ["python", "-u", inside === undefined ? "/code.py" : `/workspace/${inside}`],
  });
  return [docker, ...args];
}

/** A path relative to the folder, with `/`; undefined if it's outside. */
function findRelativePath(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || /^[a-z]:/i.test(way) ? undefined : way.split(sep).join("/");
}
