import { isObject, type Json } from "../../core/base/json.ts";

/** Returns an unknown value if it's an object, or else an empty one. */
export function toObjectOrEmpty(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** Returns an unknown value if it's a list, or else an empty one. */
export function toListOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns an unknown value if it's a string, or else "". */
export function toTextOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns an unknown value as a finite, non-negative number if it is or spells one; otherwise undefined. */
export function toAmount(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
