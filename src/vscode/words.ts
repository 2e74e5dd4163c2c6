import { basename } from "node:path";
import { nodeWorkspace } from "../node/workspace.ts";
import { type RepositoryWords, repositoryWords } from "../runs/repository-words.ts";
import { guardedReader } from "../safety/guarded-reader.ts";

/** What the repository in a folder gives an agent to read at its start. */
export async function wordsOf(folder: string): Promise<RepositoryWords> {
  const workspace = nodeWorkspace({ folders: [{ name: basename(folder), path: folder }] });
  return repositoryWords(folder, guardedReader(workspace, workspace.folders(), process.platform));
}
