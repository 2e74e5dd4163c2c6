import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { isObject, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { escapeInvisible } from "../../core/base/text.ts";
import { DisplayError, displayText } from "../../texts/display-text.ts";
import { checkServerAddress, type McpServer } from "./servers.ts";

/** Where sign-ins to servers are stored, and how the user signs in. */
export interface SignInHost {
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  /** The secret of a client that is registered in advance. */
  findClientSecret?(): Promise<string | undefined>;
  /** Opens an issuer's page if the user agrees. Absent: only stored sign-ins are used. */
  open?(page: SignInPage): Promise<boolean>;
  /** The address by which the user's browser reaches one of this machine; absent if it's the same, since both are on one machine. */
  findBrowserAddress?(address: string): Promise<string>;
}

/** A page on which a person signs in. */
export interface SignInPage {
  readonly server: string;
  readonly url: string;
  readonly issuer: string;
  /** The issuer of the last sign-in, if it was a different one. */
  readonly before?: string;
}

/** A client and tokens, of one issuer. */
interface Issued {
  client?: StoredOAuthClientInformation;
  /** The port on this machine to which the client's redirect address leads. */
  port?: number;
  tokens?: StoredOAuthTokens;
}

/** Everything stored for an address. One issuer's data is never sent to another. */
interface Kept {
  latest?: string;
  issuers: Record<string, Issued>;
}

const PATH = "/callback";
/** The time limit for signing in. */
export const SIGN_IN_MS = 300_000;

/** Signs in to a server with OAuth: implements the client's part for the SDK. */
export class SignIn implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  private readonly server: McpServer;
  private readonly key: string;
  private readonly host: SignInHost;
  private readonly browser = new BrowserReturn();
  private expected = "";
  private verifier = "";
  private discovered: OAuthDiscoveryState | undefined;
  private returned: Promise<URLSearchParams> | undefined;
  /** Where the browser returns to. It's registered with a client, and sent with each request for a code. */
  redirectUrl: string;

  constructor(server: McpServer, url: string, host: SignInHost) {
    this.server = server;
    this.key = `mcp-sign-in ${url}`;
    this.host = host;
    this.redirectUrl = this.browser.address;
    const { clientId } = server.values.oauth ?? {};
    if (clientId?.startsWith("https://")) this.clientMetadataUrl = clientId;
  }

  /** Opens the port for the browser's return, before a client is registered with it. */
  async open(): Promise<void> {
    if (!this.host.open) return;
    const { latest = "", issuers } = await this.loadStored();
    const { port, client } = issuers[latest] ?? {};
    await this.browser.open(port ?? Number(URL.parse(findRedirect(client))?.port));
    const { address } = this.browser;
    const found = URL.parse((await this.host.findBrowserAddress?.(address)) ?? address);
    this.redirectUrl = found && /^https?:$/.test(found.protocol) ? found.href : address;
  }

  close(): void {
    this.browser.close();
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.server.values.oauth ?? {};
    return {
      client_name: "AutoGPT for VS Code",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      // OpenID Connect has native clients return by http to their own machine only.
      application_type: this.redirectUrl.startsWith("https:") ? "web" : "native",
      ...omitUndefined({ scope }),
    };
  }

  state(): string {
    this.expected = randomBytes(16).toString("base64url");
    return this.expected;
  }

  async clientInformation({ issuer = "" }: Partial<OAuthClientInformationContext> = {}) {
    const { clientId } = this.server.values.oauth ?? {};
    if (clientId !== undefined && this.clientMetadataUrl === undefined) {
      const secret = await this.host.findClientSecret?.();
      return { client_id: clientId, issuer, ...omitUndefined({ client_secret: secret }) };
    }
    const { client, tokens } = (await this.loadStored()).issuers[issuer] ?? {};
    // Nothing is registered in the person's name as long as they can't sign in.
    if (!this.host.open && !tokens) this.failWithoutPerson();
    // A registered client may only come back to where it said. Once another program has that port, one more is registered.
    return this.host.open && findRedirect(client) !== this.redirectUrl ? undefined : client;
  }

  async saveClientInformation(
    client: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    const redirects = { redirect_uris: [this.redirectUrl] };
    await this.keep(context, (issued) => {
      issued.client = { ...redirects, ...client };
      issued.port = this.browser.port;
    });
  }

  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    const { latest, issuers } = await this.loadStored();
    return issuers[context?.issuer ?? latest ?? ""]?.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Promise<void> {
    await this.keep(context, (issued, kept) => {
      issued.tokens = tokens;
      if (context) kept.latest = context.issuer;
    });
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state;
  }

  /** Returns stored discovery results only with a browser's answer to them; otherwise, discovery is repeated. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.returned === undefined ? undefined : this.discovered;
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const kept = await this.loadStored();
    for (const issued of Object.values(kept.issuers)) {
      if (scope === "all" || scope === "tokens") delete issued.tokens;
      if (scope === "all" || scope === "client") delete issued.client;
    }
    await this.host.write(this.key, JSON.stringify(kept));
  }

  /** Asks the user to sign in. Throws a sentence if no user is available, or if the user declines. */
  async redirectToAuthorization(url: URL): Promise<void> {
    const { id } = this.server;
    if (!this.host.open) this.failWithoutPerson();
    // A server that the person doesn't know yet must not have the system open a file or another program.
    if (checkServerAddress(id, url.href) !== undefined)
      throw new DisplayError(displayText("mcp.wrongSignInPage", { name: id, url: escapeInvisible(url.href) }));
    const issuer = this.discovered?.authorizationServerMetadata?.issuer ?? url.origin;
    const { latest } = await this.loadStored();
    this.returned = this.browser.answer(this.expected);
    const before = latest === undefined || latest === issuer ? {} : { before: latest };
    const isOpen = await this.host.open?.({ server: id, url: url.href, issuer, ...before });
    if (isOpen) return;
    this.returned = undefined;
    this.close();
    throw new DisplayError(displayText("mcp.signInDeclined", { name: id }));
  }

  /** The parameters from the browser's return; undefined if no page was opened. */
  async answer(): Promise<URLSearchParams | undefined> {
    return this.returned;
  }

  /** Discards the browser's answer. */
  forgetAnswer(): void {
    this.returned = undefined;
  }

  private failWithoutPerson(): never {
    throw new DisplayError(displayText("mcp.signInFirst", { name: this.server.id }));
  }

  private async loadStored(): Promise<Kept> {
    const value = tryJson((await this.host.read(this.key)) ?? "");
    if (!isObject(value) || !isObject(value.issuers)) return { issuers: {} };
    // Only this class writes it.
    return value as unknown as Kept;
  }

  private async keep(
    context: OAuthClientInformationContext | undefined,
    change: (issued: Issued, kept: Kept) => void,
  ): Promise<void> {
    const kept = await this.loadStored();
    const issuer = context?.issuer ?? kept.latest ?? "";
    const issued = kept.issuers[issuer] ?? {};
    change(issued, kept);
    kept.issuers = { ...kept.issuers, [issuer]: issued };
    await this.host.write(this.key, JSON.stringify(kept));
  }
}

function findRedirect(client: StoredOAuthClientInformation | undefined): string {
  const redirects = client && "redirect_uris" in client ? client.redirect_uris : undefined;
  return redirects?.[0] ?? "";
}

/** The address for a browser's return: a port on this machine only, which answers only requests with the expected state. */
class BrowserReturn {
  port = 0;
  private server: Server | undefined;
  private awaited: { readonly state: string; resolveAnswer(parameters: URLSearchParams): void } | undefined;

  get address(): string {
    return `http://127.0.0.1:${this.port}${PATH}`;
  }

  /** Opens the requested port, or any other if it's in use. */
  async open(wished: number): Promise<void> {
    if (this.server) return;
    const opened = await startListening(wished || 0, this.respond);
    this.server = opened.unref();
    this.port = (opened.address() as AddressInfo).port;
  }

  close(): void {
    this.server?.close();
    this.server = undefined;
  }

  /** The parameters from a browser's return with this state. */
  answer(state: string): Promise<URLSearchParams> {
    const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
    promise.catch(() => undefined);
    const timer = setTimeout(() => {
      reject(new DisplayError(displayText("mcp.signInLate")));
      this.close();
    }, SIGN_IN_MS);
    timer.unref();
    const resolveAnswer = (parameters: URLSearchParams): void => {
      clearTimeout(timer);
      this.awaited = undefined;
      resolve(parameters);
    };
    this.awaited = { state, resolveAnswer };
    return promise;
  }

  private readonly respond: RequestListener = (request, response) => {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1");
    const { awaited } = this;
    const isExpected = url?.pathname === PATH && url.searchParams.get("state") === awaited?.state;
    response.writeHead(isExpected ? 200 : 404, {
      "content-type": "text/plain; charset=utf-8",
      connection: "close",
    });
    response.end(isExpected ? "You can close this page and return to AutoGPT." : "Not found.");
    if (isExpected && url) awaited?.resolveAnswer(url.searchParams);
  };
}

async function startListening(wished: number, respond: RequestListener): Promise<Server> {
  const server = createServer(respond);
  try {
    server.listen(wished, "127.0.0.1");
    await once(server, "listening");
    return server;
  } catch (error) {
    if (wished === 0) throw error;
    return startListening(0, respond);
  }
}
