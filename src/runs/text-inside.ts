import { open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

/** A text file's beginning. */
export interface CappedText {
  readonly text: string;
  /** There is more of it. */
  readonly cut: boolean;
}

/** Reads up to `maxBytes` of a file below `root`; undefined when it is not there, or a link leads out of `root`. */
export async function readTextInside(
  root: string,
  file: string,
  maxBytes: number,
): Promise<CappedText | undefined> {
  try {
    const path = await realpath(join(root, file));
    if (leadsOut(await realpath(root), path)) return undefined;
    return await readCapped(path, maxBytes);
  } catch {
    return undefined;
  }
}

function leadsOut(root: string, path: string): boolean {
  const way = relative(root, path);
  const [first] = way.split(sep);
  return first === ".." || first === "" || isAbsolute(way);
}

async function readCapped(path: string, maxBytes: number): Promise<CappedText> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const text = buffer.toString("utf8", 0, Math.min(bytesRead, maxBytes)).replace(/^\uFEFF/, "");
    return { text, cut: bytesRead > maxBytes };
  } finally {
    await handle.close();
  }
}
