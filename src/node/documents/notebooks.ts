import { getErrorMessage } from "../../core/base/errors.ts";
import { type EditedCell, type Notebook, NotebookFormatError, type Notebooks } from "../../core/ports/notebooks.ts";
import { type ResolvedPath, type TextFile, type Workspace, WorkspaceError } from "../../core/ports/workspace.ts";
import { describeLargeFile, describeUnreadableDocument, MOST_BYTES, parseNotebook } from "./documents.ts";
import { replaceNotebookCells } from "./notebook-edits.ts";
import { type NotebookJson, readNotebook } from "./notebook-json.ts";

/** Dependencies of notebooks on the disk. */
export interface NotebookOptions {
  readonly workspace: Workspace;
  /** `document-worker.ts`, or its bundle. */
  readonly worker: string | URL;
}

/** The file of a notebook without cells, as Jupyter writes it. */
const BLANK = `{
 "cells": [],
 "metadata": {
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

/** Notebooks as files on the disk. */
export function createNodeNotebooks({ workspace, worker }: NotebookOptions): Notebooks {
  const createNotebook = (place: ResolvedPath, file: TextFile, json: NotebookJson): Notebook => {
    const formatFileText = (cells: readonly EditedCell[]): string => replaceNotebookCells(file.text, json, cells);
    return {
      place,
      language: json.language,
      cells: json.cells,
      buildFileText: formatFileText,
      async isCurrent() {
        const now = await workspace.locate(place.path, "new").catch(() => undefined);
        return now !== undefined && now.path === place.path && now.version === place.version;
      },
      write: (cells) => workspace.write(place, { ...file, text: formatFileText(cells) }),
    };
  };
  return {
    async read(place, signal) {
      if (place.kind === "file" && place.bytes > MOST_BYTES) throw new WorkspaceError(describeLargeFile(place));
      const content = await workspace.read(place);
      if (content.kind === "binary") throw new WorkspaceError(describeUnreadableDocument(place, "it is binary"));
      try {
        const json = await parseNotebook(content.file.text, worker, signal);
        return createNotebook({ ...place, version: content.version }, content.file, json);
      } catch (error) {
        signal.throwIfAborted();
        const why = getErrorMessage(error);
        throw new NotebookFormatError(describeUnreadableDocument(place, why), why);
      }
    },
    createBlank: (place) =>
      createNotebook(place, { text: BLANK, encoding: "utf-8", bom: false, eol: "\n" }, readNotebook(BLANK)),
  };
}
