import { isThisMachine } from "../core/base/http-message.ts";
import { type DisplayText, displayText } from "../texts/display-text.ts";

/** A server with repositories, issues and pull requests. Its token is sent to `api` and `web` alone. */
export interface CodeServer {
  readonly kind: "github" | "github-enterprise" | "gitlab";
  /** Base address of its pages and of git over HTTP, such as `https://github.com`. */
  readonly web: string;
  /** Base address of its API, such as `https://api.github.com`. */
  readonly api: string;
}

/** Addresses of the user's own servers. A text that isn't the address of one counts as none. */
export interface OwnServers {
  readonly enterprise?: string | undefined;
  readonly gitlab?: string | undefined;
}

const GITHUB: CodeServer = { kind: "github", web: "https://github.com", api: "https://api.github.com" };
const GITLAB: CodeServer = { kind: "gitlab", web: "https://gitlab.com", api: "https://gitlab.com/api/v4" };

/** The servers that are known: github.com, gitlab.com, and the user's own ones, given by their address or that of their API. */
export function listCodeServers({ enterprise = "", gitlab = "" }: OwnServers = {}): readonly CodeServer[] {
  const all = [GITHUB, GITLAB, readEnterprise(enterprise), readGitLab(gitlab)].filter((one) => one !== undefined);
  return [...new Map(all.map((one) => [one.web, one])).values()];
}

function readEnterprise(address: string): CodeServer | undefined {
  const url = readSafeAddress(address);
  if (!url) return undefined;
  if (url.host === "github.com" || url.host === "api.github.com") return GITHUB;
  const host = url.host.replace(/^api\.(?=[\w-]+\.ghe\.com$)/, "");
  const api = /^[\w-]+\.ghe\.com$/.test(host) ? `https://api.${host}` : `${url.protocol}//${host}/api/v3`;
  return { kind: "github-enterprise", web: `${url.protocol}//${host}`, api };
}

/** A server may be below a path, such as `https://example.com/gitlab`. */
function readGitLab(address: string): CodeServer | undefined {
  const url = readSafeAddress(address);
  if (!url) return undefined;
  if (url.host === "gitlab.com") return GITLAB;
  const web = `${url.origin}${url.pathname.replace(/(?:\/api\/v4)?\/*$/, "")}`;
  return { kind: "gitlab", web, api: `${web}/api/v4` };
}

/** An address to which a token can be sent: with encryption, or on this machine. */
function readSafeAddress(text: string): URL | undefined {
  const address = text.trim();
  const url = URL.parse(address === "" || address.includes("://") ? address : `https://${address}`);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isThisMachine(url.hostname));
  return url && isSafe ? url : undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLES: Readonly<Record<CodeServer["kind"], readonly string[]>> = {
  github: ["GH_TOKEN", "GITHUB_TOKEN"],
  "github-enterprise": ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"],
  gitlab: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"],
};

/** The user's own servers of a command line, by the variables of GitHub's and GitLab's programs. */
export function findOwnServers(env: Environment): OwnServers {
  return {
    enterprise: env.GITHUB_SERVER_URL?.trim() || env.GH_HOST?.trim(),
    gitlab: env.GITLAB_HOST?.trim() || env.CI_SERVER_URL?.trim(),
  };
}

/**
 * The user's token for a server in environment variables, by GitHub's and GitLab's own names for them. GitLab has one name for all servers:
 * its token is for the server that the environment names, otherwise for gitlab.com.
 */
export function findTokenInEnvironment({ kind, web }: CodeServer, env: Environment): string | undefined {
  const { gitlab } = findOwnServers(env);
  if (kind === "gitlab" && (gitlab ? readGitLab(gitlab) : GITLAB)?.web !== web) return undefined;
  const values = VARIABLES[kind].map((name) => env[name]?.trim());
  // An error about a header with other characters would show the token.
  return values.find((value) => value !== undefined && /^[\x21-\x7e]+$/.test(value));
}

/** The variable that a token for a server belongs into. */
export function getTokenVariable({ kind }: CodeServer): string {
  return VARIABLES[kind][0] ?? "";
}

/** How a pull request, and one of a number, is called on a server. */
export function nameRequest(
  { kind }: CodeServer,
  number = 0,
): { readonly request: DisplayText; readonly number: string } {
  return kind === "gitlab"
    ? { request: displayText("codehost.mergeRequest"), number: `!${number}` }
    : { request: displayText("codehost.pullRequest"), number: `#${number}` };
}
