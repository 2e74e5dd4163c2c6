import { join } from "node:path";
import { parse } from "jsonc-parser";
import { isObject, mapTexts } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { McpServerValues } from "../../schema/mcp-values.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";

/** A file in which another program keeps its MCP servers. */
export interface ServersFile {
  readonly path: string;
  readonly text: string;
  /** The workspace folder of the file; absent for the user's own files. */
  readonly folder?: string;
}

/** A server in such a file, as an entry of AutoGPT's setting. */
export interface ImportedServer {
  /** Its name, converted to one that AutoGPT allows. */
  readonly id: string;
  /** The file that contains it. */
  readonly path: string;
  readonly values: McpServerValues;
  /** Secrets that the user has to enter again, including those in plain text. */
  readonly inputs: readonly string[];
  /** It was turned off in that program. */
  readonly isOff: boolean;
  /** Sentences about what is left out. */
  readonly remarks: readonly Sentence[];
  /** Why it can't be imported. */
  readonly problem?: Sentence;
}

/** Where other programs keep their servers. `extensions` is the folder in which the editor's extensions store their files. */
export function listServerFiles(
  folders: readonly string[],
  home: string,
  extensions?: string,
): readonly Omit<ServersFile, "text">[] {
  const inFolders = folders.flatMap((folder) =>
    [".vscode/mcp.json", ".mcp.json", ".cursor/mcp.json", ".roo/mcp.json"].map((name) => ({
      path: join(folder, name),
      folder,
    })),
  );
  const own = [".claude.json", ".cursor/mcp.json"].map((name) => ({ path: join(home, name) }));
  const stored = [
    "saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "rooveterinaryinc.roo-cline/settings/mcp_settings.json",
  ].map((name) => ({ path: join(extensions ?? "", name) }));
  return [...inFolders, ...own, ...(extensions === undefined ? [] : stored)];
}

/** The servers in any program's file; undefined if it contains none. Automatic approvals are never imported. */
export function parseImportedServers(file: ServersFile): readonly ImportedServer[] | undefined {
  const whole: unknown = parse(file.text, [], { allowTrailingComma: true });
  if (!isObject(whole)) return undefined;
  const named = whole.mcpServers ?? whole.servers;
  if (!isObject(named)) return undefined;
  const programs = collectProgramInputs(whole.inputs);
  return Object.entries(named).map(([name, entry]) => createImportedServer(name, entry, file, programs));
}

/** Inputs that are the output of an editor's command. */
function collectProgramInputs(inputs: unknown): ReadonlySet<string> {
  const rows = Array.isArray(inputs) ? inputs.filter(isObject) : [];
  return new Set(rows.filter(({ type }) => type === "command").map(({ id }) => String(id)));
}

/** Fields that define a server. */
const KNOWN: ReadonlySet<string> = new Set([
  "type",
  "transport",
  "transportType",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "url",
  "serverUrl",
  "headers",
  "oauth",
  "auth",
  "timeout",
  "disabled",
  "enabled",
]);
/** Fields with which other programs let tools run without asking. */
const APPROVALS: ReadonlySet<string> = new Set(["autoApprove", "alwaysAllow", "trust", "autoStart"]);
/** Fields that don't affect what runs. */
const WORDS: ReadonlySet<string> = new Set(["description", "gallery", "version", "name", "title", "iconPath"]);

function createImportedServer(
  name: string,
  entry: unknown,
  { path, folder }: ServersFile,
  programs: ReadonlySet<string>,
): ImportedServer {
  const id = convertToOwnName(name);
  const given = isObject(entry) ? flattenTransport(entry) : {};
  const { values: literal, unknown } = replacePlaceholders(convertValues(given, folder), folder);
  const values = replaceSecrets(id, literal);
  const inputs = listInputNames(values);
  const problem = checkImportedServer(id, values, {
    given,
    unknown,
    program: inputs.find((one) => programs.has(one)),
  });
  return {
    id,
    path,
    values,
    inputs,
    isOff: given.disabled === true || given.enabled === false,
    remarks: listRemarks(given, values, inputs),
    ...(problem ? { problem } : {}),
  };
}

/** Converts a name: AutoGPT's names are shorter, and contain no characters of paths or addresses. */
function convertToOwnName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._ -]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return plain.slice(0, 40).trimEnd() || "server";
}

/** Older versions of Cline put the server's connection into a separate field. */
function flattenTransport(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isObject(entry.transport) ? { ...entry, ...entry.transport } : entry;
}

function convertValues(given: Readonly<Record<string, unknown>>, folder: string | undefined): McpServerValues {
  const { command, url = given.serverUrl, envFile, cwd } = given;
  const oauth = convertOauth(given);
  if (typeof url === "string" && typeof command !== "string")
    return {
      url,
      ...omitEmpty("headers", collectTexts(given.headers)),
      ...omitUndefined({ oauth }),
      ...convertTimeout(given),
    };
  if (typeof command !== "string") return {};
  // The command means the same whichever folder a run works in later.
  const place = typeof cwd === "string" ? cwd : folder;
  return {
    command,
    ...(Array.isArray(given.args) ? { args: given.args.map(String) } : {}),
    ...omitEmpty("env", collectTexts(given.env)),
    ...(typeof envFile === "string" ? { envFile } : {}),
    ...omitUndefined({ cwd: place }),
    ...convertTimeout(given),
  };
}

function omitEmpty<Name extends string>(
  name: Name,
  texts: Readonly<Record<string, string>>,
): Partial<Record<Name, Readonly<Record<string, string>>>> {
  return Object.keys(texts).length === 0 ? {} : ({ [name]: texts } as Record<Name, typeof texts>);
}

function collectTexts(value: unknown): Readonly<Record<string, string>> {
  const rows = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    rows.flatMap(([name, one]) => (one === null || typeof one === "object" ? [] : [[name, String(one)]])),
  );
}

function convertOauth({ oauth, auth }: Readonly<Record<string, unknown>>): McpServerValues["oauth"] {
  const given = isObject(oauth) ? oauth : isObject(auth) ? auth : {};
  const clientId = given.clientId ?? given.CLIENT_ID;
  const scopes = given.scope ?? given.scopes;
  const scope = Array.isArray(scopes) ? scopes.map(String).join(" ") : scopes;
  const found = {
    ...(typeof clientId === "string" ? { clientId } : {}),
    ...(typeof scope === "string" ? { scope } : {}),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Seconds; implausibly large numbers are taken as milliseconds. */
function convertTimeout({ timeout }: Readonly<Record<string, unknown>>): Pick<McpServerValues, "timeoutSeconds"> {
  if (typeof timeout !== "number" || !(timeout > 0)) return {};
  const seconds = timeout > 3600 ? timeout / 1000 : timeout;
  return { timeoutSeconds: Math.min(600, Math.max(1, Math.round(seconds))) };
}

const PLACEHOLDER = /\$\{([^}]*)\}/g;
const VARIABLE = /^[A-Za-z_]\w*$/;

/**
 * Replaces placeholders with AutoGPT's. A workspace's folder is written out: the user's setting would fill in every other folder, too, and
 * run programs there.
 */
function replacePlaceholders(
  values: McpServerValues,
  folder: string | undefined,
): { readonly values: McpServerValues; readonly unknown?: string } {
  let unknown: string | undefined;
  const replaceInText = (value: string): string =>
    value.replace(PLACEHOLDER, (whole, name: string) => {
      if (name === "workspaceFolder" && folder !== undefined) return folder;
      if (/^(?:env|input):./.test(name) || name === "workspaceFolder" || name === "userHome") return whole;
      const [variable = ""] = name.split(":-");
      if (VARIABLE.test(variable) && variable === variable.toUpperCase()) return `\${env:${variable}}`;
      unknown ??= whole;
      return whole;
    });
  return { values: mapTexts(values, replaceInText), ...omitUndefined({ unknown }) };
}

/** The names of the secrets that an entry has placeholders for. */
export function listInputNames(values: McpServerValues): readonly string[] {
  const found = JSON.stringify(values).matchAll(/\$\{input:([^}]+)\}/g);
  return [...new Set([...found].map(([, name = ""]) => name))];
}

const SECRET = /key|token|secret|passw|pat$|credential|authorization|cookie/i;

/** Converts literal secrets in variables and headers to inputs, so that none is written to the settings. */
export function replaceSecrets(id: string, values: McpServerValues): McpServerValues {
  const replaceLiterals = (named: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(named).map(([name, value]) => {
        const isLiteral = SECRET.test(name) && value !== "" && !value.includes("${");
        return [name, isLiteral ? `\${input:${id}.${name}}` : value];
      }),
    );
  const { env, headers } = values;
  return {
    ...values,
    ...(env ? { env: replaceLiterals(env) } : {}),
    ...(headers ? { headers: replaceLiterals(headers) } : {}),
  };
}

interface Found {
  readonly given: Readonly<Record<string, unknown>>;
  readonly unknown: string | undefined;
  /** An input that a command of the other program supplies. */
  readonly program: string | undefined;
}

function checkImportedServer(
  name: string,
  { command, url }: McpServerValues,
  { given, unknown, program }: Found,
): Sentence | undefined {
  if (given.headersHelper !== undefined) return displayText("plugins.importField", { name, field: "headersHelper" });
  if (command === undefined && url === undefined) return displayText("plugins.importNothing", { name });
  if (url !== undefined && /^(?:unix|pipe):/i.test(url)) return displayText("plugins.importSocket", { name });
  if (unknown !== undefined) return displayText("plugins.importPlaceholder", { name, placeholder: unknown });
  if (program !== undefined)
    return displayText("plugins.importPlaceholder", { name, placeholder: `\${input:${program}}` });
  return undefined;
}

function listRemarks(
  given: Readonly<Record<string, unknown>>,
  values: McpServerValues,
  inputs: readonly string[],
): readonly Sentence[] {
  const fields = Object.keys(given);
  const others = fields.filter((name) => !KNOWN.has(name) && !APPROVALS.has(name) && !WORDS.has(name));
  const type = String(given.type ?? given.transportType ?? "");
  return [
    ...(fields.some((name) => APPROVALS.has(name)) ? [displayText("plugins.importApprovals")] : []),
    ...(others.length > 0 ? [displayText("plugins.importLeft", { fields: others.toSorted().join(", ") })] : []),
    ...(inputs.length > 0 ? [displayText("plugins.importInputs", { names: inputs.join(", ") })] : []),
    ...(values.url !== undefined && type === "sse" ? [displayText("plugins.importSse")] : []),
  ];
}
