import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAtOrBelow } from "../../disk/below.ts";
import { listToolchains } from "../../walls/view.ts";

/** Folders in place of the user's home and temporary folder, for a sandbox that can't mount any there, like that of macOS. */
export interface PrivateHome {
  /** The user's home. */
  readonly userHome: string;
  /** The folder of the others, which no sandboxed program can replace. */
  readonly folder: string;
  readonly home: string;
  readonly temporary: string;
}

export function locatePrivateHome(userHome: string, folder: string): PrivateHome {
  return { userHome, folder, home: join(folder, "home"), temporary: join(folder, "tmp") };
}

/**
 * Creates the folders, where they aren't there. A new home is empty but for links to the toolchains of the user's home. Later, programs
 * could have the links made elsewhere.
 */
export function createPrivateHome({ userHome, folder, home, temporary }: PrivateHome): void {
  const isNew = !existsSync(folder);
  for (const path of [home, temporary]) mkdirSync(path, { recursive: true, mode: 0o700 });
  if (!isNew) return;
  for (const toolchain of listToolchains(userHome).filter((path) => existsSync(path))) {
    const link = home + toolchain.slice(userHome.length);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(toolchain, link);
  }
}

/** Removes the folders. Once they're renamed, no program that is left over can lead the removal elsewhere. */
export async function removePrivateHome({ folder }: PrivateHome): Promise<void> {
  const removed = `${folder}-${Date.now()}`;
  try {
    renameSync(folder, removed);
  } catch {
    // It's gone already.
    return;
  }
  await rm(removed, { recursive: true, force: true }).catch(() => undefined);
}

/** The variables of programs with a private home. Paths in the user's home are moved, too, except for `kept` folders and the search path. */
export function moveVariables(
  env: Readonly<NodeJS.ProcessEnv>,
  { userHome, home, temporary }: PrivateHome,
  kept: readonly string[],
): NodeJS.ProcessEnv {
  const move = (path: string): string =>
    !isAtOrBelow(path, userHome) || kept.some((folder) => isAtOrBelow(path, folder))
      ? path
      : home + path.slice(userHome.length);
  const moved = Object.entries(env).map(([name, value]) => [
    name,
    name === "PATH" ? value : value?.split(":").map(move).join(":"),
  ]);
  // Apple's libraries ignore HOME.
  return { ...Object.fromEntries(moved), HOME: home, CFFIXED_USER_HOME: home, TMPDIR: temporary };
}
