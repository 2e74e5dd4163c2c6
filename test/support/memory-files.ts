import { setImmediate } from "node:timers/promises";
import { parseUriPath } from "../../src/core/base/uri-path.ts";
import {
  type VirtualFailure,
  VirtualFileError,
  type VirtualFiles,
  type VirtualKind,
} from "../../src/core/ports/virtual-files.ts";

/** An entry of a memory file system; `link` is one whose target isn't known. */
export type MemoryEntry = Uint8Array | "folder" | "link";

/** Calls that a test lets fail, and with what. */
export interface Failing {
  readonly call: "stat" | "read" | "entries" | "write" | "makeFolder" | "move" | "remove";
  /** Absent: at any path. */
  readonly path?: string;
  readonly failure: VirtualFailure;
  readonly message?: string;
  /** The change is made in spite of the failure. */
  readonly halfDone?: true;
}

/** Files in memory, by their paths from `/`, with switchable failures. */
export class MemoryFiles implements VirtualFiles {
  readonly tree = new Map<string, MemoryEntry>([["/", "folder"]]);
  failing: readonly Failing[] = [];
  readOnly = false;
  /** Paths of read-only files. */
  readonly locked = new Set<string>();
  hasTrash = false;
  /** Calls so far, and the most that were in flight at a time. */
  calls = 0;
  mostAtOnce = 0;
  private atOnce = 0;
  private time = 0;
  private readonly times = new Map<string, number>();

  constructor(files: Readonly<Record<string, string | Uint8Array | "folder" | { readonly link: true }>> = {}) {
    for (const [path, content] of Object.entries(files)) {
      this.addFolders(path);
      if (typeof content === "object" && "link" in content) this.tree.set(path, "link");
      else this.set(path, content);
    }
  }

  /** Puts a file there as someone else does. */
  set(path: string, content: string | Uint8Array): void {
    this.addFolders(path);
    this.tree.set(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    this.times.set(path, ++this.time);
  }

  text(path: string): string | undefined {
    const entry = this.tree.get(path);
    return entry instanceof Uint8Array ? new TextDecoder().decode(entry) : undefined;
  }

  /** The texts of all files. */
  texts(): Record<string, string> {
    const paths = [...this.tree.keys()].filter((path) => this.tree.get(path) instanceof Uint8Array);
    return Object.fromEntries(paths.toSorted().map((path) => [path, this.text(path) ?? ""]));
  }

  readOnlyReason(): string | undefined {
    return this.readOnly
      ? "The workspace's file system (mem) is read-only, so nothing in it can be changed."
      : undefined;
  }

  stat(path: string) {
    return this.called("stat", path, (at) => {
      const entry = this.tree.get(at);
      if (entry === undefined) return undefined;
      const bytes = entry instanceof Uint8Array ? entry.length : 0;
      return {
        kind: kindOf(entry),
        bytes,
        changedAt: this.times.get(at) ?? 0,
        isReadOnly: this.locked.has(at),
      };
    });
  }

  read(path: string) {
    return this.called("read", path, (at) => this.file(at));
  }

  listEntries(folder: string) {
    return this.called("entries", folder, (at) => {
      if (this.entry(at) !== "folder") throw new VirtualFileError("notFolder", at);
      return this.below(at).map((below) => ({
        name: below.slice(below.lastIndexOf("/") + 1),
        kind: kindOf(this.entry(below)),
      }));
    });
  }

  write(path: string, bytes: Uint8Array) {
    return this.called("write", path, (at) => {
      if (this.tree.get(at) === "folder") throw new VirtualFileError("folder", at);
      this.set(at, Uint8Array.from(bytes));
    });
  }

  makeFolder(path: string) {
    return this.called("makeFolder", path, (at) => this.addFolders(`${at}/x`));
  }

  move(from: string, to: string) {
    return this.called("move", from, (at) => {
      const target = parseUriPath(to)?.path ?? to;
      if (this.tree.has(target)) throw new VirtualFileError("exists", target);
      this.set(target, this.file(at));
      this.tree.delete(at);
    });
  }

  remove(path: string) {
    return this.called("remove", path, (at) => {
      this.entry(at);
      if (this.below(at).length > 0) throw new VirtualFileError("other", "It isn't empty.");
      this.tree.delete(at);
      return this.hasTrash;
    });
  }

  private async called<T>(call: Failing["call"], path: string, act: (at: string) => T): Promise<T> {
    this.calls += 1;
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await setImmediate();
    this.atOnce -= 1;
    const at = parseUriPath(path)?.path ?? path;
    const fails = this.failing.find((one) => one.call === call && (one.path ?? at) === at);
    if (fails && !fails.halfDone) throw new VirtualFileError(fails.failure, fails.message ?? "It failed.");
    const result = act(at);
    if (fails) throw new VirtualFileError(fails.failure, fails.message ?? "It failed.");
    return result;
  }

  private entry(path: string): MemoryEntry {
    const entry = this.tree.get(path);
    if (entry === undefined) throw new VirtualFileError("missing", path);
    return entry;
  }

  private file(path: string): Uint8Array {
    const entry = this.entry(path);
    if (entry === "folder") throw new VirtualFileError("folder", path);
    return entry instanceof Uint8Array ? entry : new Uint8Array();
  }

  private below(folder: string): readonly string[] {
    const start = folder === "/" ? "/" : `${folder}/`;
    return [...this.tree.keys()].filter(
      (path) => path !== "/" && path.startsWith(start) && !path.slice(start.length).includes("/"),
    );
  }

  private addFolders(path: string): void {
    const names = path.split("/").slice(1, -1);
    for (const [index] of names.entries()) {
      const folder = `/${names.slice(0, index + 1).join("/")}`;
      if (!this.tree.has(folder)) this.tree.set(folder, "folder");
    }
  }
}

function kindOf(entry: MemoryEntry): VirtualKind {
  return entry instanceof Uint8Array ? "file" : entry;
}
