import type { AgentEventBody } from "../../schema/events.ts";
import type { DisplayText, Sentence } from "../../texts/display-text.ts";
import type { CommandSpec } from "../ports/model.ts";
import type { CellSource } from "../ports/notebooks.ts";
import type { Call } from "../reply/reply.ts";
import type { CommandTraits } from "./command-traits.ts";
import type { Outcome, ShowPicture } from "./outcome.ts";

/** A command's worst possible effect, from which the policy starts. */
export type Effect =
  /** Changes nothing outside the run: plan, question, doing nothing. */
  | "none"
  | "read"
  | "write"
  /** Runs a program. */
  | "run"
  /** Leaves the machine. */
  | "network"
  /** Ends the run. */
  | "finish";

/** A file that a command would use, by its real path. */
export interface Touch {
  readonly path: string;
  readonly how: "read" | "write" | "delete";
  /** Absolute paths of links that lead there. If one of them is protected, the file is protected. */
  readonly via?: readonly string[];
}

/** All names of a file that a command would use, the real path last. */
export function listTouchedNames({ via = [], path }: Touch): readonly string[] {
  return [...via, path];
}

/** The full effect of a command, as shown before it runs. */
export type Preview =
  /** A change of one file's text; `before` is absent for a new file. */
  | {
      readonly kind: "change";
      /** Path for people, relative to the workspace folder. */
      readonly file: string;
      readonly target: string;
      readonly before?: string;
      readonly after: string;
      /** The file has edits that aren't saved, so the change is made in the editor, not on disk. */
      readonly unsaved?: true;
    }
  /** Any other effect as text. */
  | { readonly kind: "details"; readonly text: string };

/** The part of a run that a running command may use. */
export interface RunContext {
  readonly step: number;
  readonly signal: AbortSignal;
  /** The text the user accepted in place of the preview's `after`. */
  readonly accepted?: string;
  /** A person approved exactly this call on its card. Not set for what a rule, a grant or continuous mode allows. */
  readonly approvedByUser?: true;
  /** See `DecisionRecord.harmlessIn`: the environment keeps git from starting other programs. */
  readonly harmlessIn?: readonly string[];
  /** Shows output as it arrives; the model reads only the outcome. */
  output(chunk: string): void;
  /** Adds an event to the run's log, for example a plan or a memory. */
  record(event: AgentEventBody): Promise<void>;
  /** Keeps a picture with the run, to be shown with the outcome; absent where no one can see it. */
  readonly showPicture?: ShowPicture | undefined;
}

/** A change of a notebook for a host that has an editor for notebooks. */
export interface NotebookProposal {
  /** Text of the file before the change; "" for a new file. */
  readonly before: string;
  readonly after: string;
  /** The text to accept in place of the preview's `after` once a person has edited the cells; undefined if they're as proposed. */
  accepted(cells: readonly CellSource[]): string | undefined;
}

/** A sentence at the end of a preview, with a short form in the reader's language that a card shows instead. */
export interface Caption {
  readonly sentence: string;
  readonly shown: DisplayText;
  /** An explanation that is worth a line on a run's first such card only. */
  readonly once?: true;
}

/** A tool of others, as its card names it. */
interface ForeignTool {
  readonly name: string;
  /** The server or plugin that has it. */
  readonly owner: string;
  /** The end of the preview that is about this call. Its beginning, about the tool's program, was agreed to when the user allowed that. */
  readonly text: string;
  /** The text is just the arguments. */
  readonly hasOnlyArguments: boolean;
}

/** A checked call that can be shown, judged and run. */
export interface PreparedCall {
  readonly effect: Effect;
  readonly preview: Preview;
  readonly touches: readonly Touch[];
  /** The change of a notebook, whose preview shows the cells as text. */
  readonly notebook?: NotebookProposal;
  /** How, where and for how long the command would run. The preview shows this below the command line. */
  readonly captions?: readonly Caption[];
  /** Set for a tool of others. */
  readonly tool?: ForeignTool;
  /** The command line that would run, for commands that start programs. */
  readonly shell?: string;
  /** The earlier command line whose output this command reads. */
  readonly printedBy?: string;
  /** Real path of the folder that the command would run in. */
  readonly cwd?: string;
  /** Hosts that would receive requests, for commands that leave the machine. */
  readonly hosts?: readonly string[];
  /** The call only waits for the user's answer, so it can be repeated after an interruption. */
  readonly asksUser?: true;
  /** The call stays in the browser, on a page of this machine whose origin the user has allowed for the run. */
  readonly onApprovedOrigin?: true;
  /** The call publishes something in the user's name. */
  readonly publishes?: boolean;
  /** Why the call needs approval unless the user's own rule allows it: for example, its provider calls it destructive. */
  readonly warns?: DisplayText;
  /** Only a person's own decision allows the call: the rule's stable ID and the reason. */
  readonly onlyByUser?: { readonly rule: string; readonly reason: string | DisplayText };
  /** False once the preview is outdated; then the call is prepared and shown again. */
  fresh(): Promise<boolean>;
  run(running: RunContext): Promise<Outcome>;
}

/** Context in which a command prepares a call. */
export interface PrepareContext {
  readonly step: number;
  /** Position among the further calls of the reply, from 0; absent for its first call. */
  readonly further?: number;
  readonly signal: AbortSignal;
}

/** Something the agent can do. Each has its own file in `src/commands/`. */
export interface Command extends CommandSpec {
  readonly aliases: readonly string[];
  readonly category: string;
  readonly effect: Effect;
  /** Every command of ours has them. */
  readonly traits?: CommandTraits;
  /** The parameters that the model is offered, if it understands more of them. */
  readonly offered?: CommandSpec["parameters"];
  /** Older argument names, each with today's. */
  readonly argumentAliases?: Readonly<Record<string, string>>;
  /** For arguments with a fixed choice: older values in snake case, each with today's. */
  readonly choiceAliases?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Prompts don't offer the command where there are many like it: `find_tools` describes it, and `call_tool` calls it. */
  readonly isDeferrable?: true;
  /** The call that a call of this command represents. It's checked, shown and run instead. */
  standsFor?(args: Readonly<Record<string, unknown>>): Call | undefined;
  /** Why the command isn't offered now, as a sentence; undefined if it is. */
  withheld?(): Sentence | undefined;
  /** Checks a call. Returns a `failed` outcome if the model made a mistake. */
  prepare(args: Readonly<Record<string, unknown>>, preparing: PrepareContext): Promise<PreparedCall | Outcome>;
}

/** True if `Command.prepare` returned a call to run instead of an outcome. */
export function isPrepared(result: PreparedCall | Outcome): result is PreparedCall {
  return "preview" in result;
}

/** Creates a prepared call with a text preview, which needs no freshness check. */
export function createPreparedCall(
  effect: Effect,
  text: string,
  run: PreparedCall["run"],
  more: Partial<
    Pick<
      PreparedCall,
      | "touches"
      | "captions"
      | "tool"
      | "shell"
      | "printedBy"
      | "cwd"
      | "hosts"
      | "publishes"
      | "warns"
      | "onlyByUser"
      | "onApprovedOrigin"
      | "asksUser"
      | "fresh"
    >
  > = {},
): PreparedCall {
  return { effect, preview: { kind: "details", text }, touches: [], fresh: async () => true, run, ...more };
}
