import type { FileContent, TextFile } from "./workspace.ts";

/** The text of a file with unsaved edits, as its editor has it. */
export interface UnsavedText {
  /** Real path of the file, which may be missing on disk. */
  readonly path: string;
  /** The text in the encoding that a save would use; its version differs from every version on disk. */
  read(): Extract<FileContent, { readonly kind: "text" }>;
  /** Replaces the text in the editor without saving it, as one edit that the user can undo. False if it isn't at `version`. */
  replace(version: string, file: TextFile): Promise<boolean>;
}

/** Texts in editors that aren't saved. */
export interface UnsavedTexts {
  /**
   * Lists the unsaved texts of a file, or of all files below a folder. `path` is the real path, whatever names the files were opened under.
   */
  listTextsBelow(path: string): readonly UnsavedText[];
}

/** The unsaved text of one file, if any. */
export function findUnsavedFileText(texts: UnsavedTexts | undefined, path: string): UnsavedText | undefined {
  return texts?.listTextsBelow(path).find((text) => text.path === path);
}
