import type { Outcome, Source } from "../../schema/run-values.ts";
import { assertNever } from "../base/errors.ts";

export type { LimitName, Outcome, RunEnd, Source } from "../../schema/run-values.ts";

const SOURCE_KINDS: Readonly<Record<Source["kind"], string>> = {
  web: "web page",
  download: "download",
  tool: "tool",
  "ignored-file": "ignored file",
  memory: "memory:",
  agent: "agent",
};

export function isSourceKind(kind: string): kind is Source["kind"] {
  return Object.hasOwn(SOURCE_KINDS, kind);
}

/** A source for people: what it is and its whole name, without the id of the run that a memory is from. */
export function sourceName({ kind, name }: Source): string {
  const plain = kind === "memory" ? name.replace(/^run \d{8}_\d{6}_\S+: /, "") : name;
  return `${SOURCE_KINDS[kind]} ${kind === "agent" ? JSON.stringify(plain) : plain}`;
}

/** The text of an outcome, as history, panel and terminal show it. */
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

/** True for a program that ran to an end of its own and reported failure, or was killed: tests that fail, for example. */
export function programFailed(outcome: Outcome): boolean {
  return outcome.status === "done" && outcome.exitCode !== undefined;
}
