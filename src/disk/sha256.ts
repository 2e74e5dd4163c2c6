import { createHash } from "node:crypto";
import { openFile } from "./plain-file.ts";

/** SHA-256 of a text's UTF-8 or of bytes, in lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The SHA-256 of a regular file's content, and its size. */
export async function hashFile(path: string | Buffer): Promise<{ readonly hash: string; readonly bytes: number }> {
  const file = await openFile(path);
  const digest = createHash("sha256");
  let bytes = 0;
  for await (const chunk of file.createReadStream()) {
    digest.update(chunk);
    bytes += chunk.length;
  }
  return { hash: digest.digest("hex"), bytes };
}
