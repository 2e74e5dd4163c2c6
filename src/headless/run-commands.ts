import type { Limits, Totals } from "../core/budget/budget.ts";
import { withinBudget } from "../core/budget/reserved-budget.ts";
import type { ModelPair } from "../core/events/run.ts";
import type { User } from "../core/ports/approver.ts";
import type { Memory } from "../core/ports/storage.ts";
import type { Agents } from "../core/ports/sub-agents.ts";
import type { Secrets } from "../runs/log/secrets.ts";
import { machineCommands } from "./commands.ts";
import type { Options } from "./options.ts";
import { keysByOrigin } from "./service-keys.ts";

/** What the commands of a run are made of. */
export interface RunCommandParts {
  readonly options: Options;
  readonly models: ModelPair;
  /** Real path of the folder it works in. */
  readonly workspace: string;
  readonly runFolder: string;
  readonly user: User | undefined;
  readonly memory: Memory;
  readonly secrets: Secrets;
  /** Absent for an agent of another run. */
  readonly agents?: Agents;
  /** What it may spend on small tasks; undefined before it has begun. */
  purse(): { readonly totals: Totals; readonly limits: Limits } | undefined;
}

/** The commands of a run, as its options want them. */
export function runCommands(parts: RunCommandParts): ReturnType<typeof machineCommands> {
  const { options, models, workspace, runFolder, user, memory, secrets, agents, purse } = parts;
  const { sandbox, python, settings, baseUrl, apiKey, keys } = options;
  const away = {
    settings,
    allowHosts: () => settings.web.allowHosts,
    host: "commandLine" as const,
    keyFor: keysByOrigin([{ address: baseUrl, key: apiKey }, ...keys]),
    fast: async () => withinBudget(models.fast, purse),
  };
  const { redact } = secrets;
  const place = { workspace, runFolder, user, agents, sandbox, python, redact, away };
  return machineCommands({ ...place, ...(settings.memory.enabled ? { memory } : {}) });
}
