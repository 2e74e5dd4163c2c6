import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = 400;
const FILES_IN_EACH = 500;

/** Writes 200,000 small files in 400 folders. */
export function writeLargeFolder(root: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(root, `d${folder}`), { recursive: true });
    for (let file = 0; file < FILES_IN_EACH; file++)
      writeFileSync(
        join(root, `d${folder}`, `file${file}.ts`),
        `export const value${file} = ${folder};\n`.repeat(1 + (file % 20)),
      );
  }
}
