import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { HOSTS, type TestHost } from "./hosts.ts";

const HERE = import.meta.dirname;

/** The test files that belong to a host, sorted. */
export function testsOf(host: TestHost): readonly string[] {
  const others = HOSTS.filter((other) => other.folder !== host.folder && other.folder !== ".");
  return fs
    .globSync("**/*.test.ts", { cwd: path.join(HERE, host.folder) })
    .map((file) => path.join(HERE, host.folder, file))
    .filter((file) => !others.some((other) => file.startsWith(path.join(HERE, other.folder) + path.sep)))
    .sort();
}

/** Makes one module of a host's tests, with the `run()` that VS Code calls, and returns where it is. */
export async function bundleTests(host: TestHost): Promise<string> {
  const name = host.folder === "." ? "main" : host.folder;
  const outfile = path.join(HERE, ".bundle", `${name}.tests.cjs`);
  const loads = testsOf(host).map((file) => `require(${JSON.stringify(file)});`);
  await build({
    stdin: {
      contents: `import { runTests } from "./index.ts";\nexport const run = () => runTests(() => {\n${loads.join("\n")}\n});`,
      resolveDir: HERE,
      loader: "ts",
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    sourcemap: true,
    external: ["vscode", "mocha"],
    plugins: [ownPlaces],
    logLevel: "warning",
  });
  return writeEntry(path.join(HERE, ".bundle", `${name}.cjs`), outfile);
}

/** Node reads the source map of a module only when it was told to before it loads the module. */
function writeEntry(entry: string, tests: string): string {
  const load = `require(${JSON.stringify(`./${path.basename(tests)}`)})`;
  fs.writeFileSync(entry, `process.setSourceMapsEnabled(true);\nexports.run = () => ${load}.run();\n`);
  return entry;
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
