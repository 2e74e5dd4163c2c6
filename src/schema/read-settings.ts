import { computeUsualReplies, DEFAULT_MAX_REPLIES } from "./run-values.ts";
import { correctValue, describeExpectedValue, isValidValue, type ValueSchema } from "./setting-values.ts";
import { SETTINGS, type SettingName, type SettingRow, type Settings } from "./settings.ts";

/** A place that settings come from; `get` gives undefined for what isn't set there. */
export interface SettingsLayer {
  readonly origin: "user" | "workspace";
  get(name: SettingName): unknown;
}

const ROWS: Readonly<Record<SettingName, SettingRow>> = SETTINGS;

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** True for a setting that a workspace may decide; all others are the user's alone. */
export function isWorkspaceSetting(name: SettingName): boolean {
  return ROWS[name].scope === "resource";
}

/** True for a list that every layer adds to. */
export function isMergedSetting(name: SettingName): boolean {
  return ROWS[name].merge === "union";
}

/**
 * The settings of some layers, the weakest first. A workspace decides only what its scope allows. A value of the wrong type
 * counts as unset, and a number out of range becomes the nearest allowed one.
 */
export function mergeSettings(layers: readonly SettingsLayer[]): Settings {
  const groups: Record<string, Record<string, unknown>> = {};
  const single: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const [group = "", own] = name.split(".");
    if (own === undefined) single[name] = readSettingValue(name, layers);
    else groups[group] = { ...groups[group], [own]: readSettingValue(name, layers) };
  }
  // The names of the table are those of the type.
  return { ...groups, ...single } as unknown as Settings;
}

/** The settings of a user who has changed none. */
export const DEFAULT_SETTINGS: Settings = mergeSettings([]);

/** Why a value can't be used for a setting, as a sentence; undefined when it can. */
export function explainInvalidSetting(name: SettingName, value: unknown): string | undefined {
  const schema = getSettingSchema(name);
  return isValidValue(schema, value)
    ? undefined
    : `${name} takes ${describeExpectedValue(schema)}, not ${JSON.stringify(value)}.`;
}

/** A value that was typed on a command line: text as it is, a list with commas, everything else in JSON. */
export function parseSettingText(name: SettingName, text: string): unknown {
  const schema = getSettingSchema(name);
  if (schema.type === "string" || schema.enum) return text;
  const read = parseJsonOrText(text);
  if (schema.type === "array" && !Array.isArray(read))
    return text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  return read;
}

/** The limits of a run. */
export function getRunLimits({ maxSteps, maxReplies, maxTokens, maxMinutes, budgetUsd }: Settings["run"]) {
  const replies = maxReplies === DEFAULT_MAX_REPLIES ? computeUsualReplies(maxSteps) : maxReplies;
  return { steps: maxSteps, replies, tokens: maxTokens, minutes: maxMinutes, usd: budgetUsd };
}

function getSettingSchema(name: SettingName): ValueSchema {
  return ROWS[name].type;
}

function readSettingValue(name: SettingName, layers: readonly SettingsLayer[]): unknown {
  const schema = getSettingSchema(name);
  const values = layers
    .filter(({ origin }) => origin === "user" || isWorkspaceSetting(name))
    .map((layer) => correctValue(schema, trimIfText(layer.get(name))))
    .filter((value) => value !== undefined);
  if (isMergedSetting(name)) return [...new Set(values.flat())];
  return values.at(-1) ?? schema.default;
}

function trimIfText(value: unknown): unknown {
  return typeof value === "string" ? value.trim() : value;
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
