import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { transformSync } from "esbuild";

/** Modules of Playwright that driving a Chromium over a pipe doesn't need. */
const ABSENT = new RegExp(
  `^packages/(${[
    "playwright-core/src/(tools|remote|cli)/.*",
    "playwright-core/src/(outofprocess|serverRegistry|androidServerImpl|browserServerImpl)\\.ts",
    "playwright-core/src/server/(android|bidi|electron|firefox|webkit|registry|recorder|trace/viewer)/.*",
    "playwright-core/src/server/(debugController|recorder|launchApp|harBackend|localUtils|socks\\w+)\\.ts",
    "playwright-core/src/server/(pipeTransport|transport)\\.ts",
    "playwright-core/src/server/chromium/crDevTools\\.ts",
    "playwright-core/src/server/dispatchers/(android|electron|debugController|localUtils|jsonPipe)\\w*\\.ts",
    "playwright-core/src/generated/pollingRecorderSource\\.ts",
    "playwright-core/src/client/(android|electron|harRouter|localUtils|connect)\\.ts",
    "isomorphic/(codegen/.*|trace/(?!traceUtils).*|deviceDescriptors.*|locatorParser\\.ts)",
    "utils/(comparators|httpServer|linuxUtils|hostPlatform|processLauncher|pipeTransport|socksProxy|stringWidth|wsServer|zipFile)\\.ts",
    "utils/(third_party|image_tools|webp)/.*",
  ].join("|")})$`,
);

const NAMES = {
  variables: /^var ([\w$]+(?:, [\w$]+)*);$/gm,
  starts: /^var (init_[\w$]+) = /gm,
  exports: /^var ([\w$]+) = \{\};$/gm,
  modules: /^var (require_[\w$]+) = /gm,
  functions: /^(?:async )?function\*? ([\w$]+)\(/gm,
};

const ABSENT_PART = `
function absentPart(name) {
  const fail = (member) => {
    throw new Error("This part of Playwright isn't in the bundle: " + name + (member ? ", " + member : "") + ".");
  };
  const get = (target, member) => (typeof member === "symbol" || member in target ? target[member] : fail(member));
  return new Proxy(class {}, { construct: () => fail(), apply: () => fail(), get });
}
`;

/** The places that name what is absent, each with what is there instead. */
const EDITS = [
  [
    `
      firefox: tChannel(["BrowserType"]),
      webkit: tChannel(["BrowserType"]),
      android: tChannel(["Android"]),
      electron: tChannel(["Electron"]),`,
    "",
  ],
  ['registry.findExecutable(this._name).executablePath() || ""', '""'],
  [
    `
        this.chromium = new Chromium(this, new BidiChromium(this));
        this.firefox = new Firefox(this, new BidiFirefox(this));
        this.webkit = new WebKit(this);
        this.electron = new Electron(this);
        this.android = new Android(this, new AdbBackend());
        this.debugController = new DebugController(this);`,
    "this.chromium = new Chromium(this);",
  ],
  [
    `
        const firefox = new BrowserTypeDispatcher(scope, playwright2.firefox, denyLaunch);
        const webkit = new BrowserTypeDispatcher(scope, playwright2.webkit, denyLaunch);
        const android = new AndroidDispatcher(scope, playwright2.android, denyLaunch);`,
    "",
  ],
  [
    `
          firefox,
          webkit,
          android,
          electron: new ElectronDispatcher(scope, playwright2.electron, denyLaunch),
          utils: playwright2.options.isServer ? void 0 : new LocalUtilsDispatcher(scope, playwright2),`,
    "",
  ],
  [
    `
        this.firefox = BrowserType2.from(initializer.firefox);
        this.firefox._playwright = this;
        this.webkit = BrowserType2.from(initializer.webkit);
        this.webkit._playwright = this;
        this._android = Android2.from(initializer.android);
        this._android._playwright = this;
        this._electron = Electron2.from(initializer.electron);
        this._electron._playwright = this;`,
    "",
  ],
  ["return [this.chromium, this.firefox, this.webkit];", "return [this.chromium];"],
  [
    `
  playwrightAPI.chromium._serverLauncher = new BrowserServerLauncherImpl("chromium");
  playwrightAPI.firefox._serverLauncher = new BrowserServerLauncherImpl("firefox");
  playwrightAPI.webkit._serverLauncher = new BrowserServerLauncherImpl("webkit");
  playwrightAPI._android._serverLauncher = new AndroidServerLauncherImpl();`,
    "",
  ],
  [
    `
    packageRoot = import_path8.default.join(__dirname, "..");
    packageJSON = require(import_path8.default.join(packageRoot, "package.json"));`,
    `packageRoot = ""; packageJSON = { version: "VERSION" };`,
  ],
];

/** The sections of the bundle, each with the name of its module. Scripts for pages are texts within a section. */
function splitModules(source) {
  const [head, ...rest] = source.split(/^\/\/ (packages\/(?!injected\/|isomorphic\/istanbul)\S+|node_modules\/\S+)$/m);
  const sections = [];
  for (let index = 0; index < rest.length; index += 2) sections.push({ name: rest[index], body: rest[index + 1] });
  return { head, sections };
}

/** One module with nothing but its names. */
function stubModule({ name, body }) {
  // A script for pages would add its own names.
  const code = name.includes("/generated/") ? body.split("`")[0] : body;
  const find = (pattern) => [...code.matchAll(pattern)].map(([, found]) => found);
  const absent = `absentPart(${JSON.stringify(name)})`;
  return [
    ...find(NAMES.starts).map((one) => `var ${one} = () => {};`),
    ...find(NAMES.exports).map((one) => `var ${one} = {};`),
    ...find(NAMES.modules).map((one) => `var ${one} = () => ({});`),
    ...find(NAMES.variables).flatMap((list) =>
      list.split(", ").map((one) => `var ${one} = /* @__PURE__ */ ${absent};`),
    ),
    ...find(NAMES.functions).map((one) => `function ${one}() { ${absent}(); }`),
    "",
  ].join("\n");
}

/** A script that runs in pages is a text in the bundle: it's minified, too. */
function minifyScripts(body) {
  return body.replace(/^( {4}source\d* = )('.*');$/gm, (_all, start, quoted) => {
    const script = new Function(`return ${quoted}`)();
    return `${start}${JSON.stringify(transformSync(script, { minify: true, format: undefined }).code)};`;
  });
}

/** Playwright's bundle as a module whose unused parts a bundler can leave out. */
export function trimPlaywright(source, version) {
  const { head, sections } = splitModules(source);
  let code =
    head +
    sections
      .map(
        (section) =>
          `// ${section.name}\n${ABSENT.test(section.name) ? stubModule(section) : minifyScripts(section.body)}`,
      )
      .join("\n");
  for (const [from, to] of EDITS) {
    if (code.split(from).length !== 2) throw new Error(`Playwright's bundle reads otherwise: ${from.trim()}`);
    code = code.replace(from, () => to.replace("VERSION", version));
  }
  return `${code
    .replaceAll(/ = (__esm|__commonJS)\(\{$/gm, " = /* @__PURE__ */ $1({")
    .replaceAll(/^var ([\w$]+) = \{\};\n__export\(\1, \{$/gm, "var $1 = /* @__PURE__ */ exportAll({")
    .replaceAll(/^module\.exports = .*$/gm, "")
    .replaceAll(/^init_coreBundle\(\);$/gm, "")
    .replace(/^0 && \(module\.exports = \{[^}]*\}\);$/m, "")}
${ABSENT_PART}
function exportAll(all) { const target = {}; __export(target, all); return target; }
init_inprocess();
export const chromium = playwright.chromium;
export const errors = playwright.errors;
`;
}

/** esbuild plugin: bundles the part of Playwright that drives a Chromium over a connection. */
export const playwrightPlugin = {
  name: "playwright-chromium-only",
  setup({ onResolve, onLoad }) {
    const lib = path.join(path.dirname(createRequire(import.meta.url).resolve("playwright-core")), "lib");
    onResolve({ filter: /^playwright-core$/ }, () => ({ path: path.join(lib, "coreBundle.js") }));
    onResolve({ filter: /^\.\/utilsBundle$/ }, ({ importer }) =>
      importer.startsWith(lib) ? { path: path.join(import.meta.dirname, "playwright-parts.mjs") } : undefined,
    );
    onLoad({ filter: /[\\/]playwright-core[\\/]lib[\\/]coreBundle\.js$/ }, ({ path: file }) => {
      const { version } = JSON.parse(fs.readFileSync(path.join(lib, "../package.json"), "utf8"));
      return { contents: trimPlaywright(fs.readFileSync(file, "utf8"), version), loader: "js" };
    });
  },
};
