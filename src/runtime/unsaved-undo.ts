import { findUnsavedFileText, type UnsavedText, type UnsavedTexts } from "../core/ports/unsaved-texts.ts";
import { StaleFileError } from "../core/ports/workspace.ts";
import { sha256 } from "../disk/sha256.ts";
import { decodeTextAs, encodeText } from "../node/files/text-encoding.ts";
import { keepContentState, type SeenFiles } from "../runs/undo/file-state.ts";
import type { UndoFiles } from "../runs/undo/undo.ts";
import { displayText } from "../texts/display-text.ts";

/** The files of a run, as undo sees and changes them. */
export interface UndoneFiles {
  readonly seen: SeenFiles;
  readonly files: UndoFiles;
}

/** Permission bits of a file that is only in its editor. */
const NEW_MODE = 0o644;

/**
 * Files as the editors have them: an unsaved text counts as the bytes that a save would write. A change that was made in an editor is
 * undone there, or on disk once it's saved.
 */
export function wrapFilesWithUnsavedTexts(base: UndoneFiles, texts: UnsavedTexts | undefined): UndoneFiles {
  if (!texts) return base;
  const readFileMode = async (path: string) => {
    const state = await base.seen.readState(path);
    return state.kind === "file" ? state.mode : NEW_MODE;
  };
  return {
    seen: {
      onDisk: base.seen,
      readState: async (path) => {
        const unsaved = findUnsavedFileText(texts, path);
        if (!unsaved) return base.seen.readState(path);
        const bytes = await encodeUnsavedText(unsaved);
        return { kind: "file", hash: sha256(bytes), bytes: bytes.length, mode: await readFileMode(path) };
      },
      keep: async (path, kept) => {
        const unsaved = findUnsavedFileText(texts, path);
        if (!unsaved) return base.seen.keep(path, kept);
        const [bytes, mode] = [await encodeUnsavedText(unsaved), await readFileMode(path)];
        return keepContentState(() => kept.keepBytes(bytes, mode));
      },
    },
    files: {
      ...base.files,
      put: async (path, expected, bytes, mode) => {
        const unsaved = findUnsavedFileText(texts, path);
        if (unsaved) return putInEditor(unsaved, expected, bytes);
        return base.files.put(path, expected, bytes, mode);
      },
      putFile: async (path, expected, from, mode) => {
        const unsaved = findUnsavedFileText(texts, path);
        if (unsaved) return putInEditor(unsaved, expected, await from.read());
        return base.files.putFile(path, expected, from, mode);
      },
      remove: async (path, expected) => {
        if (findUnsavedFileText(texts, path)) throw createUnsavedError();
        return base.files.remove(path, expected);
      },
    },
  };
}

function encodeUnsavedText(unsaved: UnsavedText): Promise<Buffer> {
  return encodeText(unsaved.read().file);
}

async function putInEditor(unsaved: UnsavedText, expected: string | undefined, bytes: Buffer): Promise<void> {
  const { version, file } = unsaved.read();
  const text = await decodeTextAs(bytes, file);
  if (!text) throw new StaleFileError("Its earlier text isn't in the encoding that its editor has now.");
  if (sha256(await encodeText(file)) !== expected || !(await unsaved.replace(version, text)))
    throw createUnsavedError();
}

function createUnsavedError(): StaleFileError {
  return new StaleFileError(displayText("trouble.unsavedInEditor"));
}
