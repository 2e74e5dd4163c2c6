// Our MCP client as the conformance suite of the protocol drives it: connects to the address that is its last argument, and calls every tool.
import { isObject } from "../src/core/base/json.ts";
import { connect, type Elicit, type McpConnection } from "../src/plugins/mcp/sdk-client.ts";
import { parseMcpServer } from "../src/plugins/mcp/servers.ts";
import { SignIn } from "../src/plugins/mcp/sign-in.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const isRegistered = typeof context.client_id === "string";
const clientId: string = isRegistered ? context.client_id : "https://conformance-test.local/client-metadata.json";

/** Stands for the person: follows the page to where it leads back to us. */
async function signedIn(page: string): Promise<boolean> {
  const response = await fetch(page, { redirect: "manual" });
  const back = response.headers.get("location");
  if (back) await fetch(back);
  return back !== null;
}

const kept = new Map<string, string>();
const auth = new SignIn(parseMcpServer("conformance", { url, oauth: { clientId } }, "user"), url, {
  read: async (key) => kept.get(key),
  write: async (key, value) => void kept.set(key, value),
  findClientSecret: async () => context.client_secret,
  open: ({ url: page }) => signedIn(page),
});

const elicit: Elicit = async () => ({ action: "accept", content: {} });

function connected(): Promise<McpConnection> {
  return connect({
    ...{ limitMs: 20_000, longest: 10_000_000, elicit, prior: undefined },
    way: { kind: "address", url, headers: {}, auth },
    handleToolsChange: () => undefined,
    handleEnd: () => undefined,
  });
}

/** An argument of the kind that a schema names; an object is what the server said about another tool, so that it can compare. */
function sample(schema: unknown, object: unknown): unknown {
  const type = isObject(schema) ? schema.type : undefined;
  if (type === "number" || type === "integer") return 5;
  if (type === "boolean") return true;
  if (type === "array") return [];
  return type === "object" ? object : "text";
}

const connection = await connected();
const limits = {
  signal: new AbortController().signal,
  limitMs: 20_000,
  longestMs: 20_000,
  reportProgress: () => undefined,
};
const tools = await connection.listTools();
for (const tool of tools) {
  const other = tools.find(({ name }) => name !== tool.name)?.inputSchema ?? {};
  const schemas = Object.entries(tool.inputSchema.properties ?? {});
  const args = Object.fromEntries(schemas.map(([name, schema]) => [name, sample(schema, other)]));
  const asked: readonly { name: string; arguments: Record<string, unknown> }[] = context.toolCalls ?? [];
  const own = asked.filter(({ name }) => name === tool.name);
  const calls = own.length > 0 ? own.map((call) => call.arguments) : [args];
  for (const given of calls)
    await connection
      .call(tool, given, limits)
      .catch((error: unknown) => console.error(`${scenario}: ${tool.name}: ${error}`));
}
await connection.close();
