import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { WebError } from "../../core/ports/services.ts";
import { findErrorCode } from "../../disk/error-codes.ts";
import { displayText } from "../../texts/display-text.ts";

/** IPv4 ranges outside the public internet, according to IANA's special-purpose registry. */
const SPECIAL_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Azure's own services inside a virtual machine.
  "168.63.129.16/32",
];

/** Special IPv6 ranges within the public part, 2000::/3. */
const SPECIAL_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const special4 = createBlockList(SPECIAL_4, "ipv4");
const special6 = createBlockList(SPECIAL_6, "ipv6");
const public6 = createBlockList(["2000::/3"], "ipv6");

/** True for an IP address of the public internet, in any notation; false for anything else. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, "ipv4");
  if (!isIPv6(address)) return false;
  const inner = findInnerIPv4(address);
  if (inner !== undefined) return !special4.check(inner, "ipv4");
  return public6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

/** The IPv4 address inside an IPv6 address: mapped (`::ffff:…`) or translated (`64:ff9b::…`). */
function findInnerIPv4(address: string): string | undefined {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, "")}]`);
  const hex = /^\[(?:::ffff:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(hostname);
  const [, high, low] = hex ?? [];
  if (high === undefined || low === undefined) return undefined;
  const number = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
}

function createBlockList(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** An IP address that was checked, so that connections to it are allowed. */
export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name to its current addresses. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Resolves a host once, and refuses addresses of this machine and its network. Throws `WebError`. */
export type AddressCheck = (url: URL) => Promise<readonly CheckedAddress[]>;

/** `allowHosts` returns hosts that are allowed at any address: `localhost`, or `localhost:8080` for one port only. */
export function createAddressCheck(
  allowHosts: () => readonly string[],
  resolve: ResolveHost = resolveBySystem,
): AddressCheck {
  return async (url) => {
    const host = getBareHost(url);
    const addresses = isIP(host) ? [host] : await resolveAddresses(host, resolve);
    const stranger = isListedHost(url, allowHosts())
      ? undefined
      : addresses.find((address) => !isPublicAddress(address));
    if (stranger !== undefined) throw new WebError(explainRefusal(host, stranger));
    return addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  };
}

/** True if a list names the host of an address, alone or with its port. */
export function isListedHost(url: URL, hosts: readonly string[]): boolean {
  const listed = new Set(hosts.map((host) => host.trim().toLowerCase()));
  return [getBareHost(url), url.hostname, url.host, getHostWithPort(url)].some((name) => listed.has(name));
}

/** The host and the port of an address, which many origins share only with another protocol. */
export function getHostWithPort(url: URL): string {
  return `${getBareHost(url)}:${url.port || (url.protocol === "https:" || url.protocol === "wss:" ? "443" : "80")}`;
}

/** The host of an address without brackets and a final dot. */
export function getBareHost(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function resolveAddresses(host: string, resolve: ResolveHost): Promise<readonly string[]> {
  let isOffline = false;
  const addresses = await resolve(host).catch((error: unknown) => {
    isOffline = findErrorCode(error) === "EAI_AGAIN";
    return [];
  });
  if (addresses.length > 0 && addresses.every((address) => isIP(address) !== 0)) return addresses;
  throw new WebError(
    `The name ${host} was not found. Check its spelling. If others are not found either, there is no network here: work without it, or tell the user.`,
    { shown: displayText(isOffline ? "results.offline" : "results.hostNotFound", { host }) },
  );
}

function explainRefusal(host: string, address: string): string {
  const where = host === address ? host : `${host} (${address})`;
  return `${where} is not on the public internet but on this machine or in its network, so it is not asked. The user can allow it by adding "${host}" to autogpt.web.allowHosts.`;
}
