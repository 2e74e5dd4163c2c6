import { decodeEscapes } from "../../core/base/uri-path.ts";
import { sha256 } from "../../disk/sha256.ts";
import { SHARED_LIMITS } from "../../schema/formats.ts";
import type { Settings } from "../../schema/settings.ts";
import type { MemoryKind } from "../store/memory-item.ts";
import type { SharedLogName } from "./shared-logs.ts";
import { cleanSharedLine } from "./shared-rows.ts";

/** How much of a memory the user agrees to share. */
export type SharedAmount = "notes" | "all";

/** The kinds of memories that leave this machine: pages and files never do. */
export const SHARED_KINDS: Readonly<Record<SharedAmount, readonly MemoryKind[]>> = {
  notes: ["note"],
  all: ["note", "episode"],
};

/** A server, and the project on it with which a folder can share its memory. */
export interface SharingPlace {
  readonly backend: SharedLogName;
  readonly url: string;
  readonly project: string;
}

/**
 * Where the user's settings allow a folder's memory to be shared; undefined: nowhere. Without a name in the settings, the project is named
 * after the address of the repository's remote, which all members share.
 */
export function findSharingPlace(
  { backend, url, project }: Settings["memory"],
  remote: string | undefined,
): SharingPlace | undefined {
  if (backend === "local" || url.trim() === "") return undefined;
  const name = cleanSharedLine(project, SHARED_LIMITS.project) || (remote === undefined ? "" : getProjectName(remote));
  return name === "" ? undefined : { backend, url: url.trim(), project: name };
}

/** Converts `git@host:team/name.git` and `https://user:password@host/team/name` to `host/team/name`; "" for a folder. */
function getProjectName(remote: string): string {
  const short = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/)(.+)$/.exec(remote.trim());
  const url = short ? URL.parse(`ssh://${short[1]}/${short[2]}`) : URL.parse(remote.trim());
  if (!url || url.hostname === "" || !/^(?:https?|ssh|git):$/.test(url.protocol)) return "";
  const path = url.pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  return path === "" ? "" : cleanSharedLine(`${url.hostname.toLowerCase()}${path}`, SHARED_LIMITS.project);
}

/** A key for the agreement to share one folder with one project on one server. Another folder, project or server has another key. */
export function computeAgreementKey(folder: string, { backend, url, project }: SharingPlace): string {
  return sha256(JSON.stringify([folder, backend, url, project]));
}

/** The address under which a server's password is stored among the user's keys. */
export function getPasswordAddress({ backend, url }: Pick<Settings["memory"], "backend" | "url">): string {
  return `autogpt-memory://${sha256(JSON.stringify([backend, url.trim()])).slice(0, 32)}`;
}

/** Separates the password from an address as a hosting service shows it: a password is never kept in a setting. */
export function splitPassword(address: string): { readonly url: string; readonly secret: string } {
  const url = address.trim();
  const [, before = "", after = ""] = /^([a-z][a-z+.-]*:\/\/[^/?#@:[]*):(.*)$/is.exec(url) ?? [];
  const end = findPasswordEnd(after);
  if (end < 0) return { url, secret: "" };
  return { url: before + after.slice(end), secret: decodeEscapes(after.slice(0, end)) };
}

/** The position of the `@` after a password, in the text after the first colon; -1 if that text is a port. */
function findPasswordEnd(text: string): number {
  const authority = /^[^/?#]*/.exec(text)?.[0] ?? "";
  if (authority.includes("@")) return authority.lastIndexOf("@");
  // A password may have these characters, but an address may also have an `@` in what it sets.
  const isPort = /^\d{0,5}(?:\/[^@?]*)?\?[^@]*=/.test(text);
  return isPort ? -1 : text.lastIndexOf("@");
}

/** A server's name for people: the name that an extension gives its store, or the one in the address. */
export function getServerLabel(
  { backend, url }: Pick<SharingPlace, "backend" | "url">,
  stores: ((id: string) => { readonly name: string } | undefined) | undefined,
): string {
  const name = getSharedServerName(url);
  const title = backend === "plugin" ? cleanSharedLine(stores?.(name)?.name ?? "", SHARED_LIMITS.author) : "";
  return title === "" ? name : title;
}

/** A server's name from its address, for people. An address without a scheme begins with a plugin store's ID, which is the name. */
export function getSharedServerName(address: string): string {
  const { url } = splitPassword(address);
  const store = /^([\w.-]{1,64}):(?!\/\/)/.exec(url)?.[1];
  if (store !== undefined) return store;
  // PostgreSQL's address may name another host than the one in its usual place.
  const given = /^postgres/i.test(url) ? URL.parse(url)?.searchParams.get("host") : undefined;
  if (given?.startsWith("/")) return "localhost";
  const host = given ?? /^[a-z][a-z+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url)?.[1];
  return cleanSharedLine(host === undefined || host === "" ? "localhost" : host, SHARED_LIMITS.author);
}
