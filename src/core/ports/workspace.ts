import type { ResolvedPath, SearchMatch } from "./model.ts";

/** Files of the workspace that are no text. Both methods throw `WorkspaceError`. */
export interface BinaryFiles {
  readBytes(place: ResolvedPath): Promise<Uint8Array>;
  /** Replaces or creates the file atomically; throws `Stale` unless it is still at `place.version`. */
  writeBytes(place: ResolvedPath, bytes: Uint8Array): Promise<void>;
}

/** Files that hold text without being plain text. */
export type DocumentKind = "pdf" | "docx" | "html" | "ipynb";

/** Turns documents into text. Throws `WorkspaceError`. */
export interface Documents {
  textOf(place: ResolvedPath, kind: DocumentKind, signal: AbortSignal): Promise<string>;
}

/** What kind of document a file's name says that it is; undefined for plain text and everything else. */
export function documentKind(label: string): DocumentKind | undefined {
  const ending = /\.(pdf|docx|html?|xhtml|ipynb)$/i.exec(label)?.[1]?.toLowerCase();
  if (ending === "pdf" || ending === "docx" || ending === "ipynb") return ending;
  return ending === undefined ? undefined : "html";
}

/** Something that has a name in code, and where it is defined. */
export interface CodeSymbol {
  readonly name: string;
  /** What it is, for people: "function", "class". */
  readonly kind: string;
  /** The path for people and the model, as in `Place`. */
  readonly label: string;
  /** From 1. */
  readonly line: number;
  /** What it is a part of; "" when that is nothing. */
  readonly within: string;
}

/** What the editor's language services know of names in code. */
export interface Symbols {
  /** The definitions of a name, those that only begin like it or hold it after the exact ones. */
  find(name: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Where what stands at a place in a file is used, its definition included. Lines and columns count from 1. */
  references(
    place: ResolvedPath,
    at: { readonly line: number; readonly column: number },
    signal: AbortSignal,
  ): Promise<readonly SearchMatch[]>;
}
