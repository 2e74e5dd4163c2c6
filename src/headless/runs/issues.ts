import type { CodeHost } from "../../code-host/code-host.ts";
import { quoteIssue } from "../../code-host/issue-text.ts";
import { readLocalRepository } from "../../code-host/local-repository.ts";
import { openCodeHost } from "../../code-host/open.ts";
import { findNamedIssue, type NamedIssue, type RemoteRepository } from "../../code-host/remotes.ts";
import { type CodeServer, findOwnServers, findTokenInEnvironment, listCodeServers } from "../../code-host/servers.ts";
import { quoteAsData } from "../../core/base/text.ts";
import type { RunOptions } from "../options.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

/** The part of a session that names servers and has tokens. */
interface EnvironmentPart {
  readonly options: Pick<RunOptions, "env">;
}

/**
 * Adds the issue that the command line names to a session's task. Its text is quoted as data, and its address is its source, so that the
 * run counts as having read untrusted text.
 */
export async function addIssue(session: Session): Promise<Session> {
  const { options, around } = session;
  const { issue: name, task } = options;
  if (name === undefined) return session;
  const servers = listServers(session);
  const named = await findNamedIssue(name, servers, () => findRepository(session, servers));
  if (!named)
    throw new UsageError(
      `--issue takes a number, owner/name#N or the address of an issue on GitHub or GitLab, not "${name}".`,
    );
  const host = await openRepository(session, named.repository);
  return { ...session, options: { ...options, task: await quoteNamedIssue(host, named, task, around.signal) } };
}

/** A task about an issue, whose text is quoted as data below it. */
export async function quoteNamedIssue(
  host: CodeHost,
  named: Pick<NamedIssue, "number" | "isMergeRequest">,
  task: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const { source, text } = quoteIssue(await host.readIssue(named, signal));
  const mention = `@issue:${named.isMergeRequest ? "!" : ""}${named.number}`;
  const typed = task === undefined ? `Resolve ${mention}.` : `${task}\n\nThis is about ${mention}.`;
  return `${typed}\n\n${mention}:\n${quoteAsData(text, source)}`;
}

/** github.com, gitlab.com, and the servers of the environment. */
export function listServers({ options }: EnvironmentPart): readonly CodeServer[] {
  return listCodeServers(findOwnServers(options.env));
}

/** The repository of the workspace's first remote: `upstream`, otherwise `origin`. */
async function findRepository(session: Session, servers: readonly CodeServer[]): Promise<RemoteRepository> {
  const { remotes } = await readLocalRepository(session.workspace, servers, session.around.signal);
  const [first] = remotes;
  if (!first) throw new UsageError("Give the address of the issue: this folder has no remote.");
  return first.repository;
}

/** With the user's token for the server; without one, only what is public can be read. */
export async function openRepository({ options }: EnvironmentPart, repository: RemoteRepository): Promise<CodeHost> {
  const token = findTokenInEnvironment(repository.server, options.env);
  return openCodeHost(repository, token ?? "", () => import("../../code-host/octokit-client.ts"));
}
