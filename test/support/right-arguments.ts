import type { JsonSchema } from "../../src/core/base/json.ts";

/** Values for texts, by what their arguments are called. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/destination|target|save|output/i, "new.txt"],
  [/url|address|link|repository/i, "https://a.example/x"],
  [/folder|directory|cwd/i, "d"],
  [/^code$/i, "print(1)"],
  [/audio/i, "a.mp3"],
  [/script|python_file/i, "a.py"],
  [/file|source|path/i, "a.txt"],
  [/command_line/i, "make all"],
];

/** Arguments that fit a command's schema: all that it demands and nothing else. */
export function rightArguments({ properties, required }: JsonSchema): Record<string, unknown> {
  const names = Array.isArray(required) ? required.map(String) : [];
  const schemas: Readonly<Record<string, unknown>> = Object(properties);
  return Object.fromEntries(names.map((name) => [name, valueFor(name, Object(schemas[name]))]));
}

function valueFor(name: string, schema: JsonSchema): unknown {
  const [first] = Array.isArray(schema.enum) ? schema.enum : [];
  if (first !== undefined) return first;
  switch (schema.type) {
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "array":
      return [valueFor(name, Object(schema.items))];
    case "object":
      return rightArguments(schema);
    default:
      return name === "search" ? "one" : (TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? "word");
  }
}
