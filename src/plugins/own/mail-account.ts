import { isThisMachine } from "../../core/base/http-message.ts";
import { isObject, type Json } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";

/** A mail server of the user. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise, the connection begins with STARTTLS. */
  readonly isSecure: boolean;
  /** Only on this machine, TLS isn't required and certificates aren't checked. */
  readonly isLoopback: boolean;
}

/** The user's mail account, as `autogpt.plugins.config` describes it. */
export interface MailAccount {
  /** The account's address. */
  readonly user: string;
  /** The name before the address. */
  readonly name: string;
  /** The name to log in with. */
  readonly login: string;
  readonly imap?: MailServer;
  readonly smtp?: MailServer;
  /** Messages are saved here instead of being sent. */
  readonly draftFolder?: string;
}

/** The name under which the account's password is stored. It contains the servers, so that no other server ever gets the password. */
export function formatPasswordName({ login, imap, smtp }: MailAccount): string {
  const places = [imap, smtp].map((server) => (server ? `${server.host}:${server.port}` : "-"));
  return [login, ...places].join(",");
}

/** Reads the account from its settings; a sentence if something is missing or wrong; undefined if there are no settings. */
export function readAccount(config: unknown): MailAccount | string | undefined {
  if (config === undefined || (isObject(config) && Object.keys(config).length === 0)) return undefined;
  if (!isObject(config)) return "autogpt.plugins.config.email has to be an object.";
  const user = readText(config, "user");
  if (!isAddress(user)) return `autogpt.plugins.config.email: "user" has to be a mail address.`;
  const imap = parseServer(readText(config, "imap"), 993);
  const smtp = parseServer(readText(config, "smtp"), 465);
  if (imap === "wrong" || smtp === "wrong")
    return `autogpt.plugins.config.email: "imap" and "smtp" are names of servers, like "imap.example.com" or "smtp.example.com:587".`;
  if (!imap && !smtp) return `autogpt.plugins.config.email needs "imap" to read mail, and "smtp" to send it.`;
  const draftFolder = readText(config, "draftFolder");
  if (draftFolder !== "" && !imap) return `autogpt.plugins.config.email: "imap" is missing, where "draftFolder" is.`;
  const name = readText(config, "name");
  if (hasControls(`${name}${draftFolder}`))
    return `autogpt.plugins.config.email: "name" and "draftFolder" can't have line ends.`;
  return {
    user,
    name,
    login: readText(config, "login") || user,
    ...omitUndefined({ imap, smtp }),
    ...(draftFolder === "" ? {} : { draftFolder }),
  };
}

function readText(config: Json, name: string): string {
  const value = config[name];
  return typeof value === "string" ? value.trim() : "";
}

/** Ports on which a connection begins without TLS. */
const STARTTLS_PORTS = new Set([25, 143, 587, 2525]);

function parseServer(text: string, usualPort: number): MailServer | "wrong" | undefined {
  if (text === "") return undefined;
  const url = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(text) ? URL.parse(`mail://${text}`) : null;
  if (!url || url.hostname === "") return "wrong";
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port === "" ? usualPort : Number(url.port);
  const isLoopback = isThisMachine(host);
  const isSecure = isLoopback ? port === usualPort : !STARTTLS_PORTS.has(port);
  return { host, port, isSecure, isLoopback };
}

/** True for a plain address without a name. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]+$/.test(text) && !hasControls(text);
}

/** Line ends and other characters that could begin another header, or hide a part of one. */
export function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}
