import { parse } from "yaml";
import { isObject } from "../core/base/json.ts";

/** The `run:` lines of a workflow's steps with these names. A step without a name is called after its first line. */
export function findStepCommands(workflow: string, names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  const found = listSteps(workflow).flatMap(({ name, run }) => {
    if (typeof run !== "string") return [];
    const called = typeof name === "string" ? name : `Run ${run.trim().split("\n")[0] ?? ""}`;
    return wanted.has(called) ? [run.trim()] : [];
  });
  return [...new Set(found)];
}

/** The steps of all jobs; none if it isn't a workflow. */
function listSteps(workflow: string): readonly { readonly name?: unknown; readonly run?: unknown }[] {
  const read = parseWorkflow(workflow);
  const jobs = isObject(read) && isObject(read.jobs) ? Object.values(read.jobs) : [];
  return jobs.flatMap((job) => (isObject(job) && Array.isArray(job.steps) ? job.steps.filter(isObject) : []));
}

function parseWorkflow(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100, merge: true, logLevel: "error" });
  } catch {
    return undefined;
  }
}

/**
 * The `script:` lines of jobs of GitLab CI/CD with these names. None where they are in another file or job (`include`, `extends`,
 * `!reference`), because then only the log has them.
 */
export function findScriptLines(config: string, names: readonly string[]): readonly string[] {
  const read = config.includes("!reference") ? undefined : parseWorkflow(config);
  if (!isObject(read)) return [];
  return names.flatMap((name) => {
    const job = read[name] ?? read[name.replace(PARALLEL, "")];
    const lines = isObject(job) ? readLines(job.script) : undefined;
    return lines && lines.length > 0 ? [lines.join("\n")] : [];
  });
}

/** GitLab's addition to the name of one of several parallel jobs. */
const PARALLEL = / \d+\/\d+$/;

/** A text, or a list of texts and such lists; undefined for anything else. */
function readLines(script: unknown, depth = 10): readonly string[] | undefined {
  if (typeof script === "string") return [script.trim()];
  if (!Array.isArray(script) || depth === 0) return undefined;
  const lists = script.map((one: unknown) => readLines(one, depth - 1));
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}
