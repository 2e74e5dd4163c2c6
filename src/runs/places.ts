import { isObject, type Json } from "../core/json.ts";

/** Texts shorter than this stand where they are: a place would hardly be shorter. */
export const SHORTEST = 40;

/** A JSON value with what its places stand for in their stead. A place of which nothing is known stays as it is. */
export function withoutPlaces(value: unknown, known: (place: Json) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutPlaces(item, known));
  if (!isObject(value)) return value;
  return (
    known(value) ??
    Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutPlaces(field, known)]))
  );
}
