import { readFile } from "node:fs/promises";
import { packagedGrammar } from "../node/app-files.ts";

/** In the packaged program everything lies side by side; in the repository each source runs as it is. */
const IS_PACKAGED = !import.meta.url.endsWith(".ts");

function program(name: string, source: string): URL {
  return new URL(IS_PACKAGED ? `./${name}.mjs` : source, import.meta.url);
}

/** Our own programs that run beside the agent. */
export const WORKERS = {
  documents: program("document-worker", "../node/documents/document-worker.ts"),
  pages: program("page-worker", "../node/web/page-worker.ts"),
  tokens: program("token-worker", "../tokens/token-worker.ts"),
  encoder: program("encoder-worker", "../memory/encoder-worker.ts"),
} as const;

/** The content of a grammar that command lines are read with. */
export function grammar(file: string): Promise<Uint8Array> {
  return IS_PACKAGED ? readFile(new URL(`./${file}`, import.meta.url)) : packagedGrammar(file);
}
