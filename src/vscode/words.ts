import { basename } from "node:path";
import { nodeWorkspace } from "../node/workspace.ts";
import { type RepositoryWords, repositoryWords } from "../runs/repository-words.ts";
import { guardedReader } from "../safety/guarded-reader.ts";

/** Reads the repository's words in a folder for an agent's start. */
export async function wordsOf(folder: string): Promise<RepositoryWords> {
  const workspace = nodeWorkspace({ folders: [{ name: basename(folder), path: folder }] });
  return repositoryWords(folder, guardedReader(workspace, workspace.folders(), process.platform));
}
