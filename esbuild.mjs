// Bundles the extension into dist/. --production: minified, without source maps. --watch: again at every change.
import fs from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";
import { packedTokensPlugin } from "./scripts/packed-tokens-plugin.mjs";
import { playwrightPlugin } from "./scripts/playwright-plugin.mjs";
import { sharedTextsPlugin, TEXTS_ENTRY } from "./scripts/shared-texts-plugin.mjs";
import { validatorsPlugin } from "./scripts/validators-plugin.mjs";
import { vectraPlugin } from "./scripts/vectra-plugin.mjs";

/**
 * What the extension host loads, by name: `dist/<name>.cjs`. esbuild splits only ESM, so each part that is loaded late
 * is an entry of its own, and our sources load it by `require("./<name>.cjs")`.
 */
const HOST_ENTRIES = {
  extension: "src/extension.ts",
  engine: "src/vscode/host/engine.ts",
  "old-node": "src/vscode/host/old-node.ts",
  "page-worker": "src/node/web/page-worker.ts",
  "document-worker": "src/node/documents/document-worker.ts",
  memory: "src/memory/open-memory.ts",
  ...TEXTS_ENTRY,
  email: "packages/mail/src/email-plugin.ts",
  openapi: "packages/openapi/src/openapi-plugin.ts",
  mcp: "src/plugins/mcp/sdk-client.ts",
  otel: "src/runs/traces/otel-sdk.ts",
  octokit: "src/code-host/octokit-client.ts",
  "encoder-worker": "src/memory/embedding/encoder-worker.ts",
  "segment-worker": "src/memory/store/segment-worker.ts",
  "token-worker": "src/models/tokens/token-worker.ts",
  "watch-worker": "src/node/watch/watch-worker.ts",
  "code-worker": "src/runtime/code-search/index-worker.ts",
  "copy-worker": "src/isolation/copy/copy-worker.ts",
  "fleet-client": "src/fleet/client/client-program.ts",
};

/** Packages that few runs need, or that can wait: what a dynamic import of one of them loads, as a part of its own. */
const LATE_PACKAGES = [
  "@anthropic-ai/sdk",
  "@anthropic-ai/sdk/lib/transform-json-schema",
  "@pinecone-database/pinecone",
  "@redis/client",
  "chardet",
  "fflate",
  "iconv-lite",
  "openai",
  "pg",
  "playwright-core",
  "protobufjs",
  "saxes",
  "tap-parser",
  "web-tree-sitter",
];

const MAIL_PACKAGES = /[\\/]node_modules[\\/](?:imapflow|libmime)[\\/]/;

/** Programs that run in a process of their own, with nothing of ours beside them: `dist/<name>.mjs`. */
const PROCESS_ENTRIES = {
  "plugin-runner": "src/plugins/folders/runner.ts",
};

/** What the panel loads: `dist/<name>.js`, with the styles it imports in `dist/<name>.css`. */
const PANEL_ENTRIES = {
  panel: "src/webview/app/main.ts",
};

/** Programs that are loaded from dist/: what reads command lines, and what runs classic plugins. */
const PROGRAMS = [
  ...["web-tree-sitter", "tree-sitter-bash", "tree-sitter-powershell"].map(
    (name) => `node_modules/${name}/${name}.wasm`,
  ),
  "src/plugins/python/classic_bridge.py",
];

const ROOT = import.meta.dirname;
const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

/** Leaves our own `require("./<name>.cjs")` as it is, and knows the names; the late packages become such, too. */
const lateParts = {
  name: "late-parts",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/[\w-]+\.cjs$/ }, ({ path: request, importer }) => {
      if (!importer.startsWith(path.join(ROOT, "src"))) return undefined;
      const name = path.basename(request, ".cjs");
      if (Object.hasOwn(HOST_ENTRIES, name)) return { path: request, external: true };
      return { errors: [{ text: `There is no entry "${name}". Add it to HOST_ENTRIES in esbuild.mjs.` }] };
    });
    onResolve({ filter: new RegExp(`^(${LATE_PACKAGES.join("|")})$`) }, ({ path: name, kind }) =>
      kind === "dynamic-import" ? { path: `./${partName(name)}.cjs`, external: true } : undefined,
    );
    // The packages that read mail require it as well, and its tables are large: they share the part.
    onResolve({ filter: /^iconv-lite$/ }, ({ path: name, importer }) =>
      MAIL_PACKAGES.test(importer) ? { path: `./${partName(name)}.cjs`, external: true } : undefined,
    );
  },
};

/** @type {esbuild.BuildOptions} */
const shared = {
  absWorkingDir: ROOT,
  bundle: true,
  outdir: "dist",
  charset: "utf8",
  legalComments: "none",
  logLevel: watch ? "info" : "warning",
  minify: production,
  sourcemap: !production,
};

const builds = [
  {
    ...shared,
    entryPoints: {
      ...existing(HOST_ENTRIES),
      ...Object.fromEntries(LATE_PACKAGES.map((name) => [partName(name), name])),
    },
    outExtension: { ".js": ".cjs" },
    platform: "node",
    format: "cjs",
    target: "node22",
    // The client of Temporal's servers loads descriptions of protocols only to be inspected itself.
    external: ["vscode", "@grpc/proto-loader"],
    // What is loaded late is required: the parts are CommonJS.
    supported: { "dynamic-import": false },
    // Its other build asks where its module is, which a bundle of this format cannot say.
    alias: {
      "web-tree-sitter": path.join(ROOT, "node_modules/web-tree-sitter/web-tree-sitter.cjs"),
      // Its other build hides what it requires from a bundler.
      "jsonc-parser": path.join(ROOT, "node_modules/jsonc-parser/lib/esm/main.js"),
      // It brings an Ajv of its own, which nothing of ours uses.
      "@modelcontextprotocol/client/_shims": path.join(ROOT, "scripts/mcp-client-parts.mjs"),
      // Its other build brings a parser of its own; it is only ever given what was parsed.
      turndown: path.join(ROOT, "node_modules/turndown/lib/turndown.browser.cjs.js"),
    },
    plugins: [lateParts, packedTokensPlugin, playwrightPlugin, sharedTextsPlugin, validatorsPlugin, vectraPlugin],
  },
  {
    ...shared,
    entryPoints: existing(PROCESS_ENTRIES),
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
    target: "node22",
  },
  {
    ...shared,
    entryPoints: existing(PANEL_ENTRIES),
    platform: "browser",
    format: "iife",
    target: "es2022",
    plugins: [validatorsPlugin],
  },
];

/** The file of a package that is loaded late, in `dist` itself. */
function partName(name) {
  return name.replace(/^@/, "").replaceAll("/", "-");
}

function existing(entries) {
  return Object.fromEntries(Object.entries(entries).filter(([, source]) => fs.existsSync(path.join(ROOT, source))));
}

/** Copies the programs into dist/ and returns where they are now. */
function copyPrograms() {
  return PROGRAMS.map((source) => {
    const target = `dist/${path.basename(source)}`;
    fs.copyFileSync(path.join(ROOT, source), path.join(ROOT, target));
    return target;
  });
}

function writeMetafile(results) {
  const inputs = Object.assign({}, ...results.map(({ metafile }) => metafile.inputs));
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs));
  fs.writeFileSync(path.join(ROOT, "dist/meta.json"), JSON.stringify({ inputs, outputs }));
}

/** Replaces what is in dist/ file by file, so that a VS Code that runs from it never finds it empty. */
async function buildOnce() {
  const results = await Promise.all(builds.map((build) => esbuild.build({ ...build, metafile: true })));
  if (!production) writeMetafile(results);
  const outputs = [...results.flatMap(({ metafile }) => Object.keys(metafile.outputs)), ...copyPrograms()];
  const written = new Set(production ? outputs : [...outputs, "dist/meta.json"]);
  for (const file of fs.globSync("dist/**/*", { cwd: ROOT }).map((found) => found.replaceAll("\\", "/"))) {
    if (!written.has(file)) fs.rmSync(path.join(ROOT, file), { recursive: true });
  }
}

async function watchSources() {
  const contexts = await Promise.all(builds.map((build) => esbuild.context(build)));
  await Promise.all(contexts.map((context) => context.watch()));
  fs.mkdirSync(path.join(ROOT, "dist"), { recursive: true });
  copyPrograms();
}

try {
  await (watch ? watchSources() : buildOnce());
} catch {
  // esbuild has printed what is wrong, and where.
  process.exitCode = 1;
}
