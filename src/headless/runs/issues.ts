import type { CodeHost } from "../../code-host/code-host.ts";
import { openGitHub } from "../../code-host/github.ts";
import { quoteIssue } from "../../code-host/issue-text.ts";
import { readLocalRepository } from "../../code-host/local-repository.ts";
import {
  type CodeServer,
  findEnterpriseServer,
  findTokenInEnvironment,
  listCodeServers,
  parseIssueName,
  type RemoteRepository,
} from "../../code-host/remotes.ts";
import { quoteAsData } from "../../core/base/text.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Adds the issue that the command line names to a session's task. Its text is quoted as data, and its address is its source, so that the
 * run counts as having read untrusted text.
 */
export async function addIssue(session: Session): Promise<Session> {
  const { options, around } = session;
  const { issue: name, task } = options;
  if (name === undefined) return session;
  const servers = listServers(session);
  const named = parseIssueName(name, servers);
  if (!named)
    throw new UsageError(`--issue takes a number, owner/name#N or the address of an issue on GitHub, not "${name}".`);
  const repository = named.repository ?? (await findRepository(session, servers));
  const host = await openRepository(session, repository);
  const { source, text } = quoteIssue(await host.readIssue(named.number, around.signal));
  const mention = `@issue:${named.number}`;
  const typed = task === undefined ? `Resolve ${mention}.` : `${task}\n\nThis is about ${mention}.`;
  return { ...session, options: { ...options, task: `${typed}\n\n${mention}:\n${quoteAsData(text, source)}` } };
}

/** github.com, and the Enterprise server of the environment. */
export function listServers({ options }: Session): readonly CodeServer[] {
  return listCodeServers(findEnterpriseServer(options.env));
}

/** The repository of the workspace's first remote: `upstream`, otherwise `origin`. */
async function findRepository(session: Session, servers: readonly CodeServer[]): Promise<RemoteRepository> {
  const { remotes } = await readLocalRepository(session.workspace, servers, session.around.signal);
  const [first] = remotes;
  if (!first) throw new UsageError("Give the address of the issue: this folder has no remote.");
  return first.repository;
}

/** With the user's token for the server; without one, only what is public can be read. */
export async function openRepository({ options }: Session, repository: RemoteRepository): Promise<CodeHost> {
  const token = findTokenInEnvironment(repository.server, options.env);
  return openGitHub(repository, token ?? "", () => import("../../code-host/octokit-client.ts"));
}
