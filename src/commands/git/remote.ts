/** A repository on another machine. */
export interface Remote {
  readonly url: string;
  /** In lower case. */
  readonly host: string;
  /** What its folder would be called. */
  readonly name: string;
}

const USE_HTTPS = 'Give an address like "https://github.com/owner/name".';

/** Reads an address that git may fetch from, or says in a sentence why it may not. */
export function remoteOf(address: string): Remote | string {
  const given = address.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  if (/[\s\x00-\x1f\x7f]/.test(given)) return `The address holds white space. ${USE_HTTPS}`;
  const short = /^([\w.-]+)@([\w.-]+):(?!\/\/)(.+)$/.exec(given);
  if (short) return named(given, short[2] ?? "", short[3] ?? "");
  const url =
    URL.parse(given) ?? (/^[\w-]+(\.[\w-]+)+\/.+/.test(given) ? URL.parse(`https://${given}`) : null);
  if (!url || !["https:", "http:", "ssh:", "git:"].includes(url.protocol))
    return `Only https, http, ssh and git addresses are cloned. ${USE_HTTPS}`;
  if (url.password !== "" || (url.username !== "" && url.protocol !== "ssh:"))
    return "The address holds a name or a password, which would stay in the repository's settings. Leave it out; git asks the user's own credential helper.";
  if (url.hostname === "" || url.hostname.startsWith("-")) return `The address names no host. ${USE_HTTPS}`;
  return named(url.href, url.hostname, url.pathname);
}

function named(url: string, host: string, path: string): Remote | string {
  const name =
    path
      .replace(/\/+$/, "")
      .replace(/\.git$/, "")
      .split("/")
      .at(-1) ?? "";
  return /^[\w][\w. -]*$/.test(decoded(name)) && !host.startsWith("-")
    ? { url, host: host.toLowerCase(), name: decoded(name) }
    : `The address names no repository. ${USE_HTTPS}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
