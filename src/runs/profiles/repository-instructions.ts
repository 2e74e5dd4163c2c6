import { join } from "node:path";
import { errorMessage } from "../../core/base/errors.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { inEnglish } from "../../texts/display-text.ts";
import { folderProblem, HOME } from "../store/run-folder.ts";

/** The instructions of a repository, not of the user, that the agent reads at its start. */
export interface RepositoryInstructions {
  /** The files, by path relative to the workspace folder. */
  readonly rules: readonly { readonly file: string; readonly text: string }[];
  /** Why other files were skipped, each as a sentence for people. */
  readonly unread: readonly string[];
}

/** Reads a file of the workspace folder; undefined if it doesn't exist. Throws a sentence if it must not be read. */
type Reader = (file: string) => Promise<string | undefined>;

const SETTINGS = `${HOME}/prompt_settings.yaml`;
const FILES = [SETTINGS, `${HOME}/rules.md`, "AGENTS.md"];
/** The extension's folders, which a repository may have replaced with links. */
const FOLDERS = ["runs", "memory", "profiles"].map((name) => join(HOME, name));
const MAX_CHARS = 32 * 1024;

/** Reads `.autogpt/prompt_settings.yaml`, `.autogpt/rules.md` and `AGENTS.md`, if they exist and may be read. */
export async function readRepositoryInstructions(
  folder: string,
  read: Reader,
): Promise<RepositoryInstructions> {
  const problemOf = async (name: string) =>
    isUriPath(folder) ? undefined : folderProblem(join(folder, name));
  const home = await problemOf(HOME);
  const problems = home === undefined ? await Promise.all(FOLDERS.map(problemOf)) : [home];
  const files = home === undefined ? FILES : FILES.filter((file) => !file.startsWith(`${HOME}/`));
  const found = await Promise.all(files.map((file) => wordsIn(file, read)));
  return {
    rules: found.flatMap(({ file, text }) => (text ? [{ file, text }] : [])),
    unread: [...problems, ...found.map(({ problem }) => problem)]
      .filter((one) => one !== undefined)
      .map(inEnglish),
  };
}

interface Found {
  readonly file: string;
  readonly text?: string;
  readonly problem?: string;
}

async function wordsIn(file: string, read: Reader): Promise<Found> {
  try {
    const whole = (await read(file)) ?? "";
    const text = (file === SETTINGS ? await settingsIn(whole) : whole).trim();
    if (text.length <= MAX_CHARS) return { file, text };
    return { file, text: `${text.slice(0, MAX_CHARS)}\n(${file} is longer; the rest is omitted.)` };
  } catch (error) {
    return { file, problem: errorMessage(error) };
  }
}

/** The parser is loaded on demand, because most workspaces have no such file. */
async function settingsIn(text: string): Promise<string> {
  if (text === "") return "";
  const { promptSettings } = await import("./profile-yaml.ts");
  return promptSettings(text, SETTINGS);
}
