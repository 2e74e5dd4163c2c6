// Watches folders in a thread of its own, so that no other work delays the reading of reports. Bundled as
// dist/watch-worker.cjs.
import { parentPort } from "node:worker_threads";
import { FolderHandles } from "./folder-handles.ts";
import type { WatchAnswer, WatchRequest } from "./folder-watch.ts";
import { WatchedTree } from "./watched-tree.ts";

const trees = new Map<string, WatchedTree>();
const handles = new FolderHandles(() => {
  for (const tree of trees.values()) tree.lose();
});

parentPort?.on("message", (request: WatchRequest) => {
  const { id, root } = request;
  void answer(request).then((ok) => send({ kind: "answer", id, root, ok }));
});

async function answer({ kind, root }: WatchRequest): Promise<boolean> {
  const tree = trees.get(root);
  switch (kind) {
    case "watch":
      return watch(root);
    case "settle":
      return tree ? tree.settled() : false;
    case "close":
      tree?.close();
      return trees.delete(root);
    default:
      return kind satisfies never;
  }
}

async function watch(root: string): Promise<boolean> {
  const tree = new WatchedTree(root, handles, (report) => send({ kind: "report", root, report }));
  trees.set(root, tree);
  if (await tree.start()) return true;
  trees.delete(root);
  return false;
}

function send(message: WatchAnswer): void {
  parentPort?.postMessage(message);
}
