import type { Tool } from "@modelcontextprotocol/client";
import { isObject, type Json, type JsonSchema } from "../../core/base/json.ts";
import { cutText, plainlyVisible, visible } from "../../core/base/text.ts";
import { isUsableSchema } from "../../core/commands/command-set.ts";
import type { CommandSpec } from "../../core/ports/model.ts";
import { sha256 } from "../../sha256.ts";
import type { SeenTool } from "./server-memory.ts";

/** Models take no longer names. */
const LONGEST_NAME = 64;
const TAIL = 8;

/** The name of a tool's command. A long one ends in a hash of the whole name. */
export function commandName(server: string, tool: string): string {
  const clean = (text: string): string => text.replace(/[^A-Za-z0-9_-]+/g, "_");
  const name = `${clean(server)}__${clean(tool)}`;
  const whole = /^[A-Za-z_]/.test(name) ? name : `_${name}`;
  if (whole.length <= LONGEST_NAME) return whole;
  return `${whole.slice(0, LONGEST_NAME - TAIL - 1)}_${sha256(`${server}\n${tool}`).slice(0, TAIL)}`;
}

/** A tool's name in a text of ours: on one line, with nothing hidden. */
export function plainToolName(tool: string): string {
  return cutText(visible(tool), 100);
}

/** Characters of a definition that a user is shown as it came; its hash covers all of it. */
const LONGEST_SHOWN = 6_000;

/** The part of a tool that the user agrees to: all that the model learns of it, and what it says about its effects. */
export function seenTool(tool: Tool): SeenTool {
  const { name, title, description = "", inputSchema, outputSchema, annotations } = tool;
  const all = sorted({ name, title, description: tool.description, inputSchema, outputSchema, annotations });
  const hash = sha256(JSON.stringify(all));
  const text = `${plainlyVisible(description)}\n${plainlyVisible(JSON.stringify(sorted({ title, inputSchema, outputSchema, annotations }), undefined, 1))}`;
  return { hash, shown: text.length <= LONGEST_SHOWN ? text : shortShown(tool, text.length, hash) };
}

/** Of a long definition everything that the model would read, and a mark that any change of the rest changes. */
function shortShown(tool: Tool, length: number, hash: string): string {
  const { description = "", inputSchema, annotations = {} } = tool;
  return [
    cutText(visible(description), LONGEST_DESCRIPTION),
    JSON.stringify(sorted(schemaOf(inputSchema)), undefined, 1),
    cutText(visible(JSON.stringify(sorted(annotations))), LONGEST_DETAIL),
    `[… shortened: the whole definition has ${length} characters; SHA-256 ${hash} …]`,
  ].join("\n");
}

/** The same value, whatever order its fields came in. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  );
}

const LONGEST_DESCRIPTION = 1_000;
const LONGEST_DETAIL = 300;
/** Characters of a schema; of a longer one only the names and types of its arguments are left. */
const LONGEST_SCHEMA = 12_000;
const DEEPEST = 12;

/** The tool as the model sees it: nothing hidden, nothing endless, and only what our checks can read. */
export function toolSpec(
  server: string,
  { name, description = "", inputSchema }: Tool,
): Omit<CommandSpec, "name"> & {
  readonly offered: JsonSchema;
} {
  const said = cutText(visible(description), LONGEST_DESCRIPTION);
  const offered = schemaOf(inputSchema);
  const checked = withoutPatterns(offered);
  const parameters = isUsableSchema(checked) ? checked : ANYTHING;
  return {
    description: `Tool "${plainToolName(name)}" of the MCP server "${server}". ${said}`.trim(),
    parameters,
    offered: parameters === ANYTHING ? ANYTHING : offered,
  };
}

const ANYTHING: JsonSchema = { type: "object", properties: {} };

function schemaOf(schema: unknown): JsonSchema {
  const cleaned = cleanSchema(schema, 0);
  if (!isObject(cleaned)) return ANYTHING;
  const { $schema: _, $id: __, ...rest } = cleaned;
  const properties = isObject(rest.properties) ? rest.properties : {};
  const required = Array.isArray(rest.required) ? { required: rest.required.filter(isText) } : {};
  const whole = { ...rest, type: "object", properties: objectsOnly(properties), ...required };
  if (JSON.stringify(whole).length <= LONGEST_SCHEMA) return whole;
  return { type: "object", properties: shortened(properties), ...required };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function objectsOnly(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, isObject(one) ? one : {}]));
}

const MOST_ARGUMENTS = 60;

function shortened(properties: Json): Json {
  const entries = Object.entries(properties).slice(0, MOST_ARGUMENTS);
  return Object.fromEntries(
    entries.map(([key, one]) => [key, isObject(one) && isText(one.type) ? { type: one.type } : {}]),
  );
}

/** Texts are made visible and cut; `__proto__` is no argument. */
function cleanSchema(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cutLong(visible(value));
  if (depth > DEEPEST) return {};
  if (Array.isArray(value)) return value.map((item) => cleanSchema(item, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__");
  return Object.fromEntries(
    entries.map(([key, inner]) => [visible(key).slice(0, 100), cleanSchema(inner, depth + 1)]),
  );
}

function cutLong(text: string): string {
  return text.length <= LONGEST_DETAIL ? text : `${text.slice(0, LONGEST_DETAIL)}…`;
}

/** A pattern may be made to take forever, so the server checks it itself. */
function withoutPatterns(value: JsonSchema): JsonSchema {
  const strip = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(strip);
    if (!isObject(inner)) return inner;
    const kept = Object.entries(inner).filter(([key, one]) => !(PATTERNS.has(key) && !isNamed(key, one)));
    return Object.fromEntries(kept.map(([key, one]) => [key, strip(one)]));
  };
  const { properties, ...rest } = value;
  const stripped = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, strip(one)]))
    : {};
  return { ...(strip(rest) as JsonSchema), properties: stripped };
}

const PATTERNS: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format"]);

/** An argument may itself be called "pattern". */
function isNamed(key: string, value: unknown): boolean {
  return key !== "patternProperties" && isObject(value);
}
