import { matchCells } from "../commands/notebooks/matched-cells.ts";
import type { UnsavedNotebook } from "../core/ports/notebooks.ts";
import { StaleFileError } from "../core/ports/workspace.ts";
import { readLinkedText } from "../disk/plain-file.ts";
import { sha256 } from "../disk/sha256.ts";
import { replaceNotebookCells } from "../node/documents/notebook-edits.ts";
import { type NotebookJson, readNotebook } from "../node/documents/notebook-json.ts";
import { keepContentState } from "../runs/undo/file-state.ts";
import { displayText } from "../texts/display-text.ts";
import type { UndoneFiles } from "./unsaved-undo.ts";

/**
 * Notebooks as the editors have them: an unsaved one counts as its file with the cells of the editor. A change that was made in the editor
 * is undone there, without outputs.
 */
export function addUnsavedNotebooks(
  base: UndoneFiles,
  notebookAt: ((path: string) => UnsavedNotebook | undefined) | undefined,
): UndoneFiles {
  if (!notebookAt) return base;
  const findOpenNotebook = async (path: string) => {
    const notebook = notebookAt(path);
    const bytes = notebook && (await encodeNotebook(notebook, path));
    return bytes && { notebook, bytes };
  };
  return {
    seen: {
      ...base.seen,
      onDisk: base.seen.onDisk ?? base.seen,
      readState: async (path) => {
        const state = await base.seen.readState(path);
        const open = state.kind === "file" ? await findOpenNotebook(path) : undefined;
        if (state.kind !== "file" || !open) return state;
        return { ...state, hash: sha256(open.bytes), bytes: open.bytes.length };
      },
      keep: async (path, kept) => {
        const state = await base.seen.readState(path);
        const open = state.kind === "file" ? await findOpenNotebook(path) : undefined;
        if (state.kind !== "file" || !open) return base.seen.keep(path, kept);
        return keepContentState(() => kept.keepBytes(open.bytes, state.mode));
      },
    },
    files: {
      ...base.files,
      put: async (path, expected, bytes, mode) => {
        const open = await findOpenNotebook(path);
        if (open) await putInEditor(open, expected, bytes);
        else await base.files.put(path, expected, bytes, mode);
      },
      putFile: async (path, expected, from, mode) => {
        const open = await findOpenNotebook(path);
        if (open) await putInEditor(open, expected, await from.read());
        else await base.files.putFile(path, expected, from, mode);
      },
      remove: async (path, expected) => {
        if (notebookAt(path)) throw createUnsavedError();
        return base.files.remove(path, expected);
      },
    },
  };
}

interface OpenedNotebook {
  readonly notebook: UnsavedNotebook;
  readonly bytes: Buffer;
}

async function putInEditor(open: OpenedNotebook, expected: string | undefined, bytes: Buffer): Promise<void> {
  if (sha256(open.bytes) !== expected || !(await restoreCells(open.notebook, bytes))) throw createUnsavedError();
}

/** The file with the cells of the editor; undefined if the file isn't a notebook. */
async function encodeNotebook(notebook: UnsavedNotebook, path: string): Promise<Buffer | undefined> {
  const text = await readLinkedText(path).catch(() => undefined);
  const stored = text === undefined ? undefined : parseNotebook(text);
  if (text === undefined || !stored) return undefined;
  return Buffer.from(replaceNotebookCells(text, stored, matchCells(notebook.listCells(), stored.cells)));
}

async function restoreCells(notebook: UnsavedNotebook, bytes: Buffer): Promise<boolean> {
  const earlier = parseNotebook(bytes.toString("utf8"));
  return earlier !== undefined && (await notebook.replace(matchCells(earlier.cells, notebook.listCells())));
}

function parseNotebook(text: string): NotebookJson | undefined {
  try {
    return readNotebook(text);
  } catch {
    return undefined;
  }
}

function createUnsavedError(): StaleFileError {
  return new StaleFileError(displayText("trouble.notebookUnsaved"));
}
