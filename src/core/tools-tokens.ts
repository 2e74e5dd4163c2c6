import type { JsonSchema } from "./command.ts";
import type { ModelRequest } from "./ports.ts";
import type { CountTokens } from "./tokens.ts";

/** What OpenAI publishes of how it counts tools: so many around all of them, each of them, their fields, each field. */
const AROUND_ALL = 12;
const PER_TOOL = 7;
const PER_FIELDS = 3;
const PER_FIELD = 3;
const PER_CHOICE = 3;

/** Tokens of the tools offered, as OpenAI counts them; other servers differ, and say so with their first answer. */
export function toolsTokens(tools: NonNullable<ModelRequest["tools"]>, count: CountTokens): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + PER_TOOL + count(`${name}:${description}`) + fieldsTokens(parameters, count),
    AROUND_ALL,
  );
}

function fieldsTokens({ properties }: JsonSchema, count: CountTokens): number {
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  return fields.reduce((sum, [name, field]) => {
    const choices: readonly unknown[] = Array.isArray(field.enum) ? field.enum : [];
    const chosen = choices.reduce<number>((all, choice) => all + PER_CHOICE + count(String(choice)), 0);
    const inner = field.properties ? fieldsTokens(field, count) : 0;
    const line = `${name}:${String(field.type ?? "")}:${String(field.description ?? "")}`;
    return sum + PER_FIELD + count(line) + chosen + inner;
  }, PER_FIELDS);
}
