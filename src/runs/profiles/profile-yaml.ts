import { Document, isMap, parseDocument, visit } from "yaml";
import { isObject } from "../../core/base/json.ts";
import { findNearestName } from "../../core/base/text.ts";
import { MAX_GOALS, type Profile, selectWorkingFields } from "../../core/prompt/profile.ts";
import { STRATEGY_NAMES } from "../../schema/run-values.ts";

/** Reads a profile in the classic `ai_settings` format. Throws a sentence if the text isn't one. */
export function readProfileYaml(text: string, file: string): Profile {
  const fields = parseYamlFields(text, file);
  const name = getScalarText(fields.ai_name);
  const role = getScalarText(fields.ai_role);
  const listed = fields.ai_goals ?? [];
  if (name === "" && role === "")
    throw new Error(`${file} names no agent. Give it an "ai_name", an "ai_role" and "ai_goals".`);
  if (!Array.isArray(listed) && !isObject(listed))
    throw new Error(`"ai_goals" in ${file} isn't a list. Write each goal on its own line, after "- ".`);
  const goals = Array.isArray(listed) ? listed.flatMap(listItemTexts) : Object.entries(listed).map(formatGoal);
  const budgetUsd = readBudget(fields.api_budget);
  return {
    name,
    role,
    goals: limitGoals(goals),
    ...(budgetUsd > 0 ? { budgetUsd } : {}),
    ...selectWorkingFields({
      strategy: parseStrategy(fields.strategy, file),
      commands: parseCommandNames(fields.commands, file),
      model: getScalarText(fields.model),
    }),
  };
}

function parseStrategy(value: unknown, file: string): Profile["strategy"] {
  const text = getScalarText(value).toLowerCase();
  const strategy = STRATEGY_NAMES.find((name) => name === text);
  if (strategy !== undefined || value === undefined || value === null) return strategy;
  const near = findNearestName(text, STRATEGY_NAMES);
  throw new Error(
    `"strategy" in ${file} names none. ${near ? `Did you mean ${near}?` : `There are: ${STRATEGY_NAMES.join(", ")}.`}`,
  );
}

/** Names of commands, as a list or between commas. */
function parseCommandNames(value: unknown, file: string): readonly string[] {
  if (value === undefined || value === null) return [];
  const listed = typeof value === "string" ? value.split(/[\s,]+/) : value;
  if (!Array.isArray(listed) || listed.some((item) => typeof item !== "string"))
    throw new Error(`"commands" in ${file} isn't a list of names. Write each name on its own line, after "- ".`);
  return listed.map((name: string) => name.trim()).filter((name) => name !== "");
}

/** The names of fields that contain only a goal. */
const GOAL_FIELD = /^(?:goal|text|name|title|task|\d+)$/i;

/** The texts in an item of a list. YAML parses a text with a colon as a mapping. */
function listItemTexts(item: unknown): readonly string[] {
  if (Array.isArray(item)) return item.flatMap(listItemTexts);
  if (!isObject(item)) return [getScalarText(item)];
  const fields = Object.entries(item);
  const [only] = fields;
  return [only && fields.length === 1 ? formatGoal(only) : fields.map(formatField).join(", ")];
}

function formatGoal([name, value]: [string, unknown]): string {
  return GOAL_FIELD.test(name) ? listItemTexts(value).join(", ") || name : formatField([name, value]);
}

function formatField([name, value]: [string, unknown]): string {
  const text = listItemTexts(value).join(", ");
  return text === "" ? name : `${name}: ${text}`;
}

/** Adds goals after the fifth to the fifth, so that none is lost. */
function limitGoals(goals: readonly string[]): readonly string[] {
  const kept = goals.filter((goal) => goal !== "");
  const last = kept.slice(MAX_GOALS - 1).join("; ");
  return last === "" ? kept : [...kept.slice(0, MAX_GOALS - 1), last];
}

/** US dollars from a number or a text like `$1.50`; 0, which means no budget, for anything else. */
export function readBudget(value: unknown): number {
  const amount = typeof value === "number" ? value : Number.parseFloat(getScalarText(value).replace(/^\$\s*/, ""));
  return Number.isFinite(amount) && amount > 0 ? amount : 0;
}

/** A profile in the classic format. Comments and other fields of `before`, the current file, are kept. */
export function writeProfileYaml(profile: Profile, before = ""): string {
  const old = parseDocument(before);
  const document = old.errors.length === 0 && isMap(old.contents) ? old : new Document({});
  document.set("ai_name", profile.name);
  document.set("ai_role", profile.role);
  document.set("ai_goals", document.createNode([...profile.goals]));
  document.set("api_budget", profile.budgetUsd ?? 0);
  const { strategy, commands, model } = selectWorkingFields(profile);
  for (const [field, value] of Object.entries({ strategy, commands, model })) {
    if (value === undefined) document.delete(field);
    else document.set(field, document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}

/** The limit for a file in characters, because the parser takes minutes for a megabyte of aliases. */
const MAX_CHARS = 64 * 1024;

/** The fields of a YAML file with a mapping at the top. Throws a sentence for any other file. */
export function parseYamlFields(text: string, file: string, example = "ai_name"): Readonly<Record<string, unknown>> {
  if (text.length > MAX_CHARS)
    throw new Error(`${file} is too large (over ${MAX_CHARS / 1024} KB). Shorten it, or remove the file.`);
  const document = parseDocument(text.replace(/^\uFEFF/, ""));
  const [error] = document.errors;
  if (error) throw new Error(`${file} isn't valid YAML: ${getFirstLine(error.message)}. Fix it, or remove the file.`);
  visit(document, {
    // Numbers stay as they are written: 1.10 isn't 1.1.
    Scalar: (_key, node) => {
      if (typeof node.value === "number" && node.source !== undefined) node.value = node.source;
    },
  });
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (value === null) return {};
  if (!isObject(value)) throw new Error(`${file} has no fields like "${example}: ...". Write one field per line.`);
  return value;
}

function getFirstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/:$/, "");
}

/** The text of a YAML scalar; "" for anything else. */
function getScalarText(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value.trim() : "";
}

const LISTS = [
  { title: "Constraints", names: ["constraints"] },
  { title: "Resources", names: ["resources"] },
  { title: "Good practice", names: ["best_practices", "performance_evaluations"] },
] as const;

/** A classic `prompt_settings.yaml` as lists for the prompt; "" if it adds nothing. Throws a sentence for any other file. */
export function renderPromptSettings(text: string, file: string): string {
  const fields = parseYamlFields(text, file, "constraints");
  const lists = LISTS.map(({ title, names }) => {
    const [name, value] = Object.entries(fields).find(([field]) => names.some((one) => one === field)) ?? [];
    if (value === undefined || value === null) return "";
    if (!Array.isArray(value))
      throw new Error(
        `Line ${findFieldLine(text, name)} of ${file}: "${name}" isn't a list. Write each entry on its own line, after "- ".`,
      );
    const items = listItemTexts(value).filter((item) => item !== "");
    return items.length === 0 ? "" : `${title}:\n${items.map((item) => `- ${item}`).join("\n")}`;
  });
  return lists.filter((list) => list !== "").join("\n\n");
}

/** The line of a top-level field, from 1. */
function findFieldLine(text: string, name = ""): number {
  const start = new RegExp(`^\\uFEFF?["']?${name}["']?\\s*:`);
  return text.split("\n").findIndex((line) => start.test(line)) + 1;
}
