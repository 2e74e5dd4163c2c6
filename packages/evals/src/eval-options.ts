import { resolve } from "node:path";
import {
  collectSettingSources,
  type Flag,
  type FlagName,
  type Flags,
  findNearestName,
  getBaseFolder,
  omitUndefined,
  readFlags,
  renderFlags,
  type SettingSources,
  STRATEGY_NAMES,
  type StrategyName,
  UsageError,
} from "../../../src/headless/library.ts";
import type { SuiteOptions } from "./suite.ts";
import { SUITES } from "./suites.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags of `eval`, except those shared with a run. */
const EVAL_FLAGS = {
  suite: { value: "NAME", help: `the tasks: ${Object.keys(SUITES).join(", ")}` },
  task: { value: "NAME", isMultiple: true, help: "only this task; may be given several times" },
  count: { value: "N", help: "only so many tasks" },
  runs: { value: "N", help: "run each task N times (1)" },
  jobs: { value: "N", help: "runs at the same time (2)" },
  report: { value: "DIR", help: "write the report here: index.html, results.json and the logs" },
  compare: {
    value: "A B",
    help: "compare the reports in two folders, and measure nothing; alone: also have the model alone do each task",
  },
  list: { help: "list the suites and their tasks" },
  player: { value: "NAME", help: "in place of a model: oracle, or obedient to injections" },
  strategy: { value: "NAME", help: `how prompts become steps: ${STRATEGY_NAMES.join(", ")}` },
  spoil: { value: "SHARE", help: "with --player: spoil this share of the replies, 0 to 1" },
  seed: { value: "N", help: "makes the choice of tasks and spoiled replies repeatable (1)" },
  packages: { value: "DIR", help: "where the Python packages are that a suite reads its tasks from" },
  timeout: { value: "SECONDS", help: "stop a run after so many seconds (900)" },
  keep: { help: "keep the folders of the runs" },
} as const satisfies Readonly<Record<string, Flag>>;

type EvalFlagName = keyof typeof EVAL_FLAGS;

/** Flags of a run with the same meaning here. */
const SHARED: readonly FlagName[] = [
  ...(["base-url", "model", "fast-model", "set", "settings", "sandbox", "python"] as const),
  ...(["python-docker", "allow-downloads", "browser-name", "debug", "help"] as const),
];

type PlayerName = "oracle" | "obedient";

/** A measurement that the command line asks for. */
export interface Measurement extends SuiteOptions {
  readonly kind: "measure";
  readonly suite: string;
  /** Names of the tasks to run; all where it is empty. */
  readonly only: readonly string[];
  readonly runs: number;
  readonly jobs: number;
  /** Absolute. */
  readonly report?: string;
  readonly player?: PlayerName;
  readonly strategy?: StrategyName;
  readonly spoil: number;
  readonly timeoutSeconds: number;
  readonly keep: boolean;
  /** Also lets the model alone do each task, in one request. */
  readonly alone?: true;
  readonly sources: SettingSources;
}

export type EvalRequest =
  | { readonly kind: "help" }
  | ({ readonly kind: "list" } & SuiteOptions & { readonly suite?: string })
  | { readonly kind: "compare"; readonly before: string; readonly after: string; readonly report?: string }
  | Measurement;

/** Reads the command line of `eval`. Throws `UsageError`. */
export function readEvalOptions(argv: readonly string[], env: Environment): EvalRequest {
  const flags = readFlags(argv, EVAL_FLAGS);
  if (flags.has("help")) return { kind: "help" };
  refuseOthers(flags);
  const base = getBaseFolder(env);
  const folder = flags.findValue("report");
  const report = folder === undefined ? {} : { report: resolve(base, folder) };
  const [stranger, more] = flags.rest;
  const before = flags.findValue("compare");
  const alone = before === ALONE && stranger === undefined;
  if (before !== undefined && !alone) {
    if (stranger === undefined || more !== undefined) throw new UsageError(TO_COMPARE);
    return { kind: "compare", before: resolve(base, before), after: resolve(base, stranger), ...report };
  }
  if (stranger !== undefined)
    throw new UsageError(`"${stranger}" belongs to no flag. Name the suite with --suite, like --suite small.`);
  const suite = parseSuite(flags);
  const choice = {
    seed: parseWholeNumber(flags, "seed", 1, 0),
    ...parsePackages(flags, base),
    ...parseCount(flags),
  };
  if (flags.has("list")) return { kind: "list", ...choice, ...omitUndefined({ suite }) };
  if (suite === undefined) throw new UsageError("Name the tasks with --suite. --list lists all suites.");
  const player = parsePlayer(flags);
  if (alone && player) throw new UsageError("--compare alone measures a model. Leave out --player.");
  return {
    kind: "measure",
    suite,
    ...choice,
    only: flags.listValues("task"),
    runs: parseWholeNumber(flags, "runs", 1),
    jobs: parseWholeNumber(flags, "jobs", 2),
    ...report,
    ...omitUndefined({ player }),
    ...parseStrategy(flags),
    spoil: parseSpoilShare(flags, player),
    timeoutSeconds: parseWholeNumber(flags, "timeout", 900),
    keep: flags.has("keep"),
    ...omitUndefined({ alone: alone || undefined }),
    sources: collectSettingSources(flags, env),
  };
}

const ALONE = "alone";
const TO_COMPARE = "--compare takes two folders with reports: --compare BEFORE AFTER. Or --suite NAME --compare alone.";

type EvalFlags = Flags<FlagName | EvalFlagName>;

/** Throws for a run's flag that makes no sense for several runs. */
function refuseOthers(flags: EvalFlags): void {
  const known: readonly string[] = [...SHARED, ...Object.keys(EVAL_FLAGS)];
  const stranger = flags.names.find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw new UsageError(`--${stranger} has no meaning for eval. autogpt eval --help lists its options.`);
}

function parseSuite(flags: EvalFlags): string | undefined {
  const name = flags.findValue("suite");
  if (name === undefined || Object.hasOwn(SUITES, name)) return name;
  const near = findNearestName(name, Object.keys(SUITES));
  throw new UsageError(
    `There is no suite "${name}". ${near ? `Did you mean ${near}?` : `There are: ${Object.keys(SUITES).join(", ")}.`}`,
  );
}

function parsePlayer(flags: EvalFlags): PlayerName | undefined {
  const name = flags.findValue("player");
  if (name === undefined || name === "oracle" || name === "obedient") return name;
  throw new UsageError(`--player takes oracle or obedient, not "${name}".`);
}

function parseStrategy(flags: EvalFlags): Pick<Measurement, "strategy"> {
  const name = flags.findValue("strategy");
  const strategy = STRATEGY_NAMES.find((one) => one === name);
  if (name !== undefined && !strategy)
    throw new UsageError(`--strategy takes ${STRATEGY_NAMES.join(", ")}, not "${name}".`);
  return strategy ? { strategy } : {};
}

function parseSpoilShare(flags: EvalFlags, player: PlayerName | undefined): number {
  const text = flags.findValue("spoil");
  if (text === undefined) return 0;
  if (!player) throw new UsageError("--spoil works with --player only: a model's own replies are never spoiled.");
  const share = Number(text);
  if (text.trim() === "" || !(share >= 0 && share < 1))
    throw new UsageError(`--spoil takes a share from 0 to less than 1, like 0.4, not "${text}".`);
  return share;
}

function parsePackages(flags: EvalFlags, base: string): Pick<SuiteOptions, "packages"> {
  const folder = flags.findValue("packages");
  return folder === undefined ? {} : { packages: resolve(base, folder) };
}

function parseCount(flags: EvalFlags): Pick<SuiteOptions, "count"> {
  return flags.has("count") ? { count: parseWholeNumber(flags, "count", 1) } : {};
}

function parseWholeNumber(flags: EvalFlags, name: EvalFlagName, usual: number, least = 1): number {
  const text = flags.findValue(name);
  if (text === undefined) return usual;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new UsageError(`--${name} takes a whole number from ${least}, not "${text}".`);
  return Number(text);
}

/** The help of `autogpt eval`. */
export function renderEvalUsage(): string {
  return `Usage: autogpt eval --suite NAME [--model NAME] [--base-url URL] [--runs N] [--report DIR] [options]
       autogpt eval --suite NAME --compare alone [options]
       autogpt eval --compare BEFORE AFTER [--report DIR]
       autogpt eval --list

Runs the tasks of a suite with the agent, each in a throwaway folder, and measures success, steps, tokens,
money and time. Commands are approved as with --continuous; what the policy asks about in that mode is
refused. They run on this machine with your rights: use --sandbox or a container for models you don't trust.

${renderFlags(EVAL_FLAGS)}

These are as for a run: ${SHARED.map((name) => `--${name}`).join(", ")}.

Exit codes: 0 all runs passed, 2 some didn't, 1 crashed, 4 nothing could be measured, 130 stopped (the report
has what was done until then).
`;
}
