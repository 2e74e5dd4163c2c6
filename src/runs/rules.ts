import { HOME } from "./run-folder.ts";
import { readTextInside } from "./text-inside.ts";

/** A file of standing instructions: the repository's words, not the user's. */
export interface Rules {
  /** Path for people, relative to the workspace folder. */
  readonly file: string;
  readonly text: string;
}

const FILES = [`${HOME}/rules.md`, "AGENTS.md"];
const MAX_BYTES = 32 * 1024;

/** Reads `.autogpt/rules.md` and `AGENTS.md`, as far as they are there; a long one is cut, and says so. */
export async function readRules(workspaceFolder: string): Promise<readonly Rules[]> {
  const read = await Promise.all(FILES.map((file) => rulesIn(workspaceFolder, file)));
  return read.filter((rules) => rules.text !== "");
}

async function rulesIn(folder: string, file: string): Promise<Rules> {
  const read = await readTextInside(folder, file, MAX_BYTES);
  const text = read?.text.trim() ?? "";
  return { file, text: read?.cut ? `${text}\n(${file} is longer; the rest is left out.)` : text };
}
