import type { CodeHost } from "./code-host.ts";
import { type LoadOctokit, openGitHub } from "./github.ts";
import { GitLab } from "./gitlab.ts";
import type { RemoteRepository } from "./remotes.ts";

/** Opens a repository with its user's token. Without one, only what is public can be read. `load`: GitHub's client. */
export async function openCodeHost(repository: RemoteRepository, token: string, load: LoadOctokit): Promise<CodeHost> {
  return repository.server.kind === "gitlab" ? new GitLab(repository, token) : openGitHub(repository, token, load);
}
