import { relative, sep } from "node:path";
import { createTwoFilesPatch } from "diff";
import { readFileBytes } from "../../disk/plain-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { StoredRun } from "../store/run-store.ts";
import type { FileState } from "../undo/file-state.ts";
import { createUndoJournal } from "../undo/journal.ts";
import type { JournalChange, SettledChange } from "../undo/journal-lines.ts";
import { createPreImages, type PreImages } from "../undo/pre-images.ts";

/** The file changes of a run by step: a unified diff for each file. */
export type StepDiffs = ReadonlyMap<number, readonly string[]>;

/** Changes of a run to files, as far as this machine has them. */
export async function loadStepDiffs({ folder, events: [started], readOnly }: StoredRun): Promise<StepDiffs> {
  if (started?.type !== "started" || readOnly !== undefined) return new Map();
  const kept = createPreImages(folder);
  return createStepDiffs(await createUndoJournal(folder, kept).read(), { kept, folder: started.folder });
}

/** The journal as diffs. If a file's content is no longer known, the diff only says that it changed. */
export async function createStepDiffs(
  lines: readonly (JournalChange | SettledChange)[],
  { kept, folder }: { readonly kept: PreImages; readonly folder: string },
): Promise<StepDiffs> {
  const after = new Map<string, FileState>();
  for (const line of lines) if ("now" in line) for (const { path, is } of line.now) after.set(`${line.id} ${path}`, is);
  const diffs = new Map<number, string[]>();
  for (const line of lines) {
    if (!("files" in line) || line.by !== "step") continue;
    for (const { path, was } of line.files) {
      const diff = await createDiff({ path, was, is: after.get(`${line.id} ${path}`) }, kept, folder);
      if (diff !== undefined) diffs.set(line.step, [...(diffs.get(line.step) ?? []), diff]);
    }
  }
  return diffs;
}

interface Deed {
  readonly path: string;
  readonly was: FileState;
  readonly is: FileState | undefined;
}

async function createDiff({ path, was, is }: Deed, kept: PreImages, folder: string): Promise<string | undefined> {
  if (!is || was.kind === "folder" || is.kind === "folder") return undefined;
  if (was.kind === is.kind && (was.kind !== "file" || (is.kind === "file" && was.hash === is.hash))) return undefined;
  const file = relative(folder, path).split(sep).join("/");
  const [left, right] = await Promise.all([readStateText(was, path, kept), readStateText(is, path, kept)]);
  if (left === undefined || right === undefined) return `${file} changed; its text is unknown.`;
  const [from, to] = [was.kind === "missing" ? "/dev/null" : file, is.kind === "missing" ? "/dev/null" : file];
  return createTwoFilesPatch(from, to, left, right, undefined, undefined, { context: 3, timeout: MOST_MS })
    ?.replace(/^(?:Index: .*\n)?=+\n/, "")
    .trimEnd();
}

/** A diff that takes longer is skipped. */
const MOST_MS = 1_000;
const MOST_BYTES = 1_000_000;

/** The text of a file in a state: the kept content, or the file itself if it's still the same. */
async function readStateText(state: FileState, path: string, kept: PreImages): Promise<string | undefined> {
  if (state.kind === "missing") return "";
  if (state.kind !== "file" || state.bytes > MOST_BYTES) return undefined;
  const bytes = await kept.read(state.hash).catch(() => readUnchangedFile(path, state.hash));
  return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8");
}

async function readUnchangedFile(path: string, hash: string): Promise<Buffer | undefined> {
  const bytes = await readFileBytes(path).catch(() => undefined);
  return bytes && sha256(bytes) === hash ? bytes : undefined;
}
