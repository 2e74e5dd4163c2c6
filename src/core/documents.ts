import type { Place } from "./ports.ts";

/** Files that hold text without being plain text. */
export type DocumentKind = "pdf" | "docx" | "html" | "ipynb";

/** Turns documents into text. Throws `WorkspaceError`. */
export interface Documents {
  textOf(place: Place, kind: DocumentKind, signal: AbortSignal): Promise<string>;
}

/** What kind of document a file's name says that it is; undefined for plain text and everything else. */
export function documentKind(label: string): DocumentKind | undefined {
  const ending = /\.(pdf|docx|html?|xhtml|ipynb)$/i.exec(label)?.[1]?.toLowerCase();
  if (ending === "pdf" || ending === "docx" || ending === "ipynb") return ending;
  return ending === undefined ? undefined : "html";
}
