// Watches folders in a thread of its own, so that no other work delays the reading of reports. Bundled as
// dist/watch-worker.cjs.
import { parentPort } from "node:worker_threads";
import { assertNever } from "../../core/base/errors.ts";
import { FolderHandles } from "./folder-handles.ts";
import { FolderHistory } from "./folder-history.ts";
import type { WatchMessage, WatchRequest } from "./folder-watch.ts";
import { WatchedTree } from "./watched-tree.ts";

/** A folder and, once requested, its history; undefined if it can't be read. */
interface KnownFolder {
  readonly tree: WatchedTree;
  history?: Promise<FolderHistory | undefined>;
}

const folders = new Map<string, KnownFolder>();
const handles = new FolderHandles(() => {
  for (const { tree } of folders.values()) tree.handleLostReports();
});

parentPort?.on("message", (request: WatchRequest) => {
  const { id } = request;
  void answerRequest(request).then(
    (answer) => send({ kind: "answer", id, answer }),
    () => send({ kind: "answer", id, answer: undefined }),
  );
});

async function answerRequest(request: WatchRequest): Promise<unknown> {
  const { root } = request;
  switch (request.kind) {
    case "watch":
      return ensureFolder(root).tree.start();
    case "settle":
      return folders.get(root)?.tree.waitUntilReported();
    case "remember":
      return remember(ensureFolder(root), request.id, request.files);
    case "changes":
      return (await folders.get(root)?.history)?.collectChanges(request.moment);
    case "forget":
      return forget(folders.get(root));
    case "close":
      folders.get(root)?.tree.close();
      return folders.delete(root);
    default:
      return assertNever(request);
  }
}

function ensureFolder(root: string): KnownFolder {
  const known = folders.get(root);
  if (known) return known;
  const folder = {
    tree: new WatchedTree(root, handles, (report) => send({ kind: "report", root, report })),
  };
  folders.set(root, folder);
  return folder;
}

/** Remembers a moment. A folder that takes too long to read isn't read again. */
async function remember(folder: KnownFolder, moment: number, files: readonly string[]) {
  try {
    return await (await loadHistory(folder))?.remember(moment, files);
  } catch {
    folder.history = Promise.resolve(undefined);
    return undefined;
  }
}

function forget(folder: KnownFolder | undefined): Promise<void> | undefined {
  delete folder?.history;
  return folder?.tree.unfollow();
}

function loadHistory(folder: KnownFolder): Promise<FolderHistory | undefined> {
  folder.history ??= FolderHistory.read(folder.tree).catch(() => undefined);
  return folder.history;
}

function send(message: WatchMessage): void {
  parentPort?.postMessage(message);
}
