import type { JsonSchema } from "../base/json.ts";
import { omitUndefined } from "../base/objects.ts";
import type { CommandSpec, ModelRequest } from "../ports/model.ts";
import { THOUGHT_FIELDS, type ThoughtStyle } from "../reply/reply.ts";

/** Describes a command as a tool. The full thoughts come first, so that they stream first; the prompt explains them once. */
export function createToolDefinition(
  { name, description, parameters }: CommandSpec,
  thoughts: ThoughtStyle,
): NonNullable<ModelRequest["tools"]>[number] {
  const fields = listDescribedArguments(parameters).map(([field, schema]) => [field, omitLimits(schema)] as const);
  const isFull = thoughts === "full";
  const { required: _, ...schema } = parameters;
  const required = [...(isFull ? ["thoughts"] : []), ...listRequired(parameters)];
  return {
    name,
    description,
    parameters: {
      ...schema,
      properties: { ...(isFull ? { thoughts: { type: "object" } } : {}), ...Object.fromEntries(fields) },
      ...(required.length > 0 ? { required } : {}),
    },
  };
}

/** A schema without the limits that models don't heed, which are checked before a call runs. */
function omitLimits(schema: JsonSchema): JsonSchema {
  const { minLength: _, maxLength: __, minItems: ___, maxItems: ____, pattern: _____, ...rest } = schema;
  const fields = listDescribedArguments(rest).map(([field, one]) => [field, omitLimits(one)] as const);
  return {
    ...rest,
    ...(rest.properties ? { properties: Object.fromEntries(fields) } : {}),
    ...(rest.items ? { items: omitLimits(rest.items as JsonSchema) } : {}),
  };
}

/**
 * The arguments that prompts describe. `rare` ones are allowed too, but only the outcome that makes them useful describes them: models tend
 * to fill in any argument they read about.
 */
function listDescribedArguments(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(getProperties(schema)).filter(([, { rare }]) => rare !== true);
}

/** Describes a command in one line of the prompt. */
export function renderCommandLine(spec: CommandSpec): string {
  const required = new Set(listRequired(spec.parameters));
  const args = listDescribedArguments(spec.parameters).map(
    ([name, schema]) =>
      `${name}${required.has(name) ? "" : "?"}: ${typeName(schema)}${schema.description ? ` (${schema.description})` : ""}`,
  );
  return `- ${spec.name}: ${spec.description}${args.length > 0 ? ` Args: ${args.join("; ")}` : " No args."}`;
}

/** Limits above this are enforced when the call is checked: llama.cpp unrolls them into rules, and crashes at some thousands. */
const MOST_UNROLLED = 500;

/** Long enough for a paragraph; a model that repeats itself must still get to its command. */
const THOUGHT: JsonSchema = { type: "string", maxLength: MOST_UNROLLED };

/** A schema of valid replies: any of the commands, each with its own arguments. */
export function createReplySchema(commands: readonly CommandSpec[], thoughts: ThoughtStyle): JsonSchema {
  return createClosedSchema({
    thoughts:
      thoughts === "short"
        ? THOUGHT
        : createClosedSchema(Object.fromEntries(THOUGHT_FIELDS.map((field) => [field, THOUGHT]))),
    command: {
      anyOf: commands.map(({ name, parameters }) =>
        createClosedSchema({
          name: { type: "string", enum: [name] },
          args: createEnforceableSchema(parameters),
        }),
      ),
    },
  });
}

/** An object of exactly these fields. */
function createClosedSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/**
 * The part of a schema that servers can turn into a grammar. Descriptions are in the prompt already; patterns, long limits and the rest
 * are checked before the call runs.
 */
function createEnforceableSchema({
  description: _,
  pattern: __,
  rare: ___,
  maxLength,
  type,
  ...schema
}: JsonSchema): JsonSchema {
  // Converters drop the items of a list if it may also be something else.
  if (Array.isArray(type))
    return { anyOf: type.map((one: unknown) => createEnforceableSchema({ ...schema, type: one })) };
  const fields = Object.entries(getProperties(schema)).map(
    ([name, field]) => [name, createEnforceableSchema(field)] as const,
  );
  return {
    ...omitUndefined({ type }),
    ...schema,
    ...(Number(maxLength) <= MOST_UNROLLED ? { maxLength } : {}),
    ...(fields.length > 0 ? { properties: Object.fromEntries(fields) } : {}),
    ...(schema.items ? { items: createEnforceableSchema(schema.items as JsonSchema) } : {}),
  };
}

function typeName(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type: unknown) => typeName({ ...schema, type })).join(" | ");
  if (schema.type === "array") return `${typeName((schema.items ?? {}) as JsonSchema)}[]`;
  if (schema.type !== "object" || !schema.properties) return String(schema.type ?? "any");
  const fields = listDescribedArguments(schema);
  return `{ ${fields.map(([name, field]) => `${name}: ${typeName(field)}`).join("; ")} }`;
}

function getProperties({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (properties ?? {}) as Readonly<Record<string, JsonSchema>>;
}

function listRequired({ required }: JsonSchema): readonly string[] {
  return (required ?? []) as readonly string[];
}
