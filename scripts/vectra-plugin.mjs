import { createRequire } from "node:module";
import path from "node:path";

/** What Vectra's index loads for the searches that we do not use: language models, document splitters. */
const UNUSED = /^(wink-.*|\.\/LocalDocument(Index)?|\.\/ProtobufCodec|\.\/migrateIndex)$/;

/** esbuild plugin: Vectra's index without the 8 MB that it loads and we never use. */
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
