import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isObject, tryJson } from "../../core/base/json.ts";
import { isAtOrBelow } from "../../disk/below.ts";
import { expandHomePath } from "../../disk/home-path.ts";
import { openFile, readBounded, readFileText } from "../../disk/plain-file.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import { sha256 } from "../../disk/sha256.ts";
import { resolveRealPath } from "../../node/files/real-path.ts";
import { createAddressCheck } from "../../node/web/address-check.ts";
import { createGetter } from "../../node/web/get.ts";

/** A description of an API: its documents, by address. The first one is the description itself. */
export interface ApiDocuments {
  readonly root: string;
  readonly texts: ReadonlyMap<string, string>;
  /** Addresses of referenced documents that aren't read because they're elsewhere. */
  readonly refused: readonly string[];
}

/** Reads one document at an `http:`, `https:` or `file:` address. Throws a sentence. */
export type ReadDocument = (address: URL, most: number) => Promise<string>;

/** Reads a description and all documents it refers to in the same origin or folder. Throws a sentence. */
export type ReadDocuments = (address: URL, read: ReadDocument) => Promise<ApiDocuments>;

/** The place from which descriptions are read. */
export interface DescriptionPlace {
  /** The base folder for relative paths. */
  readonly folder: string;
  /** See `web.allowHosts`. */
  readonly allowHosts: readonly string[];
}

/** A description fetched within this time isn't fetched again. */
const FRESH_MS = 10 * 60_000;
/** The longest time that a run's start waits for a server. */
const WAIT_MS = 3_000;
const FETCH_SECONDS = 30;

interface Fetched {
  readonly at: number;
  readonly documents: Promise<ApiDocuments>;
}

/** Descriptions of APIs. Those from the web are stored in a user folder, so that an unavailable server changes nothing. */
export class StoredDescriptions {
  private readonly folder: string;
  private readonly readDocuments: ReadDocuments;
  private readonly fetched = new Map<string, Fetched>();

  constructor(folder: string, readDocuments: ReadDocuments) {
    this.folder = folder;
    this.readDocuments = readDocuments;
  }

  /** The description at an address or a path, as recent as possible. Throws a sentence. */
  async read(from: string, place: DescriptionPlace): Promise<ApiDocuments> {
    if (!/^https?:\/\//i.test(from)) return this.readDocuments(...(await openDescriptionFile(from, place)));
    const fetching = this.fetch(from, place);
    const stored = await this.loadStoredDocuments(from);
    const late = setTimeout(WAIT_MS, undefined, { ref: false });
    const first = await Promise.race([fetching, late]).catch((error: unknown) => {
      if (!stored) throw error;
    });
    if (first ?? stored) return first ?? stored ?? fetching;
    throw new Error(`${from} hasn't answered yet. It's fetched in the background; try again later.`);
  }

  private fetch(from: string, place: DescriptionPlace): Promise<ApiDocuments> {
    const known = this.fetched.get(from);
    if (known && Date.now() - known.at < FRESH_MS) return known.documents;
    const documents = this.readDocuments(new URL(from), createWebReader(place)).then(async (read) => {
      await this.store(from, read);
      return read;
    });
    this.fetched.set(from, { at: Date.now(), documents });
    documents.catch(() => this.fetched.delete(from));
    return documents;
  }

  private getStoredPath(from: string): string {
    return join(this.folder, `${sha256(from)}.json`);
  }

  private async loadStoredDocuments(from: string): Promise<ApiDocuments | undefined> {
    const value = tryJson(await readFileText(this.getStoredPath(from)).catch(() => ""));
    if (!isObject(value) || typeof value.root !== "string" || !Array.isArray(value.texts)) return undefined;
    const texts = new Map(value.texts.map(([address, text]) => [String(address), String(text)]));
    return {
      root: value.root,
      texts,
      refused: Array.isArray(value.refused) ? value.refused.map(String) : [],
    };
  }

  private async store(from: string, { root, texts, refused }: ApiDocuments): Promise<void> {
    const text = JSON.stringify({ root, texts: [...texts], refused });
    const options = { private: true, makeFolder: true };
    // Without a copy, it's fetched again next time.
    await replaceFile(this.getStoredPath(from), text, options).catch(() => undefined);
  }
}

function createWebReader({ allowHosts }: DescriptionPlace): ReadDocument {
  const get = createGetter(createAddressCheck(() => allowHosts));
  const { signal } = new AbortController();
  return async (address, most) => {
    const accept = "application/json, application/yaml, */*;q=0.5";
    const { status, url, body } = await get(address, { signal, most, seconds: FETCH_SECONDS, accept });
    if (status !== 200) throw new Error(`${address.href} answered ${status} instead of a description.`);
    if (url.origin !== address.origin)
      throw new Error(`${address.href} leads to ${url.href}. Put that address into the settings instead.`);
    if (body.isCut) throw createTooLongError(address.href);
    return body.bytes.toString("utf8");
  };
}

async function openDescriptionFile(from: string, { folder }: DescriptionPlace): Promise<[URL, ReadDocument]> {
  const path = await resolveRealPath(resolve(folder, expandHomePath(from)));
  const home = dirname(path);
  const read: ReadDocument = async (address, most) => {
    const real = await resolveRealPath(fileURLToPath(address));
    if (!isAtOrBelow(real, home)) throw new Error(`${address.href} leads out of ${home}.`);
    await using file = await openFile(real).catch(() => {
      throw new Error(`There is no description at ${real}.`);
    });
    if ((await file.stat()).size > most) throw createTooLongError(real);
    return (await readBounded(file, most)).toString("utf8");
  };
  return [pathToFileURL(path), read];
}

function createTooLongError(place: string): Error {
  return new Error(`${place} is too long: a description has 20 MB at most, with all that it refers to.`);
}
