import { assertNever } from "../base/errors.ts";

/** Where a piece of text came from, when it did not come from the user or the workspace's own files. */
export interface Source {
  readonly kind: "web" | "download" | "tool" | "ignored-file" | "memory" | "agent";
  /** What a person would recognise: an address, a tool's name, a path. */
  readonly name: string;
  /** It knows of nothing that others wrote: its words are quoted, but count as no stranger's. */
  readonly isClean?: true;
}

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

/** What came of one command. The model reads `output`, `error` and `feedback` as they stand. */
export type Outcome =
  | {
      readonly status: "done";
      readonly output: string;
      readonly source?: Source;
      /** The label of a picture that was made, to be shown beside the output. */
      readonly picture?: string;
      /** The exit code of the program that was run, where that failed; `null` when the program was killed. */
      readonly exitCode?: number | null;
    }
  | { readonly status: "failed"; readonly error: string; readonly source?: Source }
  | { readonly status: "refused"; readonly feedback: string }
  | { readonly status: "finished"; readonly summary: string };

/** Why a run is over. `exhausted`, `stuck`, `failed` and `stopped` can be gone on with; see `RunHandle.resume`. */
export type RunEnd =
  | { readonly reason: "finished"; readonly summary: string }
  | { readonly reason: "exhausted"; readonly limit: LimitName }
  | { readonly reason: "stuck"; readonly why: string }
  | { readonly reason: "failed"; readonly error: string }
  | { readonly reason: "stopped" }
  | { readonly reason: "crashed"; readonly error: string };

export type LimitName = "steps" | "tokens" | "minutes" | "usd";

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
