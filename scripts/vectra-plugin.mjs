import { createRequire } from "node:module";
import path from "node:path";

/** Modules of Vectra's browser entry point that we don't use: documents, language models, embeddings, other storages. */
const UNUSED =
  /^(wink-.*|\.\/(LocalDocument\w*|ProtobufCodec|migrateIndex|TextSplitter|\w+Tokenizer|\w+Embeddings|BrowserWebFetcher)|\.\/(storage\/)?(IndexedDBStorage|LocalFileStorage))$/;

/** esbuild plugin: bundles Vectra's index without the 8 MB of modules that we don't use. */
export const vectraPlugin = {
  name: "vectra-index-only",
  setup({ onResolve, onLoad }) {
    const lib = path.dirname(createRequire(import.meta.url).resolve("vectra"));
    onResolve({ filter: UNUSED }, ({ path: unused, importer }) =>
      importer.startsWith(lib) ? { path: unused, namespace: "vectra-unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "vectra-unused" }, () => ({ contents: "module.exports = {};" }));
  },
};
