import type { Disk } from "./disk.ts";
import { type Ground, lookTrouble } from "./read-only/looks.ts";
import { readOnlyUse } from "./read-only/read-only.ts";
import type { Dialect, Reading, Script, ShellReader } from "./shell/reading.ts";

/** What is known of a command line before it is judged. */
export interface ShellFacts {
  readonly line: string;
  readonly reading: Reading;
  /** Why it is not known to read only, as a sentence; undefined when it does, and looks at nothing that is protected. */
  readonly notReadOnly?: string;
}

/** A shell's language and the reader for it. */
export interface ShellKnowledge {
  readonly dialect: Dialect;
  readonly reader: ShellReader;
}

/** Reads a line, and looks on the disk where it would look. */
export async function shellFacts(
  line: string,
  { dialect, reader }: ShellKnowledge,
  ground: Ground,
  disk: Disk,
): Promise<ShellFacts> {
  const reading = reader.read(line);
  const why = reading.kind === "script" ? await notReadOnly(reading, dialect, ground, disk) : reading.why;
  return { line, reading, ...(why === undefined ? {} : { notReadOnly: why }) };
}

async function notReadOnly(
  script: Script,
  dialect: Dialect,
  ground: Ground,
  disk: Disk,
): Promise<string | undefined> {
  const use = readOnlyUse(script, dialect);
  return use.kind === "unknown" ? use.why : lookTrouble(use.looks, ground, disk);
}
