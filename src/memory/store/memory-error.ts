import { errorMessage } from "../../core/base/errors.ts";
import { hasErrorCode } from "./durable-file.ts";

/** Memory that cannot be used, in whole or for this once; `message` is a sentence that says what to do. Nothing that was acknowledged is lost. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
}

/** What the disk refused, as a sentence. */
export function diskError(error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  return new MemoryError(sentence(error), { cause: error });
}

function sentence(error: unknown): string {
  if (hasErrorCode(error, "ENOSPC", "EDQUOT", "EFBIG"))
    return "The disk is full, so this was not remembered; what was remembered before is safe. Free some space.";
  if (hasErrorCode(error, "EACCES", "EPERM", "EROFS"))
    return "The memory folder may not be written, so this was not remembered. Check the rights of .autogpt/memory.";
  const reason = errorMessage(error);
  return `The memory folder could not be used (${reason}). What was remembered before is safe; reload the window to try again.`;
}
