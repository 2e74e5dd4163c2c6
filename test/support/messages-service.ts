import { createHash } from "node:crypto";
import { json, type SeenRequest, type ServerAnswer } from "./fake-model-server.ts";

type Body = SeenRequest["body"];
type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A model of Anthropic's as the guide to it describes it. */
export interface ServedModel {
  readonly name: string;
  /** Types of `thinking` that it takes. */
  readonly thinking: readonly ("adaptive" | "enabled" | "disabled" | "between_tools")[];
  /** It thinks without being asked. */
  readonly thinksUnasked?: true;
  /** `tool_choice` may force a call while it doesn't think. */
  readonly forces?: true;
  readonly efforts?: readonly string[];
  /** Least tokens of a beginning that is cached. */
  readonly minimum: number;
  /** Thinking comes back only with the same bytes before it. */
  readonly bindsThinking?: true;
}

const ALL_EFFORTS = ["low", "medium", "high", "xhigh", "max"];

/** Models by name, from Anthropic's guides in November 2026. */
export const SERVED = {
  haiku45: { name: "claude-haiku-4-5", thinking: ["enabled", "disabled"], forces: true, minimum: 4_096 },
  sonnet46: {
    ...{ name: "claude-sonnet-4-6", thinking: ["adaptive", "enabled", "disabled"], forces: true },
    ...{ efforts: ["low", "medium", "high", "max"], minimum: 1_024 },
  },
  opus48: {
    ...{ name: "claude-opus-4-8", thinking: ["adaptive"], forces: true },
    ...{ efforts: ALL_EFFORTS, minimum: 1_024 },
  },
  sonnet5: {
    ...{ name: "claude-sonnet-5", thinking: ["adaptive", "disabled"], thinksUnasked: true, forces: true },
    ...{ efforts: ALL_EFFORTS, minimum: 1_024 },
  },
  opus55: {
    ...{ name: "claude-opus-5-5", thinking: ["adaptive"], thinksUnasked: true },
    ...{ efforts: ALL_EFFORTS, minimum: 512 },
  },
  sonnet55: {
    ...{ name: "claude-sonnet-5-5", thinking: ["adaptive", "between_tools"], thinksUnasked: true },
    ...{ efforts: ALL_EFFORTS, minimum: 512 },
  },
  fable52: {
    ...{ name: "claude-fable-5-2", thinking: ["adaptive"], thinksUnasked: true, bindsThinking: true },
    ...{ efforts: ALL_EFFORTS, minimum: 512 },
  },
} as const satisfies Readonly<Record<string, ServedModel>>;

/** What a request read from the cache and wrote into it, in tokens. */
export interface CacheUse {
  readonly input: number;
  readonly read: number;
  readonly written: number;
  readonly forHour: number;
}

/** How a reply comes. */
export interface ReplyOptions {
  readonly stop?: string;
  readonly explanation?: string;
}

/** Anthropic's Messages: complains in the service's words, seals thinking, and keeps a cache by the published rules. */
export class MessagesService {
  readonly refusals: string[] = [];
  readonly uses: CacheUse[] = [];
  readonly bodies: Body[] = [];
  /** Minutes since the start. */
  minutes = 0;
  /** The service refuses marks, or only those for an hour. */
  refusesMarks: "all" | "hours" | undefined;
  private readonly seals = new Map<
    string,
    { readonly block: string; readonly model: string; readonly prefix: string }
  >();
  private readonly kept = new Map<string, { until: number; readonly minutes: number }>();

  /** Answers a request to a model with these blocks; `thinking` and `redacted_thinking` get their seals here. */
  answer(
    { path, headers, body }: SeenRequest,
    model: ServedModel,
    blocks: readonly Block[],
    { stop, explanation }: ReplyOptions = {},
  ): ServerAnswer {
    const problem = this.problem(path, headers, body, model);
    if (problem) {
      this.refusals.push(problem.message);
      return errorAnswer(problem.status, problem.type, problem.message);
    }
    this.bodies.push(body);
    const content = this.sealed(blocks, body, model);
    const reason = stop ?? (content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn");
    const message = messageOf(model.name, content, reason, this.usage(body, model), explanation);
    return body.stream ? { pieces: eventsOf(message) } : json(200, message);
  }

  private problem(
    path: string,
    headers: SeenRequest["headers"],
    body: Body,
    model: ServedModel,
  ): { readonly status: number; readonly type: string; readonly message: string } | undefined {
    if (path !== "/v1/messages") return { status: 404, type: "not_found_error", message: "Not Found" };
    if (headers["x-api-key"] !== "sk-ant-test")
      return { status: 401, type: "authentication_error", message: "invalid x-api-key" };
    if (body.model !== model.name) return { status: 404, type: "not_found_error", message: `model: ${body.model}` };
    const message =
      unknownField(body) ??
      turnProblem(body) ??
      pairProblem(body.messages) ??
      thinkingProblem(body, model) ??
      this.sealProblem(body, model) ??
      markProblem(body, this.refusesMarks) ??
      schemaProblem(body.output_config?.format?.schema, "output_config.format.schema");
    return message === undefined ? undefined : { status: 400, type: "invalid_request_error", message };
  }

  private sealed(blocks: readonly Block[], body: Body, model: ServedModel): readonly Block[] {
    const content: Block[] = [];
    for (const block of blocks) {
      if (block.type !== "thinking" && block.type !== "redacted_thinking") content.push(block);
      else {
        const seal = `seal${this.seals.size + 1}==`;
        const own: Block = block.type === "thinking" ? { ...block, signature: seal } : { type: block.type, data: seal };
        this.seals.set(seal, {
          block: JSON.stringify(own),
          model: model.name,
          prefix: prefixOf(body, body.messages, content),
        });
        content.push(own);
      }
    }
    return content;
  }

  private sealProblem(body: Body, model: ServedModel): string | undefined {
    for (const [index, { content }] of body.messages.entries())
      for (const [at, block] of listOf(content).entries()) {
        if (block.type !== "thinking" && block.type !== "redacted_thinking") continue;
        const known = this.seals.get(block.signature ?? block.data);
        const refused = `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`;
        if (known?.block !== JSON.stringify(block) || known.model !== model.name) return refused;
        const prefix = prefixOf(body, body.messages.slice(0, index), content.slice(0, at));
        if (model.bindsThinking && known.prefix !== prefix)
          return `${refused}. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
      }
    return undefined;
  }

  /** Looks a prompt up in the cache, at each mark and up to 20 blocks before it, and keeps what is marked. */
  private usage(body: Body, { name, minimum }: ServedModel): CacheUse {
    const blocks = cachedBlocks(body);
    let hash = name;
    let tokens = 0;
    const places = blocks.map(({ text, mark }) => {
      hash = createHash("sha256").update(hash).update(text).digest("base64");
      tokens += Math.ceil(text.length / 4);
      return { hash, tokens, mark };
    });
    const marks = places.flatMap(({ mark }, index) => (mark ? index : []));
    const isKept = (index: number): boolean => (this.kept.get(places[index]?.hash ?? "")?.until ?? -1) > this.minutes;
    const found = marks.flatMap((mark) => {
      for (let index = mark; index >= 0 && index > mark - 20; index--) if (isKept(index)) return index;
      return [];
    });
    const hit = found.length === 0 ? undefined : places[Math.max(...found)];
    const read = hit?.tokens ?? 0;
    if (hit) {
      const entry = this.kept.get(hit.hash);
      if (entry) entry.until = this.minutes + entry.minutes;
    }
    let written = 0;
    let forHour = 0;
    for (const index of marks) {
      const place = places[index];
      if (!place || place.tokens < minimum || place.tokens <= read) continue;
      const minutes = place.mark?.ttl === "1h" ? 60 : 5;
      this.kept.set(place.hash, { until: this.minutes + minutes, minutes });
      if (minutes === 60) forHour = place.tokens - read;
      written = place.tokens - read;
    }
    const use = { input: tokens - read - written, read, written, forHour };
    this.uses.push(use);
    return use;
  }

  /** Share of input that was read from the cache, among prompts of at least so many tokens. */
  readShare(least = 0): number {
    const total = ({ input, read, written }: CacheUse): number => input + read + written;
    const counted = this.uses.filter((use) => total(use) >= least);
    return counted.reduce((all, { read }) => all + read, 0) / counted.reduce((all, use) => all + total(use), 0);
  }
}

/** An error in the service's form. */
export function errorAnswer(status: number, type: string, message: string): ServerAnswer {
  return json(status, { type: "error", error: { type, message }, request_id: "req_1" });
}

// biome-ignore lint/suspicious/noExplicitAny: blocks of any shape are looked at
const listOf = (content: unknown): any[] => (Array.isArray(content) ? content : []);

function withoutMarks(value: unknown): string {
  return JSON.stringify(value, (name, inner) => (name === "cache_control" ? undefined : inner));
}

/** Everything before a block. */
function prefixOf({ tools, system }: Body, messages: readonly Body[], before: readonly unknown[]): string {
  const blocks = messages.flatMap(({ role, content }) => listOf(content).map((block) => [role, block]));
  return withoutMarks([tools, system, blocks, before.map((block) => ["assistant", block])]);
}

/** The blocks of a request in the order in which they are cached, each with its mark. */
function cachedBlocks({ tools, system, messages, ...body }: Body) {
  const block = (value: Body, more: unknown = "") => ({
    text: `${withoutMarks(value)}${more === "" ? "" : JSON.stringify(more)}`,
    mark: value.cache_control as { readonly ttl?: string } | undefined,
  });
  const settings = [body.thinking, body.tool_choice, body.output_config?.effort];
  return [
    ...listOf(tools).map((tool) => block(tool)),
    ...listOf(system).map((part) => block(part)),
    ...messages.flatMap(({ role, content }: Body, index: number) =>
      listOf(content).map((part, at) => block(part, index === 0 && at === 0 ? [role, settings] : role)),
    ),
  ] as { readonly text: string; readonly mark: { readonly ttl?: string } | undefined }[];
}

const FIELDS = [
  ...["model", "max_tokens", "messages", "system", "stream", "tools", "tool_choice", "stop_sequences"],
  ...["thinking", "output_config", "metadata"],
];

const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control"],
  image: ["source", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
};

function unknownField(body: Body): string | undefined {
  const top = Object.keys(body).find((name) => !FIELDS.includes(name));
  if (top !== undefined) return `${top}: Extra inputs are not permitted`;
  if (!Number.isInteger(body.max_tokens)) return "max_tokens: Field required";
  for (const [index, tool] of listOf(body.tools).entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name))
      return `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (tool.input_schema?.type !== "object") return `tools.${index}.custom.input_schema.type: Field required`;
  }
  for (const [index, { content }] of body.messages.entries())
    for (const [at, block] of listOf(content).entries()) {
      const known = BLOCK_FIELDS[block.type];
      const odd = Object.keys(block).find((name) => name !== "type" && !known?.includes(name));
      if (!known || odd !== undefined)
        return `messages.${index}.content.${at}.${block.type}.${odd}: Extra inputs are not permitted`;
    }
  return undefined;
}

function turnProblem({ messages, system = [] }: Body): string | undefined {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (messages.at(-1).role === "assistant")
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  for (const [index, { role, content }] of messages.entries()) {
    if (role === messages[index - 1]?.role)
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`;
    if (listOf(content).length === 0) return `messages.${index}: all messages must have non-empty content`;
    for (const { type, text, source } of listOf(content)) {
      if (type === "text" && text.trim() === "")
        return "messages: text content blocks must contain non-whitespace text";
      if (type === "image" && !/^image\/(png|jpeg|gif|webp)$/.test(source.media_type))
        return `messages.${index}.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
      if (type === "image" && !source.data) return "messages: Could not process image";
    }
  }
  return system.some(({ text }: Body) => text === "") ? "system: text content blocks must be non-empty" : undefined;
}

function pairProblem(messages: readonly Body[]): string | undefined {
  const seen = new Set<string>();
  for (const [index, { content }] of messages.entries()) {
    const ids = listOf(content).flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    const odd = ids.find((id) => !/^[a-zA-Z0-9_-]+$/.test(id));
    if (odd !== undefined)
      return `messages.${index}.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    if (ids.some((id) => seen.has(id))) return "messages: `tool_use` ids must be unique";
    for (const id of ids) seen.add(id);
    const next = listOf(messages[index + 1]?.content);
    const results = next.slice(0, ids.length).flatMap(({ tool_use_id: id }) => id ?? []);
    const missing = ids.filter((id) => !results.includes(id));
    if (missing.length > 0)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    const before = listOf(messages[index - 1]?.content).map(({ id }) => id);
    const stray = listOf(content).find(({ type, tool_use_id: id }) => type === "tool_result" && !before.includes(id));
    if (stray)
      return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  return undefined;
}

function thinkingProblem(body: Body, model: ServedModel): string | undefined {
  const { thinking, tool_choice: choice, output_config: output, max_tokens: limit, messages } = body;
  const { type = undefined } = thinking ?? {};
  if (type !== undefined && !model.thinking.includes(type))
    return `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;
  const effort = output?.effort;
  if (effort !== undefined && !model.efforts?.includes(effort))
    return `This model does not support effort level '${effort}'. Supported levels: ${model.efforts?.join(", ")}.`;
  const isOn = type === undefined ? model.thinksUnasked : type === "adaptive" || type === "enabled";
  if (choice && choice.type !== "auto" && !model.forces)
    return `tool_choice: "${choice.type}" is not supported for this model. Use "auto".`;
  if (!isOn) return undefined;
  if (choice && choice.type !== "auto") return "Thinking may not be enabled when tool_choice forces tool use.";
  if (type !== "enabled") return undefined;
  if (!(thinking.budget_tokens >= 1_024))
    return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (limit <= thinking.budget_tokens) return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  const index = messages.findLastIndex(({ role }: Body) => role === "assistant");
  const content = listOf(messages[index]?.content);
  const first = content[0]?.type;
  return content.some((block) => block.type === "tool_use") && !/thinking/.test(first)
    ? `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`
    : undefined;
}

function markProblem({ tools, system, messages }: Body, refused: "all" | "hours" | undefined): string | undefined {
  const blocks = [...listOf(tools), ...listOf(system), ...messages.flatMap(({ content }: Body) => listOf(content))];
  const marked = blocks.filter((block) => block.cache_control);
  if (marked.length > 0 && refused === "all") return "system.0.cache_control: Extra inputs are not permitted";
  if (marked.length > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
  if (marked.some(({ type, text }) => type === "text" && text === ""))
    return "messages.0.content.0.text: cache_control cannot be set for empty text blocks";
  const ttls: string[] = marked.map(({ cache_control: { ttl = "5m" } }) => ttl);
  if (refused === "hours" && ttls.includes("1h"))
    return "system.0.cache_control.ephemeral.ttl: Extra inputs are not permitted";
  return ttls.lastIndexOf("1h") > ttls.indexOf("5m") && ttls.includes("5m")
    ? "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`."
    : undefined;
}

function schemaProblem(schema: Body, path: string): string | undefined {
  if (schema === undefined || typeof schema !== "object" || schema === null) return undefined;
  if (schema.type === "object" && schema.additionalProperties !== false)
    return `${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
  const odd = ["maxLength", "minLength", "pattern", "maximum", "minimum", "maxItems"].find((name) => name in schema);
  if (odd !== undefined) return `${path}: For '${schema.type}' type, property '${odd}' is not supported`;
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? []), schema.items];
  for (const one of inner) {
    const problem = schemaProblem(one, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function messageOf(
  model: string,
  content: readonly Block[],
  reason: string,
  use: CacheUse,
  explanation?: string,
): Body {
  return {
    ...{ id: "msg_1", type: "message", role: "assistant", model, content },
    ...{ stop_reason: reason, stop_sequence: null, container: null, diagnostics: null },
    stop_details: explanation ? { type: "refusal", category: "cyber", explanation } : null,
    usage: {
      input_tokens: use.input,
      cache_read_input_tokens: use.read,
      cache_creation_input_tokens: use.written,
      cache_creation: {
        ephemeral_5m_input_tokens: use.written - use.forHour,
        ephemeral_1h_input_tokens: use.forHour,
      },
      output_tokens: 20,
      output_tokens_details: { thinking_tokens: 5 },
    },
  };
}

const named = (data: { readonly type: string } & object): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** A message as the events of a stream, in small pieces and with pings. */
export function eventsOf(message: Body): string[] {
  const { content, stop_reason, stop_details, usage } = message;
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const delta = (index: number, value: object): string =>
    named({ type: "content_block_delta", index, delta: value } as never);
  return [
    named({ type: "message_start", message: start } as never),
    named({ type: "ping" }),
    ...content.flatMap((block: Body, index: number) => [
      named({ type: "content_block_start", index, content_block: emptied(block) } as never),
      ...piecesOf(block).map((piece) => delta(index, piece)),
      named({ type: "content_block_stop", index } as never),
      named({ type: "ping" }),
    ]),
    named({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null, stop_details },
      usage: { output_tokens: usage.output_tokens, input_tokens: null },
    } as never),
    named({ type: "message_stop" }),
  ];
}

function emptied(block: Body): Body {
  if (block.type === "tool_use") return { ...block, input: {} };
  return {
    ...block,
    ...(block.type === "thinking" ? { thinking: "", signature: "" } : {}),
    ...(block.type === "text" ? { text: "" } : {}),
  };
}

function piecesOf(block: Body): readonly object[] {
  const cut = (text: string): readonly string[] => text.match(/.{1,9}/gs) ?? [""];
  switch (block.type) {
    case "text":
      return cut(block.text).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...cut(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "tool_use": {
      const input = JSON.stringify(block.input);
      return cut(input === "{}" ? "" : input).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
    }
    default:
      return [];
  }
}
