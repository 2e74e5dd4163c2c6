import type { AgentEventBody } from "../../schema/events.ts";
import type { CommandSpec } from "../ports/model.ts";
import type { Outcome } from "./outcome.ts";

/** The worst a command can do, which the policy starts from. */
export type Effect =
  /** Touches nothing outside the run: plan, question, doing nothing. */
  | "none"
  | "read"
  | "write"
  /** Runs a program. */
  | "run"
  /** Leaves the machine. */
  | "network"
  /** Ends the run. */
  | "finish";

/** A file a command would use, by the real path that its name leads to. */
export interface Touch {
  readonly path: string;
  readonly how: "read" | "write" | "delete";
  /** Its other names: the links that lead there, as absolute paths. Protection of any of them protects the file. */
  readonly via?: readonly string[];
}

/** Every name of a file that a command would use, the real path last. */
export function namesOf({ via = [], path }: Touch): readonly string[] {
  return [...via, path];
}

/** All that a command would do, as it is shown before it is done. */
export type Preview =
  /** One file's text: left what is there (`before` absent: a new file), right what would be. */
  | {
      readonly kind: "change";
      /** Path for people, relative to the workspace folder. */
      readonly file: string;
      readonly target: string;
      readonly before?: string;
      readonly after: string;
    }
  /** Anything else, written out in full. */
  | { readonly kind: "details"; readonly text: string };

/** What a running command may use of the run around it. */
export interface RunContext {
  readonly step: number;
  readonly signal: AbortSignal;
  /** The text the user accepted in place of the preview's `after`. */
  readonly accepted?: string;
  /** As in `Decided`: the line runs in an environment that keeps git from starting other programs. */
  readonly harmlessIn?: readonly string[];
  /** Shows output as it comes; the outcome still carries what the model shall read. */
  output(chunk: string): void;
  /** Keeps something in the run's log: a plan, a memory, a child. */
  record(event: AgentEventBody): Promise<void>;
}

/** A call that was checked against the world and can be shown, judged and run. */
export interface PreparedCall {
  readonly effect: Effect;
  readonly preview: Preview;
  readonly touches: readonly Touch[];
  /** The command line that would run, for commands that start programs. */
  readonly shell?: string;
  /** The command line whose output it reads, when that ran earlier. */
  readonly printedBy?: string;
  /** The real path of the folder that it would run in. */
  readonly cwd?: string;
  /** The hosts that would be asked, for commands that leave the machine. */
  readonly hosts?: readonly string[];
  /** It does nothing but wait for the user's answer, so an interrupted one can wait again. */
  readonly asksUser?: true;
  /** It speaks for the user where others read it. */
  readonly publishes?: boolean;
  /** False once the preview no longer tells what `run` would do; then it is prepared and shown anew. */
  fresh(): Promise<boolean>;
  run(running: RunContext): Promise<Outcome>;
}

/** What a command knows when it prepares a call. */
export interface PrepareContext {
  readonly step: number;
  readonly signal: AbortSignal;
}

/** Something the agent can do. One file each under `src/commands/`. */
export interface Command extends CommandSpec {
  readonly aliases: readonly string[];
  readonly category: string;
  readonly effect: Effect;
  /** Older argument names, each with today's. */
  readonly argumentAliases?: Readonly<Record<string, string>>;
  /** For an argument with a fixed choice, older words for its values, in snake case, each with today's. */
  readonly choiceAliases?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Why it is not offered now, as a sentence; undefined when it is. */
  withheld?(): string | undefined;
  /** Checks the call against the world; what the model did wrong comes back as a `failed` outcome. */
  prepare(
    args: Readonly<Record<string, unknown>>,
    preparing: PrepareContext,
  ): Promise<PreparedCall | Outcome>;
}

/** Tells what `Command.prepare` gave: something to run, or already its outcome. */
export function isPrepared(result: PreparedCall | Outcome): result is PreparedCall {
  return "preview" in result;
}

/** A prepared call that changes nothing and needs no freshness check. */
export function prepared(
  effect: Effect,
  text: string,
  run: PreparedCall["run"],
  more: Partial<
    Pick<
      PreparedCall,
      "touches" | "shell" | "printedBy" | "cwd" | "hosts" | "publishes" | "asksUser" | "fresh"
    >
  > = {},
): PreparedCall {
  return { effect, preview: { kind: "details", text }, touches: [], fresh: async () => true, run, ...more };
}
