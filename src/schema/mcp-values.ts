import { Type } from "typebox";
import { MCP_MEMORY_VERSION } from "./formats.ts";
import { AnyObject, type Shape, Text } from "./shape.ts";

/** A tool server in a setting or `.autogpt/mcp.json`: a program, or an address. */
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
    /** Client credentials for servers without automatic registration. */
    oauth: Type.Optional(
      Type.Object({ clientId: Type.Optional(Text), scope: Type.Optional(Text) }, { additionalProperties: false }),
    ),
    /** Time limit for a call that reports no progress. */
    timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
    /** Tools that are always offered, regardless of their number; `*` for all. */
    pinned: Type.Optional(Type.Array(Text)),
    disabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export type McpServerValues = Shape<typeof McpServerSchema>;

/** Tool definitions by name: their hashes, and their text as the user sees it. */
const SeenTools = Type.Optional(Type.Record(Text, Type.Object({ hash: Text, shown: Text })));

/** Knowledge about servers, stored between runs. */
export const McpMemorySchema = Type.Object({
  version: Type.Unsafe<number>({ const: MCP_MEMORY_VERSION }),
  servers: Type.Record(
    Text,
    Type.Object({
      /** The era of its protocol, and the time of its detection, in milliseconds. */
      era: Type.Optional(AnyObject),
      at: Type.Optional(Type.Number()),
      /** The tools that the user has agreed to, and those that differ now. */
      tools: SeenTools,
      waiting: SeenTools,
    }),
  ),
});

export type McpMemoryValues = Shape<typeof McpMemorySchema>;
