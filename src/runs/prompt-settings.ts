import { join } from "node:path";
import type { Directives } from "../core/profile.ts";
import { DEFAULT_DIRECTIVES } from "../core/prompt.ts";
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
    const { parseDirectives } = await import("./directives-yaml.ts");
    return { directives: parseDirectives(read.text, path) };
  } catch (error) {
    return withoutThem(error instanceof Error ? error.message : String(error));
  }
}

function withoutThem(why: string): ReadDirectives {
  return { directives: DEFAULT_DIRECTIVES, problem: `${why} The usual directives are used instead.` };
}
