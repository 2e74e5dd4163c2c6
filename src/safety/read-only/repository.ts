import type { Disk } from "../../core/disk.ts";
import { segments } from "../paths.ts";
import { secretIn } from "../sensitive.ts";
import type { Use } from "./check.ts";
import { meantBy } from "./pathspec.ts";

/** Settings of a repository that start programs where git only reads, that fetch what is missing, or that bring in other settings. */
const STARTS_PROGRAMS =
  /(?:^|\])[ \t]*(?:fsmonitor[ \t]*=(?![ \t]*(?:true|false)[ \t]*$)|(?:external|textconv|command|showsignature|program|clean|process|attributesfile|alternaterefscommand|worktree|promisor|partialclone)[ \t]*(?:=|$))|^[ \t]*\[[ \t]*(?:include|alias)/im;

/** How git looks at the repository that it stands in. */
type Looking = NonNullable<Use["repository"]>;

/**
 * Why git must not look around from a real folder, as a sentence; undefined when it may. A repository that came with the workspace can have settings and
 * hooks that start programs, so can others within it, and all can track files that must not be shown.
 */
export async function repositoryTrouble(
  looking: Looking,
  folder: string,
  disk: Disk,
): Promise<string | undefined> {
  const found = await repositoryAround(folder, disk);
  if (!found) return undefined;
  const started = await startTrouble(found, disk);
  if (started !== undefined || looking.at === "settings") return started;
  return trackedTrouble(found, looking, folder, disk);
}

const LONGEST_SETTINGS = 64 * 1024;
const MOST_WITHIN = 20;

interface Repository {
  /** The folder that it is about. */
  readonly root: string;
  /** Undefined when they cannot be read. */
  readonly settings: string | undefined;
  /** Where hooks lie, unless the settings say otherwise. */
  readonly hooks: string;
  readonly index: string;
}

async function startTrouble({ root, settings, hooks }: Repository, disk: Disk): Promise<string | undefined> {
  if (settings === undefined) return "The settings of its repository cannot be read.";
  if (settings.length > LONGEST_SETTINGS || STARTS_PROGRAMS.test(settings))
    return "The settings of its repository may start programs.";
  const named = [...settings.matchAll(/(?:^|\])[ \t]*hookspath[ \t]*=[ \t]*(.*)$/gim)].at(-1)?.[1]?.trim();
  if (named?.startsWith("~/")) return undefined;
  if (named !== undefined && /["\\%#;]/.test(named))
    return "The settings of its repository may start programs.";
  const own = named === undefined ? hooks : /^\/|^[a-z]:/i.test(named) ? named : `${root}/${named}`;
  const hook = await disk.realPaths(`${own}/post-index-change`, false);
  return hook?.length === 0
    ? undefined
    : "A hook of its repository starts a program when git looks for changes.";
}

async function trackedTrouble(
  { root, settings = "", index }: Repository,
  { at, paths }: Looking,
  folder: string,
  disk: Disk,
): Promise<string | undefined> {
  if (/^[ \t]*objectformat[ \t]*=[ \t]*(?!sha1)/im.test(settings))
    return "What its repository tracks cannot be read.";
  const above = folder === root ? "" : `${folder.slice(root.length + 1).replaceAll("\\", "/")}/`;
  const isMeant = meantBy(paths, above);
  const within: string[] = [];
  const secret = await disk.tracked(index, (name, isRepository) => {
    if (isRepository) within.push(name);
    return at === "contents" && isMeant(name) && secretIn(segments(name)) !== undefined;
  });
  if (secret !== undefined) return `It may show ${secret}, which is protected.`;
  if (within.length > MOST_WITHIN) return "It holds more repositories than are checked.";
  for (const name of within) {
    const inner = await repositoryAt(`${root}/${name}`, disk);
    const trouble = inner && (await innerTrouble(inner, disk));
    if (trouble) return `In ${name}: ${trouble}`;
  }
  return undefined;
}

/** git asks the repositories within for their state, by their own settings. That they tell where they belong is nothing unusual. */
async function innerTrouble(inner: Repository, disk: Disk): Promise<string | undefined> {
  const settings = inner.settings?.replace(/^[ \t]*worktree[ \t]*=.*$/gim, "");
  const own = { ...inner, settings };
  return (
    (await startTrouble(own, disk)) ??
    (await trackedTrouble(own, { at: "state", paths: [] }, inner.root, disk))
  );
}

/** The repository that git would find, in a folder or above it. */
async function repositoryAround(folder: string, disk: Disk): Promise<Repository | undefined> {
  for (let at = folder; ; at = parent(at)) {
    const found = await repositoryAt(at, disk);
    if (found || parent(at) === at) return found;
  }
}

async function repositoryAt(root: string, disk: Disk): Promise<Repository | undefined> {
  const linked = await disk.text(`${root}/.git`);
  if (linked !== undefined) return linkedRepository(linked, root, disk);
  const settings = await disk.text(`${root}/.git/config`);
  const own = settings === undefined ? root : `${root}/.git`;
  if (settings === undefined && !(await isRepository(root, disk))) return undefined;
  return {
    root,
    settings: settings ?? (await disk.text(`${root}/config`)),
    hooks: `${own}/hooks`,
    index: `${own}/index`,
  };
}

/** True for a folder that git takes for a repository's own, whatever its name is. */
async function isRepository(folder: string, disk: Disk): Promise<boolean> {
  const isThere = async (name: string): Promise<boolean> =>
    (await disk.realPaths(`${folder}/${name}`, false))?.length !== 0;
  return (await isThere("commondir")) || ((await isThere("objects")) && (await isThere("refs")));
}

/** The repository that a `.git` file names: that of a submodule, or of a further working tree. */
async function linkedRepository(text: string, root: string, disk: Disk): Promise<Repository> {
  const named = /^gitdir: (.{1,4000})$/m.exec(text)?.[1]?.trim() ?? "";
  const path = /^(?:\/|[a-z]:[\\/])/i.test(named) ? named : `${root}/${named}`;
  const common = path.replace(/[\\/]worktrees[\\/][^\\/]+$/, "");
  const own = (await disk.text(`${path}/config.worktree`)) ?? "";
  const settings = await disk.text(`${common}/config`);
  const whole = settings === undefined ? undefined : `${settings}\n${own}`;
  return { root, settings: whole, hooks: `${common}/hooks`, index: `${path}/index` };
}

function parent(path: string): string {
  return path.replace(/[\\/]+[^\\/]*$/, "") || "/";
}
