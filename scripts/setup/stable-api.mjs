import fs from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { inRoot, ROOT } from "./root.mjs";
import { readSources } from "./source-graph.mjs";

/** Members that the oldest supported VS Code lacks, by the proposal that has them; `stable` are those of later releases. */
export const API_TABLE = "scripts/vscode-api.json";

/**
 * Names in the bundle that proposed members have, too. Each is a field of our own or of a library's data, never of an object of VS Code,
 * which the compiler checks.
 */
const OTHER_FIELDS = new Map([
  ["clientId", "how we sign in to an MCP server"],
  ["displayName", "an extension's manifest"],
  ["hasError", "a node of a parsed command line"],
  ["isBuiltin", "an extension's manifest"],
  ["isError", "a node of a parsed command line, or a result of an MCP server"],
  ["mimeType", "a result of an MCP server"],
  ["permissionDecision", "an answer of a command hook"],
  ["permissionDecisionReason", "an answer of a command hook"],
  ["promptTokens", "the size of a prompt"],
  ["readOnly", "why a run can only be read"],
  ["requestId", "a message of the browser's protocol"],
  ["stopReason", "an answer of a command hook"],
  ["systemMessage", "an answer of a command hook"],
  ["updatedInput", "an answer of a command hook"],
]);

/** Members of later releases that are used only where they are, so that an older VS Code goes without. */
const WHERE_THERE = new Set(["LanguageModelDataPart"]);

const DECLARATIONS = [
  "TSPropertySignature",
  "TSMethodSignature",
  "PropertyDefinition",
  "MethodDefinition",
  "TSEnumMember",
  "TSDeclareFunction",
  "VariableDeclarator",
  "ClassDeclaration",
  "TSEnumDeclaration",
];

/** The names that a declaration file of VS Code's API gives to values and members. */
export function declaredNames(text) {
  const names = new Set();
  const add = ({ key, id }) => {
    const name = (key ?? id)?.name;
    if (name) names.add(name);
  };
  new Visitor(Object.fromEntries(DECLARATIONS.map((type) => [type, add]))).visit(
    parseSync("vscode.d.ts", text).program,
  );
  return names;
}

/** True for names of several words. Single words, such as `selection`, are fields of too many other things. */
export function isDistinctive(name) {
  return /[a-z\d][A-Z]|[a-z]\d/.test(name);
}

/** The members that a part of the bundle, or a source, names and `known` doesn't have, each with its proposal. */
export function newerMembers(code, table, known, file = "bundle.cjs") {
  const proposals = new Map(
    Object.entries(table).flatMap(([proposal, names]) => names.split(" ").map((name) => [name, proposal])),
  );
  const found = new Map();
  const note = (name) => {
    const proposal = proposals.get(name);
    if (proposal === "stable" && WHERE_THERE.has(name)) return;
    if (proposal && !known.has(name) && !OTHER_FIELDS.has(name)) found.set(name, proposal);
  };
  new Visitor({
    MemberExpression: ({ computed, property }) => note(computed ? property.value : property.name),
    Property: ({ computed, key }) => note(computed ? key.value : (key.name ?? key.value)),
    BinaryExpression: ({ operator, left }) => operator === "in" && note(left.value),
  }).visit(parseSync(file, code).program);
  return found;
}

/**
 * What is wrong with the use of VS Code's API, a sentence each. The hosts of the tests let proposed members through, so only this and the
 * compiler notice them.
 */
export function apiTroubles() {
  const manifest = readJson("package.json");
  const { version, known } = typesOfApi();
  const bundled = fs.globSync("dist/*.cjs", { cwd: inRoot() }).map((file) => [file, read(file)]);
  const loading = bundled.filter(([, code]) => /require\(["']vscode["']\)/.test(code));
  return [...versionTroubles(manifest, version), ...loading.flatMap(([file, code]) => troublesOf(file, code, known))];
}

/** The same for the sources of the bundles that load VS Code's API, without those of libraries. */
export function sourceTroubles() {
  const sources = readSources(ROOT);
  const { known } = typesOfApi();
  const found = new Set(["src/extension.ts", "src/vscode/host/engine.ts"]);
  for (const file of found) for (const next of sources.get(file)?.loads ?? []) found.add(next);
  return [...found].filter((file) => sources.has(file)).flatMap((file) => troublesOf(file, read(file), known));
}

function troublesOf(file, code, known) {
  const { version } = readJson("node_modules/@types/vscode/package.json");
  const or = "or list it in OTHER_FIELDS of scripts/setup/stable-api.mjs if it isn't VS Code's.";
  return [...newerMembers(code, readJson(API_TABLE), known, file)].map(([name, proposal]) =>
    proposal === "stable"
      ? `${file} names ${name}, which VS Code ${version} doesn't have. Leave it out, raise engines.vscode and @types/vscode, ${or}`
      : `${file} names ${name} of the proposed API "${proposal}", which only works in tests. Leave it out, ${or}`,
  );
}

/** The version of the installed types, and the names that they declare. */
export function typesOfApi() {
  const { version } = readJson("node_modules/@types/vscode/package.json");
  const text = fs.readFileSync(inRoot("node_modules/@types/vscode/index.d.ts"), "utf8");
  return { version, known: declaredNames(text) };
}

/** The types are those of the oldest VS Code that the extension is for, and no proposal is asked for. */
export function versionTroubles({ engines, enabledApiProposals }, types) {
  const [, oldest] = /^\^(\d+\.\d+)\.0$/.exec(engines.vscode) ?? [];
  return [
    ...(oldest && types.startsWith(`${oldest}.`)
      ? []
      : [`The types of VS Code are those of ${types}, but engines.vscode is ${engines.vscode}. Make them fit.`]),
    ...(enabledApiProposals
      ? ["package.json has enabledApiProposals, with which no one can install it. Remove it."]
      : []),
  ];
}

function read(file) {
  return fs.readFileSync(inRoot(file), "utf8");
}

function readJson(file) {
  return JSON.parse(read(file));
}
