import type { Disk, IgnoredFile } from "../core/disk.ts";
import { ignoredIn } from "./ignored-files.ts";
import { type LinkedFile, linkedIn } from "./linked-files.ts";
import { type Ground, lookTrouble, planted } from "./read-only/looks.ts";
import { readOnlyUse } from "./read-only/read-only.ts";
import { remembering } from "./remembering.ts";
import type { Dialect, Reading, Script, ShellReader } from "./shell/reading.ts";

/** What is known of a command line before it is judged. */
export interface ShellFacts {
  readonly line: string;
  readonly reading: Reading;
  /** Why it is not known to read only, as a sentence; undefined when it does, and looks at nothing that is protected. */
  readonly notReadOnly?: string;
  /** A file that it names and that an ignore file names, too. */
  readonly ignored?: IgnoredFile;
  /** A protected file to which something that it names leads by a link. */
  readonly linked?: LinkedFile;
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
  if (reading.kind === "unreadable") return { line, reading, notReadOnly: reading.why };
  const remembered = remembering(disk);
  const why = await notReadOnly(reading, dialect, ground, remembered);
  const ignored = await ignoredIn(reading, ground, remembered);
  const linked = why === undefined ? undefined : await linkedIn(reading, ground, remembered);
  return {
    line,
    reading,
    ...(why === undefined ? {} : { notReadOnly: why }),
    ...(ignored ? { ignored } : {}),
    ...(linked ? { linked } : {}),
  };
}

async function notReadOnly(
  script: Script,
  dialect: Dialect,
  ground: Ground,
  disk: Disk,
): Promise<string | undefined> {
  const use = readOnlyUse(script, dialect);
  if (use.kind === "unknown") return use.why;
  return (await lookTrouble(use.looks, ground, disk)) ?? planted(use.programs, ground, disk);
}
