import type { JsonSchema } from "../base/json.ts";
import { estimateTokens, toolsTokens } from "../context/tokens.ts";
import type { CommandSpec, ModelRequest } from "../ports/model.ts";
import { AGENT_COMMANDS } from "../ports/sub-agents.ts";
import { isSmallWindow } from "../reply/formats.ts";
import { THOUGHTS_SCHEMA } from "../reply/reply.ts";
import type { CommandSet, WithheldCommand } from "./command-set.ts";

/** Describes a command as a tool. Thoughts come first, so that they stream first. */
export function toolOf(spec: CommandSpec): NonNullable<ModelRequest["tools"]>[number] {
  return {
    name: spec.name,
    description: spec.description,
    parameters: {
      ...spec.parameters,
      properties: { thoughts: THOUGHTS_SCHEMA, ...propertiesOf(spec.parameters) },
      required: ["thoughts", ...requiredOf(spec.parameters)],
    },
  };
}

/** Describes a command in one line of the prompt. */
export function commandLine(spec: CommandSpec): string {
  const required = new Set(requiredOf(spec.parameters));
  const args = Object.entries(propertiesOf(spec.parameters)).map(
    ([name, schema]) =>
      `${name}${required.has(name) ? "" : "?"}: ${typeName(schema)}${schema.description ? ` (${schema.description})` : ""}`,
  );
  return `- ${spec.name}: ${spec.description}${args.length > 0 ? ` Args: ${args.join("; ")}` : " No args."}`;
}

function typeName(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((type: unknown) => typeName({ ...schema, type })).join(" | ");
  if (schema.type === "array") return `${typeName((schema.items ?? {}) as JsonSchema)}[]`;
  if (schema.type !== "object" || !schema.properties) return String(schema.type ?? "any");
  const fields = Object.entries(propertiesOf(schema));
  return `{ ${fields.map(([name, field]) => `${name}: ${typeName(field)}`).join("; ")} }`;
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (properties ?? {}) as Readonly<Record<string, JsonSchema>>;
}

function requiredOf({ required }: JsonSchema): readonly string[] {
  return (required ?? []) as readonly string[];
}

/** The commands that fit into a prompt, and the others. */
interface CommandSelection {
  readonly offered: readonly CommandSpec[];
  readonly withheld: readonly WithheldCommand[];
}

/** A prompt's head takes at most this share of the window; without commands it has about `REST_OF_HEAD` tokens. */
const HEAD_SHARE = 1 / 4;
const REST_OF_HEAD = 800;

/** No work is possible without these, so they are always offered. */
const NEEDED: readonly string[] = [
  "read_file",
  "write_to_file",
  "edit_file",
  "list_files",
  "search_files",
  "execute_shell",
  "ask_user",
  "update_plan",
  "task_complete",
];
/** Groups of commands, most useful first. Commands that aren't listed here, such as those of plugins, rank between the two lists. */
const USEFUL: readonly (readonly string[])[] = [
  ["get_problems"],
  ["git_status", "git_diff"],
  ["web_search", "browse_website"],
  ["memory_add", "memory_search"],
  ["move_file", "delete_file"],
  ["execute_python_code"],
  ["execute_shell_popen", "list_processes", "read_process_output", "stop_process"],
  ["find_symbol", "find_references"],
  ["append_to_file", "create_folder"],
  ["git_log"],
  Object.values(AGENT_COMMANDS),
];
const RARE: readonly (readonly string[])[] = [
  ["do_nothing"],
  ["execute_python_file"],
  ["download_file"],
  ["get_hyperlinks", "get_text_summary"],
  ["analyze_code"],
  ["write_tests"],
  ["improve_code"],
  ["clone_repository"],
  ["generate_image"],
  ["read_audio_from_file"],
  ["send_tweet"],
];
const NAMED = new Set([NEEDED, ...USEFUL, ...RARE].flat());

/**
 * Selects the commands that fit into a window; 0 means an unknown window, which fits all. The choice depends only on the window, so it
 * stays the same during a run.
 */
export function commandsThatFit(specs: readonly CommandSpec[], contextWindow: number): CommandSelection {
  const strangers = specs.filter(({ name }) => !NAMED.has(name)).map(({ name }) => [name]);
  const offered = new Set(NEEDED);
  let left = contextWindow > 0 ? contextWindow * HEAD_SHARE - REST_OF_HEAD : Number.POSITIVE_INFINITY;
  for (const names of [NEEDED, ...USEFUL, ...strangers, ...RARE]) {
    const group = specs.filter(({ name }) => names.includes(name));
    const tokens = group.reduce((sum, spec) => sum + tokensOf(spec, contextWindow), 0);
    if (tokens > left && names !== NEEDED) break;
    left -= tokens;
    for (const name of names) offered.add(name);
  }
  const why = `The window of this model, ${contextWindow.toLocaleString("en")} tokens, has no room for it.`;
  return {
    offered: specs.filter(({ name }) => offered.has(name)),
    withheld: specs.filter(({ name }) => !offered.has(name)).map(({ name }) => ({ name, why })),
  };
}

/** The commands offered to a model with this window. */
export function commandsForWindow(
  { specs, withheld }: Pick<CommandSet, "specs" | "withheld">,
  contextWindow: number,
): Pick<CommandSet, "specs" | "withheld"> {
  const room = commandsThatFit(specs, contextWindow);
  return { specs: room.offered, withheld: [...withheld, ...room.withheld] };
}

function tokensOf(spec: CommandSpec, contextWindow: number): number {
  return isSmallWindow(contextWindow)
    ? estimateTokens(commandLine(spec))
    : toolsTokens([toolOf(spec)], estimateTokens);
}
