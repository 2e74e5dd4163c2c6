import * as vscode from "vscode";
import { cutText, escapeInvisible } from "../../core/base/text.ts";
import type { McpServer } from "../../plugins/mcp/servers.ts";
import { t } from "../../texts/language.ts";

/** The server that a secret belongs to. */
export type SecretOwner = Pick<McpServer, "id" | "from" | "hash">;

/** Maximum length of a secret's name in a dialog's title. */
const MAX_NAME = 60;

const PREFIX = "autogpt.mcp.input:";
const INDEX = "autogpt.mcpInputs";

/** Secrets that MCP servers' entries refer to. They are kept only in VS Code's secret storage. */
export class McpSecrets {
  private readonly secrets: vscode.SecretStorage;
  private readonly state: vscode.Memento;

  constructor({ secrets, globalState }: Pick<vscode.ExtensionContext, "secrets" | "globalState">) {
    this.secrets = secrets;
    this.state = globalState;
  }

  /**
   * Finds a server's secret. The user is asked once; undefined if they cancel. For a workspace's server, the secret applies to exactly this
   * server, since another workspace may use the same name.
   */
  async find(owner: SecretOwner, name: string): Promise<string | undefined> {
    return (await this.secrets.get(PREFIX + formatSecretKey(owner, name))) ?? this.ask(owner, name);
  }

  /** True if a server's secret is stored. */
  async has(owner: SecretOwner, name: string): Promise<boolean> {
    return (await this.secrets.get(PREFIX + formatSecretKey(owner, name))) !== undefined;
  }

  /** Asks for a server's secret and stores it; undefined if the user cancels. */
  async ask(owner: SecretOwner, name: string): Promise<string | undefined> {
    const value = await vscode.window.showInputBox({
      title: t("mcp.askInput", { server: owner.id, name: escapeInvisible(cutText(name, MAX_NAME)) }),
      password: true,
      ignoreFocusOut: true,
    });
    if (!value) return undefined;
    const key = formatSecretKey(owner, name);
    await this.secrets.store(PREFIX + key, value);
    await this.state.update(INDEX, [...new Set([...this.listKeys(), key])]);
    return value;
  }

  async remove(owner: SecretOwner, name: string): Promise<void> {
    const key = formatSecretKey(owner, name);
    await this.secrets.delete(PREFIX + key);
    await this.state.update(
      INDEX,
      this.listKeys().filter((one) => one !== key),
    );
  }

  /** Loads all secrets, to keep them out of logs and prompts. */
  async loadAll(): Promise<readonly string[]> {
    const found = await Promise.all(this.listKeys().map((key) => this.secrets.get(PREFIX + key)));
    return found.filter((value) => value !== undefined);
  }

  private listKeys(): readonly string[] {
    return this.state.get<readonly string[]>(INDEX, []);
  }
}

function formatSecretKey({ id, from, hash }: SecretOwner, name: string): string {
  return from === "workspace" ? `${id}/${name} ${hash}` : `${id}/${name}`;
}
