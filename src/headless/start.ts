import { platform, release } from "node:os";
import { basename } from "node:path";
import { type Limits, tighterLimits } from "../core/budget/budget.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { type ModelPair, modelNames, type StartedBody } from "../core/events/run.ts";
import type { Profile } from "../core/prompt/profile.ts";
import { DEFAULT_DIRECTIVES } from "../core/prompt/prompt.ts";
import { nodeWorkspace } from "../node/workspace.ts";
import { readRepositoryInstructions } from "../runs/profiles/repository-instructions.ts";
import { guardedReader } from "../safety/paths/guarded-reader.ts";
import { LOG_VERSION } from "../schema/formats.ts";
import type { Options } from "./options.ts";
import type { RunPlace } from "./place.ts";

/** What a run may spend: the same as the editor's settings say by default. */
const DEFAULT_LIMITS: Limits = { steps: 100, tokens: 20_000_000, minutes: 60, usd: 2 };

export interface Starting {
  readonly options: Pick<Options, "continuous">;
  readonly task: string;
  readonly profile: Profile;
  readonly workspace: string;
  readonly place: RunPlace;
  readonly models: ModelPair;
  readonly commands: CommandSet;
  warn(sentence: string): void;
}

/** The first event of a new run, with what the workspace has to say about how it shall work. */
export async function startOf(starting: Starting): Promise<StartedBody> {
  const { options, task, profile, workspace, place, models, commands, warn } = starting;
  const files = nodeWorkspace({ folders: [{ name: basename(workspace), path: workspace }] });
  const read = guardedReader(files, files.folders(), platform());
  const { rules, unread } = await readRepositoryInstructions(workspace, read);
  for (const problem of unread) warn(problem);
  for (const { file } of rules) warn(`The agent reads ${file}, the repository's own words.`);
  return {
    type: "started",
    schema: LOG_VERSION,
    id: place.id,
    task,
    profile,
    directives: DEFAULT_DIRECTIVES,
    rules,
    ...(unread.length > 0 ? { unread } : {}),
    model: modelNames(models),
    limits: tighterLimits(DEFAULT_LIMITS, { usd: profile.budgetUsd ?? 0 }),
    mode: options.continuous > 0 ? "continuous" : "ask",
    commands: commands.specs,
    folder: workspace,
    os: `${platform()} ${release()}`,
    machine: place.machine,
  };
}
