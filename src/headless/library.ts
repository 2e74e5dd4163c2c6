// The part of the product that other programs may use: all that the packages in `packages` import from it, unless they are plugins.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { PassThrough, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { tryJson } from "../core/base/json.ts";
import { omitUndefined } from "../core/base/objects.ts";
import type { RunEnd } from "../core/commands/outcome.ts";
import { addOwnTokenCount } from "../core/context/tokens.ts";
import type { Model } from "../core/ports/model.ts";
import { selectMainSettings } from "../models/named-providers.ts";
import { createProcessMark, createProcessTree, markEnvironment } from "../node/processes/process-tree.ts";
import { createShellEnvironment } from "../node/processes/shell-environment.ts";
import type { AgentEvent } from "../schema/events.ts";
import { readEvent } from "../schema/readers.ts";
import type { StrategyName } from "../schema/run-values.ts";
import type { SettingName } from "../schema/settings.ts";
import { createHeadlessModels } from "./models.ts";
import { runHeadless } from "./run-headless.ts";
import { collectServiceKeys, createKeyLookup } from "./service-keys.ts";
import type { Surroundings } from "./session.ts";
import { type Environment, loadSettings, type SettingSources } from "./settings.ts";

export { assertNever, getErrorMessage } from "../core/base/errors.ts";
export { isObject, type Json, tryJson } from "../core/base/json.ts";
export { omitUndefined } from "../core/base/objects.ts";
export { cutText, escapeInvisible, findNearestName } from "../core/base/text.ts";
export { countStepsForLimit } from "../core/budget/budget.ts";
export { COMMAND } from "../core/commands/command-traits.ts";
export type { RunEnd } from "../core/commands/outcome.ts";
export { applyEvent, NO_RUN } from "../core/events/run-state.ts";
export { type Completion, ModelError, type ReplyFormat, type Usage } from "../core/ports/model.ts";
export { WorkspaceError } from "../core/ports/workspace.ts";
export { readReply } from "../core/reply/read-reply.ts";
export { type Call, THOUGHT_FIELDS } from "../core/reply/reply.ts";
export { PLANNER_ROLE } from "../core/strategies/task-list.ts";
export { readFileText } from "../disk/plain-file.ts";
export { findOnPath } from "../node/processes/programs.ts";
export { createNodeWorkspace, type FolderWorkspace } from "../node/workspace.ts";
export { escapeHtml, renderHtmlPage } from "../runs/export/page.ts";
export { EVAL_REPORT_VERSION, type EvalReport, type EvalResult } from "../schema/eval-report.ts";
export type { AgentEvent } from "../schema/events.ts";
export { isEvalReport } from "../schema/host-validators.ts";
export { STRATEGY_NAMES, type StrategyName } from "../schema/run-values.ts";
export type { SettingName } from "../schema/settings.ts";
export type { ProgramEnd } from "./exit-code.ts";
export { type Flag, type FlagName, type Flags, readFlags, renderFlags } from "./flags.ts";
export { collectSettingSources, getBaseFolder } from "./options.ts";
export { createOutput, type Output } from "./output.ts";
export type { Surroundings } from "./session.ts";
export type { SettingSources } from "./settings.ts";
export { UsageError } from "./usage-error.ts";

/** A task for the command line's agent, which asks no one: a card that isn't approved by the settings is refused. */
export interface AgentTask {
  readonly task: string;
  /** Absolute. */
  readonly folder: string;
  /** The user's own folder on this machine, as the run sees it. */
  readonly data: string;
  /** How prompts become steps, in place of the profile's. */
  readonly strategy?: StrategyName | undefined;
  readonly sources: SettingSources;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly packaged?: Surroundings["packaged"];
  /** Called for each piece of a reply to a step. */
  handleReplyPiece?(): void;
}

/** A run that has ended, with its log as it was printed: an event a line. */
export interface EndedRun {
  readonly end: RunEnd;
  readonly events: readonly AgentEvent[];
  readonly log: string;
}

/** Lets the command line's agent do a task. Throws a sentence if the run can't start. */
export async function runAgentTask(given: AgentTask): Promise<EndedRun> {
  const { task, folder, data, strategy, sources, env, signal, packaged, handleReplyPiece } = given;
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const around: Surroundings = {
    stdin,
    stdout,
    stderr,
    data,
    signal,
    ...omitUndefined({ packaged }),
    log: { reportDelta: () => handleReplyPiece?.() },
  };
  const printed = text(stdout);
  // It is awaited only if the run has ended.
  printed.catch(() => undefined);
  stderr.resume();
  try {
    const end = await runHeadless(
      {
        ...{ task, workspace: folder, sources, env, yesTo: [], pictures: [], plugins: [], remarks: [] },
        profile: { goals: [], reuse: false, draft: false, ...omitUndefined({ strategy }) },
        ...{ plan: false, isolated: false, accept: false, takeOver: false, json: true, speak: false },
      },
      around,
    );
    stdout.end();
    const log = await printed;
    const lines = log.split("\n").filter((line) => line !== "");
    return { end, events: lines.flatMap((line, seq) => readEvent(tryJson(line), seq) ?? []), log };
  } finally {
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }
}

/** The settings that a start gives itself, and the main model that all of its settings name. */
export interface GivenStart {
  readonly given: ReadonlyMap<SettingName, unknown>;
  /** Creates the model, whose completions always have a count of tokens. Throws a sentence if there is none. */
  createModel(): Promise<MainModel>;
}

/** A model with how it's asked. */
export interface MainModel {
  readonly model: Model;
  /** Null means the server's default. */
  readonly temperature: number | null;
  /** Origin of its server; "" where it has none. */
  readonly server: string;
}

/** Reads the settings of a start in a folder. Throws `UsageError`. */
export async function loadStart(folder: string, sources: SettingSources, env: Environment): Promise<GivenStart> {
  const { settings, given, keys } = await loadSettings(folder, sources);
  return {
    given,
    createModel: async () => {
      const findKey = createKeyLookup([...collectServiceKeys(settings, env), ...keys]);
      const { smart } = await createHeadlessModels(settings, findKey).createModelPair(settings);
      const { model, azure } = selectMainSettings(settings);
      const address = model.provider === "azure" ? azure.endpoint : model.baseUrl;
      return {
        model: addOwnTokenCount(smart),
        temperature: settings.model.temperature,
        server: URL.parse(address)?.origin ?? "",
      };
    },
  };
}

/** A program with everything that it starts. */
export interface OwnedProgram {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Ends everything that it started. */
  endAll(): Promise<void>;
}

/** Starts a program without input. It gets the variables of this process without its keys, and those of `env`. */
export function startProgram(
  file: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): OwnedProgram {
  const mark = createProcessMark();
  const child = spawn(file, args, {
    cwd,
    env: markEnvironment({ ...createShellEnvironment(process.env, []), ...env }, mark),
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const tree = child.pid === undefined ? undefined : createProcessTree(child.pid, mark);
  return { child, endAll: async () => void (await tree?.end()) };
}
