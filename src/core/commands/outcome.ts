import type { Instructions, Outcome, Source } from "../../schema/run-values.ts";
import { assertNever } from "../base/errors.ts";

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
export function sourceName({ kind, name }: Source): string {
  const plain = kind === "memory" ? name.replace(/^run \d{8}_\d{6}_\S+: /, "") : name;
  return `${SOURCE_KINDS[kind]} ${kind === "agent" ? JSON.stringify(plain) : plain}`;
}

/** The text of an outcome for history, panel and terminal. */
export function outcomeText(outcome: Outcome): string {
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
export function rulesOf(outcome: Outcome): readonly Instructions[] {
  return "rules" in outcome ? (outcome.rules ?? []) : [];
}

/** The same outcome with another text. */
export function withOutcomeText(outcome: Outcome, text: string): Outcome {
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

/** The outcome of a program with a remark on a line of its own at its end. */
export function withRemark(outcome: Outcome, remark: string): Outcome {
  if (outcome.status !== "done" && outcome.status !== "failed") return outcome;
  return withOutcomeText(outcome, `${outcomeText(outcome).trimEnd()}\n${remark}`);
}

/** True for a program that failed or was killed, for example failing tests. */
export function programFailed(outcome: Outcome): boolean {
  return outcome.status === "done" && outcome.exitCode !== undefined;
}
