import { homedir } from "node:os";
import { basename, join, posix } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText } from "../../core/base/text.ts";
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
import { getFirstLine } from "./folder-instructions.ts";
import { loadOwnSkillTexts, readOwnInstructions, readOwnSkill, type SkillText } from "./own-files.ts";
import type { OwnFilePlaces } from "./own-places.ts";
import { type RepositoryInstructions, readInstructions } from "./read-instructions.ts";

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

async function readSkills(folder: string, files: GuardedFiles): Promise<FoundSkills> {
  return findSkills(files, { home: homedir(), isOwn: await hasOwnFolder(folder) });
}

/** Nothing in `.autogpt` is read where it isn't a folder. */
async function hasOwnFolder(folder: string): Promise<boolean> {
  return isUriPath(folder) || (await findFolderProblem(join(folder, HOME))) === undefined;
}

/** Where commands and agents of one's own are, for work in a folder; without a trusted folder, only the user's. */
export async function findOwnFilePlaces(
  host: VirtualHost,
  folder: string | undefined,
  prompts?: string,
): Promise<OwnFilePlaces> {
  const own = { home: homedir(), prompts };
  if (folder === undefined) return { ...own, isOwn: false };
  return { ...own, files: createFolderFiles(host, folder).files, isOwn: await hasOwnFolder(folder) };
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

/** Folders with skills in a workspace folder, with one folder per skill. */
const FOLDERS = [`${HOME}/skills`, ".agents/skills", ".claude/skills", ".github/skills"];
const MOST_SKILLS = 1_000;
const MAX_DESCRIPTION = 300;
const AT_ONCE = 16;

/** Skills, and why some can't be offered, each as a sentence for people. */
interface FoundSkills {
  readonly skills: readonly Skill[];
  readonly unread: readonly string[];
}

/**
 * The skills of the user and a workspace folder. `.autogpt` counts only if it's our own. If two share a name, the later one is named by its
 * folder; a text counts once.
 */
export async function findSkills(
  files: GuardedFiles,
  { home, isOwn }: { readonly home: string; readonly isOwn: boolean },
): Promise<FoundSkills> {
  const unread: string[] = [];
  const texts = await Promise.all([
    loadOwnSkillTexts(home),
    ...FOLDERS.filter((folder) => isOwn || !folder.startsWith(HOME)).map((folder) =>
      readSkillTexts(folder, files, unread),
    ),
  ]);
  if (texts.every((found) => found.length === 0)) return { skills: [], unread: [...new Set(unread)] };
  const parser = await import("./front-matter.ts");
  const byText = new Map(
    texts
      .flat()
      .toReversed()
      .map((one) => [one.text, one]),
  );
  const skills = new Map<string, Skill>();
  for (const one of texts.flat()) {
    const skill = byText.get(one.text) === one ? parseSkill(one, parser) : undefined;
    if (!skill) continue;
    const name = skills.has(skill.name.toLowerCase()) ? posix.dirname(skill.file) : skill.name;
    skills.set(name.toLowerCase(), { ...skill, name });
  }
  return { skills: [...skills.values()], unread: [...new Set(unread)] };
}

/** The skills of a run: searched for once, when the first is read. */
export function createSkillLibrary(find: () => Promise<FoundSkills>, home: () => string): Skills {
  let found: Promise<FoundSkills> | undefined;
  return {
    list: async () => {
      found ??= find();
      return (await found).skills;
    },
    readOwn: (skill, file) => readOwnSkill(home(), skill, file),
  };
}

async function readSkillTexts(folder: string, files: GuardedFiles, unread: string[]): Promise<readonly SkillText[]> {
  try {
    const list = await files.list(folder, { limit: MOST_SKILLS });
    const names = list.labels.filter((label) => posix.dirname(label) === list.folder);
    const found: SkillText[] = [];
    for (let at = 0; at < names.length; at += AT_ONCE)
      found.push(
        ...(await Promise.all(names.slice(at, at + AT_ONCE).map((name) => readSkillText(name, files, unread)))).flat(),
      );
    return found;
  } catch (error) {
    unread.push(getErrorMessage(error));
    return [];
  }
}

async function readSkillText(name: string, { read }: GuardedFiles, unread: string[]): Promise<readonly SkillText[]> {
  const file = `${name.replace(/\/$/, "")}/SKILL.md`;
  try {
    const text = await read(file);
    return text === undefined ? [] : [{ file, text }];
  } catch (error) {
    if (name.endsWith("/")) unread.push(getErrorMessage(error));
    return [];
  }
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

/** Parses a skill; undefined if its author excludes it from agents' choice, or if it's empty. */
function parseSkill(
  { file, text, by }: SkillText,
  { getFieldText, parseFrontMatter }: typeof import("./front-matter.ts"),
): Skill | undefined {
  const matter = parseFrontMatter(text);
  if (getFieldText(matter, "disable-model-invocation") === "true") return undefined;
  const description = cutText(getFieldText(matter, "description") || getFirstLine(matter.body), MAX_DESCRIPTION);
  const name = [getFieldText(matter, "name"), posix.basename(posix.dirname(file))].find((one) => NAME.test(one));
  if (name === undefined || description === "") return undefined;
  return { name, description, file, ...omitUndefined({ by }) };
}
