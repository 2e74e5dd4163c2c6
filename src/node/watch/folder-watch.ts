import { Worker } from "node:worker_threads";
import type { FolderWatch, WatchedFolder, WatchReport } from "../../core/ports/folder-watch.ts";

/** To the worker. `root` is the real path of a folder. */
export interface WatchRequest {
  readonly id: number;
  readonly root: string;
  readonly kind: "watch" | "settle" | "close";
}

/** From the worker. */
export type WatchAnswer =
  | { readonly kind: "answer"; readonly id: number; readonly root: string; readonly ok: boolean }
  | { readonly kind: "report"; readonly root: string; readonly report: WatchReport };

/** A folder that one or more users watch. */
interface SharedFolder {
  readonly started: Promise<boolean>;
  readonly users: Set<User>;
}

interface User {
  report(report: WatchReport): void;
}

/** Watches folders of this machine in one thread, which starts with the first of them. */
export class NodeFolderWatch implements FolderWatch {
  private readonly script: string | URL;
  private readonly folders = new Map<string, SharedFolder>();
  private readonly asked = new Map<number, (ok: boolean) => void>();
  private worker: Worker | undefined;
  private next = 1;

  /** `script` is `watch-worker.ts`, or its bundle. */
  constructor(script: string | URL) {
    this.script = script;
  }

  async watch(root: string, report: (report: WatchReport) => void): Promise<WatchedFolder | undefined> {
    const folder = this.folders.get(root) ?? { started: this.ask("watch", root), users: new Set() };
    this.folders.set(root, folder);
    const user: User = { report };
    folder.users.add(user);
    const isCurrent = () => this.folders.get(root) === folder && folder.users.has(user);
    const close = (): void => {
      if (!folder.users.delete(user) || folder.users.size > 0 || this.folders.get(root) !== folder) return;
      this.folders.delete(root);
      void this.ask("close", root);
    };
    if (!(await folder.started)) {
      if (this.folders.get(root) === folder) this.folders.delete(root);
      return undefined;
    }
    return { settled: async () => isCurrent() && this.ask("settle", root), close };
  }

  /** Ends the thread. Its folders report `lost`. */
  async close(): Promise<void> {
    const { worker } = this;
    this.end();
    await worker?.terminate();
  }

  /** A thread that failed answers false. */
  private ask(kind: WatchRequest["kind"], root: string): Promise<boolean> {
    const id = this.next++;
    const request: WatchRequest = { id, root, kind };
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      const worker = this.started();
      worker.ref();
      worker.postMessage(request);
    });
  }

  private started(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.script);
    const ended = (): void => (this.worker === worker ? this.end() : undefined);
    worker.on("message", (answer: WatchAnswer) => this.take(answer));
    worker.on("error", ended);
    worker.on("exit", ended);
    this.worker = worker;
    return worker;
  }

  private take(answer: WatchAnswer): void {
    if (answer.kind === "report") {
      for (const user of this.folders.get(answer.root)?.users ?? []) user.report(answer.report);
      return;
    }
    this.asked.get(answer.id)?.(answer.ok);
    this.asked.delete(answer.id);
    if (this.asked.size === 0) this.worker?.unref();
  }

  private end(): void {
    this.worker = undefined;
    const lost = [...this.folders.values()].flatMap(({ users }) => [...users]);
    this.folders.clear();
    for (const resolve of this.asked.values()) resolve(false);
    this.asked.clear();
    for (const user of lost) user.report({ kind: "lost" });
  }
}
