import type { Profile } from "../../schema/run-values.ts";
import { omitUndefined } from "../base/objects.ts";
import type { ChatMessage, Completion, CompletionOptions, Model } from "../ports/model.ts";
import { tryObject } from "../reply/parse-object.ts";

export type { Profile } from "../../schema/run-values.ts";

export const MAX_GOALS = 5;

/** Fills blank fields with defaults, so that a run needs only a task. */
export function completeProfile(task: string, partial: Partial<Profile> = {}): Profile {
  const goals = (partial.goals ?? []).map((goal) => goal.trim()).filter((goal) => goal !== "");
  return {
    name: partial.name?.trim() || "AutoGPT",
    role: partial.role?.trim() || "an autonomous software developer who works in the open workspace",
    goals: goals.length > 0 ? goals.slice(0, MAX_GOALS) : [task.trim()],
    ...(partial.budgetUsd ? { budgetUsd: partial.budgetUsd } : {}),
    ...selectWorkingFields(partial),
  };
}

type WorkingField = "strategy" | "commands" | "model";

/** Selects the fields that describe how a profile works, if they differ from the defaults. */
export function selectWorkingFields({
  strategy,
  commands = [],
  model = "",
}: { readonly [Field in WorkingField]?: Profile[Field] | undefined }): Pick<Profile, WorkingField> {
  return {
    ...(strategy === undefined || strategy === "autogpt" ? {} : { strategy }),
    ...(commands.length > 0 ? { commands } : {}),
    ...(model.trim() === "" ? {} : { model: model.trim() }),
  };
}

/** Converts a name to a folder name: lower-case ASCII, at most 40 characters. */
export function convertToSlug(name: string, otherwise = "agent"): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return plain.slice(0, 40).replace(/-+$/, "") || otherwise;
}

/** A drafted profile and the model's reply. */
export interface ProfileDraft {
  /** Undefined if the reply couldn't be read as a profile; then the user fills in the form. */
  readonly profile?: Profile;
  readonly completion: Completion;
}

/** The part of a profile that stays when it is used for another task. */
export type KeptProfile = Omit<Profile, "goals">;

/** Has a model draft a profile for a task: a name, a role, up to five goals. For a reused profile, it drafts only the goals. */
export async function draftProfile(
  task: string,
  model: Model,
  completing: CompletionOptions,
  kept?: KeptProfile,
): Promise<ProfileDraft> {
  const completion = await model.complete({ messages: createDraftMessages(task, kept) }, completing);
  const profile = readDraft(completion.text, kept);
  return { completion, ...omitUndefined({ profile }) };
}

const GOALS = `"goals": an array of one to ${MAX_GOALS} goals`;

/** Messages that request a draft. */
export function createDraftMessages(task: string, kept?: KeptProfile): ChatMessage[] {
  const wanted = kept
    ? `Its name and role are fixed. From the user's task, write its goals as one JSON object and nothing else:
{ ${GOALS} }`
    : `From the user's task, write its profile as one JSON object and nothing else:
{ "name": a short fitting name of one or two words, "role": one sentence beginning with "an" or "a" that says what kind of expert it is and what it does, ${GOALS} }`;
  return [
    {
      role: "system",
      content: `You prepare an autonomous software agent for its work. ${wanted}
Each goal is one sentence that can be checked when the work is done. Together the goals cover the task, and nothing that was not asked for. Use the language of the task.`,
    },
    { role: "user", content: `${kept ? `The agent is ${kept.name}, ${kept.role}\n\n` : ""}Task:\n${task}` },
  ];
}

/** Reads a draft from JSON or from classic AutoGPT's lines (`Name:`, `Description:`, `Goals:` with `-` bullets). */
export function readDraft(text: string, kept?: KeptProfile): Profile | undefined {
  const object = tryObject(text);
  const name = kept?.name ?? (getTextOrEmpty(object?.name) || findLineAfter(text, "Name"));
  const role =
    kept?.role ?? (getTextOrEmpty(object?.role ?? object?.description) || findLineAfter(text, "(?:Description|Role)"));
  const listed = object?.goals;
  const goals = Array.isArray(listed) ? listed.map(getTextOrEmpty) : listBullets(text);
  const drafted = goals.filter((goal) => goal !== "").slice(0, MAX_GOALS);
  const isWhole = drafted.length > 0 && (kept !== undefined || (name !== "" && role !== ""));
  return isWhole ? { ...kept, name, role, goals: drafted } : undefined;
}

function getTextOrEmpty(value: unknown): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
}

function findLineAfter(text: string, label: string): string {
  return new RegExp(`^\\W*${label}\\W*:[ \\t]*(.+)$`, "im").exec(text)?.[1]?.replace(/\*+/g, "").trim() ?? "";
}

function listBullets(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(?:-|\*|\d+[.)])[ \t]+(.+)$/gm)].map((match) => (match[1] ?? "").trim());
}
