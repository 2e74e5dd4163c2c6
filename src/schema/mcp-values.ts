import { Type } from "typebox";
import { MCP_MEMORY_VERSION } from "./formats.ts";
import { AnyObject, type Shape, Text } from "./shape.ts";

/** A server of tools, as a setting or `.autogpt/mcp.json` describes it: a program, or an address. */
export const McpServerSchema = Type.Object(
  {
    command: Type.Optional(Text),
    args: Type.Optional(Type.Array(Text)),
    env: Type.Optional(Type.Record(Text, Text)),
    /** A file with more variables, a `NAME=value` on each line. */
    envFile: Type.Optional(Text),
    cwd: Type.Optional(Text),
    url: Type.Optional(Text),
    headers: Type.Optional(Type.Record(Text, Text)),
    /** Identification for servers that don't register clients on their own. */
    oauth: Type.Optional(
      Type.Object(
        { clientId: Type.Optional(Text), scope: Type.Optional(Text) },
        { additionalProperties: false },
      ),
    ),
    /** Limit on a call that reports no progress. */
    timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
    /** Tools that are always offered, however many there are; `*` for all. */
    pinned: Type.Optional(Type.Array(Text)),
    disabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export type McpServerValues = Shape<typeof McpServerSchema>;

/** Definitions of tools by their names: their hashes, and as the user sees them. */
const SeenTools = Type.Optional(Type.Record(Text, Type.Object({ hash: Text, shown: Text })));

/** Memory about servers between runs. */
export const McpMemorySchema = Type.Object({
  version: Type.Unsafe<number>({ const: MCP_MEMORY_VERSION }),
  servers: Type.Record(
    Text,
    Type.Object({
      /** The era of its protocol, and when that was found out, in milliseconds. */
      era: Type.Optional(AnyObject),
      at: Type.Optional(Type.Number()),
      /** The tools that the user has agreed to, and those that differ from these now. */
      tools: SeenTools,
      waiting: SeenTools,
    }),
  ),
});

export type McpMemoryValues = Shape<typeof McpMemorySchema>;
