import { homedir } from "node:os";
import { join } from "node:path";

/** Expands a path that the user has written, where `~` means the home folder. */
export function expandHomePath(path: string): string {
  return /^~(?:$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path;
}
