import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import type { CodeHost } from "../../code-host/code-host.ts";
import { openGitHub } from "../../code-host/github.ts";
import { type LocalRepository, readLocalRepository } from "../../code-host/local-repository.ts";
import {
  type CodeServer,
  findTokenInEnvironment,
  listCodeServers,
  type RemoteRepository,
} from "../../code-host/remotes.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";

/** The scopes of VS Code's own GitHub extension, so that the sign-in of one is the other's. */
const SCOPES = ["repo", "workflow", "user:email", "read:user"];

/** Whether the user may be asked: `ask` only after a gesture of theirs, `again` after a server has refused the last sign-in. */
type SignIn = "quietly" | "ask" | "again";

/** The user's sign-ins to GitHub, as VS Code keeps them. */
export class CodeSessions {
  /** Tokens that were used in this window, to keep them out of logs and prompts. */
  private readonly used = new Set<string>();

  /** github.com, and the Enterprise server of the user's settings. A workspace can't name one. */
  listServers(): readonly CodeServer[] {
    const found = vscode.workspace.getConfiguration("github-enterprise").inspect<string>("uri");
    return listCodeServers(found?.globalValue);
  }

  listTokens(): readonly string[] {
    return [...this.used];
  }

  /** The repository of a workspace folder. Throws a sentence if it isn't on a known server, or not on this machine. */
  async readLocal(folder: string | undefined, signal: AbortSignal): Promise<LocalRepository> {
    if (folder === undefined || isUriPath(folder) || !vscode.workspace.isTrusted) return fail("codehost.noFolder");
    return readLocalRepository(await realpath(folder), this.listServers(), signal);
  }

  /** The token for a server; "" if the user isn't signed in and wasn't asked. Throws a sentence if the user doesn't sign in. */
  async findToken(server: CodeServer, signIn: SignIn): Promise<string> {
    const token =
      (signIn === "again" ? undefined : await getSession(server, { silent: true })) ??
      (signIn === "again" ? undefined : findTokenInEnvironment(server, process.env)) ??
      (signIn === "quietly"
        ? ""
        : await getSession(server, signIn === "ask" ? { createIfNone: true } : { forceNewSession: true }));
    if (token === undefined)
      throw new DisplayError(displayText("codehost.signInFirst", { host: new URL(server.web).host }));
    if (token !== "") this.used.add(token);
    return token;
  }

  /** Opens a repository. GitHub's client is loaded now. */
  async open(repository: RemoteRepository, signIn: SignIn): Promise<CodeHost> {
    const token = await this.findToken(repository.server, signIn);
    return openGitHub(
      repository,
      token,
      async () => require("./octokit.cjs") as typeof import("../../code-host/octokit-client.ts"),
    );
  }
}

/** Undefined if there is no session, the user doesn't want one, or this editor has no such sign-in. */
async function getSession(
  { isEnterprise }: CodeServer,
  options: vscode.AuthenticationGetSessionOptions,
): Promise<string | undefined> {
  const provider = isEnterprise ? "github-enterprise" : "github";
  return Promise.resolve(vscode.authentication.getSession(provider, SCOPES, options)).then(
    (session) => session?.accessToken,
    () => undefined,
  );
}
