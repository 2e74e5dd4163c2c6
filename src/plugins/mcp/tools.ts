import type { Tool } from "@modelcontextprotocol/client";
import { isObject, type JsonSchema } from "../../core/base/json.ts";
import { cutText, escapeForApproval, escapeInvisible } from "../../core/base/text.ts";
import type { CommandSpec } from "../../core/ports/model.ts";
import { sha256 } from "../../disk/sha256.ts";
import { cleanForeignWords, parseForeignSchema } from "../foreign-schema.ts";
import type { SeenTool } from "./server-memory.ts";

/** The longest name that models accept. */
const LONGEST_NAME = 64;
const TAIL = 12;
/** Leaves room for the hash of a long name, so that every name begins with its server. */
const LONGEST_SERVER = LONGEST_NAME - TAIL - 3;
/** A server's name that can't be mistaken for another's with any tool's name: no two `_` in a row, none at an end, no hash. */
const PLAIN_SERVER = /^(?!.*_[\da-f]{12}$)[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/i;

/** The name of a tool's command, unique across servers. A long name ends in a hash of the whole name. */
export function createToolCommandName(server: string, tool: string): string {
  const name = `${formatServerName(server)}__${tool.replace(/[^A-Za-z0-9_-]+/g, "_")}`;
  const whole = /^[A-Za-z_]/.test(name) ? name : `_${name}`;
  return whole.length <= LONGEST_NAME ? whole : addHash(whole, `${server}\n${tool}`, LONGEST_NAME - TAIL - 1);
}

function formatServerName(server: string): string {
  if (PLAIN_SERVER.test(server) && server.length < LONGEST_SERVER) return server;
  const words = server.match(/[A-Za-z0-9-]+/g) ?? ["server"];
  return addHash(words.join("_"), server, LONGEST_SERVER - TAIL - 2);
}

function addHash(text: string, whole: string, most: number): string {
  return `${text.slice(0, most)}_${sha256(whole).slice(0, TAIL)}`;
}

/** A tool's name for use in a text: on one line, with nothing hidden. */
export function formatToolName(tool: string): string {
  return cutText(escapeInvisible(tool), 100);
}

/** The most characters of a definition to show unchanged to the user; its hash covers the whole definition. */
const LONGEST_SHOWN = 6_000;

/** The part of a tool that the user agrees to: everything that the model learns about it, and its claims about its effects. */
export function describeSeenTool(tool: Tool): SeenTool {
  const { name, title, description = "", inputSchema, outputSchema, annotations } = tool;
  const all = sortFields({
    name,
    title,
    description: tool.description,
    inputSchema,
    outputSchema,
    annotations,
  });
  const hash = sha256(JSON.stringify(all));
  const text = `${escapeForApproval(description)}\n${escapeForApproval(JSON.stringify(sortFields({ title, inputSchema, outputSchema, annotations }), undefined, 1))}`;
  return { hash, shown: text.length <= LONGEST_SHOWN ? text : shortenDefinition(tool, text.length, hash) };
}

/** Shortens a long definition to everything that the model reads, and a mark that changes with any other part. */
function shortenDefinition(tool: Tool, length: number, hash: string): string {
  const { description = "", inputSchema, annotations = {} } = tool;
  return [
    cleanForeignWords(description),
    JSON.stringify(sortFields(parseForeignSchema(inputSchema).offered), undefined, 1),
    cutText(escapeInvisible(JSON.stringify(sortFields(annotations))), LONGEST_DETAIL),
    `[… shortened: the whole definition has ${length} characters; SHA-256 ${hash} …]`,
  ].join("\n");
}

/** The same value with its fields in a fixed order. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, inner]) => [key, sortFields(inner)]),
  );
}

const LONGEST_DETAIL = 300;

/** The tool as the model sees it: nothing hidden, nothing endless, and only parts that can be checked. */
export function createToolSpec(
  server: string,
  { name, description = "", inputSchema }: Tool,
): Omit<CommandSpec, "name"> & {
  readonly offered: JsonSchema;
} {
  const words = cleanForeignWords(description);
  return {
    description: `Tool "${formatToolName(name)}" of the MCP server "${server}". ${words}`.trim(),
    ...parseForeignSchema(inputSchema),
  };
}
