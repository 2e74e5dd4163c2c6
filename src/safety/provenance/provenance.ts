import { cutText } from "../../core/base/text.ts";
import { formatSourceName, getOutcomeText, type Source } from "../../core/commands/outcome.ts";
import type { AgentEventBody } from "../../schema/events.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import { displayText, type Sentence } from "../../texts/display-text.ts";
import { listAddressedHosts } from "./hosts.ts";

/** Untrusted sources whose text a run's prompts have contained. A source is never removed, whatever happens to its text. */
export class Provenance {
  private readonly known = new Map<string, Source>();
  private readonly named = new Set<string>();
  private runId = "";

  /** Untrusted sources so far, oldest first. */
  get sources(): readonly Source[] {
    return [...this.known.values()];
  }

  /** Hosts that untrusted text named, in lower case. */
  get hosts(): ReadonlySet<string> {
    return this.named;
  }

  /** Applies one event of the run. For a stored run, all events are applied from the first on. */
  apply(event: AgentEventBody): void {
    if (event.type === "started") this.runId = event.id;
    if (event.type === "started" || event.type === "said") for (const one of event.sources ?? []) this.add(one);
    if (event.type === "ended")
      for (const outcome of [event.outcome, ...(event.also ?? [])])
        if ("source" in outcome && outcome.source) {
          this.add(outcome.source);
          if (!outcome.source.isClean) this.addHosts(getOutcomeText(outcome));
        }
    if (event.type === "hooked" && event.result === "changed")
      this.add({ kind: "tool", name: `plugin ${event.plugin}` });
    if (event.type === "recalled") this.recall(event.memories);
    if (event.type === "asked") this.recall(event.tail.recalled);
  }

  add(source: Source): void {
    if (source.isClean) return;
    this.known.set(getSourceKey(source), source);
    if (source.kind === "web" || source.kind === "download") this.addHosts(source.name);
  }

  private addHosts(text: string): void {
    for (const host of listAddressedHosts(text)) {
      if (this.named.size >= MOST_HOSTS) return;
      this.named.add(host);
    }
  }

  /** The sources among these that are new here. */
  selectNewSources(sources: readonly Source[]): readonly Source[] {
    return sources.filter((source) => !this.known.has(getSourceKey(source)));
  }

  /** A memory of this run was already counted with its original text; any other counts unless it's marked as clean. */
  private recall(memories: readonly Pick<RecalledMemory, "source" | "isClean">[]): void {
    for (const { source, isClean } of memories) {
      const isOwn = this.runId !== "" && source.startsWith(this.runId);
      if (!isOwn && !isClean) this.add({ kind: "memory", name: source });
    }
  }
}

const MOST_HOSTS = 2000;

function getSourceKey({ kind, name }: Source): string {
  return `${kind} ${name}`;
}

/** Limits on sources and on the characters of their names, because an address can hold anything. */
const MOST_NAMED = 50;
const LONGEST_NAME = 300;

/** Names of sources for people. */
export function listSourceNames(sources: readonly Source[]): string[] {
  return sources.slice(0, MOST_NAMED).map((source) => cutText(formatSourceName(source), LONGEST_NAME));
}

/** Default number of sources that a sentence names. */
const MOST_TOLD = 3;

/** A sentence on the untrusted text that may have led to a call, latest sources first; "" when there is none. */
export function describeInfluence(sources: readonly Source[], most = MOST_TOLD): Sentence {
  const count = sources.length;
  if (count === 0) return "";
  const shown = listSourceNames(sources.slice(-most).toReversed());
  const [names, more] = [shown.join("; "), count - shown.length];
  return more > 0
    ? displayText("safety.influencedAndMore", { count, names, more })
    : displayText("safety.influenced", { count, names });
}
