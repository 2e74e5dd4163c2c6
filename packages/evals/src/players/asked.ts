import { COMMAND, isObject, type Json, PLANNER_ROLE, type ReplyFormat } from "../../../../src/headless/library.ts";
import type { OracleCall } from "../suite.ts";

/** A message of a chat completion request, as far as players read it. */
interface AskedMessage {
  readonly role: string;
  readonly text: string;
}

/** The formats of replies, including ReAct's text format. */
export type PlayedFormat = ReplyFormat | "react";

/** A request in the form that players use. */
export interface AskedReply {
  readonly format: PlayedFormat;
  readonly messages: readonly AskedMessage[];
  /** Schema of the thoughts, where the request has one for this command. */
  findThoughtsSchema(command: string): Json | undefined;
  /** The request is for a step of an agent, not for a summary or a draft. */
  readonly isStep: boolean;
  /** The request is for the list of tasks that the strategy `tasks` plans. */
  readonly isPlanning: boolean;
  readonly isStreamed: boolean;
  /** True if tokens should be counted at the end of the stream. */
  readonly wantsUsage: boolean;
  readonly maxTokens: number;
  /** Everything that a server would include in the prompt. */
  readonly prompt: string;
}

/** Reads the body of a chat completion request. */
export function readAsked(body: Json): AskedReply {
  const tools = getListOrEmpty(body.tools).filter(isObject);
  const schema = findReplySchema(body);
  const messages = getListOrEmpty(body.messages).filter(isObject).map(parseMessage);
  const head = messages[0]?.text ?? "";
  const inText = head.includes("\nAction Input: ") ? "react" : "text";
  const format = tools.length > 0 ? "tools" : schema ? "jsonSchema" : inText;
  return {
    format,
    messages,
    findThoughtsSchema: (command) =>
      format === "tools"
        ? findPropertySchema(findTool(tools, command), "thoughts")
        : findPropertySchema(schema, "thoughts"),
    isStep: JSON.stringify(tools).includes(`"${COMMAND.finish}"`) || head.includes(COMMAND.finish),
    isPlanning: head === PLANNER_ROLE,
    isStreamed: body.stream === true,
    wantsUsage: isObject(body.stream_options) && body.stream_options.include_usage === true,
    maxTokens: Number(body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY),
    prompt: JSON.stringify([tools, body.messages]),
  };
}

function getListOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parseMessage({ role, content }: Json): AskedMessage {
  const parts = getListOrEmpty(content).filter(isObject);
  return {
    role: String(role),
    text: typeof content === "string" ? content : parts.map(({ text }) => String(text ?? "")).join(""),
  };
}

/** The reply's schema, in any form that servers accept. */
function findReplySchema(body: Json): Json | undefined {
  const response = isObject(body.response_format) ? body.response_format : {};
  const holder = isObject(response.json_schema) ? response.json_schema : response;
  return [holder.schema, body.guided_json].find(isObject);
}

function findTool(tools: readonly Json[], command: string): Json | undefined {
  const found = tools.find((tool) => isObject(tool.function) && tool.function.name === command);
  return found && isObject(found.function) && isObject(found.function.parameters)
    ? found.function.parameters
    : undefined;
}

/** A property's schema, also where the schema is a choice between objects. */
function findPropertySchema(schema: Json | undefined, name: string): Json | undefined {
  if (schema === undefined) return undefined;
  const own = isObject(schema.properties) ? schema.properties[name] : undefined;
  if (isObject(own)) return own;
  const [first] = getListOrEmpty(schema.anyOf ?? schema.oneOf).filter(isObject);
  return findPropertySchema(first, name);
}

/** Outcomes after which a player continues with its next call. */
export type CountedOutcomes = "done" | "answered";

/** Remark in a player's summaries, which shows its position in the solution. */
const PLACE = "Calls of the solution that are done: ";

/**
 * Counts the calls, in order, with outcomes in the history, or among the steps to be summarized. The count relies on the prompt, so that a
 * call is played again until it has actually run.
 */
export function countDoneCalls(
  calls: readonly OracleCall[],
  { messages, isStep }: Pick<AskedReply, "messages" | "isStep">,
  counted: CountedOutcomes,
): number {
  let done = 0;
  for (const [index, { role, text }] of messages.entries()) {
    const summarized = new RegExp(`${PLACE}(\\d+)`).exec(text)?.[1];
    if (summarized !== undefined) done = Number(summarized);
    const follows = index > 0 && messages[index - 1]?.role === "assistant";
    const outcomes = isStep ? [text] : text.split(/^Then: /m);
    if (role === "assistant" || (isStep && role !== "tool" && !follows)) continue;
    for (const outcome of outcomes) {
      const call = calls[done];
      if (call && isCommandOutcome(call.command, outcome, counted)) done++;
    }
  }
  return done;
}

function isCommandOutcome(command: string, text: string, counted: CountedOutcomes): boolean {
  const words = counted === "done" ? "(?: is done|:)" : "(?: is done|:| failed| was refused)";
  return new RegExp(`^(?:Observation: )?${command}${words}`).test(text);
}

/** A player's answer to a request that isn't for a step. */
export function renderProgressAnswer(done: number): string {
  return `${PLACE}${done}`;
}
