import type { CodeServer } from "./servers.ts";

/** A repository on such a server. */
export interface RemoteRepository {
  readonly server: CodeServer;
  /** On GitLab all groups that it's in, such as `group/sub`. */
  readonly owner: string;
  readonly name: string;
}

/** A remote of a workspace's repository. */
export interface NamedRemote {
  /** Its name in git, such as `origin`. */
  readonly remote: string;
  readonly repository: RemoteRepository;
}

const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** A group or a project of GitLab. */
const PART = /^(?!\.{1,2}$)[\w.][\w.-]{0,254}$/;
const MOST_PARTS = 21;

/** The repository at an address of git, in any of its forms; undefined if it's on none of these servers. */
export function findRemoteRepository(address: string, servers: readonly CodeServer[]): RemoteRepository | undefined {
  const place = parseRemoteAddress(address.trim());
  for (const server of place ? servers : []) {
    const path = place && findPathOn(server, place);
    const named = path === undefined ? undefined : splitPath(path, server);
    if (named) return { server, ...named };
  }
  return undefined;
}

/** The path of a place on a server; undefined if it's on another one. */
function findPathOn({ web }: CodeServer, { host, path, isWeb }: RemotePlace): string | undefined {
  const { host: own, hostname, pathname } = new URL(web);
  if (!isWeb) return [hostname, `ssh.${hostname}`, `altssh.${hostname}`].includes(host) ? path : undefined;
  const base = trimPath(pathname);
  if (host !== own) return undefined;
  if (base === "") return path;
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}

function splitPath(path: string, { kind }: CodeServer): Pick<RemoteRepository, "owner" | "name"> | undefined {
  const parts = path.split("/");
  const [owner, name] = [parts.slice(0, -1).join("/"), parts.at(-1) ?? ""];
  const isValid =
    kind === "gitlab"
      ? parts.length >= 2 && parts.length <= MOST_PARTS && parts.every((part) => PART.test(part))
      : OWNER.test(owner) && NAME.test(name);
  return isValid ? { owner, name } : undefined;
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

/** True for the same repository, which may have been named by two remotes. */
export function isSameRepository(one: RemoteRepository, other: RemoteRepository): boolean {
  return getRepositoryAddress(one).toLowerCase() === getRepositoryAddress(other).toLowerCase();
}

/** An issue that a person has named, or a pull request in place of one. */
export interface NamedIssue {
  readonly repository: RemoteRepository;
  readonly number: number;
  /** Of GitLab, which counts merge requests on their own. */
  readonly isMergeRequest: boolean;
}

/**
 * Reads `12`, `#12`, `owner/name#12`, an issue's address, or GitLab's `!12` for a merge request; undefined for anything else. `findHere`:
 * the folder's repository, whose server the short forms mean.
 */
export async function findNamedIssue(
  text: string,
  servers: readonly CodeServer[],
  findHere: () => Promise<RemoteRepository>,
): Promise<NamedIssue | undefined> {
  const [, path, mark, plain] = /^(?:([\w.-]+(?:\/[\w.-]+)+)(?=[#!]))?([#!]?)(\d{1,9})$/.exec(text) ?? [];
  if (plain !== undefined && path === undefined)
    return { repository: await findHere(), number: Number(plain), isMergeRequest: mark === "!" };
  if (path !== undefined) {
    const server = (await findHere().catch(() => undefined))?.server ?? servers[0];
    const repository = server && findRemoteRepository(`${server.web}/${path}`, [server]);
    return repository && { repository, number: Number(plain), isMergeRequest: mark === "!" };
  }
  const [, page, kind = "", last] = PAGE.exec(text) ?? [];
  const repository = page === undefined ? undefined : findRemoteRepository(page, servers);
  return repository && { repository, number: Number(last), isMergeRequest: kind === "merge_requests" };
}

const PAGE = /^(https?:\/\/[^?#]+?)(?:\/-)?\/(issues|work_items|pull|merge_requests)\/(\d{1,9})(?:[/?#].*)?$/;
