const MACHINE = /^node:/;
const ANY = /./;

/**
 * What the files of each folder of `src` may import: other folders, and packages. Everything that isn't listed is
 * refused, so a new folder needs a row.
 */
const LAYERS = {
  texts: { folders: [], packages: [] },
  schema: { folders: [], packages: [/^typebox/, /^ajv/] },
  core: { folders: ["schema", "texts"], packages: [/^ajv$/, /^jsonrepair$/] },
  commands: { folders: ["core", "schema", "texts"], packages: [/^(diff|jsonc-parser|yaml)$/] },
  safety: { folders: ["core", "schema", "texts"], packages: [/^web-tree-sitter$/, /^node:v8$/] },
  models: {
    folders: ["core", "schema", "texts"],
    packages: [/^@anthropic-ai\/sdk/, /^openai/, /^tiktoken/, MACHINE],
  },
  memory: {
    folders: ["core", "schema", "texts", "plain-file.ts", "sha256.ts"],
    packages: [/vectra/, /^(@redis\/client|pg|protobufjs)$/, MACHINE],
  },
  runs: {
    folders: ["core", "schema", "texts", "plain-file.ts", "sha256.ts"],
    packages: [/^ajv$/, /^diff$/, /^yaml$/, MACHINE],
  },
  node: {
    folders: ["core", "schema", "texts", "plain-file.ts", "sha256.ts"],
    packages: [
      /^(@mozilla\/readability|chardet|fflate|iconv-lite|ignore|linkedom|jsonc-parser|mammoth|saxes|tap-parser|turndown|unpdf)$/,
      MACHINE,
    ],
  },
  isolation: {
    folders: ["core", "schema", "texts", "safety", "node", "runs", "plain-file.ts", "sha256.ts"],
    packages: [/^(ignore|node-diff3)$/, MACHINE],
  },
  plugins: {
    folders: ["core", "schema", "texts", "node", "safety", "plain-file.ts", "sha256.ts"],
    packages: [
      /^@modelcontextprotocol\/client$/,
      /^(fflate|htmlparser2|imapflow|jsonc-parser|nodemailer|postal-mime|yaml)(\/|$)/,
      MACHINE,
    ],
  },
  runtime: {
    folders: [
      "core",
      "plugins",
      "texts",
      "schema",
      "commands",
      "safety",
      "models",
      "memory",
      "runs",
      "node",
      "isolation",
      "plain-file.ts",
      "sha256.ts",
    ],
    packages: [/^yaml$/, MACHINE],
  },
  panel: {
    folders: ["core", "schema", "runs", "runtime", "isolation", "texts", "sha256.ts"],
    packages: [MACHINE],
  },
  review: {
    folders: ["core", "schema", "safety", "runs", "runtime", "isolation", "texts"],
    packages: [/^diff$/, MACHINE],
  },
  chat: {
    folders: ["core", "schema", "panel", "review", "texts"],
    packages: [],
  },
  evals: {
    except: ["webview", "vscode", "panel", "review", "chat"],
    packages: [/^(diff|fflate|jsonc-parser|playwright-core|yaml)$/, MACHINE],
  },
  webview: { folders: ["core", "schema", "texts"], packages: [/^lit/, /^marked$/, /^@speed-highlight\//] },
  vscode: { except: ["webview", "headless", "evals"], packages: [ANY] },
  headless: { except: ["webview", "vscode", "panel", "chat"], packages: [ANY] },
  "plain-file.ts": { folders: [], packages: [MACHINE] },
  "sha256.ts": { folders: [], packages: [MACHINE] },
  "extension.ts": { folders: ["schema", "vscode", "texts"], packages: [/^vscode$/, MACHINE] },
  "headless.ts": { folders: ["headless", "core", "node", "texts"], packages: [MACHINE] },
};

/** The imports that no row allows, as sentences. `sources` is the result of `readSources`. */
export function forbiddenImports(sources) {
  return [...sources].flatMap(([file, { imports, packages }]) => {
    const layer = LAYERS[layerOf(file)];
    if (!layer) return [`${file}: its folder has no row in scripts/setup/layers.mjs`];
    const folders = imports.filter((target) => target.startsWith("src/") && !mayImport(layer, file, target));
    const foreign = packages.filter((name) => !layer.packages.some((allowed) => allowed.test(name)));
    return [...folders, ...foreign].map((target) => `${file} imports ${target}`);
  });
}

function mayImport({ folders, except }, file, target) {
  const to = layerOf(target);
  return to === layerOf(file) || (folders ? folders.includes(to) : !except.includes(to));
}

/** The folder or file right below `src`. */
function layerOf(name) {
  return name.split("/")[1];
}
