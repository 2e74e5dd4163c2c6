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
  walls: { folders: ["safety/paths"], packages: [] },
  safety: { folders: ["core", "schema", "texts"], packages: [/^web-tree-sitter$/, /^node:v8$/] },
  models: {
    folders: ["core", "disk", "schema", "texts"],
    packages: [/^@anthropic-ai\/sdk/, /^openai/, /^tiktoken/, MACHINE],
  },
  memory: {
    folders: ["core", "schema", "texts", "disk"],
    packages: [/vectra/, /^(@redis\/client|pg|protobufjs)$/, MACHINE],
  },
  runs: {
    folders: ["core", "schema", "texts", "disk"],
    packages: [/^ajv$/, /^diff$/, /^yaml$/, MACHINE],
  },
  node: {
    folders: ["core", "schema", "texts", "walls", "disk"],
    packages: [
      /^(@mozilla\/readability|chardet|fflate|iconv-lite|ignore|linkedom|jsonc-parser|mammoth|saxes|tap-parser|turndown|unpdf)$/,
      MACHINE,
    ],
  },
  isolation: {
    folders: ["core", "schema", "texts", "walls", "safety", "node", "runs", "disk"],
    packages: [/^(ignore|node-diff3)$/, MACHINE],
  },
  plugins: {
    folders: ["core", "schema", "texts", "walls", "node", "safety", "disk"],
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
      "disk",
    ],
    packages: [/^yaml$/, MACHINE],
  },
  "editor/panel": {
    folders: ["core", "schema", "runs", "runtime", "isolation", "texts", "disk"],
    packages: [MACHINE],
  },
  "editor/review": {
    folders: ["core", "schema", "safety", "runs", "runtime", "isolation", "texts"],
    packages: [/^diff$/, MACHINE],
  },
  "editor/chat": {
    folders: ["core", "schema", "editor/panel", "editor/review", "texts"],
    packages: [],
  },
  evals: {
    except: ["webview", "vscode", "editor/panel", "editor/review", "editor/chat"],
    packages: [/^(diff|fflate|jsonc-parser|playwright-core|yaml)$/, MACHINE],
  },
  webview: { folders: ["core", "schema", "texts"], packages: [/^lit/, /^marked$/, /^@speed-highlight\//] },
  vscode: { except: ["webview", "headless", "evals"], packages: [ANY] },
  headless: { except: ["webview", "vscode", "editor/panel", "editor/chat"], packages: [ANY] },
  disk: { folders: [], packages: [MACHINE] },
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
  if (to === layerOf(file)) return true;
  return folders ? folders.some((folder) => `${target}/`.startsWith(`src/${folder}/`)) : !except.includes(to);
}

/** The folder or file right below `src`, or the folder below that if it has a row of its own. */
function layerOf(name) {
  const [, room, folder] = name.split("/");
  return Object.hasOwn(LAYERS, `${room}/${folder}`) ? `${room}/${folder}` : room;
}
