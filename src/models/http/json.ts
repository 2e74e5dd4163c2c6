import { isObject, type Json } from "../../core/base/json.ts";

/** The object that a value from outside is, or an empty one. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The list that a value from outside is, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The string that a value from outside is, or "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The finite, non-negative number that a value from outside is or spells, or undefined. */
export function amountOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : undefined;
}
