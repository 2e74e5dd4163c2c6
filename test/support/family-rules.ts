import { toObjectOrEmpty } from "../../src/models/http/json.ts";
import { json, refusal, type SeenRequest, type ServerAnswer } from "./fake-model-server.ts";
import * as order from "./message-rules.ts";

type Body = SeenRequest["body"];

/** A complaint of a server in its published words, or undefined. */
export type FamilyRule = (body: Body) => ServerAnswer | undefined;

const when = (isWrong: boolean, status: number, message: string, more = {}): ServerAnswer | undefined =>
  isWrong ? refusal(status, message, more) : undefined;

/** The first complaint of several rules. */
const all =
  (...rules: readonly FamilyRule[]): FamilyRule =>
  (body) => {
    for (const rule of rules) {
      const complaint = rule(body);
      if (complaint) return complaint;
    }
    return undefined;
  };

const ordered =
  (rule: order.MessageRule, status = 400): FamilyRule =>
  ({ messages }) => {
    const complaint = rule(messages);
    return complaint === undefined ? undefined : refusal(status, complaint);
  };

/** The fields that every server knows. */
const COMMON = ["model", "messages", "stream", "tools", "tool_choice", "response_format", "temperature"];

const onlyKnown =
  (known: readonly string[], complain: (name: string) => ServerAnswer): FamilyRule =>
  (body) => {
    const unknown = Object.keys(body).find((name) => !COMMON.includes(name) && !known.includes(name));
    return unknown === undefined ? undefined : complain(unknown);
  };

/** Fields of messages that only some servers know. */
const plainMessages =
  (known: readonly string[], complain: (name: string, index: number) => ServerAnswer): FamilyRule =>
  ({ messages }) => {
    const fields = ["role", "content", "tool_calls", "tool_call_id", ...known];
    for (const [index, message] of messages.entries()) {
      const calls: readonly object[] = message.tool_calls ?? [];
      const unknown = [
        ...Object.keys(message).filter((name) => !fields.includes(name)),
        ...calls.flatMap((call) =>
          Object.keys(call).filter((name) => !["id", "type", "function", ...known].includes(name)),
        ),
      ][0];
      if (unknown !== undefined) return complain(unknown, index);
    }
    return undefined;
  };

const answered: FamilyRule = ({ messages }) => {
  for (const [index, message] of messages.entries()) {
    const ids: string[] = (message.tool_calls ?? []).map(({ id }: { id: string }) => id);
    const results = messages.slice(index + 1, index + 1 + ids.length);
    if (ids.some((id, at) => results[at]?.tool_call_id !== id))
      return refusal(
        400,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: " +
          ids.join(", "),
      );
  }
  return undefined;
};

const unrecognized = (name: string): ServerAnswer =>
  refusal(400, `Unrecognized request argument supplied: ${name}`, { type: "invalid_request_error" });

const unknownParameter = (name: string, index: number): ServerAnswer =>
  refusal(400, `Unknown parameter: 'messages[${index}].${name}'.`, { code: "unknown_parameter" });

/** OpenAI's reasoning models. */
export const openAiReasoning: FamilyRule = all(
  onlyKnown(
    [
      ...["stream_options", "max_completion_tokens", "max_tokens", "parallel_tool_calls", "reasoning_effort"],
      ...["prompt_cache_key", "verbosity"],
    ],
    unrecognized,
  ),
  plainMessages([], unknownParameter),
  (body) =>
    when(
      body.max_tokens !== undefined,
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { code: "unsupported_parameter", param: "max_tokens" },
    ),
  ({ temperature }) =>
    when(
      temperature !== undefined && temperature !== 1,
      400,
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      { code: "unsupported_value", param: "temperature" },
    ),
  ({ reasoning_effort: effort }) =>
    when(
      effort !== undefined && !["none", "low", "medium", "high"].includes(effort),
      400,
      `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: 'none', 'low', 'medium', and 'high'.`,
      { code: "unsupported_value", param: "reasoning_effort" },
    ),
  answered,
);

/** OpenAI's o-series. */
export const openAiO: FamilyRule = all(
  ({ parallel_tool_calls: parallel }) =>
    when(
      parallel !== undefined,
      400,
      "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
      { code: "unsupported_parameter", param: "parallel_tool_calls" },
    ),
  ({ verbosity }) =>
    when(
      verbosity !== undefined && verbosity !== "medium",
      400,
      `Unsupported value: 'verbosity' does not support '${verbosity}' with this model. Supported values are: 'medium'.`,
      { code: "unsupported_value", param: "verbosity" },
    ),
  openAiReasoning,
);

/** Models of OpenAI in Azure that don't reason. */
export const azurePlain: FamilyRule = all(
  onlyKnown(["stream_options", "max_completion_tokens", "max_tokens", "parallel_tool_calls"], unrecognized),
  plainMessages([], unknownParameter),
  answered,
);

const anthropicThinking: FamilyRule = (body) => {
  const thinks = body.reasoning_effort !== undefined || body.thinking?.type === "enabled";
  if (!thinks) return undefined;
  const [last] = body.messages.filter(({ tool_calls }: Body) => tool_calls).slice(-1);
  const limit = body.max_tokens ?? body.max_completion_tokens;
  return (
    when(
      body.tool_choice === "required" || body.tool_choice === "any",
      400,
      "Thinking may not be enabled when tool_choice forces tool use.",
    ) ??
    when(
      body.temperature !== undefined && body.temperature !== 1,
      400,
      "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
    ) ??
    when(
      limit !== undefined && limit <= (body.thinking?.budget_tokens ?? 1_024),
      400,
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ) ??
    when(
      body.thinking === undefined && last !== undefined && last.thinking_blocks === undefined,
      400,
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
    )
  );
};

/** Anthropic's own address. */
export const anthropic: FamilyRule = all(
  ordered(order.anthropic),
  onlyKnown(["stream_options", "max_completion_tokens", "max_tokens", "parallel_tool_calls", "thinking"], (name) =>
    refusal(400, `${name}: Extra inputs are not permitted`, { type: "invalid_request_error" }),
  ),
  anthropicThinking,
  answered,
);

/** Anthropic's models behind LiteLLM. */
export const anthropicThroughLiteLlm: FamilyRule = all(ordered(order.anthropic), anthropicThinking, answered);

const emptyObjects = (value: unknown, path: string): string | undefined => {
  const schema = toObjectOrEmpty(value);
  const fields = Object.entries(toObjectOrEmpty(schema.properties));
  if (schema.type === "object" && fields.length === 0) return path;
  for (const [name, field] of fields) {
    const found = emptyObjects(field, `${path}.properties[${name}]`);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Google's own address. */
export const gemini: FamilyRule = all(
  onlyKnown(["stream_options", "max_completion_tokens", "max_tokens", "reasoning_effort"], (name) =>
    json(400, [
      {
        error: {
          code: 400,
          message: `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`,
          status: "INVALID_ARGUMENT",
        },
      },
    ]),
  ),
  ordered(order.gemini),
  ({ tools = [] }) => {
    for (const [index, tool] of tools.entries()) {
      const { parameters } = tool.function;
      const path = parameters && emptyObjects(parameters, `tools[0].function_declarations[${index}].parameters`);
      if (path)
        return refusal(400, `* GenerateContentRequest.${path}.properties: should be non-empty for OBJECT type\n`);
    }
    return undefined;
  },
  ({ messages }) =>
    when(
      messages.some(({ tool_calls }: Body) => tool_calls && !tool_calls[0].extra_content?.google?.thought_signature),
      400,
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.",
    ),
);

/** Gemma behind Google's API. */
export const gemmaAtGoogle: FamilyRule = all(
  ({ messages }) =>
    when(messages[0].role === "system", 400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
  ({ tools }) => when(tools !== undefined, 400, "Function calling is not enabled for models/gemma-3-27b-it"),
);

/** Models of Bedrock behind LiteLLM, when it joins nothing. */
const bedrock: FamilyRule = all(ordered(order.bareBedrock), ({ parallel_tool_calls: parallel }) =>
  when(
    parallel !== undefined,
    400,
    "litellm.UnsupportedParamsError: bedrock does not support parameters: ['parallel_tool_calls'], for model=us.meta.llama3-3-70b-instruct-v1:0. To drop these, set `litellm.drop_params=True` or for proxy:",
  ),
);

export const bedrockLlama: FamilyRule = all(bedrock, ({ tool_choice: choice }) =>
  when(
    choice === "required",
    400,
    'BedrockException - {"message":"This model doesn\'t support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again."}',
  ),
);

export const bedrockClaude: FamilyRule = bedrock;

/** Mistral's own address. */
export const mistral: FamilyRule = all(
  onlyKnown(["max_tokens", "parallel_tool_calls"], (name) =>
    json(422, {
      object: "error",
      message: {
        detail: [{ type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted", input: 1 }],
      },
      type: "invalid_request_error",
    }),
  ),
  plainMessages([], (name, index) =>
    json(422, {
      detail: [
        {
          type: "extra_forbidden",
          loc: ["body", "messages", index, name],
          msg: "Extra inputs are not permitted",
        },
      ],
    }),
  ),
  ordered(order.mistral),
  ({ messages }) => {
    const ids = messages.flatMap(({ tool_calls = [] }: Body) => tool_calls.map(({ id }: Body) => id));
    const wrong = ids.find((id: string) => !/^[a-z0-9]{9}$/i.test(id));
    return when(wrong !== undefined, 400, `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`, {
      type: "invalid_request_error",
    });
  },
);

/** DeepSeek's own address. */
export const deepseek: FamilyRule = all(
  ({ tool_choice: choice, model }) =>
    when(choice === "required", 400, `${model} does not support this tool_choice`, {
      type: "invalid_request_error",
    }),
  ({ response_format: format }) =>
    when(format?.type === "json_schema", 400, "This response_format type is unavailable now", {
      type: "invalid_request_error",
    }),
  ({ messages }) => {
    const index = messages.findIndex(
      ({ tool_calls, reasoning_content }: Body) => tool_calls && reasoning_content === undefined,
    );
    return when(
      index !== -1,
      400,
      `Missing \`reasoning_content\` field in the assistant message at message index ${index}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls`,
      { type: "invalid_request_error" },
    );
  },
  answered,
);

/** Llama's template in vLLM. */
export const llamaInVllm: FamilyRule = ({ messages }) =>
  when(
    messages.some(({ tool_calls }: Body) => tool_calls?.length > 1),
    400,
    "This model only supports single tool-calls at once!",
  );

/** Qwen at Alibaba, while it thinks. */
export const qwenAtAlibaba: FamilyRule = all(
  ({ tool_choice: choice }) =>
    when(
      choice === "required",
      400,
      "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
      { type: "invalid_request_error", code: "invalid_parameter_error" },
    ),
  answered,
);

/** gpt-oss in llama.cpp, which renders reasoning before calls. */
export const gptOssInLlamaCpp: FamilyRule = ({ messages }) =>
  when(
    messages.some(({ tool_calls, content, reasoning_content }: Body) => tool_calls && content && reasoning_content),
    500,
    "Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both.",
  );

/** Mistral's template in llama.cpp. */
export const mistralInLlamaCpp: FamilyRule = ordered(order.mistralTemplate, 500);

/** Gemma's template in llama.cpp. */
export const gemmaInLlamaCpp: FamilyRule = ordered(order.gemmaTemplate, 500);
