import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An MCP server on this machine that only answers those who have signed in with OAuth, and its issuer. */
export interface SignedInServer {
  /** Where the MCP server is. */
  readonly url: string;
  /** Tokens that were issued and count. */
  readonly tokens: ReadonlySet<string>;
  close(): Promise<void>;
}

const TOOL = {
  name: "whoami",
  description: "Names the person who has signed in.",
  inputSchema: { type: "object" },
};

/** Its page for signing in agrees at once, and leads back to whoever asked. */
export async function signedInServer(): Promise<SignedInServer> {
  const tokens = new Set<string>();
  const clients: Clients = new Map();
  const server = createServer((request, response) => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    void answered(request, response, { base, tokens, clients }).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    tokens,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Where the browser of a registered client may be sent back to. */
type Clients = Map<string, readonly string[]>;

async function answered(
  request: IncomingMessage,
  response: ServerResponse,
  { base, tokens, clients }: { base: string; tokens: Set<string>; clients: Clients },
): Promise<void> {
  const url = new URL(request.url ?? "", base);
  const body = await text(request);
  const json = (status: number, value: object, headers = {}): void => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
  switch (url.pathname) {
    case "/.well-known/oauth-protected-resource/mcp":
      return json(200, { resource: `${base}/mcp`, authorization_servers: [base] });
    case "/.well-known/oauth-authorization-server":
      return json(200, issuerAt(base));
    case "/register": {
      const wishes = JSON.parse(body);
      const client = randomUUID();
      clients.set(client, wishes.redirect_uris);
      return json(201, { ...wishes, client_id: client });
    }
    case "/authorize": {
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      const client = url.searchParams.get("client_id") ?? "";
      if (!clients.get(client)?.includes(back.href)) return json(400, { error: "invalid_request" });
      back.searchParams.set("code", "code");
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      back.searchParams.set("iss", base);
      response.writeHead(302, { location: back.href });
      response.end();
      return;
    }
    case "/token": {
      const token = randomUUID();
      tokens.add(token);
      return json(200, { access_token: token, token_type: "Bearer", expires_in: 3600 });
    }
    case "/mcp": {
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      const metadata = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
      if (!tokens.has(token)) return json(401, {}, { "www-authenticate": metadata });
      return asked(request.method === "POST" ? JSON.parse(body) : undefined, response, json);
    }
    default:
      return json(404, {});
  }
}

function issuerAt(base: string): object {
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

interface Message {
  readonly id?: number;
  readonly method: string;
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "signed-in", version: "1" },
  },
  "tools/list": { tools: [TOOL] },
  "tools/call": { content: [{ type: "text", text: "Ann" }] },
};

function asked(
  message: Message | undefined,
  response: ServerResponse,
  json: (status: number, value: object) => void,
): void {
  if (message?.id === undefined) {
    response.writeHead(message ? 202 : 405);
    response.end();
    return;
  }
  const { id, method } = message;
  const result = RESULTS[method];
  json(200, {
    jsonrpc: "2.0",
    id,
    ...(result ? { result } : { error: { code: -32601, message: "Unknown method." } }),
  });
}
