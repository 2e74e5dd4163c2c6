import { isObject, type Json } from "../../core/base/json.ts";

/** An unknown value if it's an object, or an empty one. */
export function toObjectOrEmpty(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** An unknown value if it's a list, or an empty one. */
export function toListOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An unknown value if it's a string, or "". */
export function toTextOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An unknown value if it's, or spells, a finite, non-negative number; otherwise undefined. */
export function toAmount(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
