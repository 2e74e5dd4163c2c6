import { computeUsualReplies, DEFAULT_MAX_REPLIES } from "./run-values.ts";
import { SETTINGS, type SettingName, type SettingRow, type Settings } from "./settings.ts";

/** A source of settings; `get` returns undefined for settings that it doesn't contain. */
export interface SettingsLayer {
  readonly origin: "user" | "workspace";
  get(name: SettingName): unknown;
}

const ROWS: Readonly<Record<SettingName, SettingRow>> = SETTINGS;

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName);

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** True for a setting that a workspace may decide; only the user can decide all others. */
export function isWorkspaceSetting(name: SettingName): boolean {
  return ROWS[name].scope === "resource";
}

/** True for a list that every layer adds to. */
export function isMergedSetting(name: SettingName): boolean {
  return ROWS[name].merge === "union";
}

/**
 * Merges layers of settings, weakest first. A workspace decides only what its scope allows. A value of the wrong type counts as unset, and
 * a number out of range becomes the nearest allowed number.
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

/** Why a value is invalid for a setting, as a sentence; undefined if it's valid. */
export function explainInvalidSetting(name: SettingName, value: unknown): string | undefined {
  const schema = getSettingSchema(name);
  return isValidValue(schema, value)
    ? undefined
    : `${name} takes ${describeExpectedValue(schema)}, not ${JSON.stringify(value)}.`;
}

/** Parses a value from a command line: text unchanged, a list with commas, everything else as JSON. */
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

/** The part of JSON Schema that the settings table uses. */
interface ValueSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ValueSchema[];
  readonly items?: ValueSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly patternProperties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
}

/**
 * Corrects a value by its schema: a number out of range becomes the nearest allowed one, and invalid or excess items and entries are
 * removed. Undefined for a value of another type.
 */
function correctValue(schema: ValueSchema, value: unknown): unknown {
  if (schema.anyOf) return schema.anyOf.map((one) => correctValue(one, value)).find((valid) => valid !== undefined);
  if (schema.enum) return schema.enum.includes(value) ? value : undefined;
  switch (schema.type) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "string":
      return correctText(schema, value);
    case "integer":
      return typeof value === "number" && Number.isFinite(value) ? clampNumber(schema, Math.trunc(value)) : undefined;
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? clampNumber(schema, value) : undefined;
    case "null":
      return value === null ? null : undefined;
    case "array":
      return Array.isArray(value)
        ? value.filter((item) => isValidValue(schema.items, item)).slice(0, schema.maxItems)
        : undefined;
    case "object":
      return correctObject(schema, value);
    default:
      return value;
  }
}

/** Describes a setting's allowed values within a sentence: "a whole number from 1 to 20". */
function describeExpectedValue(schema: ValueSchema): string {
  if (schema.anyOf) return schema.anyOf.map(describeExpectedValue).join(" or ");
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  switch (schema.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number${describeRange(schema)}`;
    case "number":
      return `a number${describeRange(schema)}`;
    case "array":
      return `a list${schema.maxItems === undefined ? "" : ` of up to ${schema.maxItems}`}, in JSON or separated by commas`;
    case "object":
      return "a JSON object";
    case "null":
      return "null";
    default:
      return schema.pattern === undefined ? "text" : `text like ${String(schema.default)}`;
  }
}

/** True for a value that needs no correction. */
function isValidValue(schema: ValueSchema | undefined, value: unknown): boolean {
  return !schema || JSON.stringify(correctValue(schema, value)) === JSON.stringify(value);
}

function correctText({ pattern }: ValueSchema, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return pattern === undefined || new RegExp(pattern).test(value) ? value : undefined;
}

function clampNumber({ minimum = -Infinity, maximum = Infinity }: ValueSchema, value: number): number {
  return Math.min(maximum, Math.max(minimum, value));
}

/** The object unchanged if all properties are valid; for a record, the valid entries. */
function correctObject(schema: ValueSchema, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const [entry] = Object.values(schema.patternProperties ?? {});
  const entries = Object.entries(value);
  if (entry) return Object.fromEntries(entries.filter(([, one]) => isValidValue(entry, one)));
  const { properties = {}, required = [] } = schema;
  const isWhole = required.every((name) => Object.hasOwn(value, name));
  return isWhole && entries.every(([name, one]) => name in properties && isValidValue(properties[name], one))
    ? value
    : undefined;
}

function describeRange({ minimum, maximum }: ValueSchema): string {
  if (minimum === undefined) return "";
  return maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
}
