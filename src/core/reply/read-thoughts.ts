import { isObject, type Json } from "../base/json.ts";
import { findNearestName } from "../base/text.ts";
import { NO_THOUGHTS, THOUGHT_FIELDS, type Thoughts } from "./reply.ts";

/** Reads thoughts that are one text or an object, also with older or misspelled names. */
export function readThoughts(value: unknown): Thoughts {
  if (typeof value === "string") return { ...NO_THOUGHTS, text: value };
  if (!isObject(value)) return NO_THOUGHTS;
  const older: Json = {
    ...value,
    text: value.text ?? value.thought ?? value.thoughts,
    speak: value.speak ?? value.speech,
    criticism: value.criticism ?? value.self_criticism,
  };
  const others = Object.keys(value).filter((name) => !KNOWN.has(name));
  return Object.fromEntries(
    THOUGHT_FIELDS.map((field) => {
      const misspelled = others.find((name) => findNearestName(name, THOUGHT_FIELDS) === field);
      return [field, convertToText(older[field] ?? (misspelled === undefined ? undefined : value[misspelled]))];
    }),
  ) as unknown as Thoughts;
}

const KNOWN: ReadonlySet<string> = new Set([...THOUGHT_FIELDS, "thought", "thoughts", "speech", "self_criticism"]);

/** Converts a thought of any structure to text: a list to bullets, an object to lines. */
function convertToText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map((item) => `- ${convertToText(item)}`).join("\n");
  if (isObject(value))
    return Object.entries(value)
      .map(([key, item]) => `- ${key}: ${convertToText(item)}`)
      .join("\n");
  return String(value);
}
