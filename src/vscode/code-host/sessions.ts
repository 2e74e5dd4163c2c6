import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import type { CodeHost } from "../../code-host/code-host.ts";
import { type LocalRepository, readLocalRepository } from "../../code-host/local-repository.ts";
import { openCodeHost } from "../../code-host/open.ts";
import type { RemoteRepository } from "../../code-host/remotes.ts";
import { type CodeServer, findTokenInEnvironment, listCodeServers } from "../../code-host/servers.ts";
import { isObject } from "../../core/base/json.ts";
import { isUriPath } from "../../core/base/uri-path.ts";
import { isSendable } from "../../models/http/endpoint.ts";
import type { KeyRing } from "../../runtime/services/key-ring.ts";
import { DisplayError, displayText, fail } from "../../texts/display-text.ts";
import { t } from "../../texts/language.ts";

/** The scopes of VS Code's own GitHub extension, so that the sign-in of one is the other's. */
const GITHUB_SCOPES = ["repo", "workflow", "user:email", "read:user"];
/** Those of GitLab's extension. */
const GITLAB_SCOPES = ["api", "read_user"];

/** Whether the user may be asked: `ask` only after a gesture of theirs, `again` after a server has refused the last sign-in. */
type SignIn = "quietly" | "ask" | "again";

/** The user's sign-ins to GitHub and GitLab, as VS Code keeps them, and GitLab's tokens in the ring of keys. */
export class CodeSessions {
  /** Tokens that were used in this window, to keep them out of logs and prompts. */
  private readonly used = new Set<string>();
  private readonly keys: KeyRing;

  constructor(keys: KeyRing) {
    this.keys = keys;
  }

  /** github.com, gitlab.com, and the servers of the user's settings. A workspace can't name one. */
  listServers(): readonly CodeServer[] {
    const find = (section: string, name: string): string | undefined =>
      vscode.workspace.getConfiguration(section).inspect<string>(name)?.globalValue;
    return listCodeServers({ enterprise: find("github-enterprise", "uri"), gitlab: find("gitlab", "instanceUrl") });
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
      (signIn === "again" ? undefined : await this.findKnown(server)) ??
      (signIn === "quietly" ? "" : await this.askFor(server, signIn));
    if (token === undefined)
      throw new DisplayError(displayText("codehost.signInFirst", { host: new URL(server.web).host }));
    if (token !== "") this.used.add(token);
    return token;
  }

  /** Opens a repository. GitHub's client is loaded now. */
  async open(repository: RemoteRepository, signIn: SignIn): Promise<CodeHost> {
    const token = await this.findToken(repository.server, signIn);
    return openCodeHost(
      repository,
      token,
      async () => require("./octokit.cjs") as typeof import("../../code-host/octokit-client.ts"),
    );
  }

  private async findKnown(server: CodeServer): Promise<string | undefined> {
    const stored = server.kind === "gitlab" ? await this.keys.get(server.web) : undefined;
    return stored ?? (await getSession(server, { silent: true })) ?? findTokenInEnvironment(server, process.env);
  }

  /** Signs in; on GitLab without its extension, with a token. Either replaces a token that is stored. */
  private async askFor(server: CodeServer, signIn: "ask" | "again"): Promise<string | undefined> {
    const options = signIn === "ask" ? { createIfNone: true } : { forceNewSession: true };
    const session = await getSession(server, options);
    if (server.kind !== "gitlab") return session;
    const token = session ?? (await askForToken(server));
    if (session !== undefined) await this.keys.clear(new URL(server.web).origin);
    else if (token !== undefined) await this.keys.set(server.web, token);
    return token;
  }
}

/** Undefined if there is no session, the user doesn't want one, or this editor has no such sign-in. */
async function getSession(
  server: CodeServer,
  options: vscode.AuthenticationGetSessionOptions,
): Promise<string | undefined> {
  try {
    if (server.kind !== "gitlab")
      return (await vscode.authentication.getSession(server.kind, GITHUB_SCOPES, options))?.accessToken;
    // The editor would wait for a provider that no extension has.
    if (!vscode.extensions.all.some(isGitLabProvider)) return undefined;
    // GitLab's extension has one provider for all servers, so its other accounts' tokens are for others.
    const accounts = await vscode.authentication.getAccounts("gitlab");
    const account = accounts.find((one) => isServerAccount(one, server));
    if (!account) return undefined;
    const session = await vscode.authentication.getSession("gitlab", GITLAB_SCOPES, { ...options, account });
    return session && isServerAccount(session.account, server) ? session.accessToken : undefined;
  } catch {
    return undefined;
  }
}

function isGitLabProvider({ packageJSON: { contributes } }: vscode.Extension<unknown>): boolean {
  const declared: unknown = contributes?.authentication;
  return Array.isArray(declared) && declared.some((one: unknown) => isObject(one) && one.id === "gitlab");
}

/** GitLab's extension shows an account as `https://gitlab.com (ada)`, and names it `https://gitlab.com|12`. */
function isServerAccount({ id, label }: vscode.AuthenticationSessionAccountInformation, { web }: CodeServer): boolean {
  const [, address = ""] = /^(https?:\/\/\S+) \(/.exec(label) ?? /^(https?:\/\/[^|\s]+)\|/.exec(id) ?? [];
  return address.replace(/\/+$/, "") === web;
}

/** Asks for a personal access token of GitLab, with a button that opens the server's page of tokens; undefined if none is entered. */
async function askForToken({ web }: CodeServer): Promise<string | undefined> {
  const { host } = new URL(web);
  const input = vscode.window.createInputBox();
  input.title = t("codehost.tokenTitle", { host });
  input.prompt = t("codehost.tokenPrompt", { host });
  input.password = true;
  input.ignoreFocusOut = true;
  input.buttons = [{ iconPath: new vscode.ThemeIcon("link-external"), tooltip: t("codehost.createToken", { host }) }];
  try {
    return await new Promise<string | undefined>((done) => {
      const page = `${web}/-/user_settings/personal_access_tokens?name=AutoGPT&scopes=api`;
      input.onDidTriggerButton(() => void vscode.env.openExternal(vscode.Uri.parse(page, true)));
      input.onDidChangeValue(() => {
        input.validationMessage = undefined;
      });
      input.onDidAccept(() => {
        const token = input.value.trim();
        if (token === "") input.validationMessage = t("models.keyMissing");
        else if (!isSendable(token)) input.validationMessage = t("models.keyWithSpaces");
        else done(token);
      });
      input.onDidHide(() => done(undefined));
      input.show();
    });
  } finally {
    input.dispose();
  }
}
