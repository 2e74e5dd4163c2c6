import { platform, release } from "node:os";
import { type Limits, tighter } from "../core/budget.ts";
import type { Commands } from "../core/commands.ts";
import { SCHEMA } from "../core/event.ts";
import type { Profile } from "../core/profile.ts";
import type { StartedBody } from "../core/run.ts";
import { type ModelPair, modelNames } from "../core/run-models.ts";
import { readDirectives } from "../runs/prompt-settings.ts";
import { readRules } from "../runs/rules.ts";
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
  readonly commands: Commands;
  warn(sentence: string): void;
}

/** The first event of a new run, with what the workspace has to say about how it shall work. */
export async function startOf(starting: Starting): Promise<StartedBody> {
  const { options, task, profile, workspace, place, models, commands, warn } = starting;
  const [{ directives, problem }, rules] = await Promise.all([
    readDirectives(place.home),
    readRules(workspace),
  ]);
  if (problem !== undefined) warn(problem);
  for (const { file } of rules) warn(`The agent reads ${file}, the repository's own words.`);
  return {
    type: "started",
    schema: SCHEMA,
    id: place.id,
    task,
    profile,
    directives,
    rules,
    model: modelNames(models),
    limits: tighter(DEFAULT_LIMITS, { usd: profile.budgetUsd ?? 0 }),
    mode: options.continuous > 0 ? "continuous" : "ask",
    commands: commands.specs,
    folder: workspace,
    os: `${platform()} ${release()}`,
    machine: place.machine,
  };
}
