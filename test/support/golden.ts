import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FOLDER = join(import.meta.dirname, "../fixtures/golden");

/** Compares a text with the one kept under this name. `GOLDEN=update` keeps the new one instead; read the diff then. */
export function golden(name: string, text: string): void {
  const path = join(FOLDER, name);
  if (process.env.GOLDEN === "update") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${text}\n`);
  }
  assert.equal(
    `${text}\n`,
    readFileSync(path, "utf8"),
    `${name} has changed. If it should, run the test with GOLDEN=update.`,
  );
}
