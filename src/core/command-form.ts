import type { CommandSpec, JsonSchema } from "./command.ts";
import type { ModelRequest } from "./ports.ts";
import { THOUGHTS_SCHEMA } from "./reply.ts";

/** A command as a tool: thoughts come first, so that they stream first. */
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

/** A command as a line of the prompt. */
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
