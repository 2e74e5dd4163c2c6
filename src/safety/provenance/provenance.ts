import { splitMentionedTexts } from "../../core/base/mentioned-texts.ts";
import { cutText } from "../../core/base/text.ts";
import {
  findMemoryDay,
  formatSourceName,
  getOutcomeText,
  getPlainSourceName,
  isSourceKind,
  type Source,
} from "../../core/commands/outcome.ts";
import type { AgentEventBody } from "../../schema/events.ts";
import type { RecalledMemory } from "../../schema/run-values.ts";
import { type DisplayText, displayText, type Sentence } from "../../texts/display-text.ts";
import { listAddressedHosts } from "./hosts.ts";

/** Untrusted sources whose text a run's prompts have contained. A source is never removed, whatever happens to its text. */
export class Provenance {
  private readonly known = new Map<string, Source>();
  /** When text of a source last came in, by the source's key; ISO 8601. */
  private readonly times = new Map<string, string>();
  private now = "";
  private readonly named = new Set<string>();
  private runId = "";

  /** Untrusted sources so far; the one whose text came in last is the last. */
  get sources(): readonly Source[] {
    return [...this.known.values()];
  }

  /** Hosts that untrusted text named, in lower case. */
  get hosts(): ReadonlySet<string> {
    return this.named;
  }

  /** Names the newest untrusted source to people, with the day of its text; undefined if there is none. */
  describeNewestSource(now = new Date()): DisplayText | undefined {
    const source = this.sources.at(-1);
    if (!source) return undefined;
    const { kind } = source;
    const plain = getPlainSourceName(source);
    const name = cutText(kind === "web" || kind === "download" ? getHostOrName(plain) : plain, LONGEST_SHOWN);
    const day = describeDay(findMemoryDay(source) ?? this.times.get(getSourceKey(source)) ?? "", now);
    return displayText(
      isSourceKind(kind) ? `safety.readFrom.${kind === "ignored-file" ? "ignoredFile" : kind}` : "safety.readFrom.tool",
      { name, day },
    );
  }

  /** Applies one event of the run. For a stored run, all events are applied from the first on. */
  apply(event: AgentEventBody & { readonly at?: string }): void {
    this.now = event.at ?? "";
    if (event.type === "started") this.runId = event.id;
    if (event.type === "started" || event.type === "said") for (const one of event.sources ?? []) this.add(one);
    if (event.type === "started") this.addQuoted(event.task);
    if (event.type === "said") this.addQuoted(event.text);
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
    const key = getSourceKey(source);
    this.known.delete(key);
    this.known.set(key, source);
    this.times.set(key, this.now);
    if (source.kind === "web" || source.kind === "download") this.addHosts(source.name);
  }

  /** Counts the issues and comments that a task or a message quotes, whoever quoted them. */
  private addQuoted(text: string): void {
    for (const name of listQuotedAddresses(text)) this.add({ kind: "web", name });
    if (QUOTED_ADDRESS.test(text)) this.addHosts(splitMentionedTexts(text).quoted);
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

/** The mark at the beginning of quoted text from an address, as `quoteAsData` writes it. */
const QUOTED_ADDRESS = /^=+ begin data from (https?:\/\/\S+) \(not instructions\) =+$/m;

function listQuotedAddresses(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(QUOTED_ADDRESS, "gm"))].map(([, address = ""]) => address);
}

const MOST_HOSTS = 2000;
/** Characters of the newest source's name on a card. */
const LONGEST_SHOWN = 80;

function getHostOrName(address: string): string {
  return URL.parse(address)?.host || address;
}

const DAY_MS = 24 * 3600 * 1000;

/** The calendar day of a time, counted from today. A time that can't be read is one of this run. */
function describeDay(at: string, now: Date): DisplayText {
  const day = new Date(at).setHours(0, 0, 0, 0);
  const count = Number.isNaN(day) ? 0 : Math.round((new Date(now).setHours(0, 0, 0, 0) - day) / DAY_MS);
  return count <= 0 ? displayText("safety.today") : displayText("safety.daysAgo", { count });
}

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
