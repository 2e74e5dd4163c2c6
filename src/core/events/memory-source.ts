import { displayText, type Sentence } from "../../texts/display-text.ts";

/**
 * Describes a memory's source for people. It's stored in English for the model: places, authors, steps and the agent's notes become
 * localized texts, and words of others stay as they are.
 */
export function describeMemorySource(source: string, mostDetails = MOST_DETAILS): Sentence {
  if (mostDetails === 0 || source.length > MOST_CHARS) return source;
  for (const [pattern, text] of ENDS) {
    const [found, before = "", ...values] = pattern.exec(source) ?? [];
    if (found !== undefined)
      return displayText("runs.memory.source.detail", {
        source: describeMemorySource(before, mostDetails - 1),
        detail: text(values),
      });
  }
  return describePlainSource(source);
}

/** Does the same for a recalled memory, without the run's ID or the kind before it, which only the prompt and the log need. */
export function describeRecalledSource(source: string): Sentence {
  const own = stripOrigin(source);
  const summarized = /^\d+ memories, summarized: (\[1\] .*)$/s.exec(own)?.[1]?.split(/; (?=\[\d+\] )/) ?? [];
  return summarized.length === 0 || summarized.length > MOST_SOURCES
    ? describeMemorySource(own)
    : joinNumberedSources(summarized);
}

/** Limits for texts of others: longer sources are shown as they are. */
const MOST_CHARS = 2_000;
const MOST_DETAILS = 4;
const MOST_SOURCES = 100;

function stripOrigin(source: string): string {
  return source.replace(/^(?:(?:run )?\d{8}_\d{6}_[a-z0-9-]+_[a-z0-9]{4}|episode|note|page|file): /, "");
}

/** Joins numbered sources, one after the other. */
function joinNumberedSources([first = "", ...more]: readonly string[]): Sentence {
  const [, number = "", own = first] = /^(\[\d+\] )(.*)$/s.exec(first) ?? [];
  const source = displayText("runs.memory.source.numbered", {
    number,
    source: describeMemorySource(stripOrigin(own)),
  });
  return more.length === 0
    ? source
    : displayText("runs.memory.source.also", { source, more: joinNumberedSources(more) });
}

/** Details that may follow a source. An author's name has no quotation mark, because a task or a question may contain the same words. */
const ENDS: readonly (readonly [RegExp, (values: readonly string[]) => Sentence])[] = [
  [/^(.+), by ([^"]+)$/s, ([author = ""]) => displayText("runs.memory.source.author", { author })],
  [
    /^(.+), lines (\d+) to (\d+)$/s,
    ([from = "", to = ""]) =>
      from === to
        ? displayText("runs.memory.source.line", { line: from })
        : displayText("runs.memory.source.lines", { from, to }),
  ],
  [
    /^(.+), part (\d+) of (\d+)$/s,
    ([part = "", parts = ""]) => displayText("runs.memory.source.part", { part, parts }),
  ],
  [/^(.+), summary$/s, () => displayText("runs.memory.source.summary")],
  [/^(.+), answer$/s, () => displayText("runs.memory.source.answer")],
  [/^(.+?), answer to "(.+)"$/s, ([question = ""]) => displayText("runs.memory.source.answerTo", { question })],
];

function describePlainSource(source: string): Sentence {
  const [, task] = /^a note of the agent on "(.*)"$/s.exec(source) ?? [];
  if (task !== undefined) return displayText("runs.memory.source.note", { task });
  const [, step, of = "", from] = /^step (\d+) of "(.*?)"(?: \(from [\w-]+ (.*)\))?$/s.exec(source) ?? [];
  if (step === undefined) return source;
  const ofStep = displayText("runs.memory.source.step", { step, task: of });
  return from === undefined ? ofStep : displayText("runs.memory.source.from", { source: ofStep, from });
}
