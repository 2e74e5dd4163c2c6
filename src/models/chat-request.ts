import type { ChatCompletionCreateParamsStreaming } from "openai/resources";
import type { ModelRequest } from "../core/ports/model.ts";
import { chatMessages, inOrder } from "./chat-messages.ts";
import type { Dialect, SchemaForm } from "./dialect.ts";

/** A request in the form of OpenAI's API, with no more than the server takes. */
export function chatRequest(
  model: string,
  request: ModelRequest,
  dialect: Dialect,
): ChatCompletionCreateParamsStreaming {
  const { maxReplyTokens, temperature, schema } = request;
  const [limit] = dialect.replyLimits;
  return {
    model,
    messages: chatMessages(inOrder(request.messages, dialect.order)),
    stream: true,
    ...(dialect.streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(maxReplyTokens !== undefined && limit ? { [limit]: maxReplyTokens + dialect.thinkingRoom } : {}),
    ...(temperature !== undefined && dialect.temperature ? { temperature } : {}),
    ...(request.tools ? toolsPart(request.tools, dialect) : {}),
    ...(schema ? { response_format: schemaPart(schema, dialect.schemaForms[0]) } : {}),
  };
}

function schemaPart(
  { name, schema }: NonNullable<ModelRequest["schema"]>,
  form: SchemaForm,
): NonNullable<ChatCompletionCreateParamsStreaming["response_format"]> {
  switch (form) {
    case "json_schema":
      return { type: "json_schema", json_schema: { name, schema: { ...schema } } };
    case "json_object with schema": {
      const withSchema = { type: "json_object" as const, schema };
      return withSchema;
    }
    case "json_object":
      return { type: "json_object" };
  }
}

function toolsPart(
  tools: NonNullable<ModelRequest["tools"]>,
  { toolChoice, parallelToolCalls }: Dialect,
): Pick<ChatCompletionCreateParamsStreaming, "tools" | "tool_choice" | "parallel_tool_calls"> {
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters: { ...parameters } },
    })),
    tool_choice: toolChoice,
    ...(parallelToolCalls ? { parallel_tool_calls: false } : {}),
  };
}
