import { omitUndefined } from "../../core/base/objects.ts";
import type { Disk, IgnoredFile } from "../../core/ports/disk.ts";
import type { DisplayText, Sentence } from "../../texts/display-text.ts";
import { type CwdContext, explainUnsafeAccess, findPathHijack, listGitFolders } from "../read-only/file-access.ts";
import { readOnlyUse } from "../read-only/read-only.ts";
import { findUnknownFiles } from "../read-only/unknown-files.ts";
import { type LineFacts, readLine } from "../shell/line-facts.ts";
import type { ProtectedMention } from "../shell/mentions.ts";
import { findIgnoredFile, findLinkedFile, findOutsideLink } from "../shell/named-files.ts";
import type { ShellDialect } from "../shell/reading.ts";
import { explainReachedSecrets } from "../shell/recursive-readers.ts";
import type { ShellReader, ShellScript } from "../shell/script.ts";

/** A disk that resolves each path only once, because a line may name it many times. Valid for one decision. */
function createCachedDisk(disk: Disk): Disk {
  const known = new Map<string, Promise<readonly string[] | undefined>>();
  const repositories = new Map<string, ReturnType<Disk["findRepository"]>>();
  return {
    ...disk,
    findRepository(folder, folders) {
      const found = repositories.get(folder) ?? disk.findRepository(folder, folders);
      repositories.set(folder, found);
      return found;
    },
    resolveRealPaths(path, isPattern) {
      const key = `${isPattern} ${path}`;
      const found = known.get(key) ?? disk.resolveRealPaths(path, isPattern);
      known.set(key, found);
      return found;
    },
  };
}

/** Facts about a command line, from its text and the disk. */
export interface ShellFacts {
  readonly line: string;
  /** Facts from its text; absent if it can't be parsed. */
  readonly inLine?: LineFacts;
  /** Why the line isn't known to be read-only, or can't be parsed; undefined if it is and accesses nothing protected. */
  readonly notReadOnly?: Sentence;
  /** Real folders in which the line calls git, if it's read-only. */
  readonly callsGitIn?: readonly string[];
  /** A file that the line names and that an ignore file excludes. */
  readonly ignored?: IgnoredFile;
  /** A protected file that the line names through a link. */
  readonly linked?: ProtectedMention;
  /** Why it asks: a secret in a folder that the line reads as a whole, or files that it reads and that can't be determined. */
  readonly reaches?: DisplayText;
  /** A name to which the line writes and which leads outside the workspace through a link. */
  readonly linkedOutside?: string;
}

/** A shell's language with its parser. */
export interface ShellLanguage {
  readonly dialect: ShellDialect;
  readonly reader: ShellReader;
}

/** Parses a line, and checks its accesses on the disk. */
export async function readShellFacts(
  line: string,
  { dialect, reader }: ShellLanguage,
  ground: CwdContext,
  disk: Disk,
): Promise<ShellFacts> {
  const reading = reader.read(line);
  if (reading.kind === "unreadable") return { line, notReadOnly: reading.why };
  const remembered = createCachedDisk(disk);
  const inLine = readLine(line, reading, { starts: [ground.folder], ...ground });
  const { calls, written } = inLine;
  const use = await analyzeLineUse(reading, dialect, ground, remembered);
  const ignored = await findIgnoredFile(calls, ground, remembered);
  const facts = { line, inLine, ...use, ...omitUndefined({ ignored }) };
  if ("callsGitIn" in use) return facts;
  const linked = await findLinkedFile(calls, ground, remembered);
  const reaches =
    (await explainReachedSecrets(calls, ground, remembered)) ??
    (dialect === "powershell" ? undefined : await findUnknownFiles(reading, ground, remembered));
  const linkedOutside = await findOutsideLink(written, ground, remembered);
  return { ...facts, ...omitUndefined({ linked, reaches, linkedOutside }) };
}

/** Explains why a line isn't known to be read-only, or lists where it calls git. */
async function analyzeLineUse(
  script: ShellScript,
  dialect: ShellDialect,
  ground: CwdContext,
  disk: Disk,
): Promise<{ readonly notReadOnly: Sentence } | { readonly callsGitIn: readonly string[] }> {
  const use = readOnlyUse(script, dialect);
  if (use.kind === "unknown") return { notReadOnly: use.why };
  const callsGitIn = await listGitFolders(use.looks, ground, disk);
  const programs = callsGitIn.length > 0 ? [...use.programs, ...STARTED_BY_GIT] : use.programs;
  const why = (await explainUnsafeAccess(use.looks, ground, disk)) ?? (await findPathHijack(programs, ground, disk));
  return why === undefined ? { callsGitIn } : { notReadOnly: why };
}

/** Programs that git still starts in place of those that its harmless environment disables. */
const STARTED_BY_GIT = ["sh", "cat", "false"];
