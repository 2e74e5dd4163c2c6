import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AddressInfo, Server } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A message that an SMTP server got. */
interface DeliveredMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

/** A real SMTP server on this machine. */
export interface SmtpPlace {
  readonly port: number;
  readonly delivered: DeliveredMail[];
}

/** Messages by folder; each is its source, which gets the next id. */
type Folders = Readonly<Record<string, readonly { readonly raw: string; readonly flags?: readonly string[] }[]>>;

/** A real IMAP server on this machine. */
export interface ImapPlace {
  readonly port: number;
  /** The flags of the messages in the inbox. */
  flags(): readonly (readonly string[])[];
  /** The messages in a folder, as they were given to it. */
  sources(folder: string): readonly string[];
}

interface Hoodiecrow {
  readonly server: Server;
  listen(port: number, host: string, ready: () => void): void;
  close(done: () => void): void;
  getMailbox(path: string): {
    readonly messages: readonly { readonly flags: readonly string[]; readonly raw: string }[];
  };
}

const hoodiecrow: (options: object) => Hoodiecrow = createRequire(import.meta.url)("hoodiecrow-imap");

export const PASSWORD = "testpass";

/** Makes mail servers for the tests around it, and closes them after each. */
export function mailServers(): {
  smtp(options?: SMTPServerOptions): Promise<SmtpPlace>;
  imap(folders: Folders, plugins?: readonly string[]): Promise<ImapPlace>;
} {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  return {
    async smtp(options = {}) {
      const delivered: DeliveredMail[] = [];
      const pem = await readFile(new URL("../fixtures/self-signed.pem", import.meta.url));
      const server = new SMTPServer({
        key: pem,
        cert: pem,
        onAuth: ({ username, password }, _session, done) =>
          password === PASSWORD ? done(null, { user: username ?? "" }) : done(new Error("Wrong password")),
        async onData(stream, { envelope }, done) {
          const raw = Buffer.concat(await stream.toArray()).toString();
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
          delivered.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
          done();
        },
        ...options,
      });
      server.on("error", () => undefined);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      closing.push(() => new Promise((resolve) => server.close(() => resolve())));
      return { port: (server.server.address() as AddressInfo).port, delivered };
    },
    async imap(folders, plugins = ["STARTTLS", "ID", "LITERALPLUS"]) {
      const { INBOX = [], ...others } = folders;
      const storage = {
        INBOX: { messages: INBOX },
        "": {
          separator: "/",
          folders: Object.fromEntries(Object.entries(others).map(([name, messages]) => [name, { messages }])),
        },
      };
      const server = hoodiecrow({ plugins, storage });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      closing.push(() => new Promise((resolve) => server.close(resolve)));
      return {
        port: (server.server.address() as AddressInfo).port,
        sources: (folder) => server.getMailbox(folder).messages.map(({ raw }) => raw),
        flags: () => server.getMailbox("INBOX").messages.map(({ flags }) => flags),
      };
    },
  };
}
