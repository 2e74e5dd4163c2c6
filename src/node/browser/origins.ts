import { isIPv4 } from "node:net";
import { isThisMachine } from "../../core/base/http-message.ts";
import type { OriginKind } from "../../core/ports/browser.ts";
import { WebError } from "../../core/ports/services.ts";
import {
  type AddressCheck,
  getBareHost,
  getHostWithPort,
  isListedHost,
  isPublicAddress,
} from "../web/address-check.ts";
import { isSameSite } from "../web/get.ts";

/** Pages of the web, and those of this machine and its network, which have a context and a proxy of their own. */
export type PageRealm = "web" | "local";

/** True for an address of this machine alone, by its name: no resolver is asked. */
function isLoopback(url: URL): boolean {
  const host = getBareHost(url);
  return isThisMachine(host) || host.endsWith(".localhost");
}

/**
 * The origins that the user has allowed the browser in this run. A page of this machine or its network reaches only these, and no page of the
 * web reaches this machine or its network.
 */
export class BrowserOrigins {
  private readonly local = new Set<string>();
  private readonly web = new Map<string, URL>();
  private readonly allowHosts: () => readonly string[];
  private readonly checkAddress: AddressCheck;

  constructor(allowHosts: () => readonly string[], checkAddress: AddressCheck) {
    this.allowHosts = allowHosts;
    this.checkAddress = checkAddress;
  }

  /** Allows an address, whose page is about to be opened, and returns its realm. Throws `WebError` if it may not be reached. */
  async open(url: URL, signal: AbortSignal): Promise<PageRealm> {
    const isLocal = isLoopback(url) || this.isOfNetwork(url, await this.checkAddress(url));
    // After its end, a run must not start a browser that nothing closes.
    signal.throwIfAborted();
    if (isLocal) this.local.add(getHostWithPort(url));
    else this.web.set(url.origin, url);
    return isLocal ? "local" : "web";
  }

  /** At the end of the run, its approvals end, too. */
  forget(): void {
    this.local.clear();
    this.web.clear();
  }

  /** True for a host of this machine's network, which only the user's setting opens. */
  private isOfNetwork(url: URL, found: Awaited<ReturnType<AddressCheck>>): boolean {
    return isListedHost(url, this.allowHosts()) && !found.every(({ address }) => isPublicAddress(address));
  }

  judge(url: URL): OriginKind {
    if (!isLoopback(url)) return "web";
    if (this.local.has(getHostWithPort(url))) return "approved";
    // The user's own setting allows the address, so it's asked about as any other page.
    return isListedHost(url, this.allowHosts()) ? "web" : "local";
  }

  /** Whether a tab may show an address: an allowed origin of the same realm. */
  mayShow(url: URL, realm: PageRealm): boolean {
    const isLocal = this.local.has(getHostWithPort(url));
    if (realm === "local" || isLocal || isLoopback(url)) return realm === "local" && isLocal;
    return [...this.web.values()].some((allowed) => isOfSite(url, allowed));
  }

  /** Whether a frame within a page may show an address. In a page of this machine, no page of others runs. */
  mayFrame(url: URL, realm: PageRealm): boolean {
    return realm === "web" || this.local.has(getHostWithPort(url));
  }

  /** The check of each request that pages of a realm make. `refused` gets the addresses that no rule allows. */
  createCheck(realm: PageRealm, refused: (url: URL) => void): AddressCheck {
    return async (url) => {
      if (realm === "local" && isLoopback(url) && this.local.has(getHostWithPort(url))) return resolveLoopback(url);
      // An opened page of the web is none of them: it could be the one that asks for what it gets.
      if (realm === "local" && isListedHost(url, this.allowHosts())) return this.checkAddress(url);
      const found = realm === "web" && !isLoopback(url) ? await this.checkAddress(url) : undefined;
      if (found && !this.isOfNetwork(url, found)) return found;
      refused(url);
      throw new WebError(`${getHostWithPort(url)} isn't allowed for this page.`);
    };
  }
}

/** A page of the same site, and never with less protection. */
function isOfSite(url: URL, allowed: URL): boolean {
  if (allowed.protocol === "https:" && url.protocol !== "https:") return false;
  return (
    url.origin === allowed.origin || (url.port === allowed.port && isSameSite(getBareHost(url), getBareHost(allowed)))
  );
}

/** The addresses of a name that means this machine, whatever a resolver says. */
function resolveLoopback(url: URL): Awaited<ReturnType<AddressCheck>> {
  const host = getBareHost(url);
  if (isIPv4(host)) return [{ address: host, family: 4 }];
  const six = { address: "::1", family: 6 } as const;
  return host === "::1" ? [six] : [{ address: "127.0.0.1", family: 4 }, six];
}
