import { isThisMachine } from "../../core/base/http-message.ts";
import { fail } from "../../texts/display-text.ts";

/** A Temporal server, by an address such as `temporal://host:7233/namespace`. */
export interface TemporalAddress {
  readonly host: string;
  readonly namespace: string;
  readonly isLocal: boolean;
}

/** True for a place that is a fleet on Temporal, not a single machine. */
export function isTemporalPlace(place: string): boolean {
  return place.startsWith("temporal://");
}

/** Reads an address. Throws a sentence for any other text. */
export function parseTemporalAddress(text: string): TemporalAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [, part = "", ...more] = url?.pathname.split("/") ?? [];
  const namespace = decodePart(part);
  const isPlain =
    url?.protocol === "temporal:" && `${url.username}${url.search}${url.hash}` === "" && more.length === 0;
  if (!isPlain || url.hostname === "" || namespace === undefined) return fail("temporal.badAddress", { text });
  return {
    host: `${url.hostname}:${url.port || 7233}`,
    namespace: namespace || "default",
    isLocal: isThisMachine(url.hostname.replace(/^\[|\]$/g, "")),
  };
}

/** The address of a repository over HTTP without a user and a password, which are this machine's own. */
export function removeUser(address: string): string {
  return address.replace(/^(https?:\/\/)[^@/]*@/i, "$1");
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
