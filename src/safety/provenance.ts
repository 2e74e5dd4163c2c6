import type { AgentEventBody } from "../core/event.ts";
import type { Source } from "../core/outcome.ts";

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

  /** A memory of this very run was already counted with the text it was made of; any other may have been planted. */
  private recall(memories: readonly { readonly source: string }[]): void {
    for (const { source } of memories) {
      if (this.runId === "" || !source.startsWith(this.runId)) this.add({ kind: "memory", name: source });
    }
  }
}

function keyOf({ kind, name }: Source): string {
  return `${kind} ${name}`;
}

/** Sources for people, each as two or three words. */
export function sourceNames(sources: readonly Source[]): string[] {
  return [...Map.groupBy(sources, ({ kind }) => kind)].flatMap(([kind, found]) => {
    const names = found
      .slice(0, MOST_NAMED)
      .map(({ name }) => `${KINDS[kind]} ${kind === "memory" ? memoryName(name) : name}`);
    const more = found.length - names.length;
    return more > 0 ? [...names, `${more} more of that kind`] : names;
  });
}

/** A memory's name without the id of its run, and with no more of the task than tells it from others. */
function memoryName(name: string): string {
  const plain = name.replace(/^run \d{8}_\d{6}_\S+: /, "");
  return plain.length <= LONGEST_MEMORY_NAME ? plain : `${plain.slice(0, LONGEST_MEMORY_NAME)}…`;
}

const LONGEST_MEMORY_NAME = 48;

/** So many sources of a kind are named one by one. */
const MOST_NAMED = 2;

const KINDS: Readonly<Record<Source["kind"], string>> = {
  web: "the web page",
  download: "the download",
  tool: "the tool",
  "ignored-file": "the ignored file",
  memory: "the memory of",
  agent: "the agent",
};
