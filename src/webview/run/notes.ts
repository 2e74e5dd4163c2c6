import { PAUSED_BY_USER } from "../../core/base/async.ts";
import { assertNever } from "../../core/base/errors.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import type { RunState } from "../../core/events/run-state.ts";
import type { AgentEvent } from "../../schema/events.ts";
import { getEventTypeName } from "../../schema/formats.ts";
import type { AttachedPicture, Skill } from "../../schema/run-values.ts";
import { type DisplayText, displayText, restoreSentence } from "../../texts/display-text.ts";

/** A line of the stream between two steps. */
export type RunNote = Said | News;

interface NotePlace {
  readonly seq: number;
  readonly at: string;
}

/** Text from the user, from the agent about itself, or from the agent that it works for. */
interface Said extends NotePlace {
  readonly kind: "said";
  readonly by: "user" | "self" | "agent";
  readonly text: string;
  readonly attached?: readonly AttachedPicture[];
}

/** Something that happened to the run. */
export interface News extends NotePlace {
  readonly kind: "news";
  readonly text: DisplayText;
  /** Further sentences, already formatted. */
  readonly more?: readonly string[];
  /** The other run that it is about. */
  readonly run?: string;
  /** The files that it is about, each of which can be opened. */
  readonly files?: readonly string[];
  /** Pictures of the task. */
  readonly attached?: readonly AttachedPicture[];
  /** The undone or redone steps, so that several notes become one line. */
  readonly undo?: { readonly redone: boolean; readonly steps: readonly number[] };
}

/** The note that represents an event; undefined for a stage of a step, and for events that are shown elsewhere. */
export function convertToRunNote(event: AgentEvent): RunNote | undefined {
  const { seq, at } = event;
  const createNews = (text: DisplayText): News => ({ seq, at, kind: "news", text });
  switch (event.type) {
    case "started":
      return startNote(event);
    case "said":
      return {
        seq,
        at,
        kind: "said",
        by: event.by,
        text: event.text,
        ...omitUndefined({ attached: event.attached }),
      };
    case "compacted":
      return createNews(describeCompaction(event));
    case "paused":
      return createNews(
        event.reason === PAUSED_BY_USER
          ? displayText("timeline.paused")
          : displayText("timeline.pausedBecause", {
              reason: restoreSentence(event.reason, event.text),
            }),
      );
    case "resumed":
      return createNews(displayText("timeline.resumed"));
    case "granted":
      return createNews(displayText("timeline.granted", { count: event.count }));
    case "changed":
      return createChangeNote(event);
    case "undone":
      return createUndoNote({ seq, at }, { redone: event.redone === true, steps: [event.step] }, event.files);
    case "reviewed":
      return { ...createNews(describeReview(event)), files: event.files };
    case "child":
      return {
        ...createNews(displayText("timeline.agentNews", { name: event.name, what: event.what })),
        run: event.run,
      };
    case "unknown":
      return createNews(displayText("timeline.unknownEvent", { type: getEventTypeName(event) }));
    case "lost":
      return createNews(displayText("timeline.lostEvents", { count: event.events }));
    case "asked":
    case "replied":
    case "decided":
    case "began":
    case "ended":
    case "planned":
    case "recalled":
    case "spent":
    case "hooked":
    case "over":
      return undefined;
    default:
      return assertNever(event);
  }
}

/** True for the note of a pause for this reason. */
export function isPauseNote(
  note: RunNote | undefined,
  { paused, pausedText }: Pick<RunState, "paused" | "pausedText">,
): boolean {
  if (note?.kind !== "news" || paused === undefined) return false;
  const { code, parameters } = note.text;
  return code === "timeline.paused"
    ? paused === PAUSED_BY_USER
    : JSON.stringify(parameters?.reason) === JSON.stringify(restoreSentence(paused, pausedText));
}

/** Merges two neighboring notes about the same kind of undo; undefined for others. */
export function mergeUndoNotes(first: RunNote, second: RunNote): RunNote | undefined {
  if (first.kind !== "news" || second.kind !== "news" || !first.undo || !second.undo) return undefined;
  if (first.undo.redone !== second.undo.redone) return undefined;
  const steps = [...new Set([...first.undo.steps, ...second.undo.steps])];
  const files = [...new Set([...(first.files ?? []), ...(second.files ?? [])])];
  return createUndoNote(first, { redone: first.undo.redone, steps }, files);
}

function createUndoNote({ seq, at }: NotePlace, undo: NonNullable<News["undo"]>, files: readonly string[]): RunNote {
  const [step = 0, ...others] = undo.steps;
  const count = undo.steps.length;
  const one = displayText(undo.redone ? "timeline.redone" : "timeline.undone", { step, files });
  const several = displayText(undo.redone ? "timeline.redoneSteps" : "timeline.undoneSteps", {
    count,
    files,
  });
  return { seq, at, kind: "news", text: others.length === 0 ? one : several, files, undo };
}

function describeCompaction({ through }: Extract<AgentEvent, { type: "compacted" }>): DisplayText {
  return through === undefined
    ? displayText("timeline.shortened")
    : displayText("timeline.summarized", { step: through });
}

/** The note about the task's pictures and the repository's own instructions; undefined when there are neither. */
function startNote(event: Extract<AgentEvent, { type: "started" }>): RunNote | undefined {
  const { seq, at, rules, laterRules = [], unread = [], skills = [], moreSkills = 0, attached } = event;
  const [own, others] = [rules.filter(({ by }) => by), rules.filter(({ by }) => !by)];
  const files = [...others, ...laterRules].map(({ file }) => file);
  const named = [...own.map(({ file }) => file), ...files];
  const pictures = attached ? { attached } : {};
  if (named.length + unread.length + skills.length > 0) {
    const said = [
      ...(named.length > 0 ? [displayText("timeline.repositoryNotes", { files: named })] : []),
      ...(skills.length > 0 ? [describeSkills(skills, moreSkills)] : []),
    ];
    const [first = displayText("timeline.repositoryNotesLeftOut"), second] = said;
    const text = second ? displayText("timeline.notesAndSkills", { notes: first, skills: second }) : first;
    return { seq, at, kind: "news", text, files, more: unread, ...pictures };
  }
  if (!attached) return undefined;
  return {
    seq,
    at,
    kind: "news",
    text: displayText("timeline.attached", { count: attached.length }),
    attached,
  };
}

function describeSkills(skills: readonly Skill[], count: number): DisplayText {
  const names = skills.map(({ name }) => name);
  return count > 0
    ? displayText("timeline.skillsAndMore", { names, count })
    : displayText("timeline.skills", { names });
}

/** The result of a review of an isolated run, in one sentence. */
function describeReview({
  what,
  files,
  conflicts = [],
  branch = "",
}: Extract<AgentEvent, { type: "reviewed" }>): DisplayText {
  const count = files.length;
  const [first, second] = [
    displayText(`isolation.reviewed.${what}`, { count, branch }),
    displayText("isolation.reviewed.conflicts", { count: conflicts.length }),
  ];
  return conflicts.length > 0 ? displayText("common.twoSentences", { first, second }) : first;
}

const MODES = {
  ask: "timeline.modeAsk",
  continuous: "timeline.modeContinuous",
  plan: "timeline.modePlan",
  isolated: "isolation.modeIsolated",
} as const;

/** The note about a changed task or limit; undefined for a change that only the steps or the profile show. */
function createChangeNote(event: Extract<AgentEvent, { type: "changed" }>): RunNote | undefined {
  const { seq, at, goals, profile, limits, model, mode } = event;
  const changes: readonly DisplayText[] = [
    ...(goals && !profile ? [displayText("timeline.changedGoals")] : []),
    ...(limits ? [displayText("timeline.changedLimits")] : []),
    ...(model ? [describeModelChange(model.smart, event)] : []),
    ...(mode ? [displayText(MODES[mode])] : []),
  ];
  const [first, ...more] = changes;
  if (!first) return undefined;
  return {
    seq,
    at,
    kind: "news",
    text: more.length === 0 ? first : displayText("timeline.changed", { changes }),
  };
}

function describeModelChange(model: string, { reason, text }: Extract<AgentEvent, { type: "changed" }>): DisplayText {
  return reason === undefined
    ? displayText("timeline.changedModel", { model })
    : displayText("timeline.replacedModel", { reason: restoreSentence(reason, text) });
}

/** Two lists of notes as one, in the order of their events. */
export function mergeNotes(one: readonly RunNote[], other: readonly RunNote[]): readonly RunNote[] {
  if (other.length === 0) return one;
  const bySeq = new Map([...one, ...other].map((note) => [note.seq, note]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}
