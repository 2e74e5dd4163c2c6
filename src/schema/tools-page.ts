import { Type } from "typebox";
import { createEnumSchema, SentenceSchema, type Shape, Text } from "./shape.ts";

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
  /** What happens before a call: the user is asked, or a rule of the user's allows or refuses it. */
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
