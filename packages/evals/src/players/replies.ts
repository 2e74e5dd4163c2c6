import { isObject, type Json, THOUGHT_FIELDS } from "../../../../src/headless/library.ts";
import type { OracleCall } from "../suite.ts";
import type { AskedReply, PlayedFormat } from "./asked.ts";

/** A reply before it is sent. */
export interface PlayedReply {
  readonly content: string | null;
  readonly call?: { readonly name: string; readonly arguments: string };
  /** "": the stream ends without a reason. */
  readonly finish: "stop" | "tool_calls" | "length" | "";
}

/** The parts of a reply, independent of its format. */
export interface ReplyParts {
  readonly format: PlayedFormat;
  /** Absent if they aren't requested. */
  readonly thoughts?: unknown;
  readonly call: OracleCall;
}

/** Writes values as JSON, or in a similar form. */
export type WriteValue = (value: unknown) => string;

/** The parts of the reply that a request asks for. */
export function createReplyParts(call: OracleCall, asked: AskedReply): ReplyParts {
  const { format } = asked;
  const schema = asked.findThoughtsSchema(call.command);
  const sentence = `Next I use ${call.command}.\nIts outcome shows what follows.`;
  if (format === "react") return { format, call, thoughts: sentence };
  if (schema === undefined && format !== "text") return { format, call };
  return { format, call, thoughts: createThoughts(schema, sentence) };
}

function createThoughts(schema: Json | undefined, sentence: string): unknown {
  if (schema?.type === "string") return sentence;
  const asked = isObject(schema?.properties) ? Object.keys(schema.properties) : [...THOUGHT_FIELDS];
  return Object.fromEntries(asked.map((field) => [field, field === "text" ? sentence : "As the task says."]));
}

/** Writes a reply in its format. */
export function writeReply(parts: ReplyParts, write: WriteValue = JSON.stringify): PlayedReply {
  const { format, thoughts, call } = parts;
  if (format === "react")
    return {
      content: `Thought: ${String(thoughts)}\nAction: ${call.command}\nAction Input: ${write(call.args)}`,
      finish: "stop",
    };
  const thinking = thoughts === undefined ? {} : { thoughts };
  if (format !== "tools")
    return {
      content: write({ ...thinking, command: { name: call.command, args: call.args } }),
      finish: "stop",
    };
  return {
    content: thoughts === undefined ? `Next I use ${call.command}.` : "",
    call: { name: call.command, arguments: write({ ...thinking, ...call.args }) },
    finish: "tool_calls",
  };
}

/** Changes the JSON of a reply: its call's arguments, or else its text. */
export function changeReplyJson(reply: PlayedReply, change: (json: string) => string): PlayedReply {
  return reply.call
    ? { ...reply, call: { ...reply.call, arguments: change(reply.call.arguments) } }
    : { ...reply, content: change(reply.content ?? "") };
}
