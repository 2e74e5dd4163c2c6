import { timingSafeEqual } from "node:crypto";
import { tryJson } from "../core/base/json.ts";
import { omitUndefined } from "../core/base/objects.ts";
import type { SealedText } from "../schema/fleet/decisions.ts";
import { isSealedText } from "../schema/host-validators.ts";
import type { FleetKey } from "./key.ts";
import { signWithSsh } from "./signatures.ts";

/** Longer ones from people aren't read. */
const LONGEST = 200_000;

/** A user on this machine. */
export interface FleetPerson {
  /** The user's own folder. */
  readonly data: string;
  readonly key: FleetKey;
}

/** Seals a value with the fleet's key. Whoever carries it can't change it, or use it for another purpose. */
export function sealValue(key: FleetKey, purpose: string, value: object): SealedText {
  const text = JSON.stringify(value);
  return { text, seal: key.createSeal(purpose)(text) };
}

/** Whether a text was sealed for a purpose. */
export function hasSeal(key: FleetKey, purpose: string, { text, seal }: SealedText): boolean {
  const right = key.createSeal(purpose)(text);
  return right.length === seal.length && timingSafeEqual(Buffer.from(right), Buffer.from(seal));
}

/** Seals what a person decides or says, and signs it with their SSH key if there is one. Throws a sentence. */
export async function writeSealedText({ data, key }: FleetPerson, purpose: string, value: object): Promise<string> {
  const sealed = sealValue(key, purpose, value);
  const signature = await signWithSsh(data, "decide", sealed.text);
  return JSON.stringify({ ...sealed, ...omitUndefined({ signature }) });
}

/** Reads such a text, whose seal isn't checked yet; undefined for any other text. */
export function readSealedText(text: string): SealedText | undefined {
  const sealed = text.length > LONGEST ? undefined : tryJson(text);
  return isSealedText(sealed) ? sealed : undefined;
}
