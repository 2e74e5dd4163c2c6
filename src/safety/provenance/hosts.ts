import { UNKNOWN, type Word } from "../shell/reading.ts";
import { hasArgument, listCalls, type ProgramCall, type ShellScript } from "../shell/script.ts";

/** Hosts that a command line contacts. */
export interface OutgoingHosts {
  /** Hosts that the line names, in lower case. */
  readonly hosts: readonly string[];
  /** The line contacts a host that it doesn't name openly. */
  readonly isHidden: boolean;
  /** The line sends data to a host from a program's own settings. */
  readonly sends: boolean;
}

/** Hosts that a line contacts. */
export function findOutgoingHosts(script: ShellScript): OutgoingHosts {
  const hosts = new Set<string>();
  let isHidden = false;
  const calls = listCalls(script);
  const sends = calls.some((call) => hasArgument(call, call.program.sends));
  for (const [at, call] of calls.entries()) {
    const { contacts } = call.program;
    if (!contacts && at >= script.commands.length) continue;
    const words = call.args;
    const named = [...words, ...call.assignments].flatMap(listAddressHosts);
    for (const host of named) hosts.add(host);
    if (!contacts) continue;
    const bare = words.flatMap(listBareHosts);
    for (const host of bare) hosts.add(host);
    isHidden ||=
      words.some(({ text }) => text.includes(UNKNOWN) || HIDES_HOST.test(text)) ||
      words.some(({ text }, at) => IP_NUMBER.test(text) && !words[at - 1]?.text.startsWith("-")) ||
      (named.length === 0 && bare.length === 0 && !isHelp(call));
  }
  return { hosts: [...hosts], isHidden, sends };
}

/** Hosts in addresses with a scheme, and in `user@host:path`. If programs disagree on the end of the host, lists each possible host. */
function listAddressHosts({ text }: Word): readonly string[] {
  const found: string[] = [];
  for (const [, authority = ""] of text.matchAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/([^/\s]*)/gi))
    for (const end of [/[?#\\].*/s, /["'?#\\].*/s, /["'].*/s]) found.push(...readHost(authority.replace(end, "")));
  const remote = /^[\w.-]{1,64}@([\w.-]{1,255})(:|$)/.exec(text)?.[1];
  return remote === undefined ? found : [...found, remote.toLowerCase()];
}

/** The host of `user:password@host:port`. */
function readHost(authority: string): readonly string[] {
  const host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  const [plain = ""] = /^\[[\da-f:.]{2,60}\]|^[^:]{0,255}/.exec(host) ?? [];
  return plain === "" ? [] : [plain];
}

/** `example.com`, `example.com/path` and `10.0.0.1` as plain arguments, and hosts between colons, as in `--resolve=a.com:80:10.0.0.1`. */
function listBareHosts({ text }: Word): readonly string[] {
  const host = /^((?:[\w-]{1,63}\.){1,10}[a-z0-9-]{1,63}|localhost)(?::\d+)?(?:[/?#]|$)/i.exec(text)?.[1];
  const pieces = /[\s{}"'/]/.test(text) ? [] : text.split(/[:=,;]/).slice(1);
  const inner = pieces.filter((piece) => /^(?:[\w-]{1,63}\.){1,10}[a-z0-9-]{1,63}$/i.test(piece));
  return [...(host === undefined ? [] : [host]), ...inner].map((one) => one.toLowerCase());
}

/** Arguments that take a host from a file, and addresses that only some programs read as such. */
const HIDES_HOST = /^-K|^--(?:config|input-file)|^[a-z][a-z0-9+.-]{1,20}:(?:\/(?!\/)|\/{3}(?!\/)|\\)/i;
/** An address of the internet as one number. */
const IP_NUMBER = /^(?:0x[\da-f]{7,8}|\d{8,10})(?:[:/?#]|$)/i;

/** True when a program only shows its help or version. */
function isHelp({ texts, input }: ProgramCall): boolean {
  if (texts.length === 0) return input === undefined;
  return texts.every((text) => /^-{1,2}(version|help|V|h)$/.test(text));
}

const LONGEST_TEXT = 400_000;
/** Hosts that every text names: namespaces of formats, examples, this machine. */
const COMMON =
  /^(?:(?:www\.)?w3\.org|json-schema\.org|schema\.org|(?:www\.)?example\.(?:com|org|net)|localhost|127\.0\.0\.1|0\.0\.0\.0)$/;

/** Hosts in the addresses of a text, in lower case. */
export function listAddressedHosts(text: string): readonly string[] {
  const found = new Set<string>();
  const addresses =
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^/\s"'@<>]{0,200}@)?(\[[\da-f:.]{2,60}\]|[\w.-]{1,255})|\b[\w.-]{1,64}@((?:[\w-]{1,63}\.){1,10}[a-z]{2,24}):|(?<![\w./-])((?:[\w-]{1,63}\.){1,10}[a-z]{2,24})(?=\/[\w?#]|:\d{2,5}\b)|(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?![\w.])/gi;
  for (const [, address, remote, bare, number] of text.slice(0, LONGEST_TEXT).matchAll(addresses)) {
    const host = (address ?? remote ?? bare ?? number ?? "").toLowerCase().replace(/\.$/, "");
    if (/[.:]/.test(host) && !COMMON.test(host)) found.add(host);
  }
  return [...found];
}

/** The first of these hosts that a text names, as an address or by itself. */
export function findNamedHost(text: string, hosts: ReadonlySet<string>): string | undefined {
  if (hosts.size === 0) return undefined;
  for (const [name] of text.slice(0, LONGEST_TEXT).matchAll(/[\w-]+(?:\.[\w-]+)+|\[[\da-f:.]{2,60}\]/gi))
    if (hosts.has(name.toLowerCase())) return name.toLowerCase();
  return undefined;
}
