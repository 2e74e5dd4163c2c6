import { posix } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { cutText } from "../../core/base/text.ts";
import type { Skills } from "../../core/ports/skills.ts";
import { HOME } from "../../runs/store/run-folder.ts";
import type { GuardedFiles } from "../../safety/paths/guarded-reader.ts";
import type { Skill } from "../../schema/run-values.ts";
import { getFirstLine } from "./folder-instructions.ts";
import { loadOwnSkillTexts, readOwnSkill, type SkillText } from "./own-files.ts";

/** Folders with skills in a workspace folder, with one folder per skill. */
const FOLDERS = [`${HOME}/skills`, ".agents/skills", ".claude/skills", ".github/skills"];
const MOST_SKILLS = 1_000;
const MAX_DESCRIPTION = 300;
const AT_ONCE = 16;

/** Skills, and why some can't be offered, each as a sentence for people. */
export interface FoundSkills {
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
