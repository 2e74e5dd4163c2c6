import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { hasControls, isAddress, type MailAccount, type PluginFile } from "../../../src/plugins/library.ts";

type Args = Readonly<Record<string, unknown>>;

/** An attached file with its content when the card was shown. */
interface Attachment {
  /** Name for the recipients. */
  readonly name: string;
  /** Path in the workspace. */
  readonly label: string;
  readonly bytes: Uint8Array;
}

/** A message that is ready to show and send. */
export interface OutgoingMessage {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly body: string;
  readonly attachments: readonly Attachment[];
}

const MOST_RECIPIENTS = 50;
const MOST_CHARS = 200_000;
const MOST_FILES = 20;
const MOST_BYTES = 25_000_000;

/** Checks the arguments of a message. Throws a sentence. */
export function createOutgoingMessage(account: MailAccount, args: Args, files: readonly PluginFile[]): OutgoingMessage {
  const subject = String(args.subject ?? "");
  const body = String(args.body ?? "").replaceAll("\r\n", "\n");
  const [to, cc, bcc] = [parseAddresses(args.to), parseAddresses(args.cc), parseAddresses(args.bcc)];
  const count = to.length + cc.length + bcc.length;
  if (to.length === 0) throw new Error(`The message has no recipient. Put addresses into "to".`);
  if (count > MOST_RECIPIENTS) throw new Error(`The message has ${count} recipients; ${MOST_RECIPIENTS} are the most.`);
  if (hasControls(subject) || subject.length > 500)
    throw new Error("The subject has line ends or invisible characters, or is longer than 500 characters.");
  if (body.length > MOST_CHARS)
    throw new Error(`The text is longer than ${MOST_CHARS} characters. Attach it as a file instead.`);
  return {
    from: account.name === "" ? account.user : `${quoteName(account.name)} <${account.user}>`,
    to,
    cc,
    bcc,
    subject,
    body,
    attachments: createAttachments(files),
  };
}

function createAttachments(files: readonly PluginFile[]): readonly Attachment[] {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length > MOST_FILES || bytes > MOST_BYTES)
    throw new Error(`The files have ${bytes} bytes in all; ${MOST_FILES} files and ${MOST_BYTES} bytes are the most.`);
  return files.map((file) => {
    const name = file.label.split("/").at(-1) ?? "";
    if (hasControls(name)) throw new Error(`The name of "${file.label}" has invisible characters.`);
    return { ...file, name };
  });
}

function parseAddresses(value: unknown): readonly string[] {
  const given = Array.isArray(value) ? value.map(String) : String(value ?? "").split(",");
  return given
    .flatMap((one) => (Array.isArray(value) && !one.includes('"') ? one.split(",") : [one]))
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map(parseAddress);
}

/** Parses one address to the form that is shown and sent: `name@domain`, with the domain as servers use it. Throws a sentence. */
function parseAddress(written: string): string {
  const plain = /^[^<>]*<([^<>]+)>$/.exec(written)?.[1] ?? written;
  const at = plain.lastIndexOf("@");
  const domain = domainToASCII(plain.slice(at + 1));
  const exact = `${plain.slice(0, at)}@${domain}`;
  if (hasControls(written) || domain === "" || !isAddress(exact))
    throw new Error(`${JSON.stringify(written)} is not a mail address. Write it as name@example.com.`);
  return exact;
}

function quoteName(name: string): string {
  return `"${name.replace(/["\\]/g, "")}"`;
}

/** The whole message for its card: everything that will be sent. */
export function formatOutgoingMessage(message: OutgoingMessage): string {
  const { from, to, cc, bcc, subject, body, attachments } = message;
  const lines = [
    `From: ${from}`,
    `To: ${to.join(", ")}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(", ")}`] : []),
    ...(bcc.length > 0 ? [`Bcc: ${bcc.join(", ")}`] : []),
    `Subject: ${subject}`,
    ...attachments.map(
      ({ label, name, bytes }) =>
        `Attachment: ${label}${label === name ? "" : ` (as ${name})`}, ${bytes.length} bytes, SHA-256 ${createHash("sha256").update(bytes).digest("hex")}`,
    ),
  ];
  return `${lines.join("\n")}\n\n${body}`;
}

/** The message as bytes. Only a draft names the hidden recipients. Throws if an attachment differs from the one shown. */
export async function composeMessage(message: OutgoingMessage, shown: string, isDraft: boolean): Promise<Buffer> {
  if (formatOutgoingMessage(message) !== shown) throw new Error("The message isn't the one that was shown.");
  const { from, to, cc, bcc, subject, body, attachments } = message;
  const composer = new MailComposer({
    from,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    text: body,
    attachments: attachments.map(({ name, bytes }) => ({
      filename: name,
      content: Buffer.from(bytes),
      contentDisposition: "attachment",
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const node = composer.compile();
  if (isDraft) Object.assign(node, { keepBcc: true });
  return node.build();
}
