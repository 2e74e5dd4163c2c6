import { relative, sep } from "node:path";
import type { SeenChange } from "../../core/ports/folder-watch.ts";
import { displayText } from "../../texts/display-text.ts";
import { createOtherState, type FileState, isSameState, readFileState } from "./file-state.ts";
import { mapInParallel } from "./in-parallel.ts";
import type { HeldContent, ProgramChange, UndoJournal } from "./journal.ts";
import type { HeldFile, ProgramView } from "./program-view.ts";
import { hasSameStamp, type UnheldCopies } from "./unheld-copies.ts";

/** If a program changes more files, the rest can't be undone. */
const MOST = 50_000;
const TOLD = 20;

const NOT_KEPT = createOtherState(displayText("trouble.changedByProgram"));
const LINK = createOtherState(displayText("trouble.wasLink"));
const CHANGED_AGAIN = createOtherState(displayText("trouble.changedAfterProgram"));

/** Where the earlier contents of files are. */
interface EarlierContents {
  readonly view: Pick<ProgramView, "readHeld">;
  readonly journal: Pick<UndoJournal, "keepContent">;
  readonly copies: Pick<UnheldCopies, "get">;
}

/** The changes of a program, with the earlier contents that could be kept. */
export async function collectProgramChanges(
  all: readonly SeenChange[],
  { view, journal, copies }: EarlierContents,
): Promise<readonly ProgramChange[]> {
  const changes = all.slice(0, MOST);
  const earlier = new Map<string, FileState>();
  const held: HeldFile[] = [];
  const keep = async (path: string, content: HeldContent): Promise<void> => {
    const was = await journal.keepContent(content);
    if (was) earlier.set(path, was);
  };
  for (const change of changes) {
    const content = copies.get(change.path, change.before);
    if (content) await keep(change.path, content);
    else if (change.held) held.push([change.path, change.held]);
  }
  await view.readHeld(held, keep);
  const found = await mapInParallel(changes, async (change) => ({
    path: change.path,
    was: earlier.get(change.path) ?? createUnkeptState(change.before),
    is: await readCurrentState(change),
  }));
  return found.filter(({ was, is }) => !isSameState(was, is));
}

/** A state whose content isn't known. */
function createUnkeptState(seen: string | undefined): FileState {
  if (seen === undefined) return { kind: "missing" };
  if (seen === "folder") return { kind: "folder" };
  return seen.startsWith("link") ? LINK : NOT_KEPT;
}

/** The state that the program left, unless someone has changed it since. */
async function readCurrentState({ path, now }: SeenChange): Promise<FileState> {
  const is = await readFileState(path);
  const isFile = is.kind === "file" || is.kind === "missing";
  return !isFile || (await hasSameStamp(path, now)) ? is : CHANGED_AGAIN;
}

/** Describes the changes of a program for the model and the user, including those that can't be undone. `count` is the total number. */
export function describeProgramChanges(changes: readonly ProgramChange[], count: number, folder: string): string {
  const files = changes.filter(({ was, is }) => was.kind !== "folder" && is.kind !== "folder");
  const parents = new Set(files.flatMap(({ path }) => listFoldersAbove(path)));
  const told = changes.filter((change) => files.includes(change) || !parents.has(change.path));
  if (told.length === 0) return "";
  const formatLabel = (change: ProgramChange) => formatPathLabel(change, folder);
  const lost = told.filter(({ was, is }) => was.kind === "other" || is.kind === "other");
  const beyond = Math.max(0, count - MOST);
  return [
    `Files that it changed: ${formatNames(
      told.map((change) => `${formatLabel(change)}${formatChangeKind(change)}`),
      beyond,
    )}.`,
    ...(lost.length + beyond > 0 ? [`Changed, can't be undone: ${formatNames(lost.map(formatLabel), beyond)}.`] : []),
  ].join("\n");
}

function formatNames(names: readonly string[], more: number): string {
  const rest = Math.max(0, names.length - TOLD) + more;
  return `${names.slice(0, TOLD).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function formatChangeKind({ was, is }: ProgramChange): string {
  return was.kind === "missing" ? " (new)" : is.kind === "missing" ? " (deleted)" : "";
}

function formatPathLabel({ path, was, is }: ProgramChange, folder: string): string {
  const way = relative(folder, path);
  const end = was.kind === "folder" || is.kind === "folder" ? "/" : "";
  return `${way.startsWith("..") ? path : way.split(sep).join("/")}${end}`;
}

function listFoldersAbove(path: string): readonly string[] {
  const names = path.split(sep);
  return names.map((_, index) => names.slice(0, index).join(sep));
}
