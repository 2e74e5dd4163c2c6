import { untilAborted } from "../../core/base/async.ts";
import { errorMessage } from "../../core/base/errors.ts";
import { NOTHING_RESERVED, type ReservedBudget } from "../../core/budget/reserved-budget.ts";
import type { Source } from "../../core/commands/outcome.ts";
import { currentStep, type RunState, type StepView } from "../../core/events/run-state.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Memory } from "../../core/ports/storage.ts";
import type { AgentEvent, AgentEventBody } from "../../schema/events.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import type { MemoryItem, NewMemory } from "../store/memory-item.ts";
import type { WorkspaceMemory } from "../workspace-memory.ts";
import { documentMemories, type RememberedDocument } from "./documents.ts";
import { episodeMemory, recallQuery } from "./episodes.ts";
import { summarizeMemories } from "./memory-summary.ts";
import type { MemoryHit } from "./recall.ts";
import type { RecallSettings } from "./recall-settings.ts";

/** What a run's part in a memory needs. */
export interface RunMemoryDependencies {
  /** The workspace's store, opened by the first call. Throws a sentence when there can be none. */
  open(): Promise<WorkspaceMemory>;
  settings(): RecallSettings;
  /** The last step that the prompt tells in brief only; later ones need no recalling. */
  summarizedUpTo(): number;
  /** The model that tells what was recalled in brief, where the user wants that; absent: there is none. */
  fast?(): Model | undefined;
  /** The untrusted text that the run has read so far: all that it remembers may hold some of it. */
  sources(): readonly Source[];
  /** Keeps in the run's log what was recalled, and why, and what telling it in brief has cost. */
  record(event: Extract<AgentEventBody, { type: "recalled" | "spent" }>): Promise<unknown>;
  /** A sentence for people. */
  notice(text: string): void;
}

/** How long a step waits for what is recalled: a memory that was slow once gets less the next time. */
const PATIENCE_MS = 5_000;
const LESS_PATIENCE_MS = 400;
/** How long it waits for the memories in brief. */
const BRIEF_MS = 30_000;
/** Memories take at most this share of the window. */
const RECALL_SHARE = 1 / 16;
/** What these commands bring in is kept as pages, in pieces. */
const PAGE_COMMANDS: ReadonlySet<string> = new Set(["browse_website"]);

/** A run's part in what is remembered: recalls before each step, remembers each step after it. It never keeps a run from going on. */
export class RunMemory implements Memory {
  private readonly parts: RunMemoryDependencies;
  private readonly said: string[] = [];
  private run: Pick<RunState, "id" | "task"> = { id: "", task: "" };
  private ended: StepView | undefined;
  private told = false;
  private patienceMs = PATIENCE_MS;
  private brief: { readonly of: string; readonly memory: RecalledMemory } | undefined;
  private adding: Promise<void> = Promise.resolve();

  constructor(parts: RunMemoryDependencies) {
    this.parts = parts;
  }

  /**
   * What fits the next step, in brief where the user wants that; `beside` is not there to be spent on it. Trouble is told once and leaves
   * nothing recalled, or nothing told in brief; only the signal's reason is thrown.
   */
  async recall(
    state: RunState,
    signal: AbortSignal,
    beside: ReservedBudget = NOTHING_RESERVED,
  ): Promise<readonly RecalledMemory[]> {
    const memories = await this.found(state, signal);
    return this.parts.settings().summarise ? this.shortened(memories, state, signal, beside) : memories;
  }

  private async found(state: RunState, signal: AbortSignal): Promise<readonly RecalledMemory[]> {
    const { enabled, recallCount, maxTokens, queryMessages } = this.parts.settings();
    if (!enabled || recallCount <= 0 || maxTokens <= 0) return [];
    const brief = this.parts.summarizedUpTo();
    const slow = AbortSignal.timeout(this.patienceMs);
    const limit = AbortSignal.any([signal, slow]);
    try {
      const recalled = this.parts.open().then((store) =>
        store.recall(recallQuery(state, queryMessages), {
          count: recallCount,
          maxTokens: Math.min(maxTokens, recallRoom(state.model.contextWindow)),
          signal: limit,
          run: state.id,
          skip: (item) => (item.run === state.id ? (item.step ?? 0) > brief : isOfUnknownOrigin(item)),
        }),
      );
      const hits = await untilAborted(recalled, limit);
      const memories = hits.map((hit) => recalledFrom(hit, state.id));
      if (memories.length > 0)
        await this.parts.record({ type: "recalled", step: currentStep(state), memories });
      return memories;
    } catch (error) {
      signal.throwIfAborted();
      if (slow.aborted) this.patienceMs = LESS_PATIENCE_MS;
      this.tell(slow.aborted ? SLOW : sentenceOf(error));
      return [];
    }
  }

  /** The same memories are told in brief once, however many steps recall them. */
  private async shortened(
    memories: readonly RecalledMemory[],
    state: RunState,
    signal: AbortSignal,
    beside: ReservedBudget,
  ): Promise<readonly RecalledMemory[]> {
    const model = this.parts.fast?.();
    if (!model || memories.length === 0) return memories;
    const of = JSON.stringify(memories.map(({ text, source }) => [text, source]).toSorted());
    if (this.brief?.of === of) return [this.brief.memory];
    const slow = AbortSignal.timeout(BRIEF_MS);
    try {
      const briefing = { model, state, beside, maxTokens: this.parts.settings().maxTokens };
      const told = await summarizeMemories(memories, briefing, AbortSignal.any([signal, slow]));
      if (!told) return memories;
      await this.parts.record(told.spent);
      if (!told.memory) return memories;
      this.brief = { of, memory: told.memory };
      return [told.memory];
    } catch (error) {
      signal.throwIfAborted();
      this.tell(`The memories could not be told in brief. ${slow.aborted ? "" : sentenceOf(error)}`.trim());
      return memories;
    }
  }

  /** Reads an event of the run. A step is remembered once the next one begins, with what was said to it; nobody waits for that. */
  readonly apply = (event: AgentEvent, state: RunState): void => {
    this.run = state;
    switch (event.type) {
      case "said":
        if (event.by === "user") this.said.push(event.text);
        return;
      case "ended":
        this.ended = state.recent.at(-1);
        return;
      case "asked":
      case "over":
        this.keepEnded();
        return;
      default:
    }
  };

  async search(query: string, count: number, signal: AbortSignal): Promise<readonly RecalledMemory[]> {
    const store = await this.parts.open();
    const { maxTokens } = this.parts.settings();
    const hits = await store.recall(query, { count, maxTokens, signal, run: this.run.id });
    return hits.map((hit) => recalledFrom(hit, this.run.id));
  }

  add(text: string): Promise<void> {
    return this.note(text, this.parts.sources());
  }

  /** The same memory for an agent that works for the run, and has read other things. */
  sharedWith(sources: () => readonly Source[]): Memory {
    return {
      search: (query, count, signal) => this.search(query, count, signal),
      add: (text) => this.note(text, sources()),
    };
  }

  private async note(text: string, sources: readonly Source[]): Promise<void> {
    const { id, task } = this.run;
    const store = await this.parts.open();
    const source = `a note of the agent on "${task.slice(0, 80)}"`;
    await store.add([{ kind: "note", text, source, run: id, sources: kept(sources) }]);
  }

  /** Resolves once all that the run has to remember is kept, or cannot be. */
  async settled(): Promise<void> {
    this.keepEnded();
    await this.adding;
  }

  /** Adds the step that has ended, after what was added before. */
  private keepEnded(): void {
    const memories = this.ended && this.parts.settings().enabled ? this.memoriesOf(this.ended) : [];
    this.ended = undefined;
    this.said.length = 0;
    if (memories.length === 0) return;
    this.adding = this.adding
      .then(async () => void (await (await this.parts.open()).add(memories)))
      .catch((error: unknown) => this.tell(sentenceOf(error)));
  }

  private memoriesOf(step: StepView): readonly NewMemory[] {
    const { id: run, task } = this.run;
    const episode = episodeMemory(step, { run, task, said: [...this.said] });
    const page = pageOf(step);
    const memories = [...(episode ? [episode] : []), ...(page ? documentMemories({ ...page, run }) : [])];
    const sources = kept(this.parts.sources());
    return memories.map((memory) => ({ ...memory, sources }));
  }

  private tell(text: string): void {
    if (this.told) return;
    this.told = true;
    this.parts.notice(`${text} The run goes on without it.`);
  }
}

const SLOW = "The memory did not answer in time, so nothing was recalled for this step.";

/** What a step read from the web, to be kept in pieces. */
function pageOf({ reply, outcome }: StepView): RememberedDocument | undefined {
  if (reply?.kind !== "proposal" || !PAGE_COMMANDS.has(reply.call.name)) return undefined;
  if (outcome?.status !== "done" || outcome.source?.kind !== "web") return undefined;
  return { kind: "page", source: outcome.source.name, text: outcome.output };
}

/** True for memories of 0.1.0's runs: one would taint the run that recalls it, and all later ones. `memory_search` still finds them. */
function isOfUnknownOrigin({ run, sources }: MemoryItem): boolean {
  return run !== undefined && sources === undefined;
}

/** The most sources kept with a memory, and the most characters of a name: one is enough to distrust it. */
const MOST_SOURCES = 20;
const LONGEST_NAME = 300;

function kept(sources: readonly Source[]): readonly Source[] {
  return sources
    .slice(0, MOST_SOURCES)
    .map(({ kind, name }) => ({ kind, name: name.slice(0, LONGEST_NAME) }));
}

/** What a prompt has room for; without bound where the window is not known. */
function recallRoom(contextWindow: number): number {
  return contextWindow > 0 ? Math.floor(contextWindow * RECALL_SHARE) : Number.POSITIVE_INFINITY;
}

/** Memories of other runs name the run, those of none say what they are; policy and prompt go by that name. */
function recalledFrom(
  { text, source, run, kind, score, why, isClean }: MemoryHit,
  own: string,
): RecalledMemory {
  const from = run === undefined ? kind : run === own ? own : `run ${run}`;
  return { text, source: `${from}: ${source}`, score, why, ...(isClean ? { isClean } : {}) };
}

function sentenceOf(error: unknown): string {
  return errorMessage(error);
}
