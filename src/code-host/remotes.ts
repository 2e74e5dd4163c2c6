import { DisplayError, displayText } from "../texts/display-text.ts";

/** A server with repositories, issues and pull requests. Its token is sent to `api` and `web` alone. */
export interface CodeServer {
  /** Origin of its pages and of git over HTTP, such as `https://github.com`. */
  readonly web: string;
  /** Base address of its API, such as `https://api.github.com`. */
  readonly api: string;
  readonly isEnterprise: boolean;
}

/** A repository on such a server. */
export interface RemoteRepository {
  readonly server: CodeServer;
  readonly owner: string;
  readonly name: string;
}

/** A remote of a workspace's repository. */
export interface NamedRemote {
  /** Its name in git, such as `origin`. */
  readonly remote: string;
  readonly repository: RemoteRepository;
}

const GITHUB: CodeServer = { web: "https://github.com", api: "https://api.github.com", isEnterprise: false };

/**
 * The servers that are known: github.com, and the user's Enterprise server, given by its address or that of its API. Throws a sentence if a
 * token would be sent there without encryption.
 */
export function listCodeServers(enterprise = ""): readonly CodeServer[] {
  const address = enterprise.trim();
  if (address === "") return [GITHUB];
  const url = URL.parse(address.includes("://") ? address : `https://${address}`);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (!url || !isSafe) throw new DisplayError(displayText("codehost.unsafeServer", { address }));
  if (url.host === "github.com" || url.host === "api.github.com") return [GITHUB];
  const host = url.host.replace(/^api\.(?=[\w-]+\.ghe\.com$)/, "");
  const api = /^[\w-]+\.ghe\.com$/.test(host) ? `https://api.${host}` : `${url.protocol}//${host}/api/v3`;
  return [GITHUB, { web: `${url.protocol}//${host}`, api, isEnterprise: true }];
}

const VARIABLES = ["GH_TOKEN", "GITHUB_TOKEN"];
const ENTERPRISE_VARIABLES = ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];

/** The Enterprise server of a command line, by the variables of GitHub's own programs. */
export function findEnterpriseServer(env: Readonly<Record<string, string | undefined>>): string {
  return env.GITHUB_SERVER_URL?.trim() || env.GH_HOST?.trim() || "";
}

/** The user's token for a server in environment variables, by GitHub's own names for them. */
export function findTokenInEnvironment(
  { isEnterprise }: CodeServer,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const values = (isEnterprise ? ENTERPRISE_VARIABLES : VARIABLES).map((name) => env[name]?.trim());
  return values.find((value) => value !== undefined && value !== "");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** The repository at an address of git, in any of its forms; undefined if it's on none of these servers. */
export function findRemoteRepository(address: string, servers: readonly CodeServer[]): RemoteRepository | undefined {
  const place = parseRemoteAddress(address.trim());
  const [owner = "", name = "", ...more] = place?.path.split("/") ?? [];
  if (!place || more.length > 0 || !OWNER.test(owner) || !NAME.test(name)) return undefined;
  const server = servers.find(({ web }) => {
    const { host, hostname } = new URL(web);
    return place.isWeb ? place.host === host : place.host === hostname || place.host === `ssh.${hostname}`;
  });
  return server && { server, owner, name };
}

/** The host of an address of git; undefined for a folder. */
export function findRemoteHost(address: string): string | undefined {
  return parseRemoteAddress(address.trim())?.host;
}

interface RemotePlace {
  /** With its port if it's an address of the web. */
  readonly host: string;
  readonly path: string;
  readonly isWeb: boolean;
}

function parseRemoteAddress(address: string): RemotePlace | undefined {
  const [, scpHost, scpPath] = /^(?:[\w.-]+@)?([\w.-]{2,}):(?!\/\/)(.+)$/.exec(address) ?? [];
  if (scpHost !== undefined && scpPath !== undefined)
    return { host: scpHost.toLowerCase(), path: trimPath(scpPath), isWeb: false };
  const url = URL.parse(address);
  if (!url || !/^(?:https?|ssh|git):$/.test(url.protocol)) return undefined;
  const isWeb = url.protocol.startsWith("http");
  return { host: (isWeb ? url.host : url.hostname).toLowerCase(), path: trimPath(url.pathname), isWeb };
}

function trimPath(path: string): string {
  return path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
}

/** Remotes in the order in which a pull request's target is looked for. */
const ORDER: readonly string[] = ["upstream", "origin"];

/** Reads git's list of remotes: lines of `remote.NAME.url ADDRESS`. The same repository is listed once. */
export function listNamedRemotes(config: string, servers: readonly CodeServer[]): readonly NamedRemote[] {
  const found = config.split("\n", MOST_REMOTES).flatMap((line): readonly NamedRemote[] => {
    const [, remote, address] = /^remote\.(.+)\.url (.+)$/.exec(line) ?? [];
    const repository = address === undefined ? undefined : findRemoteRepository(address, servers);
    return remote !== undefined && repository ? [{ remote, repository }] : [];
  });
  const rank = ({ remote }: NamedRemote): number => (ORDER.includes(remote) ? ORDER.indexOf(remote) : ORDER.length);
  const byAddress = new Map<string, NamedRemote>();
  for (const one of found.toSorted((first, other) => rank(first) - rank(other))) {
    const address = getRepositoryAddress(one.repository).toLowerCase();
    if (!byAddress.has(address)) byAddress.set(address, one);
  }
  return [...byAddress.values()];
}

const MOST_REMOTES = 1000;

/** A repository's page. */
export function getRepositoryAddress({ server, owner, name }: RemoteRepository): string {
  return `${server.web}/${owner}/${name}`;
}

/** An issue that a person has named: by its number, or by its address or `owner/name#12` if it's in another repository. */
export interface NamedIssue {
  readonly number: number;
  readonly repository?: RemoteRepository;
}

/** Reads `12`, `#12`, `owner/name#12` or an issue's address; undefined for anything else. */
export function parseIssueName(text: string, servers: readonly CodeServer[]): NamedIssue | undefined {
  const [, plain] = /^#?(\d{1,9})$/.exec(text) ?? [];
  if (plain !== undefined) return { number: Number(plain) };
  const [, short, number] = /^([\w.-]+\/[\w.-]+)#(\d{1,9})$/.exec(text) ?? [];
  const [first] = servers;
  if (short !== undefined && first) {
    const repository = findRemoteRepository(`${first.web}/${short}`, [first]);
    return repository && { number: Number(number), repository };
  }
  const [, page, last] = /^(https?:\/\/[^?#]+)\/(?:issues|pull)\/(\d{1,9})(?:[/?#].*)?$/.exec(text) ?? [];
  const repository = page === undefined ? undefined : findRemoteRepository(page, servers);
  return repository && { number: Number(last), repository };
}
