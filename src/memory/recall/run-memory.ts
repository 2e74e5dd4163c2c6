import { Queue, waitUntilAborted } from "../../core/base/async.ts";
import { getErrorMessage } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { NOTHING_RESERVED, type ReservedBudget } from "../../core/budget/reserved-budget.ts";
import type { Source } from "../../core/commands/outcome.ts";
import { getCurrentStep, type RunState, type StepView } from "../../core/events/run-state.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Memory } from "../../core/ports/storage.ts";
import type { AgentEvent, AgentEventBody } from "../../schema/events.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import { displayText, getErrorText, joinSentences, type Sentence } from "../../texts/display-text.ts";
import { NOTES_FOLDER } from "../notes/note-file.ts";
import type { MemoryItem, NewMemory } from "../store/memory-item.ts";
import type { WorkspaceMemory } from "../workspace-memory.ts";
import { createDocumentMemories } from "./documents.ts";
import { createEpisodeMemory, type EpisodeContext, recallQuery } from "./episodes.ts";
import { FileParts } from "./file-parts.ts";
import { summarizeMemories } from "./memory-summary.ts";
import { type FindFile, PresentFiles } from "./present-files.ts";
import type { MemoryHit } from "./recall.ts";
import { findUsedTexts } from "./used-texts.ts";

/** The user's settings for recall. */
export interface RecallSettings {
  readonly enabled: boolean;
  readonly recallCount: number;
  readonly maxTokens: number;
  /** How many of the last messages form the query. */
  readonly queryMessages: number;
  /** Whether the fast model summarizes the recalled memories, which costs a call. */
  readonly summarise: boolean;
}

/** Dependencies of a run's memory. */
export interface RunMemoryDependencies {
  /** Opens the workspace's memory at the first call. Throws a sentence if the memory can't be used. */
  open(): Promise<WorkspaceMemory>;
  getSettings(): RecallSettings;
  /** The model that summarizes recalled memories, if the user wants summaries; absent: there is none. */
  getFastModel?(): Model | undefined;
  /** The untrusted sources that the run has read so far. Any of its new memories may contain their text. */
  listSources(): readonly Source[];
  /** Whether a file may hold secrets. No part of such a file is remembered. */
  isProtected(path: string): boolean;
  /** The workspace's files as they are now. */
  readonly findFile: FindFile;
  /** Shows a sentence to the user. */
  notice(text: Sentence): void;
}

/** The run that recalls. */
export interface RecallingRun {
  readonly state: RunState;
  /** The steps through the summary's last one aren't in the prompt; later ones needn't be recalled. */
  readonly history: { readonly summary?: { readonly through: number } | undefined };
  /** Records what was recalled and why, and the cost of the summary. */
  record(event: Extract<AgentEventBody, { type: "recalled" | "spent" }>): Promise<unknown>;
}

/** How long a step waits for the memory. After a slow answer, the memory gets less time for the rest of the run. */
const PATIENCE_MS = 5_000;
const SHORT_PATIENCE_MS = 400;
/** How long a step waits for the summary. */
const SUMMARY_MS = 30_000;
/** Memories take at most this share of the context window. */
const RECALL_SHARE = 1 / 16;

/** A run's memory: recalls before each step, and remembers each step after it. It never stops a run. */
export class RunMemory implements Memory {
  private readonly parts: RunMemoryDependencies;
  private readonly said: string[] = [];
  private run: Pick<RunState, "id" | "task"> = { id: "", task: "" };
  private ended: StepView | undefined;
  private reported = false;
  private patienceMs = PATIENCE_MS;
  private summary: { readonly of: string; readonly memory: RecalledMemory } | undefined;
  private readonly adding = new Queue();
  private readonly fileParts = new FileParts();
  private readonly files: PresentFiles;

  constructor(parts: RunMemoryDependencies) {
    this.parts = parts;
    this.files = new PresentFiles(parts.findFile);
  }

  /**
   * The memories that match the next step, summarized if the user wants that. `beside` is the budget reserved for other calls. On an error,
   * which is reported once, memories are left out or not summarized. Throws only the signal's reason.
   */
  async recall(
    run: RecallingRun,
    signal: AbortSignal,
    beside: ReservedBudget = NOTHING_RESERVED,
  ): Promise<readonly RecalledMemory[]> {
    const memories = await this.findMemories(run, signal);
    return this.parts.getSettings().summarise ? this.summarizeOnce(memories, run, signal, beside) : memories;
  }

  private async findMemories(run: RecallingRun, signal: AbortSignal): Promise<readonly RecalledMemory[]> {
    const { state } = run;
    const { enabled, recallCount, maxTokens, queryMessages } = this.parts.getSettings();
    if (!enabled || recallCount <= 0 || maxTokens <= 0) return [];
    const summarizedUpTo = run.history.summary?.through ?? 0;
    const slow = AbortSignal.timeout(this.patienceMs);
    const limit = AbortSignal.any([signal, slow]);
    try {
      const recalled = this.parts.open().then((store) =>
        store.recall(recallQuery(state, queryMessages), {
          count: recallCount,
          maxTokens: Math.min(maxTokens, recallRoom(state.model.contextWindow)),
          signal: limit,
          run: state.id,
          prefersClean: true,
          findPlaceNow: this.files.check(limit),
          skip: (item) => (item.run === state.id ? (item.step ?? 0) > summarizedUpTo : isOfUnknownOrigin(item)),
        }),
      );
      const hits = await waitUntilAborted(recalled, limit);
      const memories = hits.map((hit) => createRecalledMemory(hit, state.id));
      if (memories.length > 0) await run.record({ type: "recalled", step: getCurrentStep(state), memories });
      return memories;
    } catch (error) {
      signal.throwIfAborted();
      if (slow.aborted) this.patienceMs = SHORT_PATIENCE_MS;
      this.report(slow.aborted ? SLOW : getErrorText(error));
      return [];
    }
  }

  /** Summarizes the memories, and reuses the summary for every step that recalls the same ones. */
  private async summarizeOnce(
    memories: readonly RecalledMemory[],
    run: RecallingRun,
    signal: AbortSignal,
    beside: ReservedBudget,
  ): Promise<readonly RecalledMemory[]> {
    const model = this.parts.getFastModel?.();
    if (!model || memories.length === 0) return memories;
    const of = JSON.stringify(memories.map(({ text, source }) => [text, source]).toSorted());
    if (this.summary?.of === of) return [this.summary.memory];
    const slow = AbortSignal.timeout(SUMMARY_MS);
    try {
      const options = { model, state: run.state, beside, maxTokens: this.parts.getSettings().maxTokens };
      const summary = await summarizeMemories(memories, options, AbortSignal.any([signal, slow]));
      if (!summary) return memories;
      await run.record(summary.spent);
      if (!summary.memory) return memories;
      this.summary = { of, memory: summary.memory };
      return [summary.memory];
    } catch (error) {
      signal.throwIfAborted();
      this.report(joinSentences(displayText("trouble.memoryNotSummarized"), slow.aborted ? "" : getErrorText(error)));
      return memories;
    }
  }

  /** Handles an event of the run. When a new step begins, the previous one is remembered in the background, with the user's messages. */
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

  async search(query: string, count: number, signal: AbortSignal, kind?: string): Promise<readonly RecalledMemory[]> {
    const store = await this.parts.open();
    const { maxTokens } = this.parts.getSettings();
    const filter = kind === undefined ? {} : { filter: { kind } };
    const placeNow = this.files.check(signal);
    const hits = await store.recall(query, {
      count,
      maxTokens,
      signal,
      run: this.run.id,
      findPlaceNow: placeNow,
      ...filter,
    });
    return hits.map((hit) => createRecalledMemory(hit, this.run.id));
  }

  add(text: string): Promise<string | undefined> {
    return this.note(text, this.parts.listSources());
  }

  async prepareNoteFile(text: string): ReturnType<Memory["prepareNoteFile"]> {
    const { name, contents } = await (await this.parts.open()).prepareNoteFile(text);
    return { path: `${NOTES_FOLDER}/${name}`, contents };
  }

  /** The same memory for a sub-agent of the run, whose sources may differ. */
  shareWith(sources: () => readonly Source[]): Memory {
    return {
      search: (query, count, signal, kind) => this.search(query, count, signal, kind),
      add: (text) => this.note(text, sources()),
      prepareNoteFile: (text) => this.prepareNoteFile(text),
    };
  }

  private async note(text: string, sources: readonly Source[]): Promise<string | undefined> {
    const { id, task } = this.run;
    const store = await this.parts.open();
    const source = `a note of the agent on "${task.slice(0, 80)}"`;
    await store.add([{ kind: "note", text, source, run: id, sources: limitSources(sources) }]);
    return store.state.shared?.server;
  }

  /** Resolves once all pending memories of the run are stored or have failed. */
  async waitUntilSettled(): Promise<void> {
    this.keepEnded();
    await this.adding.idle;
  }

  /** Queues the finished step to be added after earlier ones. */
  private keepEnded(): void {
    const step = this.parts.getSettings().enabled ? this.ended : undefined;
    const said = this.said.splice(0);
    this.ended = undefined;
    if (!step) return;
    const { id: run, task } = this.run;
    const origin = { run, sources: limitSources(this.parts.listSources()) };
    void this.adding
      .add(() => this.keep(step, { ...origin, task, said }))
      .catch((error: unknown) => this.report(getErrorMessage(error)));
  }

  /** Adds a step, and the texts that it has used. */
  private async keep(
    step: StepView,
    { run, task, said, sources }: EpisodeContext & { readonly sources: readonly Source[] },
  ): Promise<void> {
    const { at } = step;
    const episode = createEpisodeMemory(step, { run, task, ...omitUndefined({ said }) });
    const { texts, parts, changed } = findUsedTexts(step, (path) => this.parts.isProtected(path));
    const memories: NewMemory[] = [
      ...(episode ? [episode] : []),
      ...texts.flatMap((text) => createDocumentMemories({ ...text, run, at })),
    ];
    if (memories.length + parts.length + changed.length === 0) return;
    const store = await this.parts.open();
    if (memories.length > 0) await store.add(memories.map((memory) => ({ ...memory, sources })));
    for (const file of changed) await this.fileParts.forget(store, file);
    for (const part of parts) await this.fileParts.keep(store, part, { run, step: step.step, at, sources });
  }

  private report(text: Sentence): void {
    if (this.reported) return;
    this.reported = true;
    this.parts.notice(displayText("trouble.continuesWithout", { text }));
  }
}

const SLOW = displayText("trouble.memoryTimeout");

/** True for memories of runs of version 0.1.0: recalling one would taint the run and all later ones. `memory_search` still finds them. */
function isOfUnknownOrigin({ run, sources }: MemoryItem): boolean {
  return run !== undefined && sources === undefined;
}

/** Limits for the sources stored with a memory, and for a source's name. A single source is enough to distrust the memory. */
const MAX_SOURCES = 20;
const MAX_NAME_CHARS = 300;

function limitSources(sources: readonly Source[]): readonly Source[] {
  return sources.slice(0, MAX_SOURCES).map(({ kind, name }) => ({ kind, name: name.slice(0, MAX_NAME_CHARS) }));
}

/** The most tokens for memories in a prompt; unlimited if the window is unknown. */
function recallRoom(contextWindow: number): number {
  return contextWindow > 0 ? Math.floor(contextWindow * RECALL_SHARE) : Number.POSITIVE_INFINITY;
}

/**
 * The memory for the prompt. It names its run, or else its kind; the policy and the prompt rely on that name. A repository can contain a
 * memory with any run's id, so only a memory with a proof counts as this run's own.
 */
function createRecalledMemory(
  { text, source, run, kind, score, why, reason, isProven, isClean }: MemoryHit,
  own: string,
): RecalledMemory {
  const from = run === undefined ? kind : run === own && isProven ? own : `run ${run}`;
  return {
    text,
    source: `${from}: ${source}`,
    score,
    why,
    ...omitUndefined({ reason, isClean }),
  };
}
