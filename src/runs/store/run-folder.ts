import { randomBytes } from "node:crypto";
import { access, constants, lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isUriPath } from "../../core/base/uri-path.ts";
import { convertToSlug } from "../../core/prompt/profile.ts";
import { ignoreCodes } from "../../disk/error-codes.ts";
import { readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";

/** Our folder in a workspace folder. */
export const HOME = ".autogpt";

const RUNS_IGNORED = "# Runs and memories stay on this machine.\nruns/\nmemory/\n";
const ALL_IGNORED =
  "# Nothing in this folder but notes is in version control until you save a profile.\n*\n!/notes/\n!/notes/*.md\n";

/** The folder of a workspace folder's runs. */
export function getRunsFolder(home: string): string {
  return join(home, "runs");
}

/**
 * The `.autogpt` folder of a workspace folder, created if it's missing. Version control ignores the contents of a new one. Returns
 * `fallback` if the workspace folder is virtual or read-only, or if links in it lead elsewhere.
 */
export async function ensureHomeFolder(workspaceFolder: string, fallback: string): Promise<string> {
  const home = join(workspaceFolder, HOME);
  try {
    if (isUriPath(workspaceFolder) || !(await isOurs(home))) throw new Error(home);
    const ignored = (await isShared(home)) ? RUNS_IGNORED : ALL_IGNORED;
    await mkdir(getRunsFolder(home), { recursive: true, mode: 0o700 });
    await writeFile(join(home, ".gitignore"), ignored, { flag: "wx" }).catch(ignoreCodes("EEXIST"));
    await access(getRunsFolder(home), constants.W_OK);
    return home;
  } catch {
    await mkdir(getRunsFolder(fallback), { recursive: true, mode: 0o700 });
    return fallback;
  }
}

/** True if the folder has files to share, such as rules or profiles. */
async function isShared(home: string): Promise<boolean> {
  const names = await readdir(home).catch(() => []);
  return names.some((name) => name !== "runs" && name !== "memory");
}

/** Lets version control see a `.autogpt` folder, except for runs and memories. Keeps a `.gitignore` that the user wrote. */
export async function shareFolder(home: string): Promise<void> {
  const path = join(home, ".gitignore");
  const before = await readFileText(path).catch(() => undefined);
  if (before !== ALL_IGNORED) return;
  await replaceFile(path, RUNS_IGNORED);
}

/** False if an `.autogpt` folder or its `runs` is a link: a cloned repository must not lead elsewhere. */
export async function isOurs(home: string): Promise<boolean> {
  return ((await findFolderProblem(home)) ?? (await findFolderProblem(getRunsFolder(home)))) === undefined;
}

/** Why one of the extension's folders isn't used, as a sentence; undefined if it is a folder or doesn't exist yet. */
export async function findFolderProblem(path: string): Promise<Sentence | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.isDirectory()) return undefined;
  return displayText("trouble.notAFolder", {
    path,
    value: displayText(found.isSymbolicLink() ? "trouble.link" : "trouble.file"),
  });
}

/** True if a path below a folder is a link, or leads through one: a link could lead elsewhere. */
export async function isBehindLink(path: string, folder: string): Promise<boolean> {
  for (let at = path; at !== folder && at !== dirname(at); at = dirname(at))
    if ((await lstat(at).catch(() => undefined))?.isSymbolicLink()) return true;
  return false;
}

/** A new run's id, which is also its folder's name: local time, a word for its subject, four random letters. */
export function createRunId(name: string, now: Date, random = randomBytes(2).toString("hex")): string {
  const padToTwo = (value: number): string => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}${padToTwo(now.getMonth() + 1)}${padToTwo(now.getDate())}`;
  const time = `${padToTwo(now.getHours())}${padToTwo(now.getMinutes())}${padToTwo(now.getSeconds())}`;
  return `${day}_${time}_${convertToSlug(name)}_${random}`;
}

const RUN_ID = /^\d{8}_\d{6}_[a-z0-9-]+_[a-z0-9]{4}$/;

/** Whether a text is a run's id, and not a path. */
export function isRunId(name: string): boolean {
  return RUN_ID.test(name);
}
