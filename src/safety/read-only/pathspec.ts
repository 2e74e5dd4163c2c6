import { withoutSets } from "../../core/without-sets.ts";
import { fitsGlob } from "../glob.ts";

/**
 * Tells of a name that a repository tracks whether git's path specifications mean it: loosely, so that none that they mean is missed. No
 * specification means all. `above` leads from the repository to the folder that git stands in.
 */
export function meantBy(specs: readonly string[], above = ""): (name: string) => boolean {
  const chosen = specs.filter((spec) => !/^:(?:[!^]|\([^)]*exclude)/.test(spec));
  const wanted = chosen.map((spec) => normal(`${above}${spec}`));
  const meansAll = chosen.length === 0 || chosen.some((spec) => spec.startsWith(":")) || wanted.includes("");
  return meansAll ? () => true : (name) => wanted.some((spec) => fits(spec, name.toLowerCase()));
}

/** In lower case, without single dots and a closing slash; "" for the repository itself. */
function normal(spec: string): string {
  return spec
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}

function fits(spec: string, name: string): boolean {
  if (name === spec || name.startsWith(`${spec}/`)) return true;
  return /[*?[\\]/.test(spec) && fitsGlob(withoutSets(spec).replaceAll("\\", "*"), name);
}
