import { nearest } from "../../core/base/text.ts";
import { NOTHING_RESERVED } from "../../core/budget/reserved-budget.ts";
import type { CommandSet } from "../../core/commands/command-set.ts";
import type { RunEnd, Source } from "../../core/commands/outcome.ts";
import type { Run } from "../../core/events/run.ts";
import {
  AGENT_COMMANDS,
  type AgentAnswer,
  type AgentRequest,
  type AgentSummary,
  type Agents,
} from "../../core/ports/sub-agents.ts";
import type { Grants } from "../../safety/policy/grants.ts";
import type { Provenance } from "../../safety/provenance/provenance.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { BudgetPool } from "./budget-pool.ts";
import type { SpawnedAgent, SpawnOptions } from "./spawn.ts";
import {
  DELETED,
  endSummary,
  GONE,
  type OrphanedAgent,
  orphanedAgents,
  STARTED,
  SubAgent,
} from "./sub-agent.ts";

/** The run that agents work for, and what puts them together. */
export interface SubAgentsOptions {
  /** Undefined until it has begun. */
  run(): Run | undefined;
  /** Those that it is offered. */
  commands(): CommandSet;
  readonly grants: Grants;
  readonly provenance: Provenance;
  /** How many agents there may be at a time. */
  most(): number;
  /** How many commands of an agent continuous mode approves, at most. */
  continuousLimit(): number;
  spawn(spawning: SpawnOptions): Promise<SpawnedAgent>;
}

/** The agents that work for a run: each a run of its own, with a share of the budget and under no weaker policy. */
export class SubAgents implements Agents {
  readonly budget: BudgetPool;
  private readonly parts: SubAgentsOptions;
  private readonly agents = new Map<number, SubAgent>();
  private lost: readonly OrphanedAgent[] = [];
  private last = 0;
  private isOpen = false;

  constructor(parts: SubAgentsOptions) {
    this.parts = parts;
    this.budget = new BudgetPool(() => parts.run());
    parts.grants.onChange(() => {
      if (parts.grants.continuousLeft > 0) return;
      for (const { spawned } of this.agents.values()) spawned.grants.stopContinuous();
    });
  }

  /** Begins to serve a run that has this past: the agents of its past are gone. */
  follow(run: Run, past: readonly AgentEvent[]): void {
    this.lost = orphanedAgents(past);
    this.last = this.lost.length;
    run.onEvent(({ type }) => type === "resumed" && void this.reportOrphans());
  }

  /** The run goes on, so agents may work for it. */
  open(): void {
    this.isOpen = true;
  }

  maxCount(): number {
    return this.parts.most();
  }

  list(): readonly AgentSummary[] {
    const lost = this.lost.filter(({ isDeleted }) => !isDeleted).map(({ brief }) => brief);
    return [...lost, ...[...this.agents.values()].map(({ brief }) => brief)];
  }

  allowedCommands(names: readonly string[]): readonly string[] | string {
    const commands = this.parts.commands();
    const offered = commands.specs.map(({ name }) => name).filter((name) => !OWN.has(name));
    const lent = new Set<string>();
    for (const name of names) {
      const today = commands.resolve(name);
      if (today !== undefined && OWN.has(today))
        return `"${today}" cannot be given to an agent: agents start no others. Leave it out.`;
      if (today === undefined) {
        const near = nearest(name, offered);
        return `There is no command "${name}" to give to an agent.${near ? ` Did you mean "${near}"?` : ""} You can give what you are offered yourself: ${offered.join(", ")}.`;
      }
      lent.add(today);
    }
    return [...lent];
  }

  async start(wish: AgentRequest): Promise<AgentSummary | string> {
    const parent = this.parts.run();
    if (!parent || !this.isOpen) return "The run is not going on, so nobody can work for it.";
    if (this.agents.size >= this.parts.most())
      return `As many agents are there already as autogpt.agents.max allows: ${this.agents.size}. Give the work to one of them with message_agent, or delete one with delete_agent first.`;
    const limits = this.budget.share(wish.share);
    if (typeof limits === "string")
      return `The budget (${limits}) leaves nothing for another agent. Do the work yourself, and bring the task to its end.`;
    const made: { agent?: SubAgent } = {};
    const spawned = await this.parts.spawn({
      wish,
      parent,
      limits,
      sources: this.parts.provenance.sources,
      isContinuous: this.parts.grants.continuousLeft > 0,
      reserved: () => (made.agent ? this.budget.missing(made.agent) : NOTHING_RESERVED),
      planning: () => parent.state.mode === "plan",
      idle: () => (this.isOpen ? undefined : "This agent works for another run, which does not go on."),
    });
    const agent = new SubAgent(++this.last, wish, spawned, (end) => this.done(agent, end));
    made.agent = agent;
    this.agents.set(agent.id, agent);
    this.budget.join(agent, wish.name);
    spawned.live.onWaiting(() => this.reportPending(agent));
    this.align(agent);
    await this.record(agent, `${STARTED}${wish.task}`);
    agent.go();
    return agent.brief;
  }

  async send(id: number, message: string): Promise<AgentSummary | string> {
    const agent = this.agents.get(id);
    if (!agent) return this.missing(id);
    this.align(agent);
    const { provenance } = this.parts;
    await agent.send(message, agent.spawned.provenance.newOf(provenance.sources));
    return agent.brief;
  }

  async answer(id: number, signal: AbortSignal): Promise<AgentAnswer | string> {
    const agent = this.agents.get(id);
    if (!agent) return this.missing(id);
    const end = await agent.end(signal);
    await this.budget.booked();
    return { agent: agent.brief, end, source: sourceOf(agent) };
  }

  async delete(id: number): Promise<AgentSummary | string> {
    const agent = this.agents.get(id);
    if (!agent) return this.deleteLost(id);
    await agent.stop();
    await this.budget.booked();
    this.agents.delete(id);
    this.budget.leave(agent);
    await this.record(agent, DELETED);
    await agent.spawned.close();
    return agent.brief;
  }

  /** Waits until one of those at work is done, so that what was set aside for it is free; false when none works. */
  async freed(signal: AbortSignal): Promise<boolean> {
    const working = [...this.agents.values()].filter((agent) => agent.works());
    if (working.length === 0) return false;
    await Promise.race(working.map((agent) => agent.end(signal)));
    await this.budget.booked();
    return true;
  }

  /** Stops those that work, and books what they have spent. They can be told more once the run goes on. */
  async stop(): Promise<void> {
    this.isOpen = false;
    await Promise.all([...this.agents.values()].map((agent) => agent.stop()));
    await this.budget.booked();
  }

  /** Stops all and lets go of them. */
  async close(): Promise<void> {
    await this.stop();
    await Promise.all([...this.agents.values()].map(({ spawned }) => spawned.close()));
    this.agents.clear();
  }

  /** What is approved in advance for the run, is for the agent by a count of its own. */
  private align({ spawned, run }: SubAgent): void {
    const { grants } = this.parts;
    if (grants.continuousLeft === 0 || run.state.mode !== "continuous") return;
    spawned.grants.startContinuous(Math.min(grants.continuousLeft, this.parts.continuousLimit()));
  }

  private async done(agent: SubAgent, end: RunEnd): Promise<void> {
    await this.record(agent, endSummary(end, agent.run.state));
  }

  private reportPending(agent: SubAgent): void {
    const { waiting } = agent.spawned.live;
    if (!waiting) return;
    const what =
      waiting.kind === "question"
        ? "has a question for you."
        : `waits for you: it wants to run ${waiting.request.proposal.call.name}.`;
    void this.record(agent, what);
  }

  /** A log that can no longer be written is told of by the run itself. */
  private async record({ wish, run }: Pick<SubAgent, "wish" | "run">, what: string): Promise<void> {
    await this.parts
      .run()
      ?.record({ type: "child", run: run.state.id, name: wish.name, what })
      .catch(() => undefined);
  }

  private missing(id: number): string {
    const gone = this.lost.find(({ brief, isDeleted }) => brief.id === id && !isDeleted)?.brief;
    if (gone)
      return `Agent ${id} (${gone.name}) is gone: its work ended when the program was closed, and it cannot go on. Start another one if that work is still needed.`;
    const known = this.list().map((agent) => `${agent.id} (${agent.name})`);
    return `There is no agent ${id}. ${known.length > 0 ? `There are: ${known.join(", ")}.` : "Start one with start_agent."}`;
  }

  private async deleteLost(id: number): Promise<AgentSummary | string> {
    const found = this.lost.find(({ brief, isDeleted }) => brief.id === id && !isDeleted);
    if (!found) return this.missing(id);
    const { run, name } = found.brief;
    this.lost = this.lost.map((one) => (one === found ? { ...one, isDeleted: true } : one));
    await this.parts.run()?.record({ type: "child", run, name, what: DELETED });
    return found.brief;
  }

  private async reportOrphans(): Promise<void> {
    const news = this.lost.filter(({ isDeleted, isTold }) => !isDeleted && !isTold);
    this.lost = this.lost.map((one) => ({ ...one, isTold: true }));
    for (const { brief } of news)
      await this.parts
        .run()
        ?.record({ type: "child", run: brief.run, name: brief.name, what: GONE })
        .catch(() => undefined);
  }
}

/** Commands that a run keeps to itself; by `task_complete` every agent answers anyhow. */
const OWN: ReadonlySet<string> = new Set(Object.values(AGENT_COMMANDS));

/** Where an answer comes from: an agent that knows of nothing that others wrote is not a stranger. */
function sourceOf({ wish, spawned }: SubAgent): Source {
  const isClean = spawned.provenance.sources.length === 0;
  return { kind: "agent", name: wish.name, ...(isClean ? { isClean } : {}) };
}
