import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** Modules of Vectra that we don't use: documents, language models, embeddings, servers, watchers, other storages. */
const UNUSED = new RegExp(
  `^(wink-.*|\\./(\\w+/)?(${[
    "LocalDocument\\w*",
    "migrateIndex",
    "TextSplitter",
    "\\w+Tokenizer",
    "\\w+Embeddings",
    "\\w*WebFetcher",
    "FileFetcher",
    "FolderWatcher",
    "server",
    "IndexedDBStorage",
    "VirtualFileStorage",
  ].join("|")}))$`,
);

/** How Vectra reads its message definitions, from a file that isn't beside a bundle. */
const LOADED = 'pb.loadSync(path.join(__dirname, "schemas", "index.proto"))'.replaceAll('"', "'");

/** esbuild plugin: bundles Vectra's index without the 9 MB of modules that we don't use. */
export const vectraPlugin = {
  name: "vectra-index-only",
  setup({ initialOptions, onResolve, onLoad }) {
    const lib = path.dirname(createRequire(import.meta.url).resolve("vectra"));
    const isOurs = (importer) => importer.startsWith(lib);
    onResolve({ filter: UNUSED }, ({ path: unused, importer }) =>
      isOurs(importer) ? { path: unused, namespace: "vectra-unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "vectra-unused" }, () => ({ contents: "module.exports = {};" }));
    // Only the memory of an old version needs it, so it's a part of its own.
    onResolve({ filter: /^protobufjs$/ }, ({ importer }) =>
      isOurs(importer) && initialOptions.format === "cjs" ? { path: "./protobufjs.cjs", external: true } : undefined,
    );
    onLoad({ filter: /ProtobufCodec\.js$/ }, ({ path: file }) => {
      if (!isOurs(file)) return undefined;
      const source = fs.readFileSync(file, "utf8");
      if (!source.includes(LOADED)) return { errors: [{ text: `${file} reads index.proto in another way.` }] };
      const schema = fs.readFileSync(path.join(path.dirname(file), "schemas/index.proto"), "utf8");
      return { contents: source.replace(LOADED, `pb.parse(${JSON.stringify(schema)}).root`) };
    });
  },
};
