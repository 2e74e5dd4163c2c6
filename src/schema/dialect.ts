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
  /** JSON mode, which knows no schema. */
  "json_object",
  /** Versions of vLLM. */
  "guided_json",
  /** llama.cpp, which makes a grammar of it. */
  "json_schema field",
);

/** A way to ask for an object of a schema. */
export type SchemaForm = Shape<typeof SchemaFormSchema>;

/** How a server is asked to reason more or less. */
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
  /** It's off unless it is asked for. */
  "absent",
  "disabled",
  /** Only the notes between calls stay. */
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
  /** The largest limit of reply and reasoning together that it takes; 0: not known. */
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
  /** Ways to ask for an object of a schema. The first is used; if empty, none. */
  schemaForms: Type.Array(SchemaFormSchema),
  order: MessageOrderSchema,
  reasoning: ReasoningFormSchema,
  efforts: EffortWordsSchema,
  /** How Anthropic's thinking is turned off. */
  thinkingOff: ThinkingOffSchema,
  /** While it is asked to reason, it takes neither a forced call nor a temperature. */
  plainWhileReasoning: Type.Boolean(),
  /** Fields of a reply with calls that are sent back with it; a server may name its own. */
  sendsBack: Type.Array(Text),
  /** Takes reasoning back in a message that also has text. */
  reasoningBesideText: Type.Boolean(),
  /** Each message with calls needs the first of these fields, if need be an empty one. */
  needsReasoning: Type.Boolean(),
  /** `nine`: IDs of calls are nine letters and digits. */
  callIds: createEnumSchema("any", "nine"),
  /** Whether the provider's seals on calls are sent back; `needed`: if need be, Google's own stand-in for one. */
  signatures: createEnumSchema("none", "kept", "needed"),
  /** Tools may have objects without fields, and lists of types. */
  openSchemas: Type.Boolean(),
  /** Takes pictures. */
  pictures: Type.Boolean(),
  /** Takes them in results, where its API has a place for them there; else they follow in a message of the user. */
  resultPictures: Type.Boolean(),
  /** The most pictures of a request. */
  mostPictures: Type.Integer({ minimum: 1 }),
  /** Gives reasoning in a sealed form when asked, over Responses. */
  sealedReasoning: Type.Boolean(),
  /** Shows summaries of reasoning when asked, over Responses and Messages. */
  summaries: Type.Boolean(),
  /** Takes a parameter for the length of what a model writes. */
  verbosity: Type.Boolean(),
  /** Takes a key for its cache, over chat completions and Responses. */
  cacheKey: Type.Boolean(),
  /** Takes marks at the ends of what is to be cached, over chat completions and Messages. */
  cacheMarks: Type.Boolean(),
  /** Keeps only what ends at a mark, over Responses. */
  cachePoints: Type.Boolean(),
  /** Keeps for an hour what is marked so. */
  cacheHours: Type.Boolean(),
});

/** The form of requests that a server accepts. It begins with the model's family and is learned from refusals. */
export type Dialect = Shape<typeof DialectSchema>;

const StoredLessonSchema = Type.Object({
  server: Text,
  model: Text,
  /** ISO 8601: when it was learned. */
  at: Text,
  /** Differences from the family's dialect. */
  changes: Type.Partial(DialectSchema),
  /** The reply format that the model works in; a newer version may know others. */
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
