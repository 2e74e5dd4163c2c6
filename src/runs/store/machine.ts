import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const FILE = "machine-id";
const KEY_FILE = "memory-key";
const MAX_LENGTH = 100;

/** A random id of this machine and user, made once and kept in `folder`. Runs that carry another one are foreign. */
export function machineId(folder: string): Promise<string> {
  return lasting(join(folder, FILE));
}

/** A secret of this user on this machine, made once and kept in `folder`, that proves which memories are theirs. */
export function memoryKey(folder: string): Promise<string> {
  return lasting(join(folder, KEY_FILE));
}

/** The text of a file, which is made if it's missing. */
async function lasting(path: string): Promise<string> {
  const known = await knownId(path);
  if (known !== undefined) return known;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await putFirst(path, `${randomUUID()}\n`).catch(() => undefined);
  return (await knownId(path)) ?? unwritable(path);
}

/** Puts a whole file where there is none: of many that are put at once, the first stays, and nobody sees half of one. */
async function putFirst(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx", mode: 0o600 });
    // Where there are no links, the last one stays.
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
  throw new Error(
    `The id of this machine cannot be kept in ${path}. Make that file writable, or remove it when it is damaged.`,
  );
}
