import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail } from "../../texts/display-text.ts";

const FILE = "machine-id";
const KEY_FILE = "memory-key";
const MAX_LENGTH = 100;

/** A random id of this machine and user, created once in `folder`. Runs with another id are foreign. */
export function machineId(folder: string): Promise<string> {
  return lasting(join(folder, FILE));
}

/** A secret of this user on this machine, created once in `folder`, that proves which memories are theirs. */
export function memoryKey(folder: string): Promise<string> {
  return lasting(join(folder, KEY_FILE));
}

/** The text of a file, which is created if it's missing. */
async function lasting(path: string): Promise<string> {
  const known = await knownId(path);
  if (known !== undefined) return known;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await putFirst(path, `${randomUUID()}\n`).catch(() => undefined);
  return (await knownId(path)) ?? unwritable(path);
}

/** Creates a file atomically: if several programs do so at once, the first file stays, and a partial file is never visible. */
async function putFirst(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx", mode: 0o600 });
    // Without hard links, the last file stays.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) =>
      error.code === "EEXIST" ? undefined : rename(temporary, path),
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

async function knownId(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  const id = text.trim();
  return id !== "" && id.length <= MAX_LENGTH ? id : undefined;
}

function unwritable(path: string): never {
  fail("trouble.machineIdNotStored", { path });
}
