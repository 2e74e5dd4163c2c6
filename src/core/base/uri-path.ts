/** The parts of a URI path, none of them escaped. */
export interface UriParts {
  readonly scheme: string;
  readonly authority: string;
  /** Begins with `/`. */
  readonly path: string;
}

/** A Windows drive has only one letter, so no path on a disk matches. */
const URI_PATH = /^([a-z][a-z0-9+.-]+):(?:\/\/([^/]*))?(\/.*)$/is;

/**
 * True for the path of a file that isn't on this machine's disk: the unescaped text of its URI, such as
 * `vscode-vfs://github/owner/name/a b.txt`.
 */
export function isUriPath(path: string): boolean {
  return URI_PATH.test(path);
}

/** Takes a URI path apart; undefined for any other text. */
export function parseUriPath(path: string): UriParts | undefined {
  const [, scheme, authority = "", below] = URI_PATH.exec(path) ?? [];
  return scheme === undefined || below === undefined ? undefined : { scheme, authority, path: below };
}

/** Formats the canonical spelling of a URI path: without `.`, `..`, empty names, or a `/` at its end. */
export function formatUriPath({ scheme, authority, path }: UriParts): string {
  const names: string[] = [];
  for (const name of path.split("/"))
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  return `${scheme}:${authority === "" ? "" : `//${authority}`}/${names.join("/")}`;
}

/** Resolves a path relative to a URI path; the result may be outside of it. A complete URI path stays as it is. */
export function resolveUri(folder: string, path: string): string {
  const own = parseUriPath(path);
  if (own) return formatUriPath(own);
  const parts = parseUriPath(folder);
  if (!parts) throw new Error(`"${folder}" is not a URI path.`);
  return formatUriPath({ ...parts, path: path.startsWith("/") ? path : `${parts.path}/${path}` });
}

/** True for a folder itself and for everything below it. */
export function isAtOrBelowUri(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** The folder above a URI path; undefined for the topmost one. */
export function findUriFolder(path: string): string | undefined {
  const above = resolveUri(path, "..");
  return above === path ? undefined : above;
}

/** Decodes the escapes in a part of an address. A text with invalid ones stays as it is, since a name may contain a percent sign. */
export function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
