import { join } from "node:path";
import type { Directives } from "../core/profile.ts";
import { DEFAULT_DIRECTIVES } from "../core/prompt.ts";
import { fieldsOf, textOf } from "./profile-yaml.ts";
import { readTextInside } from "./text-inside.ts";

const FILE = "prompt_settings.yaml";
const MAX_BYTES = 64 * 1024;

/** The directives in force, and why the workspace's own were left out, as a sentence. */
export interface ReadDirectives {
  readonly directives: Directives;
  readonly problem?: string;
}

/** Reads `<home>/prompt_settings.yaml`. A part that it does not give stays as it is by default. */
export async function readDirectives(home: string): Promise<ReadDirectives> {
  const read = await readTextInside(home, FILE, MAX_BYTES);
  if (!read) return { directives: DEFAULT_DIRECTIVES };
  const path = join(home, FILE);
  if (read.cut) return withoutThem(`${path} is too large (over ${MAX_BYTES / 1024} kB).`);
  try {
    return { directives: parseDirectives(read.text, path) };
  } catch (error) {
    return withoutThem(error instanceof Error ? error.message : String(error));
  }
}

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

function withoutThem(why: string): ReadDirectives {
  return { directives: DEFAULT_DIRECTIVES, problem: `${why} The usual directives are used instead.` };
}
