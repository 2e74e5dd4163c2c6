import { replySchema, toolOf } from "../commands/command-forms.ts";
import type { CommandSpec, ModelRequest, ReplyFormat } from "../ports/model.ts";
import { SHORT_THOUGHT, THOUGHT_FIELDS, THOUGHT_PURPOSE, type ThoughtStyle } from "../reply/reply.ts";

/** The form of a model's replies. */
export interface ReplyForm {
  readonly format: ReplyFormat;
  readonly thoughts: ThoughtStyle;
}

/** The parts of a request that have the server enforce a form. */
export function enforcedForm(
  commands: readonly CommandSpec[],
  { format, thoughts }: ReplyForm,
): Pick<ModelRequest, "tools" | "parallelCalls" | "schema"> {
  switch (format) {
    case "tools":
      return { tools: commands.map((spec) => toolOf(spec, thoughts)), parallelCalls: true };
    case "jsonSchema":
      return { schema: { name: "reply", schema: replySchema(commands, thoughts) } };
    case "text":
      return {};
  }
}

/** Explains the form to the model. */
export function formText({ format, thoughts }: ReplyForm): string {
  if (format === "tools") return `${TOOL_CALLS} ${ALOUD_IN_TOOLS[thoughts]}`;
  return `Every reply is one JSON object of this type, and nothing before or after it:\n{\n${ALOUD_IN_JSON[thoughts]}\n  command: {\n    name: string; // one of the commands above\n    args: object; // its arguments by name\n  };\n}`;
}

const TOOL_CALLS = "Every reply is one tool call, or several at once if all of them only read.";

function eachThought(line: (field: (typeof THOUGHT_FIELDS)[number]) => string): string {
  return THOUGHT_FIELDS.map(line).join("\n");
}

const ALOUD_IN_TOOLS: Readonly<Record<ThoughtStyle, string>> = {
  full: `The first argument, "thoughts", is an object of five texts:\n${eachThought((field) => `- ${field}: ${THOUGHT_PURPOSE[field]}`)}\nPut nothing else into the reply.`,
  short: `Before it, you can write ${SHORT_THOUGHT}.`,
};

const ALOUD_IN_JSON: Readonly<Record<ThoughtStyle, string>> = {
  full: `  thoughts: {\n${eachThought((field) => `    ${field}: string; // ${THOUGHT_PURPOSE[field]}`)}\n  };`,
  short: `  thoughts: string; // ${SHORT_THOUGHT}`,
};

/** Repeats the form at the end of each prompt, where models heed it most. */
export function formReminder({ format, thoughts }: ReplyForm): string {
  switch (format) {
    case "tools":
      return thoughts === "full" ? "Reply with a tool call, its thoughts first." : "Reply with a tool call.";
    case "jsonSchema":
      return "Reply with the JSON object only.";
    case "text":
      return 'Reply with the JSON object only, in the form described under "How to reply".';
  }
}
