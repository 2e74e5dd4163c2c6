/** A text file with what must survive an edit. */
export interface TextFile {
  readonly text: string;
  /** IANA-like name, as iconv-lite knows it. */
  readonly encoding: string;
  readonly bom: boolean;
  /** Line end of most lines; `text` keeps the ends as they are on disk. */
  readonly eol: "\n" | "\r\n" | "\r";
}

/** A path of the workspace, resolved to where it really leads. */
export interface ResolvedPath {
  /** Real absolute path. */
  readonly path: string;
  /** The path for people and the model: relative to its folder, `/` as separator; with several folders the folder's name first. */
  readonly label: string;
  readonly kind: "file" | "folder" | "missing" | "other";
  readonly bytes: number;
  /** Changes whenever the content does. "" when missing. */
  readonly version: string;
  /** The label of the symbolic link that was named, when the path's last name is one. */
  readonly link?: string;
  /** The absolute paths of the links that were followed to get here, each with the names after it. */
  readonly via?: readonly string[];
  /** Git ignores it, so it need not be the workspace's own text. */
  readonly ignored?: boolean;
}

/** A file's content: its text, or why it has none. */
export type FileContent =
  | { readonly kind: "text"; readonly file: TextFile; readonly version: string }
  | { readonly kind: "binary"; readonly bytes: number; readonly version: string };

export interface SearchMatch {
  readonly label: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Whether a path is for something that is there, or for something that may be made. */
export type PathUse = "existing" | "new";

/** Open files by name: the agent's view of the user's folders. Every method throws `WorkspaceError` with a sentence for the model. */
export interface Workspace {
  /**
   * Where a path leads; throws when that is outside the workspace. Of several folders the run's own comes first, and a path that
   * names no folder is always in it when it's for something new.
   */
  locate(path: string, use?: PathUse): Promise<ResolvedPath>;
  read(place: ResolvedPath): Promise<FileContent>;
  /** Replaces or creates the file atomically; throws `Stale` unless it is still at `place.version`. */
  write(place: ResolvedPath, file: TextFile): Promise<void>;
  createFolder(place: ResolvedPath): Promise<void>;
  /** Moves without overwriting. */
  move(from: ResolvedPath, to: ResolvedPath): Promise<void>;
  /** To the trash where there is one. Returns how it can be had back, as a sentence; "" for a folder, which was empty. */
  remove(place: ResolvedPath): Promise<string>;
  /** Labels below a folder, folders with a trailing `/`, ignored files left out; at most `limit`. */
  list(
    place: ResolvedPath,
    options: { glob?: string; limit: number; signal: AbortSignal },
  ): Promise<{ labels: string[]; more: boolean }>;
  /** Matching lines below a folder or in a file; `note` says in a sentence what was left out. */
  search(
    place: ResolvedPath,
    options: { pattern: string; regex: boolean; glob?: string; limit: number; signal: AbortSignal },
  ): Promise<{ matches: SearchMatch[]; more: boolean; note?: string }>;
}

/** A path or file that cannot be used; `message` says what to do instead. */
export class WorkspaceError extends Error {
  override readonly name: string = "WorkspaceError";
}

/** The file changed after it was looked at. */
export class StaleFileError extends WorkspaceError {
  override readonly name = "Stale";
}

export interface Problem {
  readonly label: string;
  readonly line: number;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly source: string;
}

/** Problems of files that were changed. */
export interface FoundProblems {
  readonly problems: readonly Problem[];
  /** False where some of them may be older than the change. */
  readonly areNew: boolean;
}

/** Problems that came too late for the outcome of their change. */
export interface LateProblems extends FoundProblems {
  /** The agent has read them, so they are not reported again. */
  markRead(): void;
}

/** The problems that the editor's language services report. No change of a file waits for them. */
export interface Problems {
  /** Of one file or of all, once the services have looked; undefined when there is no language service here. */
  list(place?: ResolvedPath): Promise<readonly Problem[] | undefined>;
  /** A file may be changed soon: starts to find out which problems it has already. */
  expectChange(place: ResolvedPath): void;
  /** After a change: the problems that are found within a moment. */
  afterChange(place: ResolvedPath, signal: AbortSignal): Promise<FoundProblems>;
  /** Problems that were found later. */
  late(): LateProblems;
}

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
