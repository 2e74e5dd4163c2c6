import { isObject, type Json } from "../../core/base/json.ts";

/** An unknown value if it's an object, or an empty one. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** An unknown value if it's a list, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An unknown value if it's a string, or "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An unknown value if it's, or spells, a finite, non-negative number; otherwise undefined. */
export function amountOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
