import { setTimeout as pause } from "node:timers/promises";
import type { Index } from "@pinecone-database/pinecone";
import { isThisMachine } from "../../../core/base/http-message.ts";
import { isObject, tryJson } from "../../../core/base/json.ts";
import { displayText } from "../../../texts/display-text.ts";
import { MemoryError } from "../../store/memory-error.ts";
import type { SharedLogOptions } from "../shared-log.ts";
import { convertServerError, createSharedError, type TroublePatterns } from "./shared-errors.ts";

const ANSWER_MS = 25_000;
/** A hundred records of the largest vectors that rows may have are smaller. */
const MOST_BYTES = 32 * 1024 * 1024;
/** How often a busy server is asked again, and the longest pause before that. */
const RETRIES = 3;
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 5_000;
/** The domain of Pinecone's own hosts. No other host gets the key. */
const DOMAIN = ".pinecone.io";

/** An index whose facts were checked. */
export interface PineconeIndex {
  readonly records: Index;
  /** The length of all its vectors. */
  readonly dimension: number;
  /** Whether its scores are cosines. */
  readonly hasCosines: boolean;
}

/** Access to one namespace of an index, which is described at the first use and again after a failure. */
export class PineconeConnection {
  private readonly options: SharedLogOptions;
  private readonly address: PineconeAddress;
  private readonly namespace: string;
  private readonly closing = new AbortController();
  /** The origins that requests may go to. */
  private origins: readonly string[];
  private opened: Promise<PineconeIndex> | undefined;

  constructor(options: SharedLogOptions, namespace: string) {
    this.options = options;
    this.address = parsePineconeAddress(options.url);
    this.namespace = namespace;
    this.origins = [this.address.origin];
  }

  get isConnected(): boolean {
    return this.opened !== undefined;
  }

  /** Resolves with what `work` returns. Throws `MemoryError`; then the next use describes the index again. */
  async use<T>(work: (index: PineconeIndex) => Promise<T>): Promise<T> {
    try {
      this.closing.signal.throwIfAborted();
      this.opened ??= this.open();
      return await work(await this.opened);
    } catch (error) {
      this.opened = undefined;
      throw convertServerError(findCause(error), this.address.host, TROUBLES);
    }
  }

  close(): void {
    this.closing.abort(new Error("closed"));
  }

  private async open(): Promise<PineconeIndex> {
    const { Pinecone } = await import("@pinecone-database/pinecone");
    const { origin, index } = this.address;
    // The library can print what it's given. So it isn't given the key, which is added to each request below.
    const client = new Pinecone({ apiKey: "-", controllerHostUrl: origin, fetchApi: this.fetch, maxRetries: 0 });
    const { host, schema, status } = await client.describeIndex(index);
    const facts = findDenseVectors(schema);
    if (!facts) throw new Error(`the index ${index} isn't one of dense vectors`);
    if (!status.ready) throw new Error(`the index ${index} isn't ready yet`);
    const dataOrigin = checkIndexHost(this.address, String(host));
    this.origins = [origin, dataOrigin];
    return { ...facts, records: client.index({ host: dataOrigin, namespace: this.namespace }) };
  }

  /** Sends a request with the key, to known hosts only, and bounds the answer. Throws `RefusedRequest` if the server refuses. */
  private readonly fetch: typeof fetch = async (input, init) => {
    const { origin, host } = new URL(String(input));
    if (!this.origins.includes(origin)) throw new Error(`a request to ${host}, which isn't the server's`);
    const headers = new Headers(init?.headers);
    headers.set("Api-Key", checkKey(this.options.secret, this.address.host));
    for (let tries = 0; ; tries++) {
      const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(ANSWER_MS)]);
      const answer = await fetch(input, { ...init, headers, signal, redirect: "error" });
      const body = await readBody(answer);
      const { ok, status } = answer;
      if (ok) return new Response(body, { status, headers: { "content-type": "application/json" } });
      const isBusy = status === 429 || status >= 500;
      if (!isBusy || tries === RETRIES) throw new RefusedRequest(`${status}: ${readReason(body)}`);
      const pauseMs = FIRST_PAUSE_MS * 2 ** tries;
      const wantedMs = 1_000 * Number(answer.headers.get("retry-after") ?? 0) || 0;
      const ms = Math.min(LAST_PAUSE_MS, Math.max(pauseMs, wantedMs));
      await pause(ms, undefined, { ref: false, signal: this.closing.signal });
    }
  };
}

/** A status other than success, with the server's message. */
class RefusedRequest extends Error {}

async function readBody({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new RefusedRequest("an answer that is too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The message of a refusal, which is `{error: {message}}`, `{message}` or a text. */
function readReason(body: string): string {
  const answer = tryJson(body);
  if (!isObject(answer)) return body;
  return String((isObject(answer.error) ? answer.error.message : answer.message) ?? body);
}

/** An invalid key isn't given to the network library, whose error would contain it. */
function checkKey(secret: string | undefined, host: string): string {
  if (secret !== undefined && /^[\x21-\x7e]{1,500}$/.test(secret)) return secret;
  const reason = secret === undefined ? "there is no key" : "it isn't a key";
  throw createSharedError("refused", { host, reason, cause: undefined });
}

/** The only field with dense vectors; undefined for an index of sparse vectors or of documents. */
function findDenseVectors(schema: unknown): Pick<PineconeIndex, "dimension" | "hasCosines"> | undefined {
  const fields = isObject(schema) && isObject(schema.fields) ? Object.values(schema.fields).filter(isObject) : [];
  const [field, ...others] = fields.filter(({ type }) => type === "dense_vector");
  const dimension = Number(field?.dimension);
  if (others.length > 0 || !Number.isInteger(dimension) || dimension < 1 || dimension > MOST_NUMBERS) return undefined;
  return { dimension, hasCosines: field?.metric === "cosine" };
}

/** The largest dimension that Pinecone allows. */
const MOST_NUMBERS = 20_000;

/** The parts of an address. */
interface PineconeAddress {
  readonly host: string;
  readonly origin: string;
  readonly index: string;
}

/** Parses `https://api.pinecone.io/index`. Throws `MemoryError`. */
function parsePineconeAddress(text: string): PineconeAddress {
  const url = URL.parse(text.trim());
  const index = url?.pathname.slice(1) ?? "";
  if (url && url.password !== "") throw new MemoryError(displayText("trouble.sharedUrlSecret"));
  const host = url?.hostname.replace(/^\[|\]$/g, "") ?? "";
  const isKnown = isThisMachine(host) || host.endsWith(DOMAIN);
  const isPlain = url?.username === "" && url.search === "" && url.hash === "";
  if (!url || !isKnown || !isPlain || !/^https?:$/.test(url.protocol) || !/^[a-z0-9-]{1,45}$/.test(index))
    throw new MemoryError(displayText("trouble.sharedUrl", { example: "https://api.pinecone.io/index" }));
  if (url.protocol === "http:" && !isThisMachine(host))
    throw new MemoryError(displayText("trouble.sharedNotEncryptedBy", { host, prefix: "https://" }));
  return { host, origin: url.origin, index };
}

/** The origin of an index, as the server names it. Throws if it's none of the server's hosts: the key would go there. */
function checkIndexHost({ host, origin }: PineconeAddress, named: string): string {
  const { protocol } = new URL(origin);
  const url = URL.parse(/^https?:\/\//.test(named) ? named : `${protocol}//${named}`);
  const isLocal = isThisMachine(host);
  const isOurs = url && (isLocal ? isThisMachine(url.hostname) : isPineconeOrigin(url));
  if (!isOurs) throw new Error(`it names another host for its index, ${named}`);
  return url.origin;
}

function isPineconeOrigin({ protocol, hostname, port, username }: URL): boolean {
  return protocol === "https:" && hostname.endsWith(DOMAIN) && port === "" && username === "";
}

/** The reason behind the library's errors, which replace the server's message with advice of their own. */
function findCause(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth++) {
    if (cause instanceof RefusedRequest || cause instanceof MemoryError || cause.cause === undefined) return cause;
    ({ cause } = cause);
  }
  return error;
}

const MOST_CAUSES = 8;

const TROUBLES: TroublePatterns = [
  [/^401\b/, "refused"],
  [/^40[23]\b.*\b(?:storage|quota|limit|plan|billing)/is, "full"],
  [/^429\b.*\b(?:month|upgrade|plan)\b/is, "full"],
  [/^402\b/, "full"],
  [/^403\b/, "rights"],
  [/^404\b/, "missing"],
];
