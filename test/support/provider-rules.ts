import { refusal, type SeenRequest, type ServerAnswer } from "./fake-model-server.ts";

type Body = SeenRequest["body"];

/** A call to answer with. */
interface Called {
  readonly name: string;
  readonly args: object;
}

const sse = (...events: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[]): ServerAnswer => ({
  pieces: events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`),
});

const anthropicError = (message: string): ServerAnswer => ({
  status: 400,
  headers: { "content-type": "application/json" },
  pieces: [JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } })],
});

/** Anthropic's Messages API: complains in its published words, or answers with thoughts and one call. */
export function anthropicMessages(body: Body, { name, args }: Called): ServerAnswer {
  const complaint = anthropicComplaint(body);
  if (complaint !== undefined) return anthropicError(complaint);
  const thinks = body.thinking !== undefined && body.thinking.type !== "disabled";
  const call = thinks ? 1 : 0;
  return sse(
    ...[
      {
        type: "message_start",
        message: {
          ...{ id: "msg_1", type: "message", role: "assistant", model: body.model, content: [] },
          ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 100, output_tokens: 1 } },
        },
      },
      ...(thinks
        ? [
            {
              type: "content_block_start",
              index: 0,
              content_block: { type: "thinking", thinking: "", signature: "" },
            },
            {
              type: "content_block_delta",
              index: 0,
              delta: { type: "thinking_delta", thinking: "I look first." },
            },
            {
              type: "content_block_delta",
              index: 0,
              delta: { type: "signature_delta", signature: "sealed" },
            },
            { type: "content_block_stop", index: 0 },
          ]
        : []),
      {
        type: "content_block_start",
        index: call,
        content_block: { type: "tool_use", id: `toolu_${body.messages.length}`, name, input: {} },
      },
      {
        type: "content_block_delta",
        index: call,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(args) },
      },
      { type: "content_block_stop", index: call },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { output_tokens: 20 },
      },
      { type: "message_stop" },
    ],
  );
}

function anthropicComplaint({ messages, thinking, tool_choice: choice, temperature }: Body): string | undefined {
  const roles: readonly string[] = messages.map(({ role }: Body) => role);
  if (roles[0] !== "user") return 'messages: first message must use the "user" role';
  if (roles.some((role, index) => role === roles[index - 1]))
    return 'messages: roles must alternate between "user" and "assistant", but found multiple in a row';
  for (const [index, { content }] of messages.entries()) {
    const used = Array.isArray(content) ? content.filter(({ type }: Body) => type === "tool_use") : [];
    const next = messages[index + 1]?.content;
    const results = Array.isArray(next) ? next.filter(({ type }: Body) => type === "tool_result") : [];
    if (used.length !== results.length && used.length > 0)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${used[0].id}.`;
  }
  if (!thinking || thinking.type === "disabled") return undefined;
  if (choice && choice.type !== "auto") return "Thinking may not be enabled when tool_choice forces tool use.";
  if (temperature !== undefined && temperature !== 1)
    return "`temperature` may only be set to 1 when thinking is enabled.";
  const last = messages.findLast(({ role }: Body) => role === "assistant");
  const [first] = Array.isArray(last?.content) ? last.content : [];
  if (first && first.type === "tool_use")
    return "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.";
  return undefined;
}

/** Google's `streamGenerateContent`: complains in its published words, or answers with one sealed call. */
export function geminiContents({ contents, tools }: Body, { name, args }: Called): ServerAnswer {
  const complaint = geminiComplaint(contents, tools);
  if (complaint !== undefined) return refusal(400, complaint);
  const candidate = {
    content: {
      role: "model",
      parts: [
        { text: "I look first.", thought: true },
        { functionCall: { name, args }, thoughtSignature: Buffer.from("sealed").toString("base64") },
      ],
    },
    finishReason: "STOP",
    index: 0,
  };
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
  return { pieces: [`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\n\n`] };
}

function geminiComplaint(contents: readonly Body[], tools: Body): string | undefined {
  const kinds = contents.map(({ parts }) => {
    if (parts.some((part: Body) => part.functionCall ?? part.function_call)) return "call";
    return parts.some((part: Body) => part.functionResponse ?? part.function_response) ? "response" : "text";
  });
  for (const [index, kind] of kinds.entries()) {
    const before = contents[index - 1];
    if (kind === "call" && before?.role !== "user")
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    if (kind === "response" && kinds[index - 1] !== "call")
      return "Please ensure that function response turn comes immediately after a function call turn.";
    const seals = contents[index].parts.filter((part: Body) => part.thoughtSignature ?? part.thought_signature);
    if (kind === "call" && seals.length === 0)
      return "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.";
  }
  const declared = tools?.[0]?.function_declarations ?? tools?.[0]?.functionDeclarations ?? [];
  for (const [index, { parameters }] of declared.entries())
    for (const [name, field] of Object.entries<Body>(parameters?.properties ?? {}))
      if (field.type?.toLowerCase() === "object" && Object.keys(field.properties ?? {}).length === 0)
        return `* GenerateContentRequest.tools[0].function_declarations[${index}].parameters.properties[${name}].properties: should be non-empty for OBJECT type`;
  return undefined;
}
