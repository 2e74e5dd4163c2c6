import { Socket } from "node:net";
import type { SearchObject } from "imapflow";
import { createTransport } from "nodemailer";
import {
  formatPasswordName,
  getErrorMessage,
  type HookContext,
  type MailAccount,
  type MailServer,
  type Plugin,
  type PluginCall,
  type PluginCommand,
  type PluginFile,
  type PluginResult,
  type PrepareCallContext,
} from "../../../src/plugins/library.ts";
import { type MailboxLogin, readMail, saveDraft } from "./mailbox.ts";
import { composeMessage, createOutgoingMessage, formatOutgoingMessage, type OutgoingMessage } from "./message.ts";

type Args = Readonly<Record<string, unknown>>;

/** The plugin for one mail account. It uses only the public interface of plugins. */
export function createEmailPlugin(account: MailAccount): Plugin {
  const { imap, smtp, draftFolder } = account;
  const canSend = smtp !== undefined || draftFolder !== undefined;
  return {
    id: "email",
    name: "email",
    description: `Mail of ${account.user}`,
    offer: () => ({
      commands: [
        ...(imap ? [readEmails(account, imap)] : []),
        ...(canSend ? [sendEmail(account), sendEmailWithAttachment(account)] : []),
      ],
    }),
  };
}

const LIMIT = 10;
const MOST = 50;
const LINE = { type: "string", maxLength: 300 } as const;
const ADDRESSES = { type: "array", items: { type: "string", maxLength: 300 }, maxItems: 50 } as const;

function readEmails(account: MailAccount, server: MailServer): PluginCommand {
  return {
    name: "read_emails",
    description: `Reads mail of ${account.user}, newest first. With an id, reads that message in full.`,
    parameters: {
      type: "object",
      properties: {
        folder: LINE,
        search: { ...LINE, description: "Text in headers or body." },
        from: LINE,
        since: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
        unread: { type: "boolean" },
        limit: { type: "integer", minimum: 1, maximum: MOST },
        id: { type: "integer", minimum: 1 },
      },
      additionalProperties: false,
    },
    prepare(args) {
      const query = {
        folder: typeof args.folder === "string" && args.folder !== "" ? args.folder : "INBOX",
        search: buildSearch(args),
        limit: typeof args.limit === "number" ? args.limit : LIMIT,
        ...(typeof args.id === "number" ? { id: args.id } : {}),
      };
      const { id, folder, limit } = query;
      const what = id === undefined ? `up to ${limit} messages` : `message ${id}`;
      const filters = Object.entries(query.search).map(([name, value]) => `\n${name}: ${value}`);
      return {
        text: `Read ${what} of "${folder}" of ${account.user} at ${server.host}. They stay as they are.${filters.join("")}`,
        hosts: [server.host],
        async run(context) {
          const login = await createLogin(server, account, context);
          const { found, messages } = await readMail(login, query, context.signal);
          const senders = [...new Set(messages.map(({ from }) => from))].slice(0, 5).join("; ");
          return {
            text: [`${found} found, ${messages.length} shown.`, ...messages.map((message) => message.text)].join(
              "\n\n---\n\n",
            ),
            source: `mail to ${account.user}${senders === "" ? "" : ` from ${senders}`}`,
          };
        },
      };
    },
  };
}

function buildSearch({ search, from, since, unread }: Args): SearchObject {
  const query: SearchObject = {};
  if (typeof search === "string" && search !== "") query.text = search;
  if (typeof from === "string" && from !== "") query.from = from;
  if (typeof since === "string") query.since = since;
  if (unread === true) query.seen = false;
  return Object.keys(query).length === 0 ? { all: true } : query;
}

const MESSAGE = {
  to: ADDRESSES,
  cc: ADDRESSES,
  bcc: ADDRESSES,
  subject: { type: "string", maxLength: 500 },
  body: { type: "string", description: "Plain text." },
} as const;

function sendEmail(account: MailAccount): PluginCommand {
  return {
    name: "send_email",
    description: `${chooseVerb(account)} a mail from ${account.user}. The user always sees it first.`,
    parameters: createSchema(MESSAGE, ["to", "subject", "body"]),
    prepare: async (args) => createMessageCall(account, createOutgoingMessage(account, args, [])),
  };
}

function sendEmailWithAttachment(account: MailAccount): PluginCommand {
  const files = { type: "array", items: { type: "string" }, minItems: 1, maxItems: 20 };
  return {
    name: "send_email_with_attachment",
    description: `${chooseVerb(account)} a mail with files of the workspace. The user always sees it first.`,
    parameters: createSchema({ ...MESSAGE, filenames: files }, ["to", "subject", "body", "filenames"]),
    prepare: async (args, context) =>
      createMessageCall(account, createOutgoingMessage(account, args, await readFiles(args, context))),
  };
}

function chooseVerb({ draftFolder }: MailAccount): string {
  return draftFolder === undefined ? "Sends" : "Saves a draft of";
}

function createSchema(properties: object, required: readonly string[]) {
  return { type: "object", properties, required, additionalProperties: false };
}

async function readFiles({ filenames }: Args, { readFile }: PrepareCallContext): Promise<readonly PluginFile[]> {
  const files: PluginFile[] = [];
  for (const name of Array.isArray(filenames) ? filenames : []) files.push(await readFile(String(name)));
  return files;
}

/** A call that sends or saves exactly the message on its card. */
function createMessageCall(account: MailAccount, message: OutgoingMessage): PluginCall {
  const { imap, smtp, draftFolder } = account;
  const shown = formatOutgoingMessage(message);
  if (draftFolder !== undefined && imap)
    return {
      text: `Save this as a draft in "${draftFolder}" of ${account.user} at ${imap.host}. Nothing is sent.\n\n${shown}`,
      hosts: [imap.host],
      asks: "A draft is written in your name.",
      async run(context) {
        const bytes = await composeMessage(message, shown, true);
        await saveDraft(await createLogin(imap, account, context), draftFolder, bytes, context.signal);
        return `Saved as a draft in "${draftFolder}". It isn't sent: the user does that.`;
      },
    };
  if (!smtp) throw new Error(`The account has no server to send with: "smtp" is missing in its settings.`);
  return {
    text: `Send this mail through ${smtp.host}:\n\n${shown}`,
    hosts: [smtp.host],
    publishes: true,
    asks: "Mail is sent in your name and can't be taken back.",
    run: async (context) => send(message, shown, await createLogin(smtp, account, context), context.signal),
  };
}

async function createLogin(server: MailServer, account: MailAccount, { secret }: HookContext): Promise<MailboxLogin> {
  const password = await secret(formatPasswordName(account));
  if (password !== undefined) return { server, login: account.login, password };
  throw new Error(
    `There is no password for ${account.user}. The user has to set it with "AutoGPT: Set API Key…" (EMAIL_PASSWORD on a command line).`,
  );
}

async function send(
  message: OutgoingMessage,
  shown: string,
  { server, login, password }: MailboxLogin,
  signal: AbortSignal,
): Promise<PluginResult> {
  const { host, port, isSecure, isLoopback } = server;
  const raw = await composeMessage(message, shown, false);
  const { to, cc, bcc } = message;
  const socket = new Socket();
  const transport = createTransport({
    socket,
    host,
    port,
    secure: isSecure,
    requireTLS: !isSecure && !isLoopback,
    tls: { rejectUnauthorized: !isLoopback },
    auth: { user: login, pass: password },
    connectionTimeout: 20_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const stop = (): unknown => socket.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const from = message.from.replace(/^.*<(.*)>$/, "$1");
    const sent = await transport.sendMail({ raw, envelope: { from, to: [...to, ...cc, ...bcc] } });
    const rejected = sent.rejected.map(String);
    const but = rejected.length > 0 ? ` The server refused these recipients: ${rejected.join(", ")}.` : "";
    return `Sent to ${sent.accepted.map(String).join(", ")}.${but}`;
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(explainSmtpError(error, server), { cause: error });
  } finally {
    signal.removeEventListener("abort", stop);
    socket.destroy();
  }
}

function explainSmtpError(error: unknown, { host, port }: MailServer): string {
  if (error instanceof Error && "code" in error && error.code === "EAUTH")
    return `${host} refused the login, so nothing was sent. The user has to check the password ("AutoGPT: Set API Key…"; EMAIL_PASSWORD on a command line).`;
  return `${host}:${port} didn't take the mail: ${getErrorMessage(error)}`;
}
