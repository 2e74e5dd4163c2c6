import { join } from "node:path";
import { getErrorMessage } from "../core/base/errors.ts";
import { omitUndefined } from "../core/base/objects.ts";
import { findNearestName } from "../core/base/text.ts";
import type { Profile } from "../core/prompt/profile.ts";
import { hasCode } from "../disk/error-codes.ts";
import { readLinkedText } from "../disk/plain-file.ts";
import { readClassicFiles } from "../runs/profiles/classic-files.ts";
import { convertClassicSettings } from "../runtime/services/classic-settings.ts";
import {
  explainInvalidSetting,
  isSettingName,
  mergeSettings,
  parseSettingText,
  SETTING_NAMES,
  type SettingsLayer,
} from "../schema/read-settings.ts";
import { SETTINGS, type SettingName, type SettingRow, type Settings } from "../schema/settings.ts";
import {
  describeWithheldSettings,
  type GivenSettings,
  mayBeShipped,
  omitAddresses,
  selectHarmlessSettings,
} from "./env-file.ts";
import { collectServiceKeys, type ServiceKey, splitKeysByOrigin } from "./service-keys.ts";
import { UsageError } from "./usage-error.ts";

/** Limit on a file of settings. */
export const MOST_SETTINGS_BYTES = 4_000_000;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Sources of a start's settings, in addition to the workspace. */
export interface SettingSources {
  readonly env: Environment;
  /** Absolute path of `--settings`. */
  readonly file?: string;
  /** Absolute path of `--env-file`. */
  readonly envFile?: string;
  /** `--set NAME=VALUE`. */
  readonly set: readonly string[];
  /** Settings that other flags set. */
  readonly flags: Readonly<Partial<Record<SettingName, unknown>>>;
}

/** The settings of a start. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** Settings from this start itself: flags, `--set` or `--settings`. */
  readonly given: GivenSettings;
  /** Keys of `--env-file`, each for the address where the file uses it, and those of the environment. */
  readonly keys: readonly ServiceKey[];
  /** The profile next to `--env-file`. */
  readonly profile?: Profile;
  /** Sentences about settings that are ignored. */
  readonly remarks: readonly string[];
  /** Settings by the file or flag that they come from, weakest first. */
  readonly layers: readonly (readonly [from: string, values: GivenSettings])[];
}

/** Reads all settings, weakest first: the workspace's, those of `--env-file`, the environment's, `--settings`, flags and `--set`. Throws `UsageError`. */
export async function loadSettings(workspace: string, sources: SettingSources): Promise<LoadedSettings> {
  const remarks: string[] = [];
  const ofWorkspace = await loadWorkspaceSettings(workspace, remarks);
  const ofEnvironment = readEnvironmentSettings(sources.env, remarks);
  const ofFile = sources.file === undefined ? NONE : await loadFileSettings(sources.file);
  const ofFlags = checkEntries(Object.entries(sources.flags), "");
  const ofSet = new Map(sources.set.map(setPair));
  remarks.push(...describeEditorOnlySettings(ofSet));
  const mergeWithFile = (values: GivenSettings): Settings =>
    mergeSettings([
      createLayer("workspace", ofWorkspace),
      ...[values, ofEnvironment, ofFile, ofFlags, ofSet].map((one) => createLayer("user", one)),
    ]);
  const { envFile, env } = sources;
  const isForeign = envFile !== undefined && (await mayBeShipped(envFile, workspace));
  const { values, keys, profile, dropped } =
    envFile === undefined
      ? NO_CLASSIC
      : await loadClassicFile(envFile, isForeign ? mergeWithFile(NONE) : undefined, remarks);
  const settings = mergeWithFile(values);
  const wanted = collectServiceKeys(settings, env);
  const ours = isForeign ? collectServiceKeys(mergeWithFile(omitAddresses(values)), env) : wanted;
  const [sent, withheld] = splitKeysByOrigin(wanted, ours);
  if (isForeign) remarks.push(...describeWithheldSettings(envFile, dropped, withheld));
  const layers = [
    [getWorkspaceFile(workspace), ofWorkspace],
    [envFile ?? "--env-file", values],
    ["the environment", ofEnvironment],
    [sources.file ?? "--settings", ofFile],
    ["the command line", ofFlags],
    ["--set", ofSet],
  ] as const;
  const given = new Map([...values, ...ofFile, ...ofFlags, ...ofSet]);
  return { settings, given, keys: [...sent, ...keys], ...omitUndefined({ profile }), remarks, layers };
}

/** The file or flag that contains the user's rule with this name; undefined for a built-in rule. */
export function findRuleOrigin(rule: string, { settings, layers }: LoadedSettings): string | undefined {
  if (rule.startsWith("--yes-to ")) return "the command line";
  const [, name, index] = /^approval\.(rules|deny)\[(\d+)\]$/.exec(rule) ?? [];
  if (name === "rules") return layers.findLast(([, values]) => values.has("approval.rules"))?.[0];
  const pattern = name === "deny" ? settings.approval.deny[Number(index)] : undefined;
  if (pattern === undefined) return undefined;
  return layers.find(([, values]) => getListOrEmpty(values.get("approval.deny")).includes(pattern))?.[0];
}

function getListOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const NONE: GivenSettings = new Map();

/** A sentence for each given setting that only the editor uses. */
function describeEditorOnlySettings(given: GivenSettings): readonly string[] {
  const rows: Readonly<Record<SettingName, SettingRow>> = SETTINGS;
  return [...given.keys()]
    .filter((name) => rows[name].host === "editor")
    .map((name) => `${name} has an effect in the editor only.`);
}

function createLayer(origin: SettingsLayer["origin"], values: GivenSettings): SettingsLayer {
  return { origin, get: (name) => values.get(name) };
}

/** `AUTOGPT_RUN_MAX_STEPS` for `run.maxSteps`. */
export function getEnvironmentName(name: SettingName): string {
  return `AUTOGPT_${name
    .replace(/([A-Z])/g, "_$1")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}

function readEnvironmentSettings(env: Environment, remarks: string[]): GivenSettings {
  const names = new Map(SETTING_NAMES.map((name) => [getEnvironmentName(name), name] as const));
  const values = new Map<SettingName, unknown>();
  const address = env.OPENAI_BASE_URL?.trim();
  if (address) values.set("model.baseUrl", address);
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith("AUTOGPT_") || text === undefined) continue;
    const name = names.get(variable);
    if (name === undefined) {
      const near = findNearestName(variable, [...names.keys()]);
      remarks.push(`The environment variable ${variable} names no setting.${near ? ` Did you mean ${near}?` : ""}`);
    } else values.set(name, checkValue(name, text, `The environment variable ${variable}: `));
  }
  return values;
}

interface ClassicFile extends Pick<LoadedSettings, "keys" | "profile"> {
  readonly values: GivenSettings;
  /** Settings that would let the agent do more. */
  readonly dropped: readonly SettingName[];
}

const NO_CLASSIC: ClassicFile = { values: NONE, keys: [], dropped: [] };

/**
 * Settings and keys of a classic `.env` file and the files beside it. Current variables work there, too. If the file may be someone else's,
 * `otherwise` has the settings without it, and the file can't let the agent do more.
 */
async function loadClassicFile(path: string, otherwise: Settings | undefined, remarks: string[]): Promise<ClassicFile> {
  const { variables, azure, profile, problems } = await readClassicFiles(path).catch((error: unknown) => {
    throw new UsageError(getErrorMessage(error));
  });
  const { settings, keys, left } = convertClassicSettings(variables, azure);
  const all = new Map<SettingName, unknown>(settings.map(({ name, value }) => [name, value]));
  const own = Object.entries(variables).filter(([name]) => name.startsWith("AUTOGPT_"));
  for (const [name, value] of readEnvironmentSettings(Object.fromEntries(own), remarks)) all.set(name, value);
  const values = otherwise ? selectHarmlessSettings(all, otherwise) : all;
  const taken = [
    ...values.keys(),
    ...keys.map(({ from, address }) => `${from} for ${new URL(address).origin}`),
    ...(profile ? [`the profile ${profile.name}`] : []),
  ];
  remarks.push(taken.length === 0 ? `${path} sets nothing.` : `Taken from ${path}: ${taken.join(", ")}.`);
  remarks.push(...left.map(({ from, why }) => `${from} isn't taken from ${path}. ${why}`), ...problems);
  return {
    values,
    dropped: [...all.keys()].filter((name) => !values.has(name)),
    keys: keys.map(({ address, key }) => ({ address, key })),
    ...omitUndefined({ profile }),
  };
}

/** Settings of a file in VS Code's format, with comments, and with or without the `autogpt.` prefix; ignores those of other extensions. */
async function loadFileSettings(path: string): Promise<GivenSettings> {
  const text = await readLinkedText(path, MOST_SETTINGS_BYTES).catch(() => undefined);
  if (text === undefined) throw new UsageError(`--settings names ${path}, which can't be read.`);
  const read = await parseJsonWithComments(text);
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new UsageError(`${path} is not a JSON object of settings, as VS Code's settings.json is.`);
  const entries = Object.entries(read);
  const isEditors = entries.some(([key]) => key.startsWith("autogpt."));
  return checkEntries(isEditors ? entries.filter(([key]) => isOurs(key)) : entries, `${path}: `);
}

/** In the editor's own file other prefixes belong to other extensions. */
function isOurs(key: string): boolean {
  return key.startsWith("autogpt.") || isSettingName(key) || findNearestName(key, SETTING_NAMES) !== undefined;
}

/** The workspace's own settings. Only settings that a workspace may decide count, so others aren't checked. */
async function loadWorkspaceSettings(workspace: string, remarks: string[]): Promise<GivenSettings> {
  const path = getWorkspaceFile(workspace);
  const text = await readLinkedText(path, MOST_SETTINGS_BYTES).catch((error: unknown) =>
    hasCode(error, "ENOENT", "ENOTDIR") ? "{}" : "",
  );
  const read = await parseJsonWithComments(text);
  if (typeof read !== "object" || read === null) {
    remarks.push(`${path} can't be read as JSON, so its settings don't count.`);
    return NONE;
  }
  const values = new Map<SettingName, unknown>();
  for (const [key, value] of Object.entries(read)) {
    const name = key.startsWith("autogpt.") ? key.slice("autogpt.".length) : "";
    if (isSettingName(name) && explainInvalidSetting(name, value) === undefined) values.set(name, value);
  }
  return values;
}

function getWorkspaceFile(workspace: string): string {
  return join(workspace, ".vscode", "settings.json");
}

async function parseJsonWithComments(text: string): Promise<unknown> {
  const { parse } = await import("jsonc-parser");
  const errors: unknown[] = [];
  const value: unknown = parse(text, errors as never[], { allowTrailingComma: true });
  return errors.length > 0 ? undefined : value;
}

function checkEntries(entries: readonly (readonly [string, unknown])[], where: string): GivenSettings {
  return new Map(
    entries.map(([key, value]) => {
      const name = checkSettingName(key, where);
      const problem = explainInvalidSetting(name, value);
      if (problem !== undefined) throw new UsageError(`${where}${problem}`);
      return [name, value] as const;
    }),
  );
}

function setPair(flag: string): readonly [SettingName, unknown] {
  const at = flag.indexOf("=");
  if (at < 1) throw new UsageError(`--set takes NAME=VALUE, like run.maxSteps=20, not "${flag}".`);
  const name = checkSettingName(flag.slice(0, at), "--set: ");
  return [name, checkValue(name, flag.slice(at + 1), "--set: ")];
}

function checkValue(name: SettingName, text: string, where: string): unknown {
  const value = parseSettingText(name, text);
  const problem = explainInvalidSetting(name, value);
  if (problem !== undefined) throw new UsageError(`${where}${problem}`);
  return value;
}

function checkSettingName(key: string, where: string): SettingName {
  const name = key.replace(/^autogpt\./, "");
  if (isSettingName(name)) return name;
  const near = findNearestName(name, SETTING_NAMES);
  throw new UsageError(
    `${where}There is no setting "${name}".${near ? ` Did you mean ${near}?` : " The README lists all settings."}`,
  );
}
