import { COMMAND } from "../commands/command-traits.ts";
import type { ReplyFormat } from "../ports/model.ts";

/** Faults of a reply, each as a sentence for the model in the terms of its format. */
export interface Complaints {
  readonly tooLong: string;
  readonly withheld: string;
  readonly brokeOff: string;
  readonly empty: string;
  /** The reply contains no call in any form. */
  readonly noCall: string;
  /** An object in the reply ends before its last bracket. */
  readonly cutOff: string;
  /** `why` is a part of a sentence. */
  explainNotJson(why: string): string;
  /** An object names no command. */
  readonly noCommand: string;
  /** The value of `command` can't be a call. */
  readonly noObject: string;
  readonly noName: string;
  readonly noArguments: string;
  /** Two keys or two tags of a reply name different commands. */
  explainSeveralNames(names: readonly string[]): string;
  /** A call that is written as text is ambiguous. */
  readonly unclear: string;
}

const TOO_LONG =
  "Your reply was too long and was cut off, so nothing of it was done. Say the same in fewer words, or do less in one step.";
/** The complaint about a reply that a filter withheld, in every format. */
export const WITHHELD = "Your reply was withheld by the provider's content filter. Choose another way to go on.";
const BROKE_OFF = "Your reply broke off before its end, so nothing of it was done. Give it again, whole.";

const IN_JSON: Complaints = {
  tooLong: TOO_LONG,
  withheld: WITHHELD,
  brokeOff: BROKE_OFF,
  empty: "Your reply was empty. Answer with one JSON object in the format described.",
  noCall: "Your reply held no JSON object. Answer with one JSON object in the format described, and nothing else.",
  cutOff: "Your JSON broke off before its last bracket was closed, so nothing of it was done. Give it again, whole.",
  explainNotJson: (why) => `Your reply was not valid JSON: ${why}. Escape quotes and line breaks inside strings.`,
  noCommand: 'Your reply had no "command" object. Put the command\'s name and arguments there.',
  noObject: '"command" must be an object with "name" and "args".',
  noName: 'The "command" object had no "name". Name exactly one of the commands you were given.',
  noArguments: 'The command\'s "args" must be an object: argument names, each with its value.',
  explainSeveralNames: (names) =>
    `Your reply named several commands (${names.join(", ")}), so none was run. Name exactly one, in "command".`,
  unclear:
    'It is not clear which command your reply calls, so none was run. Answer with one JSON object with "command", in the format described.',
};

const IN_TOOLS: Complaints = {
  tooLong: TOO_LONG,
  withheld: WITHHELD,
  brokeOff: BROKE_OFF,
  empty: "Your reply was empty. Call exactly one of the tools you were given.",
  noCall: `Your reply called no tool, so nothing was done. Call exactly one of the tools you were given; when the task is done, call ${COMMAND.finish}.`,
  cutOff:
    "The arguments of your tool call broke off before their last bracket was closed, so nothing was done. Call the tool again, with all of them.",
  explainNotJson: (why) =>
    `The arguments of your tool call were not valid JSON: ${why}. Call the tool again; escape quotes and line breaks inside strings.`,
  noCommand: "Your reply named no tool. Call exactly one of the tools you were given.",
  noObject: "Your reply named no tool. Call exactly one of the tools you were given.",
  noName: "Your tool call had no name. Call exactly one of the tools you were given.",
  noArguments: "The arguments of a tool call must be an object: argument names, each with its value.",
  explainSeveralNames: (names) =>
    `Your reply named several tools at once (${names.join(", ")}), so none was run. Call exactly one of the tools you were given.`,
  unclear:
    "It is not clear which tool your text calls, so none was run. Don't write tool calls as text: call exactly one of the tools you were given.",
};

const REACT_FORM =
  'Write "Thought:", then "Action:" with the name of one command and "Action Input:" with its arguments as one JSON object; or, when the task is done, "Final Answer:".';

const IN_REACT: Complaints = {
  tooLong: TOO_LONG,
  withheld: WITHHELD,
  brokeOff: BROKE_OFF,
  empty: `Your reply was empty. ${REACT_FORM}`,
  noCall: `Your reply had neither an "Action:" nor a "Final Answer:", so nothing was done. ${REACT_FORM}`,
  cutOff:
    'Your "Action Input:" broke off before its last bracket was closed, so nothing was done. Give the reply again, whole.',
  explainNotJson: (why) =>
    `Your "Action Input:" was not valid JSON: ${why}. Escape quotes and line breaks inside strings.`,
  noCommand: `Your reply named no command. ${REACT_FORM}`,
  noObject: `Your "Action:" named no command. ${REACT_FORM}`,
  noName: `Your "Action:" named no command. ${REACT_FORM}`,
  noArguments: 'The "Action Input:" must be one JSON object: argument names, each with its value.',
  explainSeveralNames: (names) =>
    `Your reply named several commands (${names.join(", ")}), so none was run. Name exactly one after "Action:".`,
  unclear: `It is not clear which command your reply calls and with what input, so none was run. ${REACT_FORM} Escape quotes and line breaks inside its strings.`,
};

const FILES_FORM =
  "Write each file that has to change as a line `File: PATH` and, below it, its whole new text in a fence.";

const IN_FILES: Complaints = {
  ...IN_JSON,
  empty: `Your reply was empty. ${FILES_FORM}`,
  noCall: `Your reply names no file, so nothing was done. ${FILES_FORM}`,
  unclear: `It is not clear what of your reply is meant, so nothing was done. ${FILES_FORM}`,
};

/** The complaints about replies in a format. */
export function selectComplaints(format: ReplyFormat, isReact = false): Complaints {
  if (format === "tools") return IN_TOOLS;
  if (format === "files") return IN_FILES;
  return isReact ? IN_REACT : IN_JSON;
}
