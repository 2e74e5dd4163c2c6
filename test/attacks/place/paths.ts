import { join } from "node:path";

/** The home of a user who exists within the jail only. */
export const HOME = "/home/ann";
export const WORKSPACE = `${HOME}/work/shop`;
/** The agent's own folder on the machine. */
export const DATA = `${HOME}/.local/share/autogpt`;
/** The agent's folder of a machine that works on runs of another one. What it writes there is its own. */
export const BOX = `${HOME}/.cache/box`;
/** The repository that the workspace's pushes go to. */
export const REMOTE = `${HOME}/remotes/shop.git`;

/** The path that an attack means. */
export function fullPath(path: string): string {
  if (path === "~") return HOME;
  return path.startsWith("~/") ? join(HOME, path.slice(2)) : join(WORKSPACE, path);
}
