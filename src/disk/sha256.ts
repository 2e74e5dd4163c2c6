import { createHash } from "node:crypto";

/** SHA-256 of a text's UTF-8 or of bytes, in lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
