import { homedir } from "node:os";
import { join } from "node:path";

/** The folder for the agent's own data about this user on this machine. */
export function getUserFolder(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return join(getDataFolder(platform, env), "autogpt");
}

function getDataFolder(platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>): string {
  if (platform === "win32") return env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support");
  return env.XDG_DATA_HOME || join(homedir(), ".local", "share");
}
