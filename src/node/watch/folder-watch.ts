import { Worker } from "node:worker_threads";
import type {
  FolderMoment,
  FolderWatch,
  SeenChange,
  WatchedFolder,
  WatchReport,
} from "../../core/ports/folder-watch.ts";
import type { RememberedFiles } from "./folder-history.ts";

/** To the worker. `root` is the real path of a folder. */
export type WatchRequest = { readonly id: number; readonly root: string } & (
  | { readonly kind: "watch" | "settle" | "forget" | "close" }
  | { readonly kind: "remember"; readonly files: readonly string[] }
  | { readonly kind: "changes"; readonly moment: number }
);

/** A message from the worker. */
export type WatchMessage =
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly kind: "report"; readonly root: string; readonly report: WatchReport };

type Unnumbered<Request> = Request extends unknown ? Omit<Request, "id"> : never;

/** A folder with one or more watchers. */
interface SharedFolder {
  readonly started: Promise<boolean>;
  readonly users: Set<WatchUser>;
}

interface RememberedFolder {
  open: number;
  idle: NodeJS.Timeout | undefined;
}

const IDLE_MS = 900_000;

interface WatchUser {
  report(report: WatchReport): void;
}

/** Watches folders of this machine in one thread, which starts with the first of them. */
export class NodeFolderWatch implements FolderWatch {
  private readonly script: string | URL;
  private readonly folders = new Map<string, SharedFolder>();
  /** The folders with a history, each with its number of open moments. */
  private readonly remembered = new Map<string, RememberedFolder>();
  private readonly asked = new Map<number, (answer: unknown) => void>();
  private worker: Worker | undefined;
  private next = 1;

  private readonly idleMs: number;

  /** `script` is `watch-worker.ts`, or its bundle. A history is discarded after being idle for `idleMs`. */
  constructor(script: string | URL, idleMs = IDLE_MS) {
    this.script = script;
    this.idleMs = idleMs;
  }

  async watch(root: string, report: (report: WatchReport) => void): Promise<WatchedFolder | undefined> {
    const known = this.folders.get(root);
    const folder = known ?? { started: this.is("watch", root), users: new Set() };
    this.folders.set(root, folder);
    const user: WatchUser = { report };
    folder.users.add(user);
    const isCurrent = () => this.folders.get(root) === folder && folder.users.has(user);
    const close = (): void => {
      if (!folder.users.delete(user) || folder.users.size > 0 || this.folders.get(root) !== folder) return;
      this.folders.delete(root);
      if (!this.remembered.has(root)) this.ask({ kind: "close", root });
    };
    if (!(await folder.started)) {
      if (this.folders.get(root) === folder) this.folders.delete(root);
      return undefined;
    }
    return { waitUntilReported: async () => isCurrent() && this.is("settle", root), close };
  }

  async remember(root: string, files: readonly string[]): Promise<FolderMoment | undefined> {
    const remembered = this.openFolder(root);
    const { id, answer } = this.ask({ kind: "remember", root, files });
    const worker = this.worker;
    const then = (await answer) as RememberedFiles | undefined;
    if (!then) this.release(root, remembered);
    return (
      then && {
        ...then,
        collectChanges: async () => {
          // Another thread knows nothing of this moment.
          if (this.worker !== worker) return undefined;
          const { answer: changed } = this.ask({ kind: "changes", root, moment: id });
          const changes = (await changed) as readonly SeenChange[] | undefined;
          this.release(root, remembered);
          return changes;
        },
      }
    );
  }

  /** Opens a moment. */
  private openFolder(root: string): RememberedFolder {
    const folder = this.remembered.get(root) ?? { open: 0, idle: undefined };
    clearTimeout(folder.idle);
    folder.open += 1;
    this.remembered.set(root, folder);
    return folder;
  }

  /** Closes a moment. Unused histories are discarded, because a large folder's takes hundreds of megabytes. */
  private release(root: string, folder: RememberedFolder): void {
    folder.open -= 1;
    if (folder.open > 0) return;
    const forget = (): void => {
      if (this.remembered.get(root) !== folder) return;
      this.remembered.delete(root);
      this.ask({ kind: this.folders.has(root) ? "forget" : "close", root });
    };
    folder.idle = setTimeout(forget, this.idleMs).unref();
  }

  /** Ends the thread. Its folders report `lost`. */
  async close(): Promise<void> {
    const { worker } = this;
    this.end();
    await worker?.terminate();
  }

  /** Sends a request. Undefined if the thread fails. */
  private ask(request: Unnumbered<WatchRequest>): { readonly id: number; readonly answer: Promise<unknown> } {
    const id = this.next++;
    const answer = new Promise<unknown>((resolve) => {
      this.asked.set(id, resolve);
      const worker = this.ensureWorker();
      worker.ref();
      worker.postMessage({ ...request, id });
    });
    return { id, answer };
  }

  /** Sends a yes-or-no request. */
  private async is(kind: "watch" | "settle", root: string): Promise<boolean> {
    return (await this.ask({ kind, root }).answer) === true;
  }

  private ensureWorker(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.script);
    const handleEnd = (): void => (this.worker === worker ? this.end() : undefined);
    worker.on("message", (message: WatchMessage) => this.take(message));
    worker.on("error", handleEnd);
    worker.on("exit", handleEnd);
    this.worker = worker;
    return worker;
  }

  private take(message: WatchMessage): void {
    if (message.kind === "report") {
      for (const user of this.folders.get(message.root)?.users ?? []) user.report(message.report);
      return;
    }
    this.asked.get(message.id)?.(message.answer);
    this.asked.delete(message.id);
    if (this.asked.size === 0) this.worker?.unref();
  }

  private end(): void {
    this.worker = undefined;
    for (const { idle } of this.remembered.values()) clearTimeout(idle);
    this.remembered.clear();
    const lost = [...this.folders.values()].flatMap(({ users }) => [...users]);
    this.folders.clear();
    for (const resolve of this.asked.values()) resolve(undefined);
    this.asked.clear();
    for (const user of lost) user.report({ kind: "lost" });
  }
}
