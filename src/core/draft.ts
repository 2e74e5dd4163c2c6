import type { ChatMessage, Completing, Completion, Model } from "./ports.ts";
import { MAX_GOALS, type Profile } from "./profile.ts";
import { tryObject } from "./read-reply.ts";

/** A drafted profile and what drafting it used. */
export interface Draft {
  /** Undefined when the reply could not be read as a profile; then the user fills in the form. */
  readonly profile?: Profile;
  readonly completion: Completion;
}

/** Has a model draft a profile for a task: a name, a role, up to five goals. */
export async function draftProfile(task: string, model: Model, completing: Completing): Promise<Draft> {
  const completion = await model.complete({ messages: draftMessages(task) }, completing);
  const profile = readDraft(completion.text);
  return { completion, ...(profile ? { profile } : {}) };
}

/** The two messages that ask for a draft. */
export function draftMessages(task: string): ChatMessage[] {
  return [
    {
      role: "system",
      content: `You prepare an autonomous software agent for its work. From the user's task, write its profile as one JSON object and nothing else:
{ "name": a short fitting name of one or two words, "role": one sentence beginning with "an" or "a" that says what kind of expert it is and what it does, "goals": an array of one to ${MAX_GOALS} goals }
Each goal is one sentence that can be checked when the work is done. Together the goals cover the task, and nothing that was not asked for. Use the language of the task.`,
    },
    { role: "user", content: `Task:\n${task}` },
  ];
}

/** Reads a draft from JSON or from classic AutoGPT's lines (`Name:`, `Description:`, `Goals:` with `-` bullets). */
export function readDraft(text: string): Profile | undefined {
  const object = tryObject(text);
  const name = textOf(object?.name) || lineAfter(text, "Name");
  const role = textOf(object?.role ?? object?.description) || lineAfter(text, "(?:Description|Role)");
  const listed = object?.goals;
  const goals = Array.isArray(listed) ? listed.map(textOf) : bullets(text);
  const kept = goals.filter((goal) => goal !== "").slice(0, MAX_GOALS);
  return name === "" || role === "" || kept.length === 0 ? undefined : { name, role, goals: kept };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
}

function lineAfter(text: string, label: string): string {
  return new RegExp(`^\\W*${label}\\W*:[ \\t]*(.+)$`, "im").exec(text)?.[1]?.replace(/\*+/g, "").trim() ?? "";
}

function bullets(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(?:-|\*|\d+[.)])[ \t]+(.+)$/gm)].map((match) => (match[1] ?? "").trim());
}
