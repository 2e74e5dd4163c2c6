import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

const FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Appends lines to a file of the user, with a line break before them in case the last line was torn. They're on the disk then. */
export async function appendLines(path: string, ...lines: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await using file = await open(path, FLAGS, 0o600);
  await file.writeFile(`\n${lines.join("\n")}\n`);
  await file.datasync();
}
