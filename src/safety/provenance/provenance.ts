import { cutText } from "../../core/base/text.ts";
import { type Source, sourceName } from "../../core/commands/outcome.ts";
import type { AgentEventBody, RecalledMemory } from "../../schema/events.ts";

/** Remembers which untrusted text a run's prompts have held. It only ever grows: what was read stays known, whatever became of its text. */
export class Provenance {
  private readonly known = new Map<string, Source>();
  private runId = "";

  /** The untrusted sources so far, in the order in which they came. */
  get sources(): readonly Source[] {
    return [...this.known.values()];
  }

  /** Reads one event of the run; all of them, from the first, for whoever has no part in it yet. */
  apply(event: AgentEventBody): void {
    if (event.type === "started") this.runId = event.id;
    if (event.type === "started" || event.type === "said")
      for (const one of event.sources ?? []) this.add(one);
    if (event.type === "ended" && "source" in event.outcome && event.outcome.source)
      this.add(event.outcome.source);
    if (event.type === "recalled") this.recall(event.memories);
    if (event.type === "asked") this.recall(event.tail.recalled);
  }

  add(source: Source): void {
    if (!source.isClean) this.known.set(keyOf(source), source);
  }

  /** Those of these sources that are new here. */
  newOf(sources: readonly Source[]): readonly Source[] {
    return sources.filter((source) => !this.known.has(keyOf(source)));
  }

  /** A memory of this very run was already counted with the text it was made of; any other counts unless it is proven to be clean. */
  private recall(memories: readonly Pick<RecalledMemory, "source" | "isClean">[]): void {
    for (const { source, isClean } of memories) {
      const isOwn = this.runId !== "" && source.startsWith(this.runId);
      if (!isOwn && !isClean) this.add({ kind: "memory", name: source });
    }
  }
}

function keyOf({ kind, name }: Source): string {
  return `${kind} ${name}`;
}

/** The most sources that are named, and the most characters of a name, as an address can hold anything. */
const MOST_NAMED = 50;
const LONGEST_NAME = 300;

/** Every source for people, each under its whole name. */
export function sourceNames(sources: readonly Source[]): string[] {
  return sources.slice(0, MOST_NAMED).map((source) => cutText(sourceName(source), LONGEST_NAME));
}

/** The most sources that a sentence names, unless all are wanted. */
const MOST_TOLD = 3;

/** The untrusted text that may have led to a call, as a sentence, the latest sources first; "" when there is none. */
export function influenceText(sources: readonly Source[], most = MOST_TOLD): string {
  if (sources.length === 0) return "";
  const names = sourceNames(sources.slice(-most).toReversed());
  const more = sources.length - names.length;
  const rest = more > 0 ? `; and ${more} more` : "";
  return `Influenced by ${sources.length} untrusted ${sources.length === 1 ? "source" : "sources"}: ${names.join("; ")}${rest}.`;
}
