import fs from "node:fs/promises";
import path from "node:path";
import { getErrorMessage } from "../../core/base/errors.ts";
import { isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { displayText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import { createMemoryItems } from "../recall/documents.ts";
import { readPlainFile } from "../store/durable-file.ts";
import type { MemoryItem, NewMemory } from "../store/memory-item.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { NOTES_FOLDER, type ReadNote, readNote } from "./note-file.ts";
import { computeFolderStamp, type ListedNote, listNotes, MAX_NOTES, readNoteBytes } from "./note-folder.ts";

/** Dependencies of importing a repository's notes. */
export interface TakenNotesOptions {
  /** `.autogpt/notes` of a trusted workspace. */
  readonly folder: string;
  /** The memory's own folder, with the list of imported notes. */
  readonly memory: string;
  readonly store: MemoryStore;
  redact(text: string): string;
  getNow(): Date;
  /** How often to check for files that were edited in place. */
  readonly everyMs?: number;
}

/** An imported note: its file's stamp at that time, and its memories. */
interface TakenNote {
  readonly stamp: string;
  readonly ids: readonly string[];
}

const TAKEN_FILE = "notes.json";
const FORMAT = 1;
/** Larger than any list with the most notes and the most pieces. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const EVERY_MS = 60_000;
/** The number of notes that are stored together. */
const TURN = 64;
/** The number of files that a sentence names. */
const MOST_NAMED = 3;

/**
 * Keeps a store's memories in sync with the notes in the repository. They have no proof of origin, so they count as untrusted text, unless
 * this user's program stored them itself.
 */
export class TakenNotes {
  private readonly options: TakenNotesOptions;
  private taken: Map<string, TakenNote> | undefined;
  private seen = "";
  private lookedAt = Number.NEGATIVE_INFINITY;
  private notUsed: Sentence | undefined;

  constructor(options: TakenNotesOptions) {
    this.options = options;
  }

  /** A sentence about the files that aren't used. */
  get trouble(): Sentence | undefined {
    return this.notUsed;
  }

  /** The number of notes that are in the memory. */
  get count(): number {
    return [...(this.taken?.values() ?? [])].filter(({ ids }) => ids.length > 0).length;
  }

  /** Imports what has changed; cheap if nothing has. Throws `MemoryError` or the disk's error; then the next call tries again. */
  async sync(): Promise<void> {
    const { folder, store, getNow, everyMs = EVERY_MS } = this.options;
    if (!store.isWriting) {
      // Another window takes notes in now, and keeps the list of them.
      this.taken = undefined;
      this.seen = "";
      return;
    }
    const stamp = await computeFolderStamp(folder);
    const time = getNow().getTime();
    if (stamp === this.seen && (stamp === "" || time - this.lookedAt < everyMs)) return;
    this.taken ??= await this.readKnownNotes(stamp);
    if (!(await this.importNotes(this.taken))) return;
    this.seen = stamp;
    this.lookedAt = time;
  }

  /** Call this after the memories were removed or restored, so that the next `sync` imports every note. */
  async forget(): Promise<void> {
    this.taken = new Map();
    this.seen = "";
    this.lookedAt = Number.NEGATIVE_INFINITY;
    await fs.rm(this.file, { force: true });
  }

  private get file(): string {
    return path.join(this.options.memory, TAKEN_FILE);
  }

  /** False if the folder can't be read. */
  private async importNotes(before: ReadonlyMap<string, TakenNote>): Promise<boolean> {
    const { folder, store } = this.options;
    const listed = await listNotes(folder).catch((error: unknown) => getErrorMessage(error));
    if (typeof listed === "string") {
      this.notUsed = displayText("trouble.notesUnreadable", { reason: listed });
      return false;
    }
    const { notes, refused, cut } = listed;
    const taken = new Map<string, TakenNote>();
    const unread = [...refused];
    for (let at = 0; at < notes.length; at += TURN) {
      const items: MemoryItem[] = [];
      for (const note of notes.slice(at, at + TURN)) {
        const known = before.get(note.name);
        const read = known?.stamp === note.stamp ? undefined : await this.read(note);
        if (known?.stamp === note.stamp) taken.set(note.name, known);
        else taken.set(note.name, { stamp: note.stamp, ids: (read ?? []).map(({ id }) => id) });
        items.push(...(read ?? []));
      }
      if (items.length > 0) await store.add(items);
    }
    for (const [name, { ids }] of taken) if (ids.length === 0) unread.push(name);
    const current = new Set([...taken.values()].flatMap(({ ids }) => ids));
    const gone: string[] = [];
    for (const id of [...before.values()].flatMap(({ ids }) => ids))
      if (!current.has(id) && isNote(await store.get(id))) gone.push(id);
    if (gone.length > 0) await store.remove(gone);
    this.notUsed = explainUnreadNotes(unread, cut);
    if (!isSame(before, taken)) await this.write(taken);
    this.taken = taken;
    return true;
  }

  /** The memories of a note; none if its file is damaged. Their ids come from their content, regardless of the file. */
  private async read({ name }: ListedNote): Promise<readonly MemoryItem[]> {
    const { folder, redact, getNow } = this.options;
    const bytes = await readNoteBytes(folder, name);
    const note = bytes && readNote(bytes, getNow());
    if (!note || redact(note.text).trim() === "") return [];
    return createMemoryItems([createNoteMemory(name, note)], redact, getNow());
  }

  private async write(taken: ReadonlyMap<string, TakenNote>): Promise<void> {
    const text = JSON.stringify({ format: FORMAT, notes: Object.fromEntries(taken) });
    await replaceFile(this.file, text, { durable: true, private: true });
  }

  /** The notes that were imported earlier. If the list is lost, they're found in the memory itself. */
  private async readKnownNotes(stamp: string): Promise<Map<string, TakenNote>> {
    const file = await readPlainFile(this.file, MAX_LIST_BYTES).catch(() => undefined);
    const text = file?.bytes.toString("utf8");
    const known = text === undefined ? undefined : readTaken(text);
    if (known) return known;
    const found = new Map<string, TakenNote>();
    if (text === undefined && stamp === "") return found;
    for await (const item of this.options.store.iterateAll()) {
      if (!isNote(item)) continue;
      const { id, source } = item;
      found.set(source, { stamp: "", ids: [...(found.get(source)?.ids ?? []), id] });
    }
    return found;
  }
}

/** Whether a memory comes from a note's file: a list from the repository may name any other memory. */
function isNote(item: MemoryItem | undefined): boolean {
  return item?.kind === "note" && item.source.startsWith(`${NOTES_FOLDER}/`);
}

/** The memory for a note in a file of this name. */
export function createNoteMemory(name: string, { text, author, at }: ReadNote): NewMemory {
  return {
    kind: "note",
    text,
    source: `${NOTES_FOLDER}/${name}`,
    ...omitUndefined({ author, at }),
  };
}

function readTaken(text: string): Map<string, TakenNote> | undefined {
  const value = tryJson(text);
  if (!isObject(value) || value.format !== FORMAT || !isObject(value.notes)) return undefined;
  const taken = new Map<string, TakenNote>();
  for (const [name, note] of Object.entries(value.notes)) {
    if (!isObject(note) || typeof note.stamp !== "string" || !isTextList(note.ids)) return undefined;
    taken.set(name, { stamp: note.stamp, ids: note.ids });
  }
  return taken;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isSame(one: ReadonlyMap<string, TakenNote>, other: ReadonlyMap<string, TakenNote>): boolean {
  return one.size === other.size && [...one].every(([name, { stamp }]) => other.get(name)?.stamp === stamp);
}

function explainUnreadNotes(names: readonly string[], cut: boolean): Sentence | undefined {
  const limit = cut ? displayText("trouble.notesCut", { count: MAX_NOTES }) : undefined;
  if (names.length === 0) return limit;
  const files = names.slice(0, MOST_NAMED).join(", ");
  return joinSentences(displayText("trouble.notesNotRead", { count: names.length, files }), limit);
}
