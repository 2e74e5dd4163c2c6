import { Type } from "typebox";
import type { Thoughts } from "./run-values.ts";
import {
  Amount,
  AnyObject,
  createEnumSchema,
  createTaggedSchema,
  OnlyTrue,
  SentenceSchema,
  type Shape,
  Text,
} from "./shape.ts";

/** Names of the hooks, in the order in which a run first calls them. */
export const HOOK_NAMES = [
  "offer",
  "beforeThinking",
  "afterReply",
  "beforeCommand",
  "afterCommand",
  "beforeDelegate",
  "afterDelegate",
  "model",
  "embedder",
  "answer",
  "report",
  "beforeCompaction",
  "ending",
] as const;

const HookNameSchema = createEnumSchema(...HOOK_NAMES);

export type HookName = Shape<typeof HookNameSchema>;

/** One call of a hook, as recorded in events. */
export const HookCallFields = {
  plugin: Text,
  hook: HookNameSchema,
  ms: Amount,
  /** `changed`: its answer changed something; `skipped`: it's no longer called; `none`: it had no answer. */
  result: createEnumSchema("none", "changed", "skipped", "failed"),
  /** The changed parts, or the problem. */
  why: Type.Optional(Text),
};

/** A text for the model, which is added to the existing text or replaces it. */
const Texts = { add: Type.Optional(Text), replace: Type.Optional(Text) };

/** The payload of each hook. Everything is JSON, because most plugins run in their own process. */
export interface HookPayloads {
  readonly offer: {
    readonly task: string;
    readonly name: string;
    readonly role: string;
    readonly goals: readonly string[];
    /** Names of the commands that the run has without plugins. */
    readonly commands: readonly string[];
  };
  readonly beforeThinking: {
    readonly step: number;
    readonly goals: readonly string[];
    readonly plan: readonly string[];
    /** The beginning of the last outcome; "" before the first. */
    readonly outcome: string;
    /** Tokens that the run may still spend; absent without a limit. */
    readonly tokensLeft?: number;
  };
  readonly afterReply: HookCall & { readonly thoughts: Thoughts };
  readonly beforeCommand: HookCall & {
    readonly effect: string;
    readonly touches: readonly { readonly path: string; readonly how: string }[];
    readonly hosts: readonly string[];
    /** The command line, for commands that run programs. */
    readonly shell?: string;
    /** SHA-256 of what the user is shown. */
    readonly hash: string;
  };
  readonly afterCommand: HookCall & {
    readonly status: string;
    readonly outcome: string;
    /** Paths of changed files, for display. */
    readonly files: readonly string[];
  };
  readonly beforeDelegate: { readonly name: string; readonly task: string };
  readonly afterDelegate: { readonly name: string; readonly answer: string };
  readonly model: {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly maxReplyTokens?: number;
  };
  readonly embedder: { readonly texts: readonly string[] };
  readonly answer: { readonly question: string };
  readonly report: { readonly text: string };
  /** The steps up to this one are going to be summarized. */
  readonly beforeCompaction: { readonly through: number };
  readonly ending: {
    readonly summary: string /** A hook has already asked to go on. */;
    readonly stopHookActive: boolean;
  };
}

interface HookCall {
  readonly step: number;
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A command that a plugin offers, as far as it's described. */
const OfferedCommandSchema = Type.Object({
  name: Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$" }),
  description: Text,
  /** JSON schema of an object. */
  parameters: Type.Optional(AnyObject),
  /** Hosts that would receive requests. */
  hosts: Type.Optional(Type.Array(Text)),
  /** It publishes something in the user's name, so each call asks. */
  publishes: Type.Optional(OnlyTrue),
});

export type OfferedCommand = Shape<typeof OfferedCommandSchema>;

/** The possible answers of each hook. An empty answer changes nothing. */
const ANSWERS = {
  offer: {
    commands: Type.Optional(Type.Array(OfferedCommandSchema)),
    constraints: Type.Optional(Type.Array(Text)),
    resources: Type.Optional(Type.Array(Text)),
    bestPractices: Type.Optional(Type.Array(Text)),
  },
  /** Only for the next prompt. */
  beforeThinking: { note: Type.Optional(Text) },
  afterReply: { command: Type.Optional(Text), args: Type.Optional(AnyObject) },
  beforeCommand: {
    /** Reason to refuse the call. */
    deny: Type.Optional(Text),
    /** Reason to ask the user, whatever would allow the call. */
    ask: Type.Optional(Text),
    /** Arguments that replace the call's. They are checked and displayed again. */
    args: Type.Optional(AnyObject),
    /** Text for the model, in addition to the outcome. */
    add: Type.Optional(Text),
  },
  afterCommand: Texts,
  beforeDelegate: Texts,
  afterDelegate: Texts,
  model: { text: Type.Optional(Text) },
  embedder: { vectors: Type.Optional(Type.Array(Type.Array(Type.Number()))) },
  answer: { answer: Type.Optional(Text) },
  report: {},
  beforeCompaction: { keep: Type.Optional(Text) },
  /** Reason to continue. It counts once per run. */
  ending: { goOn: Type.Optional(Text) },
};

/** Names of the fields that each hook may answer. Any other is ignored. */
export const ANSWER_FIELDS: Readonly<Record<HookName, readonly string[]>> = Object.fromEntries(
  HOOK_NAMES.map((hook) => [hook, Object.keys(ANSWERS[hook])]),
) as Record<HookName, string[]>;

export const HookAnswerSchema = createTaggedSchema("hook", ANSWERS);

type AnyAnswer = Shape<typeof HookAnswerSchema>;

/** The answer of a hook. */
export type HookAnswer<Name extends HookName> = Omit<Extract<AnyAnswer, { readonly hook: Name }>, "hook">;

export const FolderManifestSchema = Type.Object({
  name: Type.Optional(Text),
  description: Type.Optional(Text),
  /** Current or classic names of hooks; absent: those declared in `index.mjs`. */
  hooks: Type.Optional(Type.Array(Text)),
  /** True if it checks commands. The user is asked while it can't answer. */
  guard: Type.Optional(Type.Boolean()),
  /** It needs the network. */
  network: Type.Optional(Type.Boolean()),
});

/** `plugin.json` in the folder of a plugin. */
export type FolderManifest = Shape<typeof FolderManifestSchema>;

/** The actions that the user can take for a plugin. */
export const PLUGIN_STEPS = [
  "allow",
  "deny",
  "forget",
  "look",
  "compare",
  "configure",
  "open",
  "log",
  "prompt",
  "secret",
  "signIn",
  "signOut",
  "start",
  "remove",
] as const;

/** An action that the user can take for a plugin. */
export type PluginStep = (typeof PLUGIN_STEPS)[number];

const ShownToolSchema = Type.Object({
  name: Text,
  /** The first line of its own description, which isn't trusted. */
  description: Text,
  /** Before a call, the user is asked, or a rule of the user's allows or refuses it. */
  calls: createEnumSchema("ask", "allowed", "refused"),
});

/** A server's tool on the page. */
export type ShownTool = Shape<typeof ShownToolSchema>;

const ShownPluginSchema = Type.Object({
  /** Names it in a request. */
  key: Text,
  name: Text,
  /** Its kind and its origin. */
  facts: Type.Array(SentenceSchema),
  /** The command line or the address in full; for others, their own description. */
  description: Text,
  state: createEnumSchema(
    "new",
    "changed",
    "on",
    "running",
    "starting",
    "failed",
    "denied",
    "off",
    "excluded",
    "broken",
  ),
  /** Everything that it may do, or see. */
  limits: SentenceSchema,
  /** Why it doesn't work. */
  why: Type.Optional(SentenceSchema),
  /** A reason to look twice before allowing it. */
  warning: Type.Optional(SentenceSchema),
  steps: Type.Array(createEnumSchema(...PLUGIN_STEPS)),
  /** The secrets that its entry names. They're only in the secret storage. */
  secrets: Type.Array(Type.Object({ name: Text, stored: Type.Boolean() })),
  /** Absent for others than servers, and until a server has named them. */
  tools: Type.Optional(Type.Array(ShownToolSchema)),
});

/** A plugin or a server of tools on the page. */
export type ShownPlugin = Shape<typeof ShownPluginSchema>;

export const ToolsPageSchema = Type.Object({
  groups: Type.Array(Type.Object({ title: SentenceSchema, plugins: Type.Array(ShownPluginSchema) })),
  /** Well-known servers that can be added. */
  known: Type.Array(Type.Object({ id: Text, label: Text, about: SentenceSchema })),
});

/** The contents of the page of tools and plugins. */
export type ToolsPage = Shape<typeof ToolsPageSchema>;
