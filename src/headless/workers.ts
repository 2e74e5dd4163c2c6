import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** True in the packaged program, where all files are in one folder. In the repository, each source runs unchanged. */
const IS_PACKAGED = !import.meta.url.endsWith(".ts");

function getProgramUrl(name: string, source: string): URL {
  return new URL(IS_PACKAGED ? `./${name}.mjs` : source, import.meta.url);
}

/** Our own programs that run beside the agent. */
export const WORKERS = {
  code: getProgramUrl("code-worker", "../runtime/code-search/index-worker.ts"),
  copy: getProgramUrl("copy-worker", "../isolation/copy/copy-worker.ts"),
  documents: getProgramUrl("document-worker", "../node/documents/document-worker.ts"),
  pages: getProgramUrl("page-worker", "../node/web/page-worker.ts"),
  tokens: getProgramUrl("token-worker", "../models/tokens/token-worker.ts"),
  watch: getProgramUrl("watch-worker", "../node/watch/watch-worker.ts"),
  plugins: getProgramUrl("plugin-runner", "../plugins/folders/runner.ts"),
  encoder: getProgramUrl("encoder-worker", "../memory/embedding/encoder-worker.ts"),
  segments: getProgramUrl("segment-worker", "../memory/store/segment-worker.ts"),
  /** Runs plugins of classic AutoGPT, in Python. */
  classicBridge: new URL(IS_PACKAGED ? "./classic_bridge.py" : "../plugins/python/classic_bridge.py", import.meta.url),
} as const;

/** The vectors of the pieces of words, with which memories are found by meaning. */
export const EMBEDDING_TABLE = new URL(
  IS_PACKAGED ? "./embedding-table.bin" : "../../media/embedding-table.bin",
  import.meta.url,
);

/** The content of `name.wasm`, a parser for command lines: from the program's folder, or from the package `name`. */
export function loadGrammar(file: string): Promise<Uint8Array> {
  if (IS_PACKAGED) return readFile(new URL(`./${file}`, import.meta.url));
  const { resolve } = createRequire(import.meta.url);
  return readFile(resolve(`${file.replace(/\.wasm$/, "")}/${file}`));
}
