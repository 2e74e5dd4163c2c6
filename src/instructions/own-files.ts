import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { errorMessage } from "../core/base/errors.ts";
import { openLinkedFile } from "../plain-file.ts";
import { codeOf } from "../runs/log/log-errors.ts";
import { segments } from "../safety/paths/paths.ts";
import { secretIn } from "../safety/paths/sensitive.ts";
import type { ReadFiles } from "./read-instructions.ts";

const MAX_BYTES = 1_000_000;
const MAX_CHARS = 32 * 1024;

/** The path of a file of the user's, who may write `~` for the home folder. */
function ownPath(file: string, home: string = homedir()): string {
  return /^~(?:$|[\\/])/.test(file) ? join(home, file.slice(1)) : file;
}

/** The user's own instructions, from the file of a setting; "" names none. */
export async function readOwnInstructions(file: string): Promise<ReadFiles> {
  const name = file.trim();
  if (name === "") return { rules: [], unread: [] };
  try {
    const path = ownPath(name);
    if (!isAbsolute(path)) throw new Error("write its full path, or begin with ~");
    const text = (await ownText(path)).trim();
    if (text === "") return { rules: [], unread: [] };
    const kept =
      text.length <= MAX_CHARS
        ? text
        : `${text.slice(0, MAX_CHARS)}\n(${name} is longer; the rest is omitted.)`;
    return { rules: [{ file: name, text: kept, by: "user" }], unread: [] };
  } catch (error) {
    return { rules: [], unread: [`${name} isn't read: ${errorMessage(error)}.`] };
  }
}

/** The text of a file on this machine. Throws a clause with the reason if it can't be read. */
async function ownText(path: string): Promise<string> {
  const why = secretIn(segments(resolve(path)));
  if (why !== undefined) throw new Error(`it ${why}`);
  const file = await openLinkedFile(path).catch((error: unknown) => {
    const code = codeOf(error);
    throw new Error(
      code === "ENOENT"
        ? "there is no such file"
        : code === "EISDIR"
          ? "it isn't a file"
          : errorMessage(error),
    );
  });
  try {
    if ((await file.stat()).size > MAX_BYTES) throw new Error("it is too large (over 1 MB)");
    const text = await file.readFile("utf8");
    if (text.includes("\0")) throw new Error("it is a binary file");
    return text.replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
}
