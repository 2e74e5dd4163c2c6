import type { Disk, IgnoredFile } from "../core/disk.ts";
import { ignoredIn } from "./ignored-files.ts";
import { type LinkedFile, linkedIn } from "./linked-files.ts";
import { type Ground, gitFolders, lookTrouble, planted } from "./read-only/looks.ts";
import { readOnlyUse } from "./read-only/read-only.ts";
import { remembering } from "./remembering.ts";
import type { Dialect, Reading, Script, ShellReader } from "./shell/reading.ts";

/** What is known of a command line before it is judged. */
export interface ShellFacts {
  readonly line: string;
  readonly reading: Reading;
  /** Why it is not known to read only, as a sentence; undefined when it does, and looks at nothing that is protected. */
  readonly notReadOnly?: string;
  /** The real folders in which it calls git, where it only reads. */
  readonly callsGitIn?: readonly string[];
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
  const use = await useOf(reading, dialect, ground, remembered);
  const ignored = await ignoredIn(reading, ground, remembered);
  const linked = "callsGitIn" in use ? undefined : await linkedIn(reading, ground, remembered);
  return {
    line,
    reading,
    ...use,
    ...(ignored ? { ignored } : {}),
    ...(linked ? { linked } : {}),
  };
}

/** Why a line is not known to read only, or where it calls git. */
async function useOf(
  script: Script,
  dialect: Dialect,
  ground: Ground,
  disk: Disk,
): Promise<{ readonly notReadOnly: string } | { readonly callsGitIn: readonly string[] }> {
  const use = readOnlyUse(script, dialect);
  if (use.kind === "unknown") return { notReadOnly: use.why };
  const callsGitIn = await gitFolders(use.looks, ground, disk);
  const programs = callsGitIn.length > 0 ? [...use.programs, ...STARTED_BY_GIT] : use.programs;
  const why = (await lookTrouble(use.looks, ground, disk)) ?? (await planted(programs, ground, disk));
  return why === undefined ? { callsGitIn } : { notReadOnly: why };
}

/** Programs that git still starts in place of those it is kept from starting. */
const STARTED_BY_GIT = ["sh", "cat", "false"];
