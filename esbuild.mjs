// Bundles the extension into dist/. --production: minified, without source maps. --watch: again at every change.
import fs from "node:fs";
import * as esbuild from "esbuild";

/** What the extension host loads. esbuild splits only ESM, so each part that is loaded late is an entry of its own. */
const HOST_ENTRIES = {
  extension: "src/extension.ts",
};

/** What the panel loads. */
const PANEL_ENTRIES = {
  panel: "src/webview/main.ts",
};

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

/** @type {esbuild.BuildOptions} */
const shared = {
  bundle: true,
  outdir: "dist",
  charset: "utf8",
  minify: production,
  sourcemap: !production,
  legalComments: "none",
  metafile: !production,
  logLevel: "warning",
  absWorkingDir: import.meta.dirname,
};

const builds = [
  {
    ...shared,
    entryPoints: HOST_ENTRIES,
    outExtension: { ".js": ".cjs" },
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode"],
  },
  { ...shared, entryPoints: PANEL_ENTRIES, platform: "browser", format: "iife", target: "es2022" },
].map((build) => ({ ...build, entryPoints: thatExist(build.entryPoints) }));

function thatExist(entries) {
  return Object.fromEntries(Object.entries(entries).filter(([, source]) => fs.existsSync(source)));
}

function writeMetafiles(results) {
  if (production) return;
  const metafiles = results.map(({ metafile }) => metafile);
  const merged = {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  };
  fs.writeFileSync("dist/meta.json", JSON.stringify(merged));
}

process.chdir(import.meta.dirname);
if (watch) {
  const contexts = await Promise.all(builds.map((build) => esbuild.context({ ...build, logLevel: "info" })));
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  fs.rmSync("dist", { recursive: true, force: true });
  writeMetafiles(await Promise.all(builds.map((build) => esbuild.build(build))));
}
