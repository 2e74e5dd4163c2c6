import type { CodeHost } from "../../src/code-host/code-host.ts";
import { openCodeHost } from "../../src/code-host/open.ts";
import type { RemoteRepository } from "../../src/code-host/remotes.ts";
import { type CodeServer, listCodeServers } from "../../src/code-host/servers.ts";
import type { CodeHostServer } from "./code-host-server.ts";
import { githubServer } from "./github-server.ts";
import { gitlabServer } from "./gitlab-server.ts";

/** A kind of server on which the same steps are tested. */
export interface PlayedHost {
  readonly name: string;
  start(root: string): Promise<CodeHostServer>;
  listServers(web: string): readonly CodeServer[];
  /** The variables that name the server and its token on a command line. */
  createEnvironment(web: string, token: string): Readonly<Record<string, string>>;
  /** The page of an issue or of a pull request of `octo/tool`. */
  getPage(web: string, kind: "issues" | "pull", number: number): string;
  /** The mark before the number of a pull request. */
  readonly mark: string;
  readonly request: string;
}

export const PLAYED_HOSTS: readonly PlayedHost[] = [
  {
    name: "GitHub",
    start: githubServer,
    listServers: (web) => listCodeServers({ enterprise: web }),
    createEnvironment: (web, token) => ({ GITHUB_SERVER_URL: web, GH_ENTERPRISE_TOKEN: token }),
    getPage: (web, kind, number) => `${web}/octo/tool/${kind}/${number}`,
    mark: "#",
    request: "pull request",
  },
  {
    name: "GitLab",
    start: gitlabServer,
    listServers: (web) => listCodeServers({ gitlab: web }),
    createEnvironment: (web, token) => ({ GITLAB_HOST: web, GITLAB_TOKEN: token }),
    getPage: (web, kind, number) => `${web}/octo/tool/-/${kind === "pull" ? "merge_requests" : kind}/${number}`,
    mark: "!",
    request: "merge request",
  },
];

/** Opens a repository on a played server. */
export function openPlayed(repository: RemoteRepository, token: string): Promise<CodeHost> {
  return openCodeHost(repository, token, () => import("../../src/code-host/octokit-client.ts"));
}
