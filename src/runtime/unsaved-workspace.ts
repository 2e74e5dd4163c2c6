import { findUnsavedFileText, type UnsavedText, type UnsavedTexts } from "../core/ports/unsaved-texts.ts";
import { type BinaryFiles, type ResolvedPath, StaleFileError, type Workspace } from "../core/ports/workspace.ts";
import { encodeText } from "../node/files/text-encoding.ts";
import { displayText } from "../texts/display-text.ts";
import type { UnsavedChanges } from "./unsaved-changes.ts";

/**
 * A workspace as the editors have it: an unsaved text is read and changed in its editor. It's found under its real path, even if the file
 * on disk is gone. `changes` records the changes made there.
 */
export function createUnsavedWorkspace<W extends Workspace & BinaryFiles>(
  base: W,
  texts: UnsavedTexts,
  changes?: UnsavedChanges,
): W {
  return {
    ...base,
    locate: async (path, use) => {
      const place = await base.locate(path, use);
      const unsaved = place.kind === "file" || place.kind === "missing" ? findUnsavedText(texts, place) : undefined;
      return unsaved ? describeUnsavedPlace(place, unsaved) : place;
    },
    read: async (place) => findUnsavedText(texts, place)?.read() ?? base.read(place),
    readBytes: async (place) => {
      const unsaved = findUnsavedText(texts, place);
      return unsaved ? encodeText(unsaved.read().file) : base.readBytes(place);
    },
    write: async (place, file) => {
      const unsaved = findUnsavedText(texts, place);
      if (!unsaved && !place.unsaved) return base.write(place, file);
      if (!unsaved || !place.unsaved) throw createChangedSinceReadError(place, unsaved);
      await encodeText({ ...file, ...getTextEncoding(unsaved) });
      if (!(await unsaved.replace(place.version, file))) throw createChangedSinceReadError(place, unsaved);
      changes?.recordChange(place.path);
    },
  };
}

function findUnsavedText(texts: UnsavedTexts, { path }: ResolvedPath): UnsavedText | undefined {
  return findUnsavedFileText(texts, path);
}

function getTextEncoding(unsaved: UnsavedText) {
  const { encoding, bom } = unsaved.read().file;
  return { encoding, bom };
}

function describeUnsavedPlace(place: ResolvedPath, unsaved: UnsavedText): ResolvedPath {
  const { file, version } = unsaved.read();
  return { ...place, kind: "file", bytes: file.text.length, version, unsaved: true };
}

function createChangedSinceReadError({ label }: ResolvedPath, unsaved: UnsavedText | undefined): StaleFileError {
  const how = unsaved ? displayText("trouble.editedInEditor") : displayText("trouble.savedInEditor");
  return new StaleFileError(displayText("trouble.nothingWritten", { label, how }));
}
