import type { ReservedBudget } from "../core/budget/reserved-budget.ts";
import type { CommandSet } from "../core/commands/command-set.ts";
import { ContextBudget } from "../core/context/context-budget.ts";
import type { CountTokens } from "../core/context/tokens.ts";
import { type Run, recordModels } from "../core/events/run.ts";
import type { AgentDependencies } from "../core/loop/agent.ts";
import { LiveRun } from "../core/loop/live-run.ts";
import type { Approver } from "../core/ports/approver.ts";
import { type Model, ModelError } from "../core/ports/model.ts";
import { localTime } from "../core/prompt/prompt.ts";
import { FormatChoice, formatsFor } from "../core/reply/formats.ts";
import type { RunMemory } from "../memory/recall/run-memory.ts";
import { packagedGrammar } from "../node/app-files.ts";
import { policyDisk } from "../node/policy-disk.ts";
import { shellProgram } from "../node/processes/programs.ts";
import type { RunShell } from "../node/sandbox/run-shell.ts";
import type { SubAgents } from "../runtime/subagents/sub-agents.ts";
import type { Grants } from "../safety/policy/grants.ts";
import type { PolicyState } from "../safety/policy/policy-state.ts";
import { yesTo as alwaysAllowing } from "../safety/policy/rules.ts";
import { withPolicy } from "../safety/policy/with-policy.ts";
import type { Provenance } from "../safety/provenance/provenance.ts";
import { withProvenance } from "../safety/provenance/with-provenance.ts";
import { shellLanguage } from "../safety/shell/load.ts";

/** What the agent is put together from. */
export interface Parts {
  readonly model: Model;
  /** Writes summaries. */
  readonly fast: Model;
  countTokens(model: string): CountTokens;
  readonly commands: CommandSet;
  /** What it recalls from; an agent of another run recalls nothing. */
  readonly memory?: RunMemory;
  /** What of others it has read. */
  readonly provenance: Provenance;
  /** Those that work for it. */
  readonly agents?: SubAgents;
  /** What of the budget is not its own to spend now. */
  reserved(): ReservedBudget;
  /** The user wants a plan of the run that it works for. */
  planning?(): boolean;
  /** Why it may not work now, as a sentence. */
  idle?(): string | undefined;
  /** Who is asked about what the policy does not decide. */
  readonly asks: Approver;
  readonly grants: Grants;
  /** Commands that are always approved. */
  readonly yesTo: readonly string[];
  /** Real paths of the folders it may work in. */
  folders(): readonly string[];
  /** How the shell confines command lines, if it does. */
  sandbox(): "confined" | "trusted" | undefined;
  /** Changes that sandboxed lines made to files that steer programs. */
  tampering?(): RunShell["tampering"];
  /** Hosts that the user has allowed. */
  readonly allowHosts: readonly string[];
  notice(text: string): void;
}

/** The agent of a run. It is impatient: trouble that somebody would have to help with ends the run. */
export function composed(run: Run, parts: Parts): LiveRun {
  const { model, commands, memory, asks, provenance } = parts;
  const shell = shellLanguage(shellProgram().name, packagedGrammar);
  const disk = policyDisk();
  const made: Omit<AgentDependencies, "gate"> = {
    thinking: {
      model,
      formats: new FormatChoice(formatsFor(model)),
      localTime: () => localTime(),
      contextBudget: new ContextBudget({
        fast: () => parts.fast,
        count: parts.countTokens,
        reserved: parts.reserved,
        freed: async (signal) => parts.agents?.freed(signal) ?? false,
      }),
      ...(memory ? { recall: memory.recall.bind(memory) } : {}),
      notice: parts.notice,
    },
    commands: withProvenance(commands, { provenance, disk, folders: parts.folders, shell }),
    approver: withPolicy(asks, {
      ...policyState(parts, { disk, shell }),
      planning: () => run.state.mode === "plan" || parts.planning?.() === true,
    }),
    pausesOnTrouble: false,
    ...(parts.agents ? { agents: parts.agents } : {}),
    output: () => undefined,
  };
  return new LiveRun(run, async () => {
    const idle = parts.idle?.();
    if (idle !== undefined) throw new ModelError("setup", idle);
    await recordModels(run, { smart: model, fast: parts.fast });
    parts.agents?.open();
    return made;
  });
}

function policyState(
  { commands, grants, provenance, yesTo, folders, sandbox, tampering, allowHosts }: Parts,
  lines: NonNullable<PolicyState["lines"]>,
): PolicyState {
  return {
    grants,
    provenance,
    platform: process.platform,
    rules: alwaysAllowing(yesTo.map((name) => commands.resolve(name) ?? name)),
    lines,
    sandbox,
    ...(tampering ? { tampering } : {}),
    folders,
    trusted: () => true,
    settings: () => ({ rules: [], deny: [], readOnlyShell: false, allowHosts }),
  };
}
