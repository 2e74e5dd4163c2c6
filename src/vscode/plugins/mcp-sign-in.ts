import * as vscode from "vscode";
import { type FindSecret, fillPlaceholders, type McpServer } from "../../plugins/mcp/servers.ts";
import { SIGN_IN_MS, SignIn, type SignInHost, type SignInPage } from "../../plugins/mcp/sign-in.ts";
import { t } from "../../texts/language.ts";
import { showMessage } from "../host/notifications.ts";
import type { McpSecrets } from "./mcp-secrets.ts";

const PREFIX = "autogpt.";
const LONGEST = 10_000_000;

/** Signs in to MCP servers. Tokens are kept only in VS Code's secret storage. */
export class McpSignIns {
  private readonly secrets: vscode.SecretStorage;
  private readonly find: FindSecret;

  constructor({ secrets }: Pick<vscode.ExtensionContext, "secrets">, inputs: McpSecrets) {
    this.secrets = secrets;
    this.find = async (kind, name, server) => (kind === "env" ? process.env[name] : inputs.find(server, name));
  }

  /** Uses a run's stored tokens, and never opens a page. */
  createStoredSignIn(server: McpServer, url: string): SignIn {
    return new SignIn(server, url, this.createHost());
  }

  /** Lets the user sign in to a server. Throws a sentence. */
  async signIn(server: McpServer, folder: string): Promise<void> {
    const { url = "", headers = {} } = await fillPlaceholders(server, folder, this.find);
    const auth = new SignIn(server, url, { ...this.createHost(), open: openSignInPage });
    const sdk: typeof import("../../plugins/mcp/sdk-client.ts") = require("./mcp.cjs");
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: t("mcp.signingIn", { name: server.id }),
    };
    await vscode.window.withProgress(options, async () => {
      const connection = await sdk.connect({
        way: { kind: "address", url, headers, auth },
        prior: undefined,
        elicit: undefined,
        limitMs: SIGN_IN_MS,
        longest: LONGEST,
        handleToolsChange: () => undefined,
        handleEnd: () => undefined,
      });
      await connection.close();
    });
    void showMessage("info", t("mcp.signedIn", { name: server.id }));
  }

  private createHost(): SignInHost {
    return {
      read: async (key) => this.secrets.get(PREFIX + key),
      write: async (key, value) => this.secrets.store(PREFIX + key, value),
    };
  }
}

/** Opens the page after showing the user its address, and whether that has changed since the last time. */
async function openSignInPage({ server, url, issuer, before }: SignInPage): Promise<boolean> {
  const page = { server, host: new URL(url).host, issuer };
  const question = t("mcp.signInQuestion", page);
  const warning = before === undefined ? "" : t("mcp.signInMoved", { before, issuer });
  const button = t("mcp.signInButton");
  const options = { modal: true, detail: warning };
  const show = before === undefined ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  if ((await show(question, options, button)) !== button) return false;
  return vscode.env.openExternal(vscode.Uri.parse(url, true));
}
