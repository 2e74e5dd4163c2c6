import { Type } from "typebox";
import { createEnumSchema, type Shape, Text } from "./shape.ts";

const ApiSchema = createEnumSchema("chat", "responses", "messages");

/** An API of model servers: chat completions, OpenAI's Responses, or Anthropic's Messages. */
export type Api = Shape<typeof ApiSchema>;

const ReplyLimitSchema = createEnumSchema("max_completion_tokens", "max_tokens");

const SchemaFormSchema = createEnumSchema(
  /** OpenAI. */
  "json_schema",
  /** llama.cpp's Python server. */
  "json_object with schema",
  /** JSON mode, without a schema. */
  "json_object",
  /** Versions of vLLM. */
  "guided_json",
  /** llama.cpp, which converts it to a grammar. */
  "json_schema field",
);

/** A way to ask for an object of a schema. */
export type SchemaForm = Shape<typeof SchemaFormSchema>;

/** How to ask a server for more or less reasoning. */
const ReasoningFormSchema = createEnumSchema(
  /** It isn't. */
  "none",
  /** OpenAI, Gemini, gpt-oss, and gateways for Anthropic. */
  "reasoning_effort",
  /** OpenRouter. */
  "reasoning.effort",
  /** Anthropic's newer models: the model decides how long, within an effort. */
  "thinking.adaptive",
  /** DeepSeek: on or off. */
  "thinking",
  /** Anthropic: a number of tokens. */
  "thinking.budget_tokens",
  /** Alibaba's Qwen: on or off, with a number of tokens. */
  "enable_thinking",
  /** vLLM, SGLang and llama.cpp: on or off. */
  "chat_template_kwargs",
);

const ThinkingOffSchema = createEnumSchema(
  /** Off unless requested. */
  "absent",
  "disabled",
  /** Keeps only the notes between calls. */
  "between_tools",
  "never",
);

const EffortWordSchema = createEnumSchema("none", "minimal", "low", "medium", "high", "xhigh", "max");

const EffortWordsSchema = Type.Object({
  none: EffortWordSchema,
  minimal: EffortWordSchema,
  low: EffortWordSchema,
  medium: EffortWordSchema,
  high: EffortWordSchema,
  xhigh: EffortWordSchema,
  max: EffortWordSchema,
});

/** A server's own words for the efforts. */
export type EffortWords = Shape<typeof EffortWordsSchema>;

const MessageOrderSchema = Type.Object({
  system: Type.Boolean(),
  userAfterUser: Type.Boolean(),
  userAfterTool: Type.Boolean(),
  /** Several calls may be in one message. */
  callsTogether: Type.Boolean(),
});

/** The orders of messages that a server accepts. */
export type MessageOrder = Shape<typeof MessageOrderSchema>;

const DialectSchema = Type.Object({
  /** The API that requests go over. */
  api: ApiSchema,
  /** Parameter names that limit the reply's length. The first is used; if empty, none. */
  replyLimits: Type.Array(ReplyLimitSchema),
  /** The largest accepted limit on reply and reasoning together; 0: unknown. */
  mostTokens: Type.Integer({ minimum: 0 }),
  /** Tokens to add to that limit, because it counts hidden reasoning as well. */
  thinkingRoom: Type.Integer({ minimum: 0 }),
  /** Reports the token count at the end of a stream when asked. */
  streamUsage: Type.Boolean(),
  /** Streams replies for this account. */
  streams: Type.Boolean(),
  temperature: Type.Boolean(),
  /** Takes texts that end a reply. */
  stop: Type.Boolean(),
  /** Takes a parameter that allows or forbids several calls in one reply. */
  parallelToolCalls: Type.Boolean(),
  toolChoice: createEnumSchema("required", "any", "auto"),
  /** Ways to request an object that follows a schema. The first is used; if empty, none. */
  schemaForms: Type.Array(SchemaFormSchema),
  order: MessageOrderSchema,
  reasoning: ReasoningFormSchema,
  efforts: EffortWordsSchema,
  /** How to turn off Anthropic's thinking. */
  thinkingOff: ThinkingOffSchema,
  /** When reasoning is requested, it accepts neither a forced call nor a temperature. */
  plainWhileReasoning: Type.Boolean(),
  /** Fields that are sent back with a reply that has calls; a server may name its own. */
  sendsBack: Type.Array(Text),
  /** Accepts returned reasoning in a message that also has text. */
  reasoningBesideText: Type.Boolean(),
  /** Each message with calls needs the first of these fields, even if it's empty. */
  needsReasoning: Type.Boolean(),
  /** `nine`: IDs of calls are nine letters and digits. */
  callIds: createEnumSchema("any", "nine"),
  /** Whether the provider's seals on calls are sent back; `needed`: if there is none, Google's placeholder is sent. */
  signatures: createEnumSchema("none", "kept", "needed"),
  /** Tools may have objects without fields, and lists of types. */
  openSchemas: Type.Boolean(),
  /** Takes pictures. */
  pictures: Type.Boolean(),
  /** Accepts pictures in results, if its API allows that; otherwise they follow in a user message. */
  resultPictures: Type.Boolean(),
  /** Maximum number of pictures per request. */
  mostPictures: Type.Integer({ minimum: 1 }),
  /** Returns reasoning in a sealed form on request, with Responses. */
  sealedReasoning: Type.Boolean(),
  /** Returns summaries of reasoning on request, with Responses and Messages. */
  summaries: Type.Boolean(),
  /** Accepts a parameter for the length of the model's text. */
  verbosity: Type.Boolean(),
  /** Takes a key for its cache, over chat completions and Responses. */
  cacheKey: Type.Boolean(),
  /** Accepts marks at the end of content to cache, with chat completions and Messages. */
  cacheMarks: Type.Boolean(),
  /** Caches only content that ends at a mark, with Responses. */
  cachePoints: Type.Boolean(),
  /** Caches marked content for an hour. */
  cacheHours: Type.Boolean(),
});

/** The request form that a server accepts. It's initialized from the model's family and learned from refusals. */
export type Dialect = Shape<typeof DialectSchema>;

const StoredLessonSchema = Type.Object({
  server: Text,
  model: Text,
  /** ISO 8601: when it was learned. */
  at: Text,
  /** Differences from the family's dialect. */
  changes: Type.Partial(DialectSchema),
  /** The reply format that works for the model; newer versions may use others. */
  format: Type.Optional(Type.Unknown()),
});

/** The form of requests that was learned for a model on a server. */
export type StoredLesson = Shape<typeof StoredLessonSchema>;

export const StoredLessonsSchema = Type.Object({
  version: Type.Unsafe<1>({ const: 1 }),
  lessons: Type.Array(StoredLessonSchema),
});

/** The lessons of this machine. */
export type StoredLessons = Shape<typeof StoredLessonsSchema>;
