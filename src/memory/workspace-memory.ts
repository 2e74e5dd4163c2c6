import type { Source } from "../core/commands/outcome.ts";
import type { Sentence } from "../texts/display-text.ts";
import type { Embedder } from "./embedding/embedder.ts";
import type { NoteFile } from "./notes/note-file.ts";
import type { MemoryHit, RecallOptions } from "./recall/recall.ts";
import type { SharedMemoryOptions, SharedState } from "./shared/team-memory.ts";
import type { MemoryItem, NewMemory } from "./store/memory-item.ts";
import type { MemoryStoreName } from "./stores.ts";

/** Options that a workspace's memory is opened with. */
export interface MemoryOptions {
  /** The memory folder, created if it is missing: `.autogpt/memory` of a trusted workspace. */
  readonly folder: string;
  /** Where the memories are kept; absent: in files in the folder. */
  readonly store?: MemoryStoreName;
  /**
   * The embedder of all vectors. A new one re-embeds everything in the background, so choose it by the settings, not by
   * which service answers at the moment.
   */
  readonly embedder: Embedder;
  /** A secret of this user on this machine, kept outside any workspace; absent: no memory is trusted. */
  readonly key?: string;
  /** The notes of the repository, which are imported; absent: there are none. */
  readonly notes?: {
    /** `.autogpt/notes` of a trusted workspace. */
    readonly folder: string;
    /** The name that new notes carry. */
    getAuthor(): Promise<string>;
  };
  /** The server through which the user has agreed to share the memory; absent: none. */
  readonly shared?: SharedMemoryOptions;
  /** Removes secrets from texts before they are stored. */
  redact?(text: string): string;
  /** Above this number, the oldest memories are removed, except for notes. */
  readonly maxMemories?: number;
  /** The approximate number of memories in a segment. */
  readonly segmentSize?: number;
  /** Reads large memories in a thread: `segment-worker.ts`, or its bundle. Absent: all is read in this thread. */
  readonly worker?: string | URL;
  getNow?(): Date;
}

/** The state of a memory for people. */
export interface MemoryState {
  /** `reading` while another window may write; then new memories are left for it. */
  readonly mode: "writing" | "reading";
  readonly count: number;
  /** The number of the repository's notes among them. Changes to the memory never remove these notes. */
  readonly repositoryNotes: number;
  /** Sharing through a server; absent: the memory isn't shared. */
  readonly shared?: SharedState;
  /** How many memories have a vector; the others are found by their words. */
  readonly embedded: number;
  readonly embedder: string;
  /** Undefined until the first vector. */
  readonly dimensions: number | undefined;
  /** Sentences about damaged and moved files, and about why nothing can be stored or embedded at the moment. */
  readonly notices: readonly Sentence[];
}

/** The memories of a workspace, regardless of their store. */
export interface WorkspaceMemory {
  /** Its folder, where files about the memories are kept beside them. */
  readonly folder: string;
  /** See `MemoryOptions.maxMemories`. */
  readonly most: number;
  readonly state: MemoryState;
  /** Calls back after every change of the state, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /**
   * Resolves with the ids once the memories survive a crash of the program. Long texts are stored in pieces, and known
   * memories aren't stored twice. Throws `MemoryError`; then nothing was added.
   */
  add(memories: readonly NewMemory[]): Promise<readonly string[]>;
  /** Prepares a file for a repository's note, with secrets removed. Nothing is written yet. */
  prepareNoteFile(text: string): Promise<NoteFile>;
  /**
   * Writes a note of the user into the repository and remembers it. Resolves with its file. Throws a sentence; `sources` as in
   * `NewMemory`.
   */
  saveNote(text: string, sources?: readonly Source[]): Promise<string>;
  /** The memories that match a query best, best first. Throws only the signal's reason. */
  recall(query: string, options: RecallOptions): Promise<readonly MemoryHit[]>;
  /** See `MemoryOptions.redact`. Memories are always redacted, but a secret can be found only before a text is split. */
  redact(text: string): string;
  /** Iterates over all memories, oldest first, and reads each one on demand. */
  iterateAll(): AsyncIterable<MemoryItem>;
  /** The newest memories, newest first. */
  listNewest(count: number): Promise<readonly MemoryItem[]>;
  get(id: string): Promise<MemoryItem | undefined>;
  /** Throws `MemoryError`. */
  remove(ids: readonly string[]): Promise<void>;
  /** Removes everything. The returned function restores it as long as the memory is open. Throws `MemoryError`. */
  clear(): Promise<() => Promise<void>>;
  /** Reads other windows' changes, and starts to write once no other window does. Also happens every few seconds. */
  refresh(): Promise<void>;
  /** Resolves once every memory has a vector, or no more can be computed now. */
  waitUntilEmbedded(): Promise<void>;
  /** The size of the memory on disk. */
  measureBytes(): Promise<number>;
  /** Resolves once everything is durable and another window can write. */
  close(): Promise<void>;
}
