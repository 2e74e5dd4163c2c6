import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string | number | boolean>>;
}

interface WorkflowJob {
  readonly if: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** The texts of the workflow that docs show, and of the action that it uses. */
export function readWorkflow(): { readonly workflow: Workflow; readonly action: Action } {
  const read = (path: string) => parse(readFileSync(join(ROOT, path), "utf8"));
  return { workflow: read("docs/examples/autogpt.yml"), action: read("action.yml") };
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: object;
  readonly jobs: { readonly autogpt: WorkflowJob };
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/** An event with which GitHub starts workflows. */
export interface WorkflowEvent {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A job as a runner of GitHub has it. */
export interface JobPlace {
  /** Real path of a checkout of the repository. */
  readonly workspace: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly token: string;
  /** Further variables of the machine. */
  readonly env: Readonly<Record<string, string>>;
  /** In place of the steps of others and those that install programs, by the step's name. */
  readonly replaced: Readonly<Record<string, string>>;
}

export interface JobResult {
  /** False if the workflow's own condition keeps the job from starting. */
  readonly hasRun: boolean;
  readonly code: number;
  readonly output: string;
}

/** Runs the one job of the workflow: its condition, its variables, and each step of the action with bash, as runners of GitHub do. */
export async function runWorkflow(event: WorkflowEvent, place: JobPlace): Promise<JobResult> {
  const { workflow, action } = readWorkflow();
  const { autogpt: job } = workflow.jobs;
  const facts = {
    github: { event_name: event.name, event: event.payload, token: place.token, run_id: "77" },
    secrets: place.secrets,
  };
  if (!Object.hasOwn(workflow.on, event.name) || evaluate(job.if, facts) !== true)
    return { hasRun: false, code: 0, output: "" };
  const folder = mkdtempSync(join(tmpdir(), "runner-"));
  writeFileSync(join(folder, "event.json"), JSON.stringify(event.payload));
  const base = {
    PATH: process.env.PATH ?? "",
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_EVENT_NAME: event.name,
    GITHUB_EVENT_PATH: join(folder, "event.json"),
    GITHUB_WORKSPACE: place.workspace,
    GITHUB_RUN_ID: "77",
    RUNNER_TEMP: folder,
    ...place.env,
    ...fill(job.env, facts),
  };
  const own = job.steps.find(({ uses = "" }) => uses.startsWith("OWNER/"));
  const given = fill(own?.with ?? {}, facts);
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? input.default ?? ""]),
  );
  let output = "";
  try {
    for (const { name = "", run, env = {} } of action.runs.steps) {
      const line = place.replaced[name] ?? run;
      if (line === undefined) continue;
      const step = await runBash(
        line,
        { ...base, ...fill(env, { inputs, github: { action_path: ROOT } }) },
        place.workspace,
      );
      output += step.output;
      if (step.code !== 0) return { hasRun: true, code: step.code, output };
    }
    return { hasRun: true, code: 0, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As GitHub's runners start a step with `shell: bash`. */
async function runBash(
  run: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const file = join(env.RUNNER_TEMP ?? "", "step.sh");
  writeFileSync(file, run);
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", file], { cwd, env });
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: stdout + stderr };
}

type Facts = Readonly<Record<string, unknown>>;

function fill(values: Readonly<Record<string, string | number | boolean>>, facts: Facts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      String(value).replace(/\$\{\{\s*(.*?)\s*\}\}/gs, (_whole, expression) =>
        String(evaluate(expression, facts) ?? ""),
      ),
    ]),
  );
}

const CALLS: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> = {
  startsWith: (whole, start) =>
    String(whole ?? "")
      .toLowerCase()
      .startsWith(String(start ?? "").toLowerCase()),
  fromJSON: (text) => JSON.parse(String(text)),
  contains: (all, one) => Array.isArray(all) && all.includes(one),
};

/** Evaluates the few kinds of expressions that the workflow has: names, texts, ==, &&, ||, parentheses and a few calls. */
function evaluate(expression: string, facts: Facts): unknown {
  const tokens = [...expression.matchAll(/\s*('(?:[^']|'')*'|==|&&|\|\||[(),]|[\w.-]+)/gy)].map(
    ([, token = ""]) => token,
  );
  let at = 0;
  const readUnit = (): unknown => {
    const token = tokens[at++] ?? "";
    if (token === "(") {
      const value = readOr();
      at++;
      return value;
    }
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    const call = tokens[at] === "(" && Object.hasOwn(CALLS, token) ? CALLS[token] : undefined;
    if (call) {
      const given: unknown[] = [];
      while (tokens[at++] !== ")" && at < tokens.length) if (tokens[at] !== ")") given.push(readOr());
      return call(...given);
    }
    return token.split(".").reduce<unknown>((value, name) => (value as Facts | undefined)?.[name], facts);
  };
  const readEqual = (): unknown => {
    const left = readUnit();
    if (tokens[at] !== "==") return left;
    at++;
    return left === readUnit();
  };
  const readAnd = (): unknown => {
    let value = readEqual();
    while (tokens[at] === "&&") {
      at++;
      const right = readEqual();
      value = value ? right : value;
    }
    return value;
  };
  const readOr = (): unknown => {
    let value = readAnd();
    while (tokens[at] === "||") {
      at++;
      const right = readAnd();
      value = value ? value : right;
    }
    return value;
  };
  const value = readOr();
  if (at !== tokens.length) throw new Error(`The expression ${expression} can't be evaluated here.`);
  return value;
}
