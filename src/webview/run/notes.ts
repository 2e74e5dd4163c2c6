import { assertNever } from "../../core/base/errors.ts";
import { counted } from "../../core/base/text.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { eventTypeName } from "../../schema/formats.ts";

/** A line of the feed between two steps. */
export interface RunNote {
  readonly seq: number;
  readonly at: string;
  readonly kind: "user" | "criticism" | "other";
  readonly text: string;
  /** The other run that it is about. */
  readonly run?: string;
  /** The files that it is about, each of which can be opened. */
  readonly files?: readonly string[];
}

/** The note that represents an event; undefined for a stage of a step, and for events that are shown elsewhere. */
export function runNoteOf(event: AgentEvent): RunNote | undefined {
  const { seq, at } = event;
  const other = (text: string): RunNote => ({ seq, at, kind: "other", text });
  switch (event.type) {
    case "started":
      return repositoryNote(event);
    case "said":
      return saidNote(event);
    case "compacted":
      return other(
        event.through === undefined
          ? "Older outcomes were shortened to make room in the prompt."
          : `The steps up to ${event.through} were summarized to make room in the prompt.`,
      );
    case "paused":
      return other(`Paused: ${event.reason}`);
    case "resumed":
      return other("Continued.");
    case "granted":
      return other(`You approved ${counted(event.count, "command")} in advance.`);
    case "changed":
      return other(changeText(event));
    case "undone":
      return other(`Step ${event.step} ${event.redone ? "redone" : "undone"}: ${event.files.join(", ")}.`);
    case "child":
      return { ...other(`Agent ${event.name} ${event.what}`), run: event.run };
    case "unknown":
      return other(`Unknown event "${eventTypeName(event)}", written by a newer version of AutoGPT.`);
    case "asked":
    case "replied":
    case "decided":
    case "began":
    case "ended":
    case "planned":
    case "recalled":
    case "spent":
    case "over":
      return undefined;
    default:
      return assertNever(event);
  }
}

function saidNote({ seq, at, by, text }: Extract<AgentEvent, { type: "said" }>): RunNote {
  switch (by) {
    case "user":
      return { seq, at, kind: "user", text };
    case "self":
      return { seq, at, kind: "criticism", text };
    case "agent":
      return { seq, at, kind: "other", text: `The parent agent says: ${text}` };
    default:
      return assertNever(by);
  }
}

/** The note about the repository's own instructions for the agent; undefined when there are none. */
function repositoryNote({
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

/** Two lists of notes as one, in the order of their events. */
export function mergeNotes(one: readonly RunNote[], other: readonly RunNote[]): readonly RunNote[] {
  if (other.length === 0) return one;
  const bySeq = new Map([...one, ...other].map((note) => [note.seq, note]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}
