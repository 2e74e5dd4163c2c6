import { homedir } from "node:os";
import { basename, join } from "node:path";
import { isUriPath } from "../../core/base/uri-path.ts";
import type { Run } from "../../core/events/run.ts";
import type { Skills } from "../../core/ports/skills.ts";
import {
  buildPromptHead,
  computeRulesRoom,
  countSkillChars,
  listThatFits,
  MAX_LIST_CHARS,
} from "../../core/prompt/prompt.ts";
import { createTrackedTest } from "../../node/git/committed-files.ts";
import { findFolderProblem, HOME } from "../../runs/store/run-folder.ts";
import { createGuardedFiles, type GuardedFiles } from "../../safety/paths/guarded-reader.ts";
import type { Skill, WorkspaceFolder } from "../../schema/run-values.ts";
import type { Settings } from "../../schema/settings.ts";
import type { Host } from "../host.ts";
import { readWorkspace, type VirtualHost } from "../run-files.ts";
import { FittingInstructions, type UsedFolder } from "./fitting-instructions.ts";
import { readOwnInstructions } from "./own-files.ts";
import { type RepositoryInstructions, readInstructions } from "./read-instructions.ts";
import { createSkillLibrary, type FoundSkills, findSkills } from "./skills.ts";

/** The instructions and skills for a run, as its first event has them. */
export interface FolderWords extends RepositoryInstructions {
  /** The skills that prompts list; empty if there are none. */
  readonly skills: readonly Skill[];
  /** Number of the other skills. */
  readonly moreSkills: number;
}

/** Reads the user's own instructions and skills, then those for agents in a folder, which have the protection of `read_file`. */
export async function readFolderInstructions(
  host: VirtualHost,
  folder: string,
  { rules: { file } }: Pick<Settings, "rules">,
): Promise<FolderWords> {
  const { files } = createFolderFiles(host, folder);
  const [own, found, { skills, unread }] = await Promise.all([
    readOwnInstructions(file),
    readInstructions(folder, files),
    readSkills(folder, files),
  ]);
  const listed = listThatFits(skills, MAX_LIST_CHARS, countSkillChars);
  return {
    rules: [...own.rules, ...found.rules],
    later: found.later,
    skills: listed,
    moreSkills: skills.length - listed.length,
    unread: [...own.unread, ...found.unread, ...unread],
  };
}

/** The skills of a run that works in this folder; undefined where its first event has none. */
export function createRunSkills(
  host: VirtualHost,
  folder: string,
  offered: readonly Skill[] | undefined,
): Skills | undefined {
  if (!offered || offered.length === 0) return undefined;
  return createSkillLibrary(() => readSkills(folder, createFolderFiles(host, folder).files), homedir);
}

/** Nothing in `.autogpt` is read where it isn't a folder. */
async function readSkills(folder: string, files: GuardedFiles): Promise<FoundSkills> {
  const isOwn = isUriPath(folder) || (await findFolderProblem(join(folder, HOME))) === undefined;
  return findSkills(files, { home: homedir(), isOwn });
}

/** Creates the instructions for the files that a run uses, unless its history already contains them. */
export function createFittingInstructions(
  host: Pick<Host, "workspace" | "log">,
  { head, history }: Run,
  listFolders: () => readonly WorkspaceFolder[],
): FittingInstructions {
  const known = new Map<string, UsedFolder>();
  const getUsedFolder = (folder: WorkspaceFolder, index: number): UsedFolder => {
    const found = known.get(folder.path) ?? {
      ...createFolderFiles(host, folder.path),
      prefix: index === 0 ? "" : `${folder.name}/`,
    };
    known.set(folder.path, found);
    return found;
  };
  return new FittingInstructions({
    listFolders: () => listFolders().map(getUsedFolder),
    platform: process.platform,
    listGivenRules: () => [...head.rules, ...history.rules],
    countFreeChars: () =>
      [...buildPromptHead(head, history).rules, ...history.rules].reduce(
        (left, { text }) => left - text.length,
        computeRulesRoom(history.contextWindow),
      ),
    reportProblem: (text) => host.log.notice(head.id, text, "warning"),
  });
}

/** Creates access to those files of a workspace folder that may be read without a request; also returns the folder's real path. */
function createFolderFiles(host: VirtualHost, folder: string): { readonly path: string; readonly files: GuardedFiles } {
  const listFolders = () => [{ name: basename(folder), path: folder }];
  const workspace = readWorkspace(host, { folder, listFolders });
  const [path = folder] = workspace.listFolders();
  return { path, files: createGuardedFiles(workspace, [path], process.platform, createTrackedTest(path)) };
}
