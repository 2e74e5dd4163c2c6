import { type Complaint, complaintOf } from "./error-answer.ts";
import { retryAfterMs } from "./retry-after.ts";

/** What a server said instead of a reply. */
export interface ServerTrouble {
  /** Undefined when it was said in the middle of a good answer. */
  readonly status: number | undefined;
  readonly complaint: Complaint;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs: number | undefined;
}

/** A complaint that stood in a stream where a piece of the reply was expected. */
export class ComplaintInStream extends Error {
  override readonly name = "ComplaintInStream";
  readonly complaint: Complaint;
  constructor(complaint: Complaint) {
    super(complaint.message);
    this.complaint = complaint;
  }
}

/** Reads the official client's error; undefined when no server said anything (a connection that failed, a bug). */
export function serverTrouble(error: unknown): ServerTrouble | undefined {
  if (error instanceof ComplaintInStream)
    return { status: undefined, complaint: error.complaint, retryAfterMs: undefined };
  if (!(error instanceof Error) || !("status" in error) || !("error" in error)) return undefined;
  const status = typeof error.status === "number" ? error.status : undefined;
  if (status === undefined && (error.error === undefined || error.error === null)) return undefined;
  const headers = "headers" in error && error.headers instanceof Headers ? error.headers : new Headers();
  return {
    status,
    complaint: complaintOf(error.error),
    retryAfterMs: retryAfterMs(headers, Date.now()),
  };
}
