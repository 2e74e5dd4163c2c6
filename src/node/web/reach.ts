import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { WebError } from "../../core/ports/services.ts";
import { isPublicAddress } from "./addresses.ts";

/** An IP address that was checked, and may be connected to. */
export interface Checked {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses that a name has now. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Says which addresses a host leads to, once, and refuses those of this machine and its network. Throws `WebError`. */
export type Reach = (url: URL) => Promise<readonly Checked[]>;

/** `allowHosts` gives the hosts that may be anywhere now: `localhost`, or `localhost:8080` for one port only. */
export function reach(allowHosts: () => readonly string[], resolve: Resolve = systemResolve): Reach {
  return async (url) => {
    const allowed = new Set(allowHosts().map((host) => host.trim().toLowerCase()));
    const host = bareHost(url);
    const addresses = isIP(host) ? [host] : await resolved(host, resolve);
    const isAllowed = [host, url.hostname, url.host, `${host}:${portOf(url)}`].some((name) =>
      allowed.has(name),
    );
    const stranger = isAllowed ? undefined : addresses.find((address) => !isPublicAddress(address));
    if (stranger !== undefined) throw new WebError(refusal(host, stranger));
    return addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  };
}

/** The host of an address without the brackets and the final dot that it may be written with. */
export function bareHost(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length > 0 && addresses.every((address) => isIP(address) !== 0)) return addresses;
  throw new WebError(
    `The name ${host} was not found. Check its spelling. If others are not found either, there is no network here: work without it, or tell the user.`,
  );
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

function refusal(host: string, address: string): string {
  const where = host === address ? host : `${host} (${address})`;
  return `${where} is not on the public internet but on this machine or in its network, so it is not asked. The user can allow it by adding "${host}" to autogpt.web.allowHosts.`;
}
