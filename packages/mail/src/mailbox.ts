import { ImapFlow, type MessageStructureObject, type SearchObject } from "imapflow";
import PostalMime, { type Address, type Email } from "postal-mime";
import { cutMiddle, type MailServer } from "../../../src/plugins/library.ts";
import { convertMailHtml } from "./html-text.ts";

/** Connection to a mailbox. */
export interface MailboxLogin {
  readonly server: MailServer;
  readonly login: string;
  readonly password: string;
}

/** Which messages to read. */
export interface MailQuery {
  readonly folder: string;
  /** Reads a single message completely. */
  readonly id?: number;
  readonly search: SearchObject;
  /** The newest ones. */
  readonly limit: number;
}

/** A message as the model reads it. */
interface ReadMessage {
  readonly id: number;
  readonly from: string;
  readonly text: string;
}

/** Messages that were found. */
export interface ReadMail {
  readonly found: number;
  readonly messages: readonly ReadMessage[];
}

/** Limits for fetched bytes of a message and for characters of its text for the model, in a list and for a single message. */
const BOUNDS = {
  list: { bytes: 300_000, chars: 1_500 },
  single: { bytes: 2_000_000, chars: 20_000 },
} as const;

/** Reads messages without marking them as read. Throws a sentence. */
export async function readMail(
  login: MailboxLogin,
  { folder, id, search, limit }: MailQuery,
  signal: AbortSignal,
): Promise<ReadMail> {
  return useMailbox(login, signal, async (client) => {
    await client.mailboxOpen(folder, { readOnly: true });
    const found = id === undefined ? await client.search(search, { uid: true }) : [id];
    const ids = found === false ? [] : found.slice(-limit).toReversed();
    const bounds = id === undefined ? BOUNDS.list : BOUNDS.single;
    const messages: ReadMessage[] = [];
    for (const uid of ids) {
      const one = await client.fetchOne(
        String(uid),
        {
          source: { start: 0, maxLength: bounds.bytes },
          size: true,
          flags: true,
          internalDate: true,
          bodyStructure: true,
        },
        { uid: true },
      );
      if (one === false || !one.source) continue;
      messages.push(await readMessage(uid, { ...one, source: one.source }, bounds));
    }
    if (id !== undefined && messages.length === 0) throw new Error(`There is no message ${id} in ${folder}.`);
    return { found: found === false ? 0 : found.length, messages };
  });
}

/** Saves a message as a draft. Throws a sentence. */
export async function saveDraft(
  login: MailboxLogin,
  folder: string,
  message: Buffer,
  signal: AbortSignal,
): Promise<void> {
  await useMailbox(login, signal, async (client) => {
    const saved = await client.append(folder, message, ["\\Draft"]);
    if (!saved) throw new Error(`The draft wasn't saved: the server didn't take it into "${folder}".`);
  });
}

async function useMailbox<T>(
  { server, login, password }: MailboxLogin,
  signal: AbortSignal,
  act: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { host, port, isSecure, isLoopback } = server;
  const client = new ImapFlow({
    host,
    port,
    secure: isSecure,
    ...(isSecure || isLoopback ? {} : { doSTARTTLS: true }),
    tls: { rejectUnauthorized: !isLoopback },
    auth: { user: login, pass: password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: 20_000,
    greetingTimeout: 10_000,
    socketTimeout: 60_000,
    maxLiteralSize: 4_000_000,
  });
  client.on("error", () => undefined);
  const stop = (): void => client.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
    const result = await act(client);
    await client.logout().catch(() => undefined);
    return result;
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(explainImapError(error, server), { cause: error });
  } finally {
    signal.removeEventListener("abort", stop);
    client.close();
  }
}

function explainImapError(error: unknown, { host, port }: MailServer): string {
  const known: { authenticationFailed?: unknown; responseText?: unknown; message?: unknown } = Object(error);
  const { authenticationFailed, responseText, message } = known;
  if (authenticationFailed)
    return `${host} refused the login. The user has to check the password ("AutoGPT: Set API Key…"; EMAIL_PASSWORD on a command line).`;
  const said = typeof responseText === "string" ? responseText : String(message ?? error);
  return `${host}:${port}: ${said}`;
}

interface FetchedMessage {
  readonly source: Buffer;
  readonly size?: number;
  readonly flags?: ReadonlySet<string>;
  readonly internalDate?: Date | string;
  readonly bodyStructure?: MessageStructureObject;
}

async function readMessage(
  id: number,
  { source, size = source.length, flags, internalDate, bodyStructure }: FetchedMessage,
  { chars }: { readonly chars: number },
): Promise<ReadMessage> {
  const mail = await PostalMime.parse(source, { maxNestingDepth: 50, maxHeadersSize: 500_000 });
  const from = mail.from ? formatAddress(mail.from) : "(no sender)";
  const parts = bodyStructure ? listAttachmentNames(bodyStructure) : [];
  const body = getBodyText(mail);
  const lines = [
    `Message ${id}${flags?.has("\\Seen") ? "" : " (unread)"}`,
    `From: ${from}`,
    ...formatAddressLine("To", mail.to),
    ...formatAddressLine("Cc", mail.cc),
    `Date: ${formatDate(mail.date ?? internalDate)}`,
    `Subject: ${shortenToOneLine(mail.subject ?? "")}`,
    ...(parts.length > 0 ? [`Attachments: ${parts.join(", ")}`] : []),
    ...(size > source.length ? [`(${size} bytes; only the first ${source.length} were read)`] : []),
  ];
  const left = body.length - chars;
  const text = cutMiddle(body, chars, `\n[… ${left} characters left out; read message ${id} alone …]\n`, 0.9);
  return { id, from, text: `${lines.join("\n")}\n\n${text}` };
}

/** The text that mail readers show first. */
function getBodyText({ text = "", html = "" }: Email): string {
  const plain = text.trim();
  if (plain !== "") return plain.replaceAll("\r\n", "\n");
  return html === "" ? "(no text)" : convertMailHtml(html);
}

function formatAddress(address: Address): string {
  if (address.group) return shortenToOneLine(`${address.name}: ${address.group.length} addresses`);
  return shortenToOneLine(address.name ? `${address.name} <${address.address}>` : (address.address ?? ""));
}

const MOST_ADDRESSES = 20;

function formatAddressLine(name: string, addresses: readonly Address[] | undefined): readonly string[] {
  if (!addresses || addresses.length === 0) return [];
  const more = addresses.length > MOST_ADDRESSES ? [`${addresses.length - MOST_ADDRESSES} more`] : [];
  return [`${name}: ${[...addresses.slice(0, MOST_ADDRESSES).map(formatAddress), ...more].join(", ")}`];
}

function formatDate(date: Date | string | undefined): string {
  const time = new Date(date ?? "");
  return Number.isNaN(time.getTime()) ? "(unknown)" : time.toISOString();
}

function shortenToOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

const MOST_PARTS = 30;

/** Names, types and sizes of attachments, as described by the server. They aren't fetched. */
function listAttachmentNames(root: MessageStructureObject): readonly string[] {
  const names: string[] = [];
  const left = [root];
  for (let part = left.shift(); part && names.length < MOST_PARTS; part = left.shift()) {
    left.push(...(part.childNodes ?? []));
    const name = part.dispositionParameters?.filename ?? part.parameters?.name;
    if (part.disposition === "attachment" || name !== undefined)
      names.push(shortenToOneLine(`${name ?? "unnamed"} (${part.type}, about ${part.size ?? 0} bytes)`));
  }
  return names;
}
