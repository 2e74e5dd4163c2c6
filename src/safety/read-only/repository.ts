import type { Disk } from "../../core/disk.ts";
import { isInside, segments } from "../paths.ts";
import { secretIn } from "../sensitive.ts";
import type { Ground } from "./looks.ts";

/** Settings of a repository that start programs where git only reads, or that bring in other settings. */
const STARTS_PROGRAMS =
  /(?:^|\])[ \t]*(?:fsmonitor[ \t]*=(?![ \t]*(?:true|false)[ \t]*$)|(?:external|textconv|command|showsignature|program|clean|process|attributesfile|alternaterefscommand|worktree)[ \t]*(?:=|$))|^[ \t]*\[[ \t]*include/im;

/**
 * Why git must not look around here, as a sentence; undefined when it may. A repository that came with the workspace can have settings
 * that start programs, and can track files that must not be shown. One outside the workspace is the user's own.
 */
export async function repositoryTrouble(
  showsFiles: boolean,
  ground: Ground,
  disk: Disk,
): Promise<string | undefined> {
  const found = await repositoryOf(ground, disk);
  if (!found) return undefined;
  const { settings, index } = found;
  if (settings === undefined) return "The settings of its repository cannot be read.";
  if (STARTS_PROGRAMS.test(settings.slice(0, LONGEST_SETTINGS)) || settings.length > LONGEST_SETTINGS)
    return "The settings of its repository may start programs.";
  if (!showsFiles) return undefined;
  const secret = await disk.tracked(index, (name) => secretIn(segments(name)) !== undefined);
  return secret === undefined ? undefined : `It may show ${secret}, which is protected.`;
}

const LONGEST_SETTINGS = 64 * 1024;

interface Repository {
  /** Undefined when they cannot be read. */
  readonly settings: string | undefined;
  readonly index: string;
}

/** The repository that git would find, within the workspace. */
async function repositoryOf(
  { folder, folders, platform }: Ground,
  disk: Disk,
): Promise<Repository | undefined> {
  for (let at = folder; isInside(at, folders, platform); at = parent(at)) {
    const linked = await disk.text(`${at}/.git`);
    const settings = linked === undefined ? await disk.text(`${at}/.git/config`) : undefined;
    if (settings !== undefined) return { settings, index: `${at}/.git/index` };
    if (linked !== undefined) return linkedRepository(linked, at, disk);
    if (parent(at) === at) return undefined;
  }
  return undefined;
}

/** The repository that a `.git` file names: that of a submodule, or of a further working tree. */
async function linkedRepository(text: string, at: string, disk: Disk): Promise<Repository> {
  const named = /^gitdir: (.{1,4000})$/m.exec(text)?.[1]?.trim() ?? "";
  const path = /^(?:\/|[a-z]:[\\/])/i.test(named) ? named : `${at}/${named}`;
  const common = path.replace(/[\\/]worktrees[\\/][^\\/]+$/, "");
  const own = (await disk.text(`${path}/config.worktree`)) ?? "";
  const settings = await disk.text(`${common}/config`);
  return { settings: settings === undefined ? undefined : `${settings}\n${own}`, index: `${path}/index` };
}

function parent(path: string): string {
  return path.replace(/[\\/]+[^\\/]*$/, "") || "/";
}
