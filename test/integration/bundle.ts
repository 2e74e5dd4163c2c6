import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const FOLDER = path.join(import.meta.dirname, ".bundle");

/** Test files as one module. */
export interface TestBundle {
  /** The module with the `run()` that VS Code calls. */
  readonly entry: string;
  remove(): void;
}

/** Makes one module of test files, under a name that nobody else uses at the time. */
export async function bundleTests(name: string, files: readonly string[]): Promise<TestBundle> {
  const entry = path.join(FOLDER, `${name}.cjs`);
  const tests = path.join(FOLDER, `${name}.tests.cjs`);
  const loads = files.map((file) => `require(${JSON.stringify(file)});`).join("\n");
  await build({
    stdin: {
      contents: `import { runTests } from "./index.ts";\nexport const run = () => runTests(() => {\n${loads}\n});`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    outfile: tests,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    sourcemap: true,
    external: ["vscode", "mocha"],
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    plugins: [ownPlaces],
    logLevel: "warning",
  });
  writeEntry(entry, tests);
  const remove = () => [entry, tests, `${tests}.map`].forEach((file) => void fs.rmSync(file, { force: true }));
  return { entry, remove };
}

/** Node reads the source map of a module only when it was told to before it loads the module. */
function writeEntry(entry: string, tests: string): void {
  const load = `require(${JSON.stringify(`./${path.basename(tests)}`)})`;
  fs.writeFileSync(entry, `process.setSourceMapsEnabled(true);\nexports.run = () => ${load}.run();\n`);
}

/** Lets `import.meta` in a bundled test mean its source file, as it does in plain Node. */
const ownPlaces: Plugin = {
  name: "own-places",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]test[\\/].*\.ts$/ }, async ({ path: file }) => {
      const source = await fs.promises.readFile(file, "utf8");
      const contents = source
        .replaceAll("import.meta.dirname", JSON.stringify(path.dirname(file)))
        .replaceAll("import.meta.filename", JSON.stringify(file))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(file).href));
      return { contents, loader: "ts" };
    });
  },
};
