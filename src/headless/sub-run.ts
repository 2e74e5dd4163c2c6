import type { ReservedBudget } from "../core/budget/reserved-budget.ts";
import { commandSet } from "../core/commands/command-set.ts";
import type { CountTokens } from "../core/context/tokens.ts";
import { type ModelPair, modelNames, Run } from "../core/events/run.ts";
import type { Approver, User } from "../core/ports/approver.ts";
import { openRunLog } from "../runs/log/run-log.ts";
import { redactedLog, withSecrets } from "../runs/log/secrets.ts";
import { withReserved } from "../runtime/subagents/budget-pool.ts";
import {
  agentCommands,
  namedApprover,
  type SpawnedAgent,
  type SpawnOptions,
  startedAgent,
} from "../runtime/subagents/spawn.ts";
import { Grants } from "../safety/policy/grants.ts";
import { Provenance } from "../safety/provenance/provenance.ts";
import { composed } from "./compose.ts";
import type { AgentHome } from "./open-run.ts";
import type { Options } from "./options.ts";
import { siblingPlace } from "./place.ts";
import { runCommands } from "./run-commands.ts";

/** What an agent's run is made of. */
export interface SubRunParts extends AgentHome {
  readonly options: Options;
  readonly models: ModelPair;
  readonly user: User | undefined;
  countTokens(model: string): CountTokens;
  /** Who is asked about what the policy does not decide. */
  asks(run: Run, grants: Grants, reserved: () => ReservedBudget): Approver;
  warn(sentence: string): void;
}

/** An agent that works for a run, as a run of its own beside it. */
export async function subRun(parts: SubRunParts, spawning: SpawnOptions): Promise<SpawnedAgent> {
  const { options, models, workspace, user, memory, secrets, countTokens, warn } = parts;
  const { request, reserved } = spawning;
  const { id, folder: runFolder, machine } = siblingPlace(parts.place, request.name);
  const opened: { run?: Run } = {};
  const provenance = new Provenance();
  const { all, folders, shell } = await runCommands({
    ...{ options, models, workspace, runFolder, user, secrets },
    memory: memory.sharedWith(() => provenance.sources),
    purse: () => opened.run && withReserved(opened.run.state, reserved()),
  });
  const commands = withSecrets(commandSet(agentCommands(request, all)), secrets);
  const model = request.model === "smart" ? models.smart : models.fast;
  const names = modelNames({ smart: model, fast: models.fast });
  const log = redactedLog(await openRunLog(runFolder), secrets);
  const run = await Run.start(log, startedAgent(spawning, { id, machine, commands, model: names }));
  opened.run = run;
  const grants = new Grants();
  provenance.apply(run.head);
  run.onEvent((event) => {
    provenance.apply(event);
    if (event.type === "over") grants.endAll();
  });
  const live = composed(run, {
    ...{ model, fast: models.fast, countTokens, commands, grants, provenance, folders, reserved },
    asks: namedApprover(parts.asks(run, grants, reserved), request.name),
    yesTo: options.yesTo,
    sandbox: () => shell.sandbox,
    tampering: () => shell.tampering,
    allowHosts: options.settings.web.allowHosts,
    planning: spawning.isPlanning,
    idle: spawning.idleReason,
    notice: warn,
  });
  const close = async (): Promise<void> => {
    await shell.processes?.endAll("all");
    await run.close();
  };
  return { live, grants, provenance, close };
}
