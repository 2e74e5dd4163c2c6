import { readdir, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { WorkspaceError } from "../../core/ports/workspace.ts";
import { isBelow } from "../../disk/below.ts";
import { findErrorCode, hasCode } from "../../disk/error-codes.ts";
import { expandHomePath } from "../../disk/home-path.ts";
import { openLinkedFile, readBounded } from "../../disk/plain-file.ts";
import { normalizeSlashes } from "../../node/files/real-path.ts";
import { splitPathSegments } from "../../safety/paths/paths.ts";
import { findSecretReason } from "../../safety/paths/sensitive.ts";
import type { Skill } from "../../schema/run-values.ts";
import { writeInEnglish } from "../../texts/display-text.ts";
import type { ReadFiles } from "./read-instructions.ts";

const MAX_BYTES = 1_000_000;
const MAX_CHARS = 32 * 1024;

/** The user's own instructions, from the file of a setting; "" names none. */
export async function readOwnInstructions(file: string): Promise<ReadFiles> {
  const name = file.trim();
  if (name === "") return { rules: [], unread: [] };
  try {
    const path = expandHomePath(name);
    if (!isAbsolute(path)) throw new Error("write its full path, or begin with ~");
    const text = (await readOwnText(path)).trim();
    if (text === "") return { rules: [], unread: [] };
    const kept =
      text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}\n(${name} is longer; the rest is omitted.)`;
    return { rules: [{ file: name, text: kept, by: "user" }], unread: [] };
  } catch (error) {
    return { rules: [], unread: [`${name} isn't read: ${getErrorMessage(error)}.`] };
  }
}

/** Reads a text file on this machine. Throws a clause with the reason if that fails. */
export async function readOwnText(path: string): Promise<string> {
  const why = findSecretReason(splitPathSegments(resolve(path)));
  if (why !== undefined) throw new Error(`it ${writeInEnglish(why)}`);
  await using file = await openLinkedFile(path).catch((error: unknown) => {
    const code = findErrorCode(error);
    throw new Error(
      code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it isn't a file" : getErrorMessage(error),
    );
  });
  if ((await file.stat()).size > MAX_BYTES) throw new Error("it is too large (over 1 MB)");
  const text = (await readBounded(file, MAX_BYTES)).toString("utf8");
  if (text.includes("\0")) throw new Error("it is a binary file");
  return text.replace(/^\uFEFF/, "");
}

/** The text of a skill's `SKILL.md`. */
export interface SkillText {
  readonly file: string;
  readonly text: string;
  readonly by?: "user";
}

/** Folders of the home folder with skills. */
const SKILL_FOLDERS = [".claude/skills", ".agents/skills", ".copilot/skills"];
const MOST_SKILLS = 1_000;

/** Reads the user's skills from the folders that other agents use. Unreadable skills aren't offered. */
export async function loadOwnSkillTexts(home: string): Promise<readonly SkillText[]> {
  const found: SkillText[] = [];
  for (const folder of SKILL_FOLDERS) {
    const names = (await readdir(join(home, folder)).catch(() => [])).toSorted().slice(0, MOST_SKILLS);
    for (const name of names) {
      const text = await readOwnText(join(home, folder, name, "SKILL.md")).catch(() => undefined);
      if (text !== undefined) found.push({ file: `~/${folder}/${name}/SKILL.md`, text, by: "user" });
    }
  }
  return found;
}

/** Reads a file in the folder of a user's skill. The skill's folder may be a link, but no link inside it may lead outside. */
export async function readOwnSkill(home: string, skill: Skill, file: string): Promise<string> {
  const folder = join(home, skill.file.slice(2, -"/SKILL.md".length));
  const refuse = (why: string): Error =>
    new WorkspaceError(`"${file}" of the skill "${skill.name}" isn't read: ${why}.`);
  if (!SKILL_FOLDERS.some((one) => skill.file.startsWith(`~/${one}/`))) throw refuse("it isn't a skill");
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, file))]);
    if (!isBelow(path, root)) throw new Error("it isn't in the skill's folder");
    const why = findSecretReason(splitPathSegments(normalizeSlashes(relative(root, path))));
    if (why !== undefined) throw new Error(`it ${writeInEnglish(why)}`);
    return await readOwnText(path);
  } catch (error) {
    throw refuse(hasCode(error, "ENOENT") ? "there is no such file" : getErrorMessage(error));
  }
}
