import type { AgentEvent } from "../../schema/events.ts";
import type { AttachedPicture, Instructions, Outcome, Source } from "../../schema/run-values.ts";
import { assertNever } from "../base/errors.ts";
import { quotePictureName } from "../base/pictures.ts";

export type { LimitName, Outcome, RunEnd, Source } from "../../schema/run-values.ts";

const SOURCE_KINDS: Readonly<Record<Source["kind"], string>> = {
  web: "web page",
  download: "download",
  tool: "tool",
  "ignored-file": "ignored file",
  memory: "memory:",
  agent: "agent",
  picture: "picture",
  skill: "skill",
};

export function isSourceKind(kind: string): kind is Source["kind"] {
  return Object.hasOwn(SOURCE_KINDS, kind);
}

/** Describes a source for people: its kind and name, without the id of a memory's run. */
export function formatSourceName(source: Source): string {
  const plain = getPlainSourceName(source);
  return `${SOURCE_KINDS[source.kind]} ${source.kind === "agent" ? JSON.stringify(plain) : plain}`;
}

/** The name of a source without the id of a memory's run. */
export function getPlainSourceName({ kind, name }: Source): string {
  return kind === "memory" ? name.replace(MEMORY_RUN, "") : name;
}

/** The day on which a memory's run began, ISO 8601; undefined for other sources. */
export function findMemoryDay({ kind, name }: Source): string | undefined {
  const [, year, month, day] = (kind === "memory" && MEMORY_RUN.exec(name)) || [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}

const MEMORY_RUN = /^run (\d{4})(\d{2})(\d{2})_\d{6}_\S+: /;

/** The text of an outcome for history, panel and terminal. */
export function getOutcomeText(outcome: Outcome): string {
  switch (outcome.status) {
    case "done":
      return outcome.output;
    case "failed":
      return outcome.error;
    case "refused":
      return outcome.feedback;
    case "finished":
      return outcome.summary;
    default:
      return assertNever(outcome);
  }
}

/** The instructions that come with an outcome, for the files that the command used. */
export function listOutcomeRules(outcome: Outcome): readonly Instructions[] {
  return "rules" in outcome ? (outcome.rules ?? []) : [];
}

/** The pictures that the model sees with an outcome. */
export function listOutcomePictures(outcome: Outcome | undefined): readonly AttachedPicture[] {
  return outcome && "pictures" in outcome ? (outcome.pictures ?? []) : [];
}

/** A picture that a command was asked to show. */
export interface ShownPicture {
  /** Names the picture to the model, or says why it can't be shown. */
  readonly text: string;
  /** Absent if the picture can't be shown. */
  readonly picture?: AttachedPicture;
  /** The model sees pictures, as far as that is known. */
  readonly isSeen?: boolean;
}

/** Keeps a picture with the run, to be shown with an outcome. */
export type ShowPicture = (name: string, data: Uint8Array) => Promise<ShownPicture>;

const MOST_SHOWN = 4;

/** Shows the pictures of an outcome in order, up to the limit for one outcome. */
export async function showPictures(
  show: ShowPicture | undefined,
  given: readonly { readonly name: string; readonly data: Uint8Array }[],
): Promise<readonly ShownPicture[]> {
  const shown: ShownPicture[] = [];
  for (const { name, data } of given) {
    const isSurplus = shown.filter(({ picture }) => picture).length >= MOST_SHOWN;
    const why = isSurplus ? `not shown, as an outcome shows at most ${MOST_SHOWN}` : "it can't be shown here";
    const isShown = show && !isSurplus;
    shown.push(isShown ? await show(name, data) : { text: `[picture ${quotePictureName(name)}: ${why}]` });
  }
  return shown;
}

/** Adds the shown pictures to an outcome: for the model or, if it can't see them, for the user alone. */
export function addShownPictures(outcome: Outcome, shown: readonly ShownPicture[]): Outcome {
  if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
  const pictures = shown.flatMap(({ picture, isSeen }) => (picture && isSeen ? [picture] : []));
  if (pictures.length > 0) return { ...outcome, pictures };
  const forUser = shown.find(({ picture }) => picture)?.picture;
  return forUser && outcome.status === "done" ? { ...outcome, picture: forUser.file } : outcome;
}

/** The same outcome with another text. */
export function setOutcomeText(outcome: Outcome, text: string): Outcome {
  switch (outcome.status) {
    case "done":
      return { ...outcome, output: text };
    case "failed":
      return { ...outcome, error: text };
    case "refused":
      return { ...outcome, feedback: text };
    case "finished":
      return { ...outcome, summary: text };
    default:
      return assertNever(outcome);
  }
}

/** Adds a remark to a program's outcome, on a separate line at its end. */
export function addOutcomeRemark(outcome: Outcome, remark: string): Outcome {
  if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
  return setOutcomeText(outcome, `${getOutcomeText(outcome).trimEnd()}\n${remark}`);
}

/** True for a call that found everything already as requested. */
export function hasChangedNothing(outcome: Outcome | undefined): boolean {
  return outcome?.status === "done" && outcome.summary?.code === "timeline.unchanged";
}

/** True for a program that failed or was killed, for example failing tests. */
export function hasProgramFailed(outcome: Outcome): boolean {
  return outcome.status === "done" && outcome.exitCode !== undefined;
}

/** True for an outcome that names changed files. */
export function hasChangedFiles(outcome: Outcome | undefined): boolean {
  return outcome?.status === "done" && (outcome.files?.length ?? 0) > 0;
}

/** The pictures in an event: a note's, or those of a step's results. */
export function listEventPictures(event: AgentEvent): readonly AttachedPicture[] {
  if (event.type === "started" || event.type === "said") return event.attached ?? [];
  return event.type === "ended" ? [event.outcome, ...(event.also ?? [])].flatMap(listOutcomePictures) : [];
}

/** Names the source of an outcome's text, unless it has one. */
export function setOutcomeSource(outcome: Outcome, source: Source): Outcome {
  const isText = outcome.status === "done" || outcome.status === "failed";
  return isText && !outcome.source ? { ...outcome, source } : outcome;
}
