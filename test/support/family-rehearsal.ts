import { deleteAgent, listAgents, messageAgent, startAgent } from "../../src/commands/agent/agents.ts";
import { createTaskCompleteCommand } from "../../src/commands/agent/task-complete.ts";
import type { ReservedBudget } from "../../src/core/budget/reserved-budget.ts";
import { type Command, createPreparedCall } from "../../src/core/commands/command.ts";
import { createCommandSet } from "../../src/core/commands/command-set.ts";
import type { Outcome } from "../../src/core/commands/outcome.ts";
import { ContextBudget } from "../../src/core/context/context-budget.ts";
import { Run, type StartedBody } from "../../src/core/events/run.ts";
import { LiveRun } from "../../src/core/loop/live-run.ts";
import { UserRequests } from "../../src/core/loop/user-requests.ts";
import type { Approver } from "../../src/core/ports/approver.ts";
import { ModelError, type Usage } from "../../src/core/ports/model.ts";
import { FormatChoice } from "../../src/core/reply/formats.ts";
import { BudgetPool } from "../../src/runtime/subagents/budget-pool.ts";
import {
  createNamedApprover,
  createStartedEvent,
  type SpawnedAgent,
  type SpawnOptions,
  selectAgentCommands,
} from "../../src/runtime/subagents/spawn.ts";
import { SubAgents } from "../../src/runtime/subagents/sub-agents.ts";
import { Grants } from "../../src/safety/policy/grants.ts";
import type { PolicyState } from "../../src/safety/policy/policy-state.ts";
import { wrapApproverWithPolicy } from "../../src/safety/policy/with-policy.ts";
import { Provenance } from "../../src/safety/provenance/provenance.ts";
import type { AgentEvent } from "../../src/schema/events.ts";
import { type Deeds, fakeCommands } from "./fake-commands.ts";
import { type Answer, FakeModel } from "./fake-model.ts";
import { MemoryLog } from "./memory-log.ts";
import { deciding } from "./rehearsal.ts";
import { NO_LIMITS, sampleStart } from "./sample-run.ts";

export interface FamilyRehearsing {
  /** What the parent's model answers. */
  readonly parent: readonly Answer[];
  /** What each agent's model answers, by the agent's name. */
  readonly agents?: Readonly<Record<string, readonly Answer[]>>;
  readonly start?: Partial<StartedBody>;
  readonly most?: number;
  readonly events?: readonly AgentEvent[];
  /** Who is asked; absent: whoever it is allows everything. */
  readonly asks?: Approver;
  readonly continuous?: number;
  /** How calls are billed; absent: a tenth of a cent each. */
  costOf?(usage: Usage): number;
}

/** A run with agents that work for it, under the policy, with fakes all around. */
export interface FamilyRehearsal {
  readonly live: LiveRun;
  readonly log: MemoryLog;
  readonly family: SubAgents;
  readonly grants: Grants;
  readonly provenance: Provenance;
  readonly deeds: Deeds;
  readonly models: Map<string, FakeModel>;
  /** The agents' runs, in the order in which they were started. */
  readonly spawned: (SpawnedAgent & { readonly log: MemoryLog })[];
}

export async function familyRehearsal(options: FamilyRehearsing): Promise<FamilyRehearsal> {
  const deeds: Deeds = [];
  const log = new MemoryLog();
  const grants = new Grants();
  const provenance = new Provenance();
  const models = new Map<string, FakeModel>();
  const spawned: FamilyRehearsal["spawned"] = [];
  const modelOf = (name: string, answers: readonly Answer[]): FakeModel => {
    const model = new FakeModel(answers, ["text"], 8_000);
    if (options.costOf) model.costOf = options.costOf;
    models.set(name, model);
    return model;
  };
  const budget = new BudgetPool();
  const family = new SubAgents({
    ...{ grants, provenance, budget },
    getMaxAgentCount: () => options.most ?? 3,
    getContinuousLimit: () => 25,
    spawn: async (spawning) => {
      const own = await spawn(spawning, spawned.length, deeds, options, modelOf);
      spawned.push(own);
      return own;
    },
  });
  const commands = createCommandSet([
    ...worldly(deeds),
    ...[startAgent(family), messageAgent(family), listAgents(family), deleteAgent(family)],
  ]);
  family.offer(commands);
  const run = options.events
    ? Run.openStored(log, options.events)
    : await Run.start(log, sampleStart({ commands: commands.specs, limits: NO_LIMITS, ...options.start }));
  if (options.events) log.events.push(...options.events);
  budget.follow(run);
  run.onEvent((event) => provenance.apply(event));
  family.follow(run, options.events ?? []);
  if (options.continuous) grants.startContinuous(options.continuous);
  const model = modelOf("parent", options.parent);
  const live = new LiveRun(run, new UserRequests(), async () => {
    family.open();
    return {
      ...partsOf(
        model,
        () => budget.getReservedBudget(),
        (signal) => family.waitForFinishedAgent(signal),
      ),
      commands,
      approver: wrapApproverWithPolicy(
        options.asks ?? deciding(),
        policy(grants, provenance, () => run.state.mode === "plan"),
      ),
      agents: family,
    };
  });
  return { live, log, family, grants, provenance, deeds, models, spawned };
}

async function spawn(
  spawning: SpawnOptions,
  index: number,
  deeds: Deeds,
  options: FamilyRehearsing,
  modelOf: (name: string, answers: readonly Answer[]) => FakeModel,
): Promise<FamilyRehearsal["spawned"][number]> {
  const { request } = spawning;
  const log = new MemoryLog();
  const commands = createCommandSet(selectAgentCommands(request, worldly(deeds)));
  const id = `20260102_03040${index}_${request.name.toLowerCase()}_0a1b`;
  const names = { smart: request.model, fast: "fast", contextWindow: 8_000 };
  const run = await Run.start(
    log,
    createStartedEvent(spawning, { id, machine: "m", day: "Friday, 2 January 2026", commands, model: names }),
  );
  const grants = new Grants();
  const provenance = new Provenance();
  provenance.apply(run.head);
  run.onEvent((event) => {
    provenance.apply(event);
    if (event.type === "over") grants.endAll();
  });
  const model = modelOf(request.name, options.agents?.[request.name] ?? []);
  const live = new LiveRun(run, new UserRequests(), async () => {
    const idle = spawning.explainIdleState();
    if (idle !== undefined) throw new ModelError("setup", idle);
    return {
      ...partsOf(model, () => spawning.computeMissingBudget(run)),
      commands,
      approver: wrapApproverWithPolicy(
        createNamedApprover(options.asks ?? deciding(), request.name),
        policy(grants, provenance, spawning.isPlanning),
      ),
    };
  });
  return { live, log, grants, provenance, close: () => run.close() };
}

/** Commands that a run has beside those for agents; one of them reads what others wrote. */
function worldly(deeds: Deeds): Command[] {
  const fake = fakeCommands(deeds).filter(({ name }) => name !== "task_complete");
  const fetched: Outcome = {
    status: "done",
    output: "Words of others.",
    source: { kind: "web", name: "a.example" },
  };
  const fetch: Command = {
    ...{ name: "fetch_note", description: "Fetches a note.", aliases: [], category: "notes", effect: "read" },
    parameters: { type: "object", properties: {}, additionalProperties: false },
    prepare: async () => createPreparedCall("read", "Fetch a note.", async () => fetched),
  };
  return [...fake, fetch, createTaskCompleteCommand()];
}

function partsOf(model: FakeModel, reserved: () => ReservedBudget, freed?: SubAgents["waitForFinishedAgent"]) {
  return {
    thinking: {
      model,
      formats: new FormatChoice(model.formats),
      findPromptTime: () => "Friday, 2 January 2026",
      contextBudget: new ContextBudget({
        getFastModel: () => model,
        getReservedBudget: reserved,
        ...(freed ? { waitForFreeBudget: freed } : {}),
      }),
    },
    pausesOnTrouble: false,
    reportOutput: () => undefined,
  };
}

function policy(grants: Grants, provenance: Provenance, planning: () => boolean): PolicyState {
  return {
    ...{ grants, provenance, isPlanning: planning },
    platform: "linux",
    getSettings: () => ({ rules: [], deny: [], readOnlyShell: false, allowHosts: [] }),
    listFolders: () => ["/w"],
    isTrusted: () => true,
  };
}
