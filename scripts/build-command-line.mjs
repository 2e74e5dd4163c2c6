// Bundles a command line, with the files that it loads from beside it.
import fs from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";
import { packedTokensPlugin } from "./packed-tokens-plugin.mjs";
import { playwrightPlugin } from "./playwright-plugin.mjs";
import { inRoot, ROOT } from "./setup/root.mjs";
import { validatorsPlugin } from "./validators-plugin.mjs";
import { vectraPlugin } from "./vectra-plugin.mjs";

/** The program's workers, which src/headless/workers.ts finds beside it. */
const WORKERS = {
  "page-worker": "src/node/web/page-worker.ts",
  "document-worker": "src/node/documents/document-worker.ts",
  "encoder-worker": "src/memory/embedding/encoder-worker.ts",
  "segment-worker": "src/memory/store/segment-worker.ts",
  "token-worker": "src/models/tokens/token-worker.ts",
  "watch-worker": "src/node/watch/watch-worker.ts",
  "plugin-runner": "src/plugins/folders/runner.ts",
  "code-worker": "src/runtime/code-search/index-worker.ts",
  "copy-worker": "src/isolation/copy/copy-worker.ts",
};

/** Programs that are loaded from beside the program. */
const PROGRAMS = [
  ...["web-tree-sitter", "tree-sitter-bash", "tree-sitter-powershell"].map(
    (name) => `node_modules/${name}/${name}.wasm`,
  ),
  "src/plugins/python/classic_bridge.py",
  "media/embedding-table.bin",
];

/** Task files of the suite `edits`, which are read from beside the program. */
const EDIT_TASKS = "packages/evals/src/suites/edits/tasks";

/** What packages in CommonJS expect, which modules do not have. */
const COMMON_JS = [
  'import { createRequire as createRequireOfBundle } from "node:module";',
  "const require = createRequireOfBundle(import.meta.url);",
  "const __filename = import.meta.filename, __dirname = import.meta.dirname;",
].join("\n");

/** Bundles the programs into a folder; `external`: packages that are installed with them. */
export async function buildCommandLine(out, program, external = []) {
  fs.rmSync(inRoot(out), { recursive: true, force: true });
  /** @type {esbuild.BuildOptions} */
  const shared = {
    absWorkingDir: ROOT,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    minify: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    platform: "node",
    format: "esm",
    target: "node22",
    banner: { js: COMMON_JS },
    alias: {
      // It brings an Ajv of its own, which nothing of ours uses.
      "@modelcontextprotocol/client/_shims": inRoot("scripts/mcp-client-parts.mjs"),
      // Its other build brings a parser of its own; it is only ever given what was parsed.
      turndown: inRoot("node_modules/turndown/lib/turndown.browser.cjs.js"),
      // Its other build loads its own files while it runs, so that they can't be bundled.
      "jsonc-parser": inRoot("node_modules/jsonc-parser/lib/esm/main.js"),
    },
    plugins: [packedTokensPlugin, playwrightPlugin, validatorsPlugin, vectraPlugin],
  };
  await esbuild.build({ ...shared, entryPoints: program, external, splitting: true, chunkNames: "part-[hash]" });
  // Parts that the workers share with the program would cut it into three times as many files, and each takes a while to find.
  await esbuild.build({ ...shared, entryPoints: WORKERS });
  for (const source of PROGRAMS) fs.copyFileSync(inRoot(source), inRoot(out, path.basename(source)));
  for (const file of fs.readdirSync(inRoot(EDIT_TASKS)))
    fs.copyFileSync(inRoot(EDIT_TASKS, file), inRoot(out, `edits-${file}`));
  for (const name of Object.keys(program)) fs.chmodSync(inRoot(out, `${name}.mjs`), 0o755);
}
