import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** The content of `name.wasm`, from the package `name` that it comes in. */
export async function packagedGrammar(file: string): Promise<Uint8Array> {
  const require = createRequire(import.meta.url);
  return readFile(require.resolve(`${file.replace(/\.wasm$/, "")}/${file}`));
}
