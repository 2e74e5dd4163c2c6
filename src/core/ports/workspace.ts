import { DisplayError } from "../../texts/display-text.ts";
/** A text file with the properties that must survive an edit. */
export interface TextFile {
  readonly text: string;
  /** IANA-like name, as iconv-lite knows it. */
  readonly encoding: string;
  readonly bom: boolean;
  /** Neither a byte order mark nor a setting states the encoding. */
  readonly isGuessed?: true;
  /** The uncertainty about its encoding, as a sentence for the model. */
  readonly doubt?: string;
  /** The most frequent line ending; `text` keeps the line endings of the file. */
  readonly eol: "\n" | "\r\n" | "\r";
}

/** How a text is written as bytes. */
export type TextEncoding = Pick<TextFile, "encoding" | "bom">;

/** A path in the workspace, resolved through links. */
export interface ResolvedPath {
  /** Real absolute path. */
  readonly path: string;
  /**
   * The path for people and the model, relative to its folder, with `/` as separator. With several folders, the folder's name comes first.
   */
  readonly label: string;
  readonly kind: "file" | "folder" | "missing" | "other";
  readonly bytes: number;
  /** Changes whenever the content does; "" if missing. */
  readonly version: string;
  /** Label of the symbolic link, if the path's last name is one. */
  readonly link?: string;
  /** Absolute paths of the links that were followed, each with the names after it. */
  readonly via?: readonly string[];
  /** Git ignores it, so it may not be the workspace's own text. */
  readonly ignored?: boolean;
  /** The encoding that the user has set for the file, or for a new one there; absent if it's UTF-8 or detected. */
  readonly encoding?: TextEncoding;
  /** The file has unsaved edits in an editor: size, version and text are those of the editor, and changes are made there. */
  readonly unsaved?: true;
}

/** A file's content: its text, or its size if it is binary. */
export type FileContent =
  | { readonly kind: "text"; readonly file: TextFile; readonly version: string }
  | { readonly kind: "binary"; readonly bytes: number; readonly version: string };

export interface SearchMatch {
  readonly label: string;
  /** Counts from 1. */
  readonly line: number;
  readonly text: string;
}

/** Whether a path must exist or may be created. */
export type PathUse = "existing" | "new";

/** The agent's view of the user's folders. Every method throws `WorkspaceError` with a sentence for the model. */
export interface Workspace {
  /**
   * Resolves a path; throws if it leaves the workspace. With several folders the run's own comes first, and a new path without a folder
   * name is always in it.
   */
  locate(path: string, use?: PathUse): Promise<ResolvedPath>;
  read(place: ResolvedPath): Promise<FileContent>;
  /** Replaces or creates the file atomically; throws `StaleFileError` unless it is still at `place.version`. */
  write(place: ResolvedPath, file: TextFile): Promise<void>;
  createFolder(place: ResolvedPath): Promise<void>;
  /** Moves without overwriting. */
  move(from: ResolvedPath, to: ResolvedPath): Promise<void>;
  /** Moves an entry to the trash if there is one. Returns a sentence that explains how to restore it; "" for an empty folder. */
  remove(place: ResolvedPath): Promise<string>;
  /** Lists labels below a folder without ignored files, at most `limit`; folders end in `/`. `note` is a sentence about omissions. */
  list(
    place: ResolvedPath,
    options: { glob?: string; limit: number; signal: AbortSignal },
  ): Promise<{ labels: string[]; more: boolean; note?: string }>;
  /** Label of the existing file whose name is most similar to that of a missing file; undefined if none is close. */
  findNearestFile?(label: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Finds matching lines below a folder or in a file; `note` is a sentence about omissions. `found` is called with matches as soon as
   * they are known, in no order.
   */
  search(
    place: ResolvedPath,
    options: {
      pattern: string;
      regex: boolean;
      glob?: string;
      limit: number;
      signal: AbortSignal;
      reportMatches?(matches: readonly SearchMatch[]): void;
    },
  ): Promise<{ matches: SearchMatch[]; more: boolean; note?: string }>;
}

/** A place in a file that matches a description. The file may have others. Lines count from 1. */
export interface CodePlace {
  /** See `ResolvedPath.label`. */
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** The names that it declares, or its headings. */
  readonly symbols: readonly string[];
  readonly others: readonly Pick<CodePlace, "from" | "to" | "symbols">[];
  /** The first line of the excerpt. */
  readonly line: number;
  readonly excerpt: string;
}

/**
 * Finds the places below a folder, or in a file, that best fit a description, one in each file. Calls `progress` while it indexes files.
 * Throws `WorkspaceError` where nothing is indexed. `isPartial`: some files aren't indexed, because the workspace is too large.
 */
export type CodeSearch = (
  place: ResolvedPath,
  asked: {
    readonly query: string;
    readonly count: number;
    readonly glob?: string | undefined;
    readonly signal: AbortSignal;
    reportProgress(files: number, all: number): void;
  },
) => Promise<{ readonly places: readonly CodePlace[]; readonly isPartial: boolean }>;

/** A path or file that can't be used; `message` says what to do instead. */
export class WorkspaceError extends DisplayError {
  override readonly name: string = "WorkspaceError";
}

/** The file changed after it was read. */
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

/** Problems of changed files. */
export interface FoundProblems {
  readonly problems: readonly Problem[];
  /** False if some of them may be older than the change. */
  readonly areNew: boolean;
}

/** Problems that were found too late for the outcome of their change. */
export interface LateProblems extends FoundProblems {
  /** Marks the problems as read by the agent, so that they aren't reported again. */
  markRead(): void;
}

/** Problems that the editor's language services report. File changes don't wait for them. */
export interface Problems {
  /** Problems of one file or of all, after the services have checked; undefined without language services. */
  list(place?: ResolvedPath): Promise<readonly Problem[] | undefined>;
  /** Prepares for a change by collecting the problems that a file already has. */
  expectChange(place: ResolvedPath): void;
  /** Returns the problems that are found within a moment after a change. */
  findProblemsAfterChange(place: ResolvedPath, signal: AbortSignal): Promise<FoundProblems>;
  /** Returns the problems that were found later. */
  collectLaterProblems(): LateProblems;
}

/** Binary files of the workspace. Both methods throw `WorkspaceError`. */
export interface BinaryFiles {
  readBytes(place: ResolvedPath): Promise<Uint8Array>;
  /** Replaces or creates the file atomically; throws `StaleFileError` unless it is still at `place.version`. */
  writeBytes(place: ResolvedPath, bytes: Uint8Array): Promise<void>;
}

/** Formats that contain text but aren't plain text. */
export type DocumentKind = "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "rtf" | "html";

/** Extracts text from documents. Throws `WorkspaceError`. */
export interface Documents {
  extractText(place: ResolvedPath, kind: DocumentKind, signal: AbortSignal): Promise<string>;
}

/** The kind of document according to a file's name; undefined for plain text and everything else. */
export function findDocumentKind(label: string): DocumentKind | undefined {
  const ending = label.slice(label.lastIndexOf(".")).toLowerCase();
  return Object.hasOwn(DOCUMENT_KINDS, ending) ? DOCUMENT_KINDS[ending] : undefined;
}

const DOCUMENT_KINDS: Readonly<Record<string, DocumentKind>> = {
  ".pdf": "pdf",
  ".docx": "docx",
  ".odt": "odt",
  ".rtf": "rtf",
  ".pptx": "pptx",
  ".xlsx": "xlsx",
  ".xlsm": "xlsx",
  ".html": "html",
  ".htm": "html",
  ".xhtml": "html",
};

/** A named symbol in code and its definition. */
export interface CodeSymbol {
  readonly name: string;
  /** Its kind for people, for example "function" or "class". */
  readonly kind: string;
  /** See `ResolvedPath.label`. */
  readonly label: string;
  /** Counts from 1. */
  readonly line: number;
  /** Name of its container; "" if there is none. */
  readonly within: string;
}

/** Symbols that the editor's language services know. */
export interface Symbols {
  /** Finds definitions of a name; exact matches come before names that start with it or contain it. */
  find(name: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Finds the uses of the symbol at a position, including its definition. Lines and columns count from 1. */
  findReferences(
    place: ResolvedPath,
    at: { readonly line: number; readonly column: number },
    signal: AbortSignal,
  ): Promise<readonly SearchMatch[]>;
}
