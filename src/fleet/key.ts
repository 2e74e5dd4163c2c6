import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { ignoreCodes } from "../disk/error-codes.ts";
import { readLinkedText } from "../disk/plain-file.ts";
import { replaceFile } from "../disk/replace-file.ts";
import type { Seal } from "../runs/log/log-seal.ts";
import { deriveFleetKey, FLEET_KEY_FILE, formatFleetKey, parseFleetKey } from "../runs/store/fleet-marks.ts";
import { fail } from "../texts/display-text.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_LENGTH = 16;

/** The key that the machines of one user or a team share. Each purpose has a key of its own, so nothing counts for another purpose. */
export interface FleetKey {
  /** Names the key without revealing it. */
  readonly id: string;
  derive(purpose: string): Buffer;
  createSeal(purpose: string): Seal;
  /** The same bytes for the same purpose give the same result, so that git stores them once. */
  encrypt(purpose: string, bytes: Buffer): Buffer;
  /** Throws a sentence for bytes of another key or purpose, and for damaged ones. */
  decrypt(purpose: string, bytes: Buffer): Buffer;
}

/** The key in the user's folder; undefined if there is none. Throws a sentence if it's damaged. */
export async function loadFleetKey(data: string): Promise<FleetKey | undefined> {
  const text = await readKeyText(data);
  return text === undefined
    ? undefined
    : openKey(parseFleetKey(text) ?? fail("fleet.keyDamaged", { path: join(data, FLEET_KEY_FILE) }));
}

/** Makes a new key. Throws a sentence if there is one, because runs would be lost with it. */
export function createFleetKey(data: string): Promise<FleetKey> {
  return storeKey(data, randomBytes(32));
}

/** Stores a key in its text form. The same key again changes nothing. Throws a sentence for another text, and if there is another key. */
export async function importFleetKey(data: string, text: string): Promise<FleetKey> {
  const secret = parseFleetKey(text) ?? fail("fleet.noKeyText");
  const known = await readKeyText(data);
  return known !== undefined && parseFleetKey(known)?.equals(secret) ? openKey(secret) : storeKey(data, secret);
}

/** The key in its text form. Throws a sentence if there is none. */
export async function exportFleetKey(data: string): Promise<string> {
  const text = (await readKeyText(data)) ?? fail("fleet.noKey");
  const secret = parseFleetKey(text) ?? fail("fleet.keyDamaged", { path: join(data, FLEET_KEY_FILE) });
  return formatFleetKey(secret);
}

async function readKeyText(data: string): Promise<string | undefined> {
  const path = join(data, FLEET_KEY_FILE);
  // It may have come here as a copy that others can read. Where nothing can be changed, as in an image, that's up to its owner.
  const mode = process.platform === "win32" ? 0 : ((await stat(path).catch(() => undefined))?.mode ?? 0);
  if ((mode & 0o077) !== 0) await chmod(path, 0o600).catch(() => undefined);
  return readLinkedText(path).catch(ignoreCodes("ENOENT"));
}

async function storeKey(data: string, secret: Buffer): Promise<FleetKey> {
  const path = join(data, FLEET_KEY_FILE);
  if ((await readKeyText(data)) !== undefined) fail("fleet.keyExists", { path });
  await replaceFile(path, `${formatFleetKey(secret)}\n`, {
    private: true,
    makeFolder: true,
    durable: true,
    keepFirst: true,
  });
  const key = (await loadFleetKey(data)) ?? fail("fleet.noKey");
  return key.id === openKey(secret).id ? key : fail("fleet.keyExists", { path });
}

function openKey(secret: Buffer): FleetKey {
  const derive = (purpose: string): Buffer => deriveFleetKey(secret, purpose);
  const hash = (purpose: string, content: string | Buffer): Buffer =>
    createHmac("sha256", derive(purpose)).update(content).digest();
  return {
    id: derive("id").toString("hex").slice(0, ID_LENGTH),
    derive,
    createSeal: (purpose) => (text) => hash(`seal of ${purpose}`, text).toString("hex"),
    encrypt: (purpose, bytes) => {
      const nonce = hash(`nonce of ${purpose}`, bytes).subarray(0, NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", derive(`bytes of ${purpose}`), nonce);
      const content = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), content]);
    },
    decrypt: (purpose, bytes) => {
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const options = { authTagLength: TAG_BYTES };
        const decipher = createDecipheriv("aes-256-gcm", derive(`bytes of ${purpose}`), nonce, options);
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        return fail("fleet.notDecrypted");
      }
    },
  };
}
