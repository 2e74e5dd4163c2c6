import type { StrategyName } from "../../schema/run-values.ts";
import { createReplySchema, createToolDefinition } from "../commands/command-forms.ts";
import { COMMAND } from "../commands/command-traits.ts";
import type { CommandSpec, ModelRequest, ReplyFormat } from "../ports/model.ts";
import { SHORT_THOUGHT, THOUGHT_FIELDS, THOUGHT_PURPOSE, type ThoughtStyle } from "../reply/reply.ts";

/** The form of a model's replies. */
export interface ReplyForm {
  readonly format: ReplyFormat;
  readonly thoughts: ThoughtStyle;
  /** The text form of ReAct in place of JSON. */
  readonly isReact?: boolean;
}

/** Ends a reply before it invents an outcome. */
const REACT_STOP = ["\nObservation:"];

/** True if a run's replies in a format use the text form of ReAct. */
export function isReactStyle(
  { strategy }: { readonly strategy?: StrategyName | undefined },
  format: ReplyFormat,
): boolean {
  return strategy === "react" && format === "text";
}

/** The parts of a request that make the server enforce a form. */
export function createEnforcedForm(
  commands: readonly CommandSpec[],
  { format, thoughts, isReact }: ReplyForm,
): Pick<ModelRequest, "tools" | "parallelCalls" | "schema" | "stop"> {
  switch (format) {
    case "tools":
      return { tools: commands.map((spec) => createToolDefinition(spec, thoughts)), parallelCalls: true };
    case "jsonSchema":
      return { schema: { name: "reply", schema: createReplySchema(commands, thoughts) } };
    case "text":
      return isReact ? { stop: REACT_STOP } : {};
    case "files":
      return {};
  }
}

/** Explains the form of replies to the model, which can call these commands. */
export function explainReplyForm({ format, thoughts, isReact }: ReplyForm, names: readonly string[] = []): string {
  if (isReact) return reactFormText(names);
  if (format === "files") return FILES;
  if (format === "tools") return `${TOOL_CALLS} ${ALOUD_IN_TOOLS[thoughts]}`;
  return `Every reply is one JSON object of this type, and nothing before or after it:\n{\n${ALOUD_IN_JSON[thoughts]}\n  command: {\n    name: string; // one of the commands above\n    args: object; // its arguments by name\n  };\n}`;
}

/** The form that LangChain's agents use, word for word where the words fit. */
function reactFormText(names: readonly string[]): string {
  return `Use the following format:

Thought: you should always think about what to do
Action: the action to take, should be one of [${names.join(", ")}]
Action Input: the input to the action, one JSON object with its arguments by name
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: what you did, its result and what is left

Each of your replies is one Thought, followed either by one Action with its Action Input or by the Final Answer, and nothing after that. The Observation is written for you. The Final Answer ends the work as ${COMMAND.finish} does.`;
}

const TOOL_CALLS = `Every reply is one tool call, or several: they run in their order, each once it is approved, until one fails. The last can be ${COMMAND.finish}.`;

/**
 * The form for models that write files better than calls. It has no template to copy and no list of verbs, because small models repeat
 * whatever looks like one.
 */
const FILES =
  "You edit the files of a project. Answer with every file that has to change or be new, whole, each as a line `File: PATH` followed by a fenced block with its complete new text. To delete a file write `Delete: PATH`, to rename one `Rename: OLD -> NEW`. If you need a command's output first, answer only with `Run: COMMAND`; to see a file that isn't shown, only with `Read: PATH`.";

function joinThoughtLines(line: (field: (typeof THOUGHT_FIELDS)[number]) => string): string {
  return THOUGHT_FIELDS.map(line).join("\n");
}

const ALOUD_IN_TOOLS: Readonly<Record<ThoughtStyle, string>> = {
  full: `The first argument, "thoughts", is an object of five texts:\n${joinThoughtLines((field) => `- ${field}: ${THOUGHT_PURPOSE[field]}`)}\nPut nothing else into the reply.`,
  short: `Before it, you can write ${SHORT_THOUGHT}.`,
};

const ALOUD_IN_JSON: Readonly<Record<ThoughtStyle, string>> = {
  full: `  thoughts: {\n${joinThoughtLines((field) => `    ${field}: string; // ${THOUGHT_PURPOSE[field]}`)}\n  };`,
  short: `  thoughts: string; // ${SHORT_THOUGHT}`,
};

/** Repeats the form at the end of each prompt, where models heed it most. */
export function renderFormReminder({ format, thoughts, isReact }: ReplyForm): string {
  if (isReact) return "Reply with one Thought, then with one Action and its Action Input, or with the Final Answer.";
  switch (format) {
    case "tools":
      return thoughts === "full" ? "Reply with a tool call, its thoughts first." : "Reply with a tool call.";
    case "jsonSchema":
      return "Reply with the JSON object only.";
    case "text":
      return 'Reply with the JSON object only, in the form described under "How to reply".';
    case "files":
      return "Give each file that has to change, whole.";
  }
}
