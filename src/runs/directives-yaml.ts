import type { Directives } from "../core/profile.ts";
import { DEFAULT_DIRECTIVES } from "../core/prompt.ts";
import { fieldsOf, textOf } from "./profile-yaml.ts";

/** Directives from the classic `prompt_settings.yaml`, older names included. Throws a sentence for what is none. */
export function parseDirectives(text: string, file: string): Directives {
  const fields = fieldsOf(text, file);
  const lines = (names: readonly string[]): readonly string[] | undefined => {
    const [name, value] = Object.entries(fields).find(([field]) => names.includes(field)) ?? [];
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value))
      throw new Error(
        `"${name}" in ${file} is not a list. Write each entry on a line of its own, after "- ".`,
      );
    const kept = value.map(textOf).filter((line) => line !== "");
    return kept.length > 0 ? kept : undefined;
  };
  return {
    constraints: lines(["constraints"]) ?? DEFAULT_DIRECTIVES.constraints,
    resources: lines(["resources"]) ?? DEFAULT_DIRECTIVES.resources,
    bestPractices: lines(["best_practices", "performance_evaluations"]) ?? DEFAULT_DIRECTIVES.bestPractices,
  };
}
