import type { Entry, Episode, Said } from "./entry.ts";
import { tryJson } from "./json.ts";
import type { Source } from "./outcome.ts";
import { paged } from "./outcome-room.ts";
import type { ChatMessage } from "./ports.ts";
import { quoted } from "./quoted.ts";
import type { Proposal } from "./reply.ts";
import { withoutSmuggled } from "./visible.ts";

/** How an entry is told: with tool calls, or in words alone. */
export type Style = "tools" | "text";

/** The messages that tell of an entry, with at most so many characters of an outcome. */
export function entryMessages(entry: Entry, style: Style, outcomeRoom: number): readonly ChatMessage[] {
  return entry.kind === "said" ? renderSaid(entry) : renderEpisode(paged(entry, outcomeRoom), style);
}

const WHO = {
  user: "The user says",
  self: "You looked at your own thoughts again and found",
  agent: "The agent that you work for says",
  undo: "The user has changed files",
} as const;

function renderSaid(said: Said): ChatMessage[] {
  return [{ role: "user", content: `${WHO[said.by]}: ${said.text}` }];
}

function renderEpisode(episode: Episode, style: "tools" | "text"): ChatMessage[] {
  const { reply } = episode;
  const content = outcomeMessage(episode);
  if (reply.kind === "unreadable")
    return [
      { role: "assistant", content: rawText(episode) },
      { role: "user", content },
    ];
  if (style === "text" || episode.calls.length === 0) {
    const said =
      episode.calls.length === 0
        ? episode.text
        : JSON.stringify({ thoughts: reply.thoughts, command: reply.call });
    return [
      { role: "assistant", content: said },
      { role: "user", content },
    ];
  }
  const calls = episode.calls.map((call, index) => ({
    ...call,
    arguments: index === 0 ? validArguments(episode) : "{}",
  }));
  const [first, ...further] = calls;
  return [
    { role: "assistant", content: episode.text, calls },
    { role: "tool", callId: first?.id ?? "", content },
    ...further.map((call) => ({
      role: "tool" as const,
      callId: call.id,
      content: "Not run: one command a reply.",
    })),
  ];
}

/** The first call's arguments as the model wrote them, or rewritten where they were not valid JSON. */
function validArguments(episode: Episode): string {
  const written = episode.calls[0]?.arguments ?? "";
  if (tryJson(written) !== undefined) return written;
  const { reply } = episode;
  return reply.kind === "proposal" ? JSON.stringify({ thoughts: reply.thoughts, ...reply.call.args }) : "{}";
}

function rawText(episode: Episode): string {
  const calls = episode.calls.map((call) => `${call.name} ${call.arguments}`);
  return [episode.text, ...calls].filter((part) => part !== "").join("\n") || "(nothing)";
}

/** What the model is told came of a step. Text from elsewhere is fenced and named, as data and not as instructions. */
export function outcomeMessage(episode: Pick<Episode, "reply" | "outcome">): string {
  const { reply, outcome } = episode;
  if (reply.kind === "unreadable") return reply.problem;
  const { name } = reply.call;
  const notes = notesOf(reply);
  switch (outcome.status) {
    case "done":
      return `${name} is done:\n${asData(outcome.output, outcome.source)}${notes}`;
    case "failed":
      return `${name} failed:${outcome.source ? "\n" : " "}${asData(outcome.error, outcome.source)}${notes}`;
    case "refused":
      return `${name} was refused and not run. ${outcome.feedback}${notes}`;
    case "finished":
      return `${name}: ${outcome.summary}${notes}`;
  }
}

/** Tells the model which parts of its reply were left out. */
function notesOf({ call, ignored = [], dropped = [] }: Proposal): string {
  return [
    ...(ignored.length > 0
      ? [`(Only the first command was looked at; not run: ${ignored.join(", ")}.)`]
      : []),
    ...dropped.map((name) => `(${call.name} has no argument ${JSON.stringify(name)}; it was left out.)`),
  ]
    .map((note) => `\n${note}`)
    .join("");
}

/** What the workspace's own say as it is, the words of others between marks. */
function asData(text: string, source: Source | undefined): string {
  return source ? quoted(text, `${source.kind} ${source.name}`) : withoutSmuggled(text);
}
