import { assertNever, getErrorMessage } from "../../../core/base/errors.ts";
import { type DisplayText, displayText } from "../../../texts/display-text.ts";
import { MemoryError } from "../../store/memory-error.ts";

/** The reason why a server can't be used. */
export type SharedTrouble = "refused" | "missing" | "rights" | "readOnly" | "full" | "other";

/** Facts about an error of a server. */
interface TroubleFacts {
  readonly host: string;
  /** The server's or the system's own message. */
  readonly reason: string;
  readonly cause: unknown;
}

const REASON_CHARS = 200;

/** The limit for a server's answers. A page of the largest allowed rows is smaller. */
export const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

/** Converts a server's error to a sentence that says what to do. */
export function createSharedError(trouble: SharedTrouble, { host, reason, cause }: TroubleFacts): MemoryError {
  return new MemoryError(describeTrouble(trouble, host, reason.slice(0, REASON_CHARS)), { cause });
}

function describeTrouble(trouble: SharedTrouble, host: string, reason: string): DisplayText {
  switch (trouble) {
    case "refused":
      return displayText("trouble.sharedRefused", { host, reason });
    case "missing":
      return displayText("trouble.sharedMissing", { host, reason });
    case "rights":
      return displayText("trouble.sharedRights", { host, reason });
    case "readOnly":
      return displayText("trouble.sharedReadOnly", { host });
    case "full":
      return displayText("trouble.sharedFull", { host, reason });
    case "other":
      return /certificate|self.signed|SSL|TLS/i.test(reason)
        ? displayText("trouble.sharedCertificate", { host, reason })
        : displayText("trouble.sharedUnreachable", { host, reason });
    default:
      return assertNever(trouble);
  }
}

/** Patterns of reasons that have a message of their own, in the order in which they're tried. */
export type TroublePatterns = readonly (readonly [RegExp, SharedTrouble])[];

/** Converts anything that was thrown while a server was used to a sentence. */
export function convertServerError(error: unknown, host: string, patterns: TroublePatterns): MemoryError {
  if (error instanceof MemoryError) return error;
  const reason = getErrorMessage(error);
  const trouble = patterns.find(([pattern]) => pattern.test(reason))?.[1] ?? "other";
  return createSharedError(trouble, { host, reason, cause: error });
}
