import { isObject, type Json, tryJson } from "../../core/base/json.ts";
import { omitUndefined } from "../../core/base/objects.ts";
import { listBodyFields, resetMs, waitInBody, waitMs } from "./asked-wait.ts";
import { toAmount, toListOrEmpty, toObjectOrEmpty, toTextOrEmpty } from "./json.ts";

/** A server's explanation of an error, in one shape for all servers. */
export interface Complaint {
  readonly message: string;
  readonly code: string;
  readonly type: string;
  /** The request field that the complaint is about, or "". */
  readonly param: string;
  /** The status that a gateway gives as a number if it had already sent another. */
  readonly status?: number;
  /** The size of the model's window in tokens, if a separate field reports it. */
  readonly window?: number;
  /** The reply that the server couldn't parse, if a separate field contains it. */
  readonly generation?: string;
  /** The wait that it asks for, in milliseconds. */
  readonly waitMs?: number;
}

/** `code` of responses that don't come from an API: a web page, or a redirect. */
export const WEB_PAGE = "web_page";
export const MOVED = "moved";

const MAX_TEXT = 20_000;

/** Converts an error response to the only shape that the official client reads, `{"error": {...}}`. */
export async function normalizeErrorResponse(response: Response): Promise<Response> {
  const location = response.headers.get("location");
  const complaint =
    response.status < 400
      ? { message: location ?? "", code: MOVED, type: "", param: "" }
      : parseComplaint((await response.text()).slice(0, MAX_TEXT));
  if (response.status < 400) await response.body?.cancel();
  return createComplaintResponse(Math.max(response.status, 300), complaint, response.headers);
}

/** A response with a complaint and the original headers that matter for an error. */
export function createComplaintResponse(status: number, complaint: Complaint, original: Headers): Response {
  const headers = new Headers({ "content-type": "application/json" });
  for (const [name, value] of original)
    if (/^(date|x-request-id)$|retry-after|rate-?limit/.test(name)) headers.set(name, value);
  return new Response(JSON.stringify({ error: complaint }), { status, headers });
}

/** Reads a complaint from an error's body: JSON in any of the usual shapes, plain text, or a web page. */
export function parseComplaint(body: string): Complaint {
  const json = tryJson(body);
  if (json !== undefined) return readComplaint(json);
  return /^\s*</.test(body) ? { ...NOTHING, code: WEB_PAGE } : readComplaint(body.trim());
}

const NOTHING: Complaint = { message: "", code: "", type: "", param: "" };

/** `{error: {...}}`, `{error: "..."}`, `{message: ...}`, `{detail: ...}`, or a list of any of these. */
export function readComplaint(value: unknown): Complaint {
  const waitMs = toAmount(toObjectOrEmpty(value).waitMs) ?? waitInBody(value, Date.now());
  return { ...extractComplaint(value), ...omitUndefined({ waitMs }) };
}

function extractComplaint(value: unknown): Complaint {
  if (Array.isArray(value)) return extractComplaint(value[0]);
  if (typeof value === "string") return { ...NOTHING, message: value };
  const object = toObjectOrEmpty(value);
  if (isObject(object.error) || typeof object.error === "string") return extractComplaint(object.error);
  const window = toAmount(object.n_ctx ?? object.window);
  const generation = toTextOrEmpty(object.failed_generation ?? object.generation);
  const { message, code, type, param } = readProviderReason(object);
  return {
    message: [readMessage(object), message].filter((part) => part !== "").join(": "),
    code: readName(object.code) || readName(object.status) || code,
    type: readName(object.type) || type,
    param: readName(object.param) || param,
    ...(isStatus(object.code) ? { status: object.code } : {}),
    ...(window ? { window } : {}),
    ...(generation ? { generation } : {}),
  };
}

function isStatus(code: unknown): code is number {
  return typeof code === "number" && code >= 400 && code < 600;
}

/** The provider's own message, which OpenRouter puts beside its "Provider returned error". */
function readProviderReason({ metadata }: Json): Complaint {
  const { raw } = toObjectOrEmpty(metadata);
  return raw === undefined ? NOTHING : extractComplaint(typeof raw === "string" ? (tryJson(raw) ?? raw) : raw);
}

function readMessage(object: Json): string {
  const said = object.message ?? object.detail;
  if (typeof said === "string") return said;
  const parts = toListOrEmpty(said).map((part) => {
    const { loc, msg } = toObjectOrEmpty(part);
    return [toListOrEmpty(loc).join("."), toTextOrEmpty(msg)].filter((piece) => piece !== "").join(": ");
  });
  if (parts.length > 0) return parts.join("; ");
  return said === undefined || said === null ? findOtherMessage(object) : JSON.stringify(said);
}

const NAMED_AS_MESSAGE = /(msg|message|errors?|reason|description|string|title)$/i;

/** The longest text of any field that is named like a message. */
function findOtherMessage(object: Json): string {
  const texts = listBodyFields(object).flatMap(([name, value]) =>
    NAMED_AS_MESSAGE.test(name) ? toTextOrEmpty(value) : [],
  );
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}

function readName(value: unknown): string {
  return typeof value === "number" ? "" : toTextOrEmpty(value);
}

/** A server's refusal. */
export interface ServerTrouble {
  /** Undefined if it came in a successful response. */
  readonly status: number | undefined;
  readonly complaint: Complaint;
  /** Delay that the server asks for. */
  readonly retryAfterMs: number | undefined;
}

/** A complaint in a stream instead of a piece of the reply. */
export class ComplaintInStream extends Error {
  override readonly name = "ComplaintInStream";
  readonly complaint: Complaint;
  constructor(complaint: Complaint) {
    super(complaint.message);
    this.complaint = complaint;
  }
}

/** The complaint about an answer from something other than the requested API: a server without it sends a page or a word. */
export function createForeignAnswerError(): ComplaintInStream {
  return new ComplaintInStream({ ...NOTHING, code: WEB_PAGE });
}

/** Reads the official client's error; undefined if no server responded (a failed connection, a bug). */
export function readServerTrouble(error: unknown): ServerTrouble | undefined {
  if (error instanceof ComplaintInStream)
    return { status: undefined, complaint: error.complaint, retryAfterMs: error.complaint.waitMs };
  if (!(error instanceof Error) || !("status" in error) || !("error" in error)) return undefined;
  const status = typeof error.status === "number" ? error.status : undefined;
  if (status === undefined && (error.error === undefined || error.error === null)) return undefined;
  const headers = "headers" in error && error.headers instanceof Headers ? error.headers : new Headers();
  const complaint = readComplaint(error.error);
  const readResetMs = (): number | undefined => (status === 429 ? resetMs(headers, Date.now()) : undefined);
  return {
    status,
    complaint,
    retryAfterMs: retryAfterMs(headers, Date.now()) ?? complaint.waitMs ?? readResetMs(),
  };
}

/** The delay that a server asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date. Gateways use other names. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const said = [...headers].filter(([name]) => /retry-after(-ms)?$/.test(name));
  const isExact = ([name]: readonly [string, string]): boolean => name.endsWith("-ms");
  // The server's clock counts, because ours may be wrong.
  const today = Date.parse(headers.get("date") ?? "");
  const clock = Number.isNaN(today) ? now : today;
  for (const [name, value] of [...said.filter(isExact), ...said.filter((one) => !isExact(one))]) {
    if (/^\s*0+(\.0+)?\s*$/.test(value)) return 0;
    // A header that is given twice arrives as a list.
    const numbers = /^[\d.]+(?:,\s*[\d.]+)+$/.test(value) ? value.split(",").map(Number) : undefined;
    const ms = waitMs(numbers ? Math.max(...numbers) : value, clock, isExact([name, value]) ? "ms" : "s");
    if (ms !== undefined) return ms;
    if (/^\s*[a-z]/i.test(value) && Date.parse(value) <= clock) return 0;
  }
  return undefined;
}
