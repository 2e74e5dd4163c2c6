import { counted } from "../../core/base/text.ts";
import type { AgentEvent } from "../../schema/events.ts";

/** Something that happened between two steps. */
export interface RunNote {
  readonly seq: number;
  readonly at: string;
  readonly kind: "user" | "criticism" | "other";
  readonly text: string;
  /** The run that it is about, when that is another one. */
  readonly run?: string;
  /** Files that it is about, each to be opened. */
  readonly files?: readonly string[];
}

/** The note an event stands for; undefined for a stage of a step and what is shown elsewhere. */
export function runNoteOf(event: AgentEvent): RunNote | undefined {
  const { seq, at } = event;
  if (event.type === "child")
    return { seq, at, kind: "other", text: `Agent ${event.name} ${event.what}`, run: event.run };
  if (event.type === "started") return wordsNote(event);
  if (event.type === "said" && event.by === "agent")
    return { seq, at, kind: "other", text: `The agent that it works for says: ${event.text}` };
  if (event.type === "said")
    return { seq, at, kind: event.by === "user" ? "user" : "criticism", text: event.text };
  const text = textOf(event);
  return text === undefined ? undefined : { seq, at, kind: "other", text };
}

/** The note on the repository's words that the agent reads; undefined when there are none. */
function wordsNote({
  seq,
  at,
  rules,
  unread = [],
}: Extract<AgentEvent, { type: "started" }>): RunNote | undefined {
  const files = rules.map(({ file }) => file);
  if (files.length + unread.length === 0) return undefined;
  const read =
    files.length > 0 ? ["The agent reads the repository's own words, which can't widen what it may do."] : [];
  return { seq, at, kind: "other", text: [...read, ...unread].join(" "), files };
}

function textOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "compacted":
      return `The steps up to ${event.through} were summed up, to make room in the prompt.`;
    case "paused":
      return `Paused: ${event.reason}`;
    case "resumed":
      return "Continued.";
    case "granted":
      return `You approved ${counted(event.count, "command")} in advance.`;
    case "changed":
      return changeText(event);
    case "undone":
      return `Step ${event.step} ${event.redone ? "is there again" : "was undone"}: ${event.files.join(", ")}.`;
    default:
      return undefined;
  }
}

const MODE_NAMES = {
  ask: "asking before each command",
  continuous: "continuous mode",
  plan: "planning first",
} as const;

function changeText(event: Extract<AgentEvent, { type: "changed" }>): string {
  const changes = [
    ...(event.goals ? ["new goals"] : []),
    ...(event.limits ? ["another budget"] : []),
    ...(event.model ? [`the model ${event.model.smart}`] : []),
    ...(event.mode ? [MODE_NAMES[event.mode]] : []),
  ];
  return `Changed: ${changes.join(", ")}.`;
}

/** Two lists of notes as one, in the order they happened. */
export function mergeNotes(one: readonly RunNote[], other: readonly RunNote[]): readonly RunNote[] {
  if (other.length === 0) return one;
  const bySeq = new Map([...one, ...other].map((note) => [note.seq, note]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}
