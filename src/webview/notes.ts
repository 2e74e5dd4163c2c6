import type { AgentEvent } from "../core/event.ts";
import { counted } from "./format.ts";

/** Something that happened between two steps. */
export interface Note {
  readonly seq: number;
  readonly at: string;
  readonly kind: "user" | "criticism" | "other";
  readonly text: string;
  /** The run that it is about, when that is another one. */
  readonly run?: string;
}

/** The note an event stands for; undefined for a stage of a step and what is shown elsewhere. */
export function noteOf(event: AgentEvent): Note | undefined {
  const { seq, at } = event;
  if (event.type === "child")
    return { seq, at, kind: "other", text: `Agent ${event.name} ${event.what}`, run: event.run };
  if (event.type === "said" && event.by === "agent")
    return { seq, at, kind: "other", text: `The agent that it works for says: ${event.text}` };
  if (event.type === "said")
    return { seq, at, kind: event.by === "user" ? "user" : "criticism", text: event.text };
  const text = textOf(event);
  return text === undefined ? undefined : { seq, at, kind: "other", text };
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

const MODE = {
  ask: "asking before each command",
  continuous: "continuous mode",
  plan: "planning first",
} as const;

function changeText(event: Extract<AgentEvent, { type: "changed" }>): string {
  const changes = [
    ...(event.goals ? ["new goals"] : []),
    ...(event.limits ? ["another budget"] : []),
    ...(event.model ? [`the model ${event.model.smart}`] : []),
    ...(event.mode ? [MODE[event.mode]] : []),
  ];
  return `Changed: ${changes.join(", ")}.`;
}

/** Two lists of notes as one, in the order they happened. */
export function joinedNotes(one: readonly Note[], other: readonly Note[]): readonly Note[] {
  if (other.length === 0) return one;
  const bySeq = new Map([...one, ...other].map((note) => [note.seq, note]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}
