import { platform } from "node:os";
import { formatProblemCounts } from "../../commands/code/language-services.ts";
import { waitUntilAborted } from "../../core/base/async.ts";
import { formatShellName, type Git } from "../../core/ports/programs.ts";
import type { Problems, Workspace } from "../../core/ports/workspace.ts";
import { findNodeGit } from "../../node/git/git.ts";
import { createEnvironmentOutside, listProgramVersions } from "../../node/processes/program-versions.ts";
import { type FolderOutline, loadFolderOutline, type OutlineLimits } from "../../node/search/folder-outline.ts";
import { mayHoldSecrets } from "../../safety/paths/sensitive.ts";
import type { WorkspaceFolder } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import type { Host, OpenFile } from "../host.ts";
import { findVirtualFiles, readWorkspace } from "../run-files.ts";
import type { RunParts } from "../run-parts.ts";
import { getFolderScheme } from "../virtual/places.ts";
import { listVirtualOutline } from "../virtual/virtual-search.ts";
import { readGitState } from "./git-state.ts";
import { formatShownName } from "./shown-name.ts";
import { renderWorkspaceTree } from "./workspace-tree.ts";

const TREE_TOKENS = 300;
/** Limits of the walk through the folders; only the visited part of a larger workspace is shown. */
const WALKED_NAMES = 5_000;
const WALK_MS = 700;
/** A part that takes longer is left out. */
const PART_MS = 1_000;
const MOST_OPEN = 10;
const MOST_LOOKED_AT = 40;
const LONGEST_PATH = 200;

/** Sources of the picture. Each part is left out where its source is missing. */
export interface PictureSources {
  /** All workspace folders, the run's own first. */
  readonly folders: readonly WorkspaceFolder[];
  /** The real paths of those that exist. */
  readonly realFolders: readonly string[];
  readonly workspace: Pick<Workspace, "locate">;
  readonly platform: NodeJS.Platform;
  readonly shell?: string | undefined;
  readonly git?: Git | undefined;
  readonly problems?: Pick<Problems, "list"> | undefined;
  readonly openFiles?: readonly OpenFile[] | undefined;
  /** The scheme of a virtual workspace, where no program can work. */
  readonly scheme?: string;
  /** Lists the files of the folders. */
  buildOutline?(limits: OutlineLimits): Promise<FolderOutline>;
  /** How long each part may take. */
  readonly partMs?: number;
  /** Versions of installed programs. */
  programs?: (() => Promise<readonly string[]>) | undefined;
}

/** The picture of a host's workspace for a run that starts; undefined in a folder that isn't trusted. */
export async function renderHostPicture(
  host: Host,
  { shell, git, problems, listFolders: realFolders }: Pick<RunParts, "shell" | "git" | "problems" | "listFolders">,
  { folders, settings }: { readonly folders: readonly WorkspaceFolder[]; readonly settings: Settings },
): Promise<string | undefined> {
  const { processes, editor } = host;
  if (!host.workspace.isTrusted()) return undefined;
  const [own = { path: "" }] = folders;
  const virtual = findVirtualFiles(host, own.path);
  const shared = {
    folders,
    realFolders: realFolders(),
    workspace: readWorkspace(host, { folder: own.path, listFolders: () => folders }),
    platform: platform(),
    problems,
    openFiles: editor?.listOpenFiles(),
  };
  if (virtual)
    return renderWorkspacePicture({
      ...shared,
      scheme: getFolderScheme(own.path),
      buildOutline: (limits) => listVirtualOutline(folders, virtual, limits),
    });
  return renderWorkspacePicture({
    ...shared,
    shell: shell.shell && formatShellName(shell.shell),
    git: processes.createPrograms ? git : findNodeGit(createEnvironmentOutside(realFolders())),
    ...(settings.shell.enabled ? { programs: () => listProgramVersions(realFolders()) } : {}),
  });
}

/** The workspace at the start of a run, for the model: machine, git, problems, open files, and a tree. Undefined if nothing is known. */
export async function renderWorkspacePicture(sources: PictureSources): Promise<string | undefined> {
  const { folders, realFolders, git, problems, partMs = PART_MS } = sources;
  const [own = ""] = realFolders;
  const signal = AbortSignal.timeout(partMs);
  const walk = {
    names: WALKED_NAMES,
    milliseconds: (partMs * WALK_MS) / PART_MS,
    isLeftOut: mayHoldSecrets,
  };
  const [programs, state, found, open, outline] = await Promise.all([
    awaitPart(sources.programs?.(), signal),
    awaitPart(git && readGitState(git, own, realFolders, signal), signal),
    awaitPart(problems?.list(), signal),
    awaitPart(openFilesText(sources), signal),
    awaitPart(sources.buildOutline?.(walk) ?? loadFolderOutline(folders, walk), signal),
  ]);
  const parts = [
    describeMachine(sources, programs ?? []),
    state === undefined ? undefined : `Git: ${state}.`,
    found && `Problems in the editor: ${formatProblemCounts(found) || "none"}.`,
    open,
    outline && renderTree(outline),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join("\n");
}

/** Undefined if the part fails or takes too long. */
async function awaitPart<T>(part: Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  return part && waitUntilAborted(part, signal).catch(() => undefined);
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};

function describeMachine({ platform, shell, scheme }: PictureSources, programs: readonly string[]): string {
  if (scheme !== undefined) return `Virtual workspace (${scheme}): only its files can be used, and no programs`;
  const system = [SYSTEMS[platform] ?? platform, ...(shell === undefined ? [] : [shell])].join(", ");
  return programs.length === 0 ? system : `${system}; ${programs.join(", ")}`;
}

/** Lists the open files of the workspace, the active one first. Omits ignored and secret ones, and those outside. */
async function openFilesText({ openFiles, workspace }: PictureSources): Promise<string | undefined> {
  const sorted = (openFiles ?? []).toSorted(
    (one, other) => Number(other.isActive ?? false) - Number(one.isActive ?? false),
  );
  const names: string[] = [];
  for (const { path, isActive, selected } of sorted.slice(0, MOST_LOOKED_AT)) {
    const place = await workspace.locate(path).catch(() => undefined);
    if (place?.kind !== "file" || place.ignored || mayHoldSecrets(place.label)) continue;
    const notes = [...(isActive ? ["in front"] : []), ...(selected ? [formatLineRange(selected)] : [])];
    const name = formatShownName(place.label, LONGEST_PATH);
    names.push(notes.length > 0 ? `${name} (${notes.join(", ")})` : name);
  }
  if (names.length === 0) return undefined;
  const more = names.length > MOST_OPEN ? `, and ${names.length - MOST_OPEN} more` : "";
  return `Open in the editor: ${names.slice(0, MOST_OPEN).join(", ")}${more}`;
}

function formatLineRange([first, last]: readonly [number, number]): string {
  return first === last ? `line ${first} selected` : `lines ${first} to ${last} selected`;
}

function renderTree(outline: FolderOutline): string | undefined {
  const tree = renderWorkspaceTree(outline, TREE_TOKENS);
  if (!tree) return undefined;
  return `Files${/ \(\d+\+?\)/.test(tree) ? " (in parentheses: number of files below)" : ""}:\n${tree}`;
}
