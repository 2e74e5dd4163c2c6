const MACHINE = /^node:/;
const ANY = /./;
/** Code that these rules are about, and code that no package may reach. */
const OURS = /^(src|packages|scripts|test)\//;

/**
 * What the files of each folder of `src` and `packages` may import: other folders, and packages. Everything that isn't listed is
 * refused, so a new folder needs a row. A package in `packages` imports public modules of `src`, and only an entry imports it.
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
    packages: [/vectra/, /^(@pinecone-database\/pinecone|@redis\/client|pg)$/, MACHINE],
  },
  runs: {
    folders: ["core", "schema", "texts", "disk"],
    packages: [/^ajv$/, /^diff$/, /^yaml$/, /^@opentelemetry\//, MACHINE],
  },
  node: {
    folders: ["core", "schema", "texts", "walls", "disk"],
    packages: [
      /^(@mozilla\/readability|chardet|fflate|iconv-lite|ignore|linkedom|jsonc-parser|mammoth|playwright-core|saxes|tap-parser|turndown|unpdf)$/,
      MACHINE,
    ],
  },
  "code-host": {
    folders: ["commands", "core", "schema", "texts", "node", "disk"],
    packages: [/^(octokit|yaml)$/, MACHINE],
  },
  isolation: {
    folders: ["core", "schema", "texts", "walls", "safety", "node", "runs", "disk"],
    packages: [/^(ignore|node-diff3)$/, MACHINE],
  },
  plugins: {
    folders: ["core", "schema", "texts", "walls", "node", "safety", "disk"],
    packages: [/^@modelcontextprotocol\/client$/, /^(fflate|jsonc-parser)$/, MACHINE],
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
  webview: { folders: ["core", "schema", "texts"], packages: [/^lit/, /^marked$/, /^@speed-highlight\//] },
  vscode: { except: ["webview", "headless"], packages: [ANY] },
  fleet: {
    folders: ["core", "schema", "texts", "disk", "runs", "isolation", "node", "safety", "runtime"],
    packages: [/^@temporalio\/(client|common)/, MACHINE],
  },
  headless: { except: ["webview", "vscode", "editor/panel", "editor/chat"], packages: [ANY] },
  disk: { folders: [], packages: [MACHINE] },
  "extension.ts": { folders: ["schema", "vscode", "texts"], packages: [/^vscode$/, MACHINE] },
  "headless.ts": { folders: ["headless", "core", "node", "texts", "packages"], packages: [MACHINE] },
  "packages/evals": {
    folders: ["headless/library.ts"],
    packages: [/^(diff|fflate|playwright-core|yaml)$/, MACHINE],
  },
  "packages/mail": {
    folders: ["plugins/library.ts"],
    packages: [/^(htmlparser2|imapflow|nodemailer|postal-mime)(\/|$)/, MACHINE],
  },
  "packages/worker": { folders: ["headless/fleet/library.ts"], packages: [/^@temporalio\//, MACHINE] },
  "packages/openapi": { folders: ["plugins/library.ts"], packages: [/^yaml$/, MACHINE] },
};

/** The imports that no row allows, as sentences. `sources` is the result of `readSources`. */
export function forbiddenImports(sources) {
  return [...sources].flatMap(([file, { imports, packages }]) => {
    const layer = LAYERS[layerOf(file)];
    if (!layer) return [`${file}: its folder has no row in scripts/setup/layers.mjs`];
    const folders = imports.filter((target) => OURS.test(target) && !mayImport(layer, file, target));
    const foreign = packages.filter((name) => !layer.packages.some((allowed) => allowed.test(name)));
    return [...folders, ...foreign].map((target) => `${file} imports ${target}`);
  });
}

function mayImport({ folders, except }, file, target) {
  const to = layerOf(target);
  if (to === layerOf(file)) return true;
  if (!folders) return target.startsWith("src/") && !except.includes(to);
  return folders.some((folder) => `${target}/`.replace(/^src\//, "").startsWith(`${folder}/`));
}

/** The folder or file right below `src`, or the folder below that if it has a row of its own; otherwise the package. */
function layerOf(name) {
  const [top, room, folder] = name.split("/");
  if (top !== "src") return `${top}/${room}`;
  return Object.hasOwn(LAYERS, `${room}/${folder}`) ? `${room}/${folder}` : room;
}
