import { omitUndefined } from "../../core/base/objects.ts";
import type { Limits } from "../../core/budget/budget.ts";
import { type Command, isPrepared } from "../../core/commands/command.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import type { Source } from "../../core/commands/outcome.ts";
import type { Run, StartedBody } from "../../core/events/run.ts";
import type { LiveRun } from "../../core/loop/live-run.ts";
import type { Approver } from "../../core/ports/approver.ts";
import type { AgentRequest } from "../../core/ports/sub-agents.ts";
import {
  createDefaultDirectives,
  listIsolatedConstraints,
  OWN_KNOWLEDGE,
  UNTRUSTED_TEXT,
} from "../../core/prompt/prompt-texts.ts";
import type { SandboxGuard } from "../../node/sandbox/sandbox-guard.ts";
import type { Secrets } from "../../runs/log/secrets.ts";
import type { Grants } from "../../safety/policy/grants.ts";
import type { Provenance } from "../../safety/provenance/provenance.ts";
import { LOG_VERSION } from "../../schema/formats.ts";
import type { ModelNames } from "../../schema/run-values.ts";
import type { RunPlugins } from "../run-plugins.ts";
import type { RunCosts } from "../services/run-costs.ts";
import type { ComputeMissing } from "./budget-pool.ts";

/** Options of a new agent. */
export interface SpawnOptions {
  readonly request: AgentRequest;
  /** The run that the agent works for. */
  readonly parent: Run;
  readonly limits: Limits;
  /** Untrusted sources that the parent has read and that may be in the task. */
  readonly sources: readonly Source[];
  /** The parent is in continuous mode. */
  readonly isContinuous: boolean;
  readonly computeMissingBudget: ComputeMissing;
  /** The user wants only a plan from the parent so far. */
  isPlanning(): boolean;
  /** Why it can't work now, as a sentence; undefined when it can. */
  explainIdleState(): string | undefined;
}

/** Parts that a sub-agent shares with the run that it works for. */
export interface SubRun {
  readonly spawning: SpawnOptions;
  /** Shared, so that one run can find a secret that the other hides in a text. */
  readonly secrets: Secrets;
  /** Shared, because both spend the user's money. */
  readonly costs: RunCosts;
  /** Shared, because both work in the same folders. */
  readonly guard: SandboxGuard | undefined;
  /** The hooks of the run that it works for. */
  readonly plugins: RunPlugins;
}

/** The strategy of an agent, which takes over only the one that is a form of replies. */
export function chooseAgentStrategy({ strategy }: StartedBody): StartedBody["strategy"] {
  return strategy === "react" ? strategy : undefined;
}

/** A composed agent. */
export interface SpawnedAgent {
  readonly live: LiveRun;
  readonly grants: Grants;
  readonly provenance: Provenance;
  /** Releases the agent once it has stopped. */
  close(): Promise<void>;
}

/** Selects the commands of an agent: those of its request, and the one for its answer. */
export function selectAgentCommands({ commands }: AgentRequest, all: readonly Command[]): readonly Command[] {
  const allowed = all.filter(({ name }) => name !== COMMAND.finish && commands.includes(name));
  return [...allowed, ...all.filter(({ name }) => name === COMMAND.finish).map(createAnswerCommand)];
}

/** Removes the approval from the command: an agent's answer doesn't end anything for the user. */
function createAnswerCommand(command: Command): Command {
  return {
    ...command,
    effect: "none",
    description: "Gives your answer to the agent that you work for, as the reason: all of it, in full.",
    prepare: async (args, preparing) => {
      const result = await command.prepare(args, preparing);
      return isPrepared(result) ? { ...result, effect: "none" } : result;
    },
  };
}

/** Creates the first event of an agent's run. */
export function createStartedEvent(
  { request, parent, limits, sources, isContinuous }: SpawnOptions,
  own: {
    readonly id: string;
    readonly machine: string;
    readonly day: string;
    readonly commands: CommandSet;
    readonly model: ModelNames;
    /** See `renderWorkspacePicture`. */
    readonly picture?: string | undefined;
  },
): StartedBody {
  const { head, state } = parent;
  const strategy = chooseAgentStrategy(head);
  const { constraints, resources } = createDefaultDirectives(own.commands.specs.map(({ name }) => name));
  const hasCommands = request.commands.length > 0;
  return {
    type: "started",
    schema: LOG_VERSION,
    id: own.id,
    task: request.prompt === "" ? request.task : `${request.task}\n\n${request.prompt}`,
    profile: {
      name: request.name,
      role: `an agent that does one part of the work of ${state.profile.name}`,
      goals: [request.task],
      ...omitUndefined({ commands: head.profile.commands }),
    },
    directives: {
      constraints: [
        ...CONSTRAINTS,
        ...(head.isolated ? listIsolatedConstraints(head.isolated.hosts ?? []) : []),
        ...(hasCommands ? constraints : [UNTRUSTED_TEXT]),
      ],
      resources: hasCommands ? resources : [OWN_KNOWLEDGE],
      bestPractices: ["Answer as soon as you can: every step costs money."],
    },
    rules: selectAgentRules(request, head),
    ...omitUndefined({ laterRules: head.laterRules }),
    ...(own.commands.resolve(COMMAND.readSkill) ? pickSkills(head) : {}),
    model: own.model,
    limits,
    mode: isContinuous ? "continuous" : "ask",
    ...omitUndefined({ strategy }),
    commands: own.commands.specs,
    folder: head.folder,
    ...omitUndefined({ folders: head.folders, isolated: head.isolated }),
    os: head.os,
    day: own.day,
    ...omitUndefined({ picture: own.picture }),
    machine: own.machine,
    parent: state.id,
    isAgent: true,
    ...(sources.length > 0 ? { sources } : {}),
  };
}

/** The agent's own instructions, and the rules of the run except those of an agent's file, which are that agent's. */
function selectAgentRules(
  { instructions = [] }: AgentRequest,
  { rules, agents = [] }: Run["head"],
): StartedBody["rules"] {
  const files = new Set(agents.map(({ file }) => file));
  return [...instructions, ...rules.filter(({ file }) => !files.has(file))];
}

function pickSkills({ skills, moreSkills }: Run["head"]): Pick<StartedBody, "skills" | "moreSkills"> {
  return { ...omitUndefined({ skills }), ...(moreSkills ? { moreSkills } : {}) };
}

const CONSTRAINTS = [
  "You work for another agent. It sees nothing of your steps and knows only your answer, which is the reason that you give to task_complete: put all that was asked for there, whole, and say what you could not do.",
  "You know nothing of the other agent's work but what you are told here. After your answer it may tell you more.",
];

/** Creates an approver that names the asking agent. */
export function createNamedApprover(asks: Approver, name: string): Approver {
  return {
    decide: (request, signal) => {
      const { why } = request;
      const reason = `The agent "${name}", which works for the run, asks. ${why?.reason ?? ""}`.trimEnd();
      const unknown = { rule: "agent", sensitive: false, sources: [] };
      return asks.decide({ ...request, why: { ...(why ?? unknown), reason } }, signal);
    },
  };
}
