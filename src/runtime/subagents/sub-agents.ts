import { omitUndefined } from "../../core/base/objects.ts";
import { findNearestName } from "../../core/base/text.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import { createCommandSet } from "../../core/commands/command-set.ts";
import { COMMAND } from "../../core/commands/command-traits.ts";
import type { RunEnd, Source } from "../../core/commands/outcome.ts";
import type { Run } from "../../core/events/run.ts";
import type { AgentAnswer, AgentRequest, AgentSummary, Agents, DescribedAgents } from "../../core/ports/sub-agents.ts";
import type { Grants } from "../../safety/policy/grants.ts";
import type { Provenance } from "../../safety/provenance/provenance.ts";
import type { AgentEvent } from "../../schema/events.ts";
import type { BudgetPool } from "./budget-pool.ts";
import type { SpawnedAgent, SpawnOptions } from "./spawn.ts";
import {
  DELETED,
  findOrphanedAgents,
  GONE,
  type OrphanedAgent,
  STARTED,
  SubAgent,
  summarizeRunEnd,
} from "./sub-agent.ts";

/** The run that the agents work for, and the function that composes them. */
export interface SubAgentsOptions {
  /** The budget that they share with the run. */
  readonly budget: BudgetPool;
  readonly grants: Grants;
  readonly provenance: Provenance;
  readonly described?: DescribedAgents | undefined;
  /** Limit on the number of agents at a time. */
  getMaxAgentCount(): number;
  /** Limit on the commands of an agent that continuous mode approves. */
  getContinuousLimit(): number;
  spawn(options: SpawnOptions): Promise<SpawnedAgent>;
}

/** The agents that work for a run. Each is a separate run with a share of the budget, under the same or a stricter policy. */
export class SubAgents implements Agents {
  private readonly parts: SubAgentsOptions;
  private readonly agents = new Map<number, SubAgent>();
  private orphaned: readonly OrphanedAgent[] = [];
  private lastId = 0;
  /** The commands that the run is offered. */
  private commands: CommandSet = createCommandSet([]);
  /** Undefined until the run has begun. */
  private run: Run | undefined;
  private isOpen = false;

  constructor(parts: SubAgentsOptions) {
    this.parts = parts;
    parts.grants.onChange(() => {
      if (parts.grants.continuousLeft > 0) return;
      for (const { spawned } of this.agents.values()) spawned.grants.stopContinuous();
    });
  }

  /** From now on, agents may get these commands. */
  offer(commands: CommandSet): void {
    this.commands = commands;
  }

  /** Serves a run with this past. The agents from its past are gone. */
  follow(run: Run, past: readonly AgentEvent[]): void {
    this.run = run;
    this.orphaned = findOrphanedAgents(past);
    this.lastId = this.orphaned.length;
    run.onEvent(({ type }) => type === "resumed" && void this.reportOrphans());
  }

  /** The run is active, so agents may work for it. */
  open(): void {
    this.isOpen = true;
  }

  getMaxCount(): number {
    return this.parts.getMaxAgentCount();
  }

  get described(): DescribedAgents | undefined {
    return this.parts.described;
  }

  list(): readonly AgentSummary[] {
    const orphaned = this.orphaned.filter(({ isDeleted }) => !isDeleted);
    return [...orphaned, ...this.agents.values()].map(({ summary }) => summary);
  }

  selectAllowedCommands(names?: readonly string[]): readonly string[] {
    const offered = this.commands.specs.map(({ name }) => name);
    return offered.filter((name) => !OWN.has(name) && name !== COMMAND.finish && (names?.includes(name) ?? true));
  }

  resolveAllowedCommands(names: readonly string[]): readonly string[] | string {
    const { commands } = this;
    const offered = commands.specs.map(({ name }) => name).filter((name) => !OWN.has(name));
    const allowed = new Set<string>();
    for (const name of names) {
      const today = commands.resolve(name);
      if (today !== undefined && OWN.has(today))
        return `"${today}" cannot be given to an agent: agents start no others. Leave it out.`;
      if (today === undefined) {
        const near = findNearestName(name, offered);
        return `There is no command "${name}" to give to an agent.${near ? ` Did you mean "${near}"?` : ""} You can give what you are offered yourself: ${offered.join(", ")}.`;
      }
      allowed.add(today);
    }
    const readsSkills = allowed.has(COMMAND.read) && offered.includes(COMMAND.readSkill);
    return readsSkills ? [...allowed.add(COMMAND.readSkill)] : [...allowed];
  }

  async start(request: AgentRequest): Promise<AgentSummary | string> {
    const { run: parent } = this;
    const { budget } = this.parts;
    if (!parent || !this.isOpen) return "The run isn't active, so no agent can work for it.";
    if (this.agents.size >= this.parts.getMaxAgentCount())
      return `No more agents: the limit autogpt.agents.max (${this.agents.size}) is reached. Give the work to one of them with message_agent, or delete one with delete_agent first.`;
    const limits = budget.share(request.share);
    if (typeof limits === "string")
      return `The budget (${limits}) leaves nothing for another agent. Do the work yourself, and bring the task to its end.`;
    const spawned = await this.parts.spawn({
      request,
      parent,
      limits,
      sources: this.parts.provenance.sources,
      isContinuous: this.parts.grants.continuousLeft > 0,
      computeMissingBudget: (agent) => budget.computeMissingBudget(agent),
      isPlanning: () => parent.state.mode === "plan",
      explainIdleState: () => (this.isOpen ? undefined : "This agent works for another run, which isn't active."),
    });
    const agent = new SubAgent(++this.lastId, request, spawned, (end) => this.recordAgentEnd(agent, end));
    this.agents.set(agent.id, agent);
    budget.join(agent, request.name);
    spawned.live.onPending(() => this.reportPending(agent));
    this.align(agent);
    await this.record(agent, `${STARTED}${request.task}`);
    agent.go();
    return agent.summary;
  }

  async send(id: number, message: string): Promise<AgentSummary | string> {
    const agent = this.agents.get(id);
    if (!agent) return this.describeMissingAgent(id);
    this.align(agent);
    const { provenance } = this.parts;
    await agent.send(message, agent.spawned.provenance.selectNewSources(provenance.sources));
    return agent.summary;
  }

  async answer(id: number, signal: AbortSignal): Promise<AgentAnswer | string> {
    const agent = this.agents.get(id);
    if (!agent) return this.describeMissingAgent(id);
    const end = await agent.end(signal);
    await this.parts.budget.waitForBookings();
    return { agent: agent.summary, end, source: createAnswerSource(agent) };
  }

  async delete(id: number): Promise<AgentSummary | string> {
    const agent = this.agents.get(id);
    if (!agent) return this.deleteOrphan(id);
    await agent.stop();
    await this.parts.budget.waitForBookings();
    this.agents.delete(id);
    this.parts.budget.leave(agent);
    await this.record(agent, DELETED);
    await agent.spawned.close();
    return agent.summary;
  }

  /** Waits until a working agent is done, which frees its share of the budget; false when no agent is working. */
  async waitForFinishedAgent(signal: AbortSignal): Promise<boolean> {
    const working = [...this.agents.values()].filter((agent) => agent.isWorking);
    if (working.length === 0) return false;
    await Promise.race(working.map((agent) => agent.end(signal)));
    await this.parts.budget.waitForBookings();
    return true;
  }

  /** Stops the working agents and books their spending. They accept messages again once the run resumes. */
  async stop(): Promise<void> {
    this.isOpen = false;
    await Promise.all([...this.agents.values()].map((agent) => agent.stop()));
    await this.parts.budget.waitForBookings();
  }

  /** Stops and releases all agents. */
  async close(): Promise<void> {
    await this.stop();
    await Promise.all([...this.agents.values()].map(({ spawned }) => spawned.close()));
    this.agents.clear();
  }

  /** Passes the run's continuous mode on to an agent, which counts its approvals separately. No untrusted text comes before them. */
  private align({ spawned, run }: SubAgent): void {
    const { grants } = this.parts;
    if (grants.continuousLeft === 0 || run.state.mode !== "continuous") return;
    spawned.grants.startContinuous(Math.min(grants.continuousLeft, this.parts.getContinuousLimit()), 0);
  }

  private async recordAgentEnd(agent: SubAgent, end: RunEnd): Promise<void> {
    await this.record(agent, summarizeRunEnd(end, agent.run.state));
  }

  private reportPending(agent: SubAgent): void {
    const { pending } = agent.spawned.live;
    if (!pending) return;
    const what =
      pending.kind === "question"
        ? "has a question for you."
        : `waits for you: it wants to run ${pending.request.proposal.call.name}.`;
    void this.record(agent, what);
  }

  /** Ignores a log that can't be written anymore: the run itself reports that. */
  private async record({ request, run }: Pick<SubAgent, "request" | "run">, what: string): Promise<void> {
    await this.run?.record({ type: "child", run: run.state.id, name: request.name, what }).catch(() => undefined);
  }

  private describeMissingAgent(id: number): string {
    const gone = this.findOrphan(id)?.summary;
    if (gone)
      return `Agent ${id} (${gone.name}) is gone: its work ended when the program was closed, and it can't continue. Start another one if that work is still needed.`;
    const known = this.list().map((agent) => `${agent.id} (${agent.name})`);
    return `There is no agent ${id}. ${known.length > 0 ? `There are: ${known.join(", ")}.` : "Start one with start_agent."}`;
  }

  private findOrphan(id: number): OrphanedAgent | undefined {
    return this.orphaned.find(({ summary, isDeleted }) => summary.id === id && !isDeleted);
  }

  private async deleteOrphan(id: number): Promise<AgentSummary | string> {
    const found = this.findOrphan(id);
    if (!found) return this.describeMissingAgent(id);
    const { run, name } = found.summary;
    this.orphaned = this.orphaned.map((one) => (one === found ? { ...one, isDeleted: true } : one));
    await this.run?.record({ type: "child", run, name, what: DELETED });
    return found.summary;
  }

  private async reportOrphans(): Promise<void> {
    const unreported = this.orphaned.filter(({ isDeleted, isReported }) => !isDeleted && !isReported);
    this.orphaned = this.orphaned.map((one) => ({ ...one, isReported: true }));
    for (const { summary } of unreported)
      await this.run
        ?.record({ type: "child", run: summary.run, name: summary.name, what: GONE })
        .catch(() => undefined);
  }
}

/** Commands that agents never get. Every agent has `task_complete` anyway, to answer with. */
const OWN: ReadonlySet<string> = new Set([
  COMMAND.startAgent,
  COMMAND.messageAgent,
  COMMAND.listAgents,
  COMMAND.deleteAgent,
]);

/** The source of an answer. It counts as clean if the agent has read nothing untrusted. */
function createAnswerSource({ request, spawned }: SubAgent): Source {
  const isClean = spawned.provenance.sources.length === 0;
  return { kind: "agent", name: request.name, ...omitUndefined({ isClean: isClean || undefined }) };
}
