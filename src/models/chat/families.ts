import { omitUndefined } from "../../core/base/objects.ts";
import type { Model, ModelTraits, ReasoningEffort } from "../../core/ports/model.ts";
import { REPLY_FORMATS } from "../../core/reply/reply.ts";
import { findModelFacts } from "../catalog/model-facts.ts";
import { getHost, isLocal } from "../http/endpoint.ts";
import {
  type Api,
  COMMON_DIALECT,
  type Dialect,
  LOW_TO_MAX,
  mapNearestEfforts,
  NONE_TO_HIGH,
  THREE_EFFORTS,
} from "./dialect.ts";
import { type MessageOrder, STRICT_ORDER } from "./message-order.ts";
import { getModelTraits } from "./traits.ts";

type FamilyName =
  | "openai"
  | "azure"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "mistral"
  | "deepseek"
  | "llama"
  | "qwen"
  | "gemma"
  | "gpt-oss"
  | "other";

/** A row's differences from the common dialect. */
type Changes = Partial<Omit<Dialect, "order">> & { readonly order?: Partial<MessageOrder> };

/** A family of models, regardless of the server. */
interface ModelFamily {
  readonly name: FamilyName;
  /** Matches names in lower case, without a gateway's folders, except for Bedrock. */
  readonly models: RegExp;
  /** Matches names of models that reason by default. */
  readonly reasons?: RegExp;
  readonly formats?: Model["formats"];
  readonly dialect: Changes;
  /** Further changes for models that reason. */
  readonly reasoning?: Changes;
}

/** A provider at its own address, regardless of the model. */
interface Service {
  readonly name: FamilyName;
  readonly hosts: RegExp;
  readonly formats?: Model["formats"];
  readonly dialect: Changes;
  /** Further changes for models that reason. */
  readonly reasoning?: Changes;
}

const OPENAI_LIMITS = ["max_completion_tokens", "max_tokens"] as const;
const WITHOUT_TOOLS = ["jsonSchema", "text"] as const;
/** OpenAI's advice for its own models. */
const OPENAI_THINKING = 25_000;
const OTHERS_THINKING = 8_000;
/** For Anthropic's models that think by default. */
const CLAUDE_THINKING = 24_000;

/** The first matching row applies. */
const MODEL_FAMILIES: readonly ModelFamily[] = [
  {
    name: "bedrock",
    models:
      /^bedrock\/|^((us|eu|apac|global)\.)?(anthropic|amazon|meta|mistral|cohere|ai21|deepseek)\.[a-z]|\bnova-(micro|lite|pro|premier)\b/,
    dialect: {
      order: { ...STRICT_ORDER, callsTogether: false },
      parallelToolCalls: false,
      toolChoice: "auto",
    },
  },
  {
    name: "gpt-oss",
    models: /gpt-oss/,
    reasons: /./,
    dialect: {
      order: { userAfterTool: false, callsTogether: false },
      reasoning: "reasoning_effort",
      efforts: THREE_EFFORTS,
      thinkingRoom: OTHERS_THINKING,
      sendsBack: ["reasoning_content", "reasoning"],
      reasoningBesideText: false,
    },
  },
  {
    name: "openai",
    models: /^(gpt-|chatgpt|codex|o\d)/,
    reasons: /^(o\d|codex|gpt-([5-9]|\d\d)(?!.*-chat))/,
    dialect: { sealedReasoning: false, summaries: false },
    reasoning: {
      temperature: false,
      stop: false,
      thinkingRoom: OPENAI_THINKING,
      reasoning: "reasoning_effort",
      sealedReasoning: true,
      summaries: true,
    },
  },
  {
    name: "anthropic",
    models: /claude/,
    dialect: {
      order: STRICT_ORDER,
      reasoning: "reasoning_effort",
      efforts: THREE_EFFORTS,
      plainWhileReasoning: true,
      sendsBack: ["thinking_blocks", "reasoning_details"],
      cacheMarks: true,
    },
  },
  {
    name: "gemini",
    models: /gemini/,
    reasons: /gemini-(2\.5|[3-9])/,
    dialect: {
      parallelToolCalls: false,
      signatures: "kept",
      openSchemas: false,
      sendsBack: ["reasoning_details"],
    },
    reasoning: { reasoning: "reasoning_effort", thinkingRoom: OTHERS_THINKING },
  },
  {
    name: "deepseek",
    models: /deepseek/,
    reasons: /reasoner|-r\d|-v([4-9]|\d\d)|deepseek-flash/,
    dialect: { order: STRICT_ORDER },
    reasoning: {
      toolChoice: "auto",
      thinkingRoom: OTHERS_THINKING,
      sendsBack: ["reasoning_content", "reasoning", "reasoning_details"],
    },
  },
  {
    name: "mistral",
    models: /mistral|ministral|magistral|mixtral|codestral|devstral|pixtral/,
    reasons: /magistral/,
    dialect: { order: STRICT_ORDER, callIds: "nine" },
    reasoning: { thinkingRoom: OTHERS_THINKING },
  },
  {
    name: "qwen",
    models: /qwen|qwq/,
    reasons: /qwq|thinking|qwen-?3(?!.*(instruct|coder))/,
    dialect: {},
    reasoning: { reasoning: "chat_template_kwargs", thinkingRoom: OTHERS_THINKING },
  },
  {
    name: "gemma",
    models: /gemma-?[123](?!\d)|gemma:|gemma-\d+b/,
    formats: WITHOUT_TOOLS,
    dialect: { order: { ...STRICT_ORDER, system: false } },
  },
  { name: "gemma", models: /gemma/, dialect: { order: { system: false, userAfterUser: false } } },
  { name: "llama", models: /llama/, dialect: { order: { callsTogether: false } } },
];

const OTHER: ModelFamily = { name: "other", models: /./, dialect: {} };

/** In chat completions, newer reasoning models don't accept tools, and no model keeps its reasoning. */
const OPENAI_SERVICE: Omit<Service, "name" | "hosts"> = {
  dialect: { replyLimits: OPENAI_LIMITS, cacheKey: true },
  reasoning: { api: "responses", verbosity: true },
};

const SERVICES: readonly Service[] = [
  { name: "openai", hosts: /^api\.openai\.com$/, ...OPENAI_SERVICE },
  {
    name: "azure",
    hosts: /\.(openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.com$/,
    ...OPENAI_SERVICE,
  },
  {
    name: "anthropic",
    hosts: /^api\.anthropic\.com$/,
    // Its compatible address caches nothing.
    dialect: { api: "messages", order: STRICT_ORDER, reasoning: "thinking.budget_tokens", cacheMarks: false },
  },
  {
    name: "gemini",
    hosts: /^generativelanguage\.googleapis\.com$/,
    dialect: { parallelToolCalls: false, signatures: "kept", openSchemas: false },
  },
  {
    name: "bedrock",
    hosts: /^bedrock(-runtime|-mantle)?[\w.-]*\.(amazonaws\.com|api\.aws)$/,
    dialect: { parallelToolCalls: false, order: STRICT_ORDER },
  },
  {
    name: "mistral",
    hosts: /(^|\.)mistral\.ai$/,
    dialect: {
      replyLimits: ["max_tokens"],
      streamUsage: false,
      toolChoice: "any",
      order: STRICT_ORDER,
      callIds: "nine",
      schemaForms: ["json_schema", "json_object"],
    },
  },
  {
    name: "deepseek",
    hosts: /(^|\.)deepseek\.com$/,
    dialect: { replyLimits: ["max_tokens"], parallelToolCalls: false, schemaForms: ["json_object"] },
    reasoning: { reasoning: "thinking", needsReasoning: true },
  },
  {
    name: "qwen",
    hosts: /(^|\.)aliyuncs\.com$/,
    dialect: { schemaForms: ["json_schema", "json_object"] },
    reasoning: { reasoning: "enable_thinking", toolChoice: "auto" },
  },
  {
    name: "other",
    hosts: /(^|\.)perplexity\.ai$/,
    formats: WITHOUT_TOOLS,
    dialect: { order: STRICT_ORDER, schemaForms: ["json_schema"] },
  },
  {
    name: "other",
    hosts: /(^|\.)openrouter\.ai$/,
    dialect: {},
    reasoning: { reasoning: "reasoning.effort", efforts: THREE_EFFORTS },
  },
];

/** The known behavior of a model's family at an address. */
export interface Family {
  readonly name: FamilyName;
  readonly traits: ModelTraits;
  readonly formats: Model["formats"];
  /** The form of the first request. */
  readonly dialect: Dialect;
  /** The dialect over another API. */
  createDialectFor(api: Api): Dialect;
}

/** Finds a model's family by its name, its server's address and the API; with `auto`, the API is the family's. `effort` is the user's setting. */
export function findModelFamily(
  model: string,
  address: string,
  effort?: ReasoningEffort,
  api: Api | "auto" = "chat",
): Family {
  const full = model.toLowerCase();
  const plain = full.replace(/^.*\//, "");
  const family = MODEL_FAMILIES.find(({ name, models }) => models.test(name === "bedrock" ? full : plain)) ?? OTHER;
  const host = getHost(address);
  const service = SERVICES.find(({ hosts }) => hosts.test(host));
  const reasons = family.reasons?.test(plain) ?? false;
  const usual = [
    family.dialect,
    ...(reasons ? [family.reasoning ?? {}] : []),
    service?.dialect ?? {},
    ...(reasons ? [service?.reasoning ?? {}] : []),
    getModelChanges(family.name, plain, findModelFacts(plain, address)?.efforts),
  ].reduce<Dialect>(applyDialectChanges, COMMON_DIALECT);
  const createDialectFor = (other: Api): Dialect =>
    [{ api: other }, ...(OVER[other]?.(plain, service?.name) ?? [])].reduce<Dialect>(applyDialectChanges, usual);
  const dialect = createDialectFor(api === "auto" ? usual.api : api);
  return {
    name: family.name === "other" ? (service?.name ?? "other") : family.name,
    traits: {
      ...getModelTraits(plain, { dialect, reasons: reasons || dialect.thinkingOff !== "absent", effort }),
      ...omitUndefined({
        countsSchema: service?.name === "openai" || service?.name === "azure" || undefined,
        isLocal: isLocal(address) || undefined,
      }),
    },
    formats: service?.formats ?? family.formats ?? REPLY_FORMATS,
    dialect,
    createDialectFor,
  };
}

/** Differences between the models of a family. `known`: the model's known efforts. */
function getModelChanges(family: FamilyName, model: string, known: string | undefined): Changes {
  const efforts = known === undefined ? {} : { efforts: mapNearestEfforts(known.split(" ")) };
  switch (family) {
    case "openai":
      if (/^o\d/.test(model))
        return {
          efforts: THREE_EFFORTS,
          ...efforts,
          parallelToolCalls: false,
          verbosity: false,
          ...(/^o1-(mini|preview)/.test(model) ? { api: "chat", order: { system: false, userAfterUser: false } } : {}),
        };
      return {
        ...(/^gpt-(5\.\d|[6-9])/.test(model) ? { efforts: NONE_TO_HIGH } : {}),
        // Its models for code take no other verbosity than their own.
        ...(/codex/.test(model) ? { verbosity: false } : {}),
        ...omitUndefined({ cachePoints: /^gpt-(5\.[6-9]|[6-9]|\d\d)/.test(model) || undefined }),
        ...efforts,
      };
    case "gemini":
      return { ...(/gemini-([3-9]|\d\d)/.test(model) ? { signatures: "needed" } : {}), ...efforts };
    case "bedrock":
      return /claude|nova/.test(model) ? { toolChoice: "required" } : {};
    case "mistral":
      // Their templates put the system message before the last message, and only if that is the user's.
      return /nemo|7b|mixtral|mathstral|codestral/.test(model) ? { order: { system: false } } : {};
    case "anthropic":
      return /opus-(4-[7-9]|[5-9])|(sonnet|haiku)-[5-9]/.test(model) ? { temperature: false } : {};
    default:
      return {};
  }
}

/** Changes for an API. Azure's dated versions of chat completions don't support the newer parameters. */
const OVER: Readonly<Partial<Record<Api, (model: string, service?: FamilyName) => readonly Changes[]>>> = {
  chat: (_model, service) => (service === "azure" ? [{ cacheKey: false, verbosity: false }] : []),
  responses: () => [{ schemaForms: ["json_schema", "json_object"] }],
  messages: listMessagesChanges,
};

/** Changes to the family's dialect for a model over Anthropic's Messages. */
function listMessagesChanges(model: string, service?: FamilyName): readonly Changes[] {
  const common: Changes = {
    replyLimits: ["max_tokens"],
    schemaForms: ["json_schema"],
    callIds: "any",
    sendsBack: ["thinking_blocks"],
  };
  if (!/claude/.test(model) && service !== "anthropic") return [common];
  // The service takes no temperature since its version of October 2026.
  const own: Changes = { cacheMarks: true, ...(service === "anthropic" ? { temperature: false } : {}) };
  return [common, own, getClaudeThinking(model)];
}

/** How Anthropic's models think over Messages, according to its guide to each model. */
function getClaudeThinking(model: string): Changes {
  const version = parseClaudeVersion(model);
  if (version < 4.6) return { reasoning: "thinking.budget_tokens" };
  const adaptive: Changes = { reasoning: "thinking.adaptive", efforts: LOW_TO_MAX };
  if (version < 4.7) return { ...adaptive, efforts: { ...LOW_TO_MAX, xhigh: "high" } };
  if (version < 5) return { ...adaptive, temperature: false };
  const unasked: Changes = { ...adaptive, temperature: false, thinkingRoom: CLAUDE_THINKING };
  if (version < 5.1 && /opus|sonnet|haiku/.test(model)) return { ...unasked, thinkingOff: "disabled" };
  const newest: Changes = { ...unasked, toolChoice: "auto", thinkingOff: "never" };
  if (/sonnet/.test(model)) return { ...newest, thinkingOff: "between_tools" };
  if (/haiku/.test(model)) return { ...newest, thinkingOff: "disabled" };
  // Thinking is bound to all bytes before it, and the end of our prompts is new at each step.
  return version > 5.1 && !/opus/.test(model) ? { ...newest, sendsBack: [] } : newest;
}

/** The version of an Anthropic model, such as 4.6; for a name without a version, the newest. */
function parseClaudeVersion(model: string): number {
  const [, major, minor = "0"] =
    /(?:claude|opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[.-](\d)(?!\d))?(?!\d)/.exec(model) ?? [];
  return major === undefined ? Number.POSITIVE_INFINITY : Number(`${major}.${minor}`);
}

function applyDialectChanges(dialect: Dialect, { order, ...changes }: Changes): Dialect {
  return { ...dialect, ...changes, order: { ...dialect.order, ...order } };
}
