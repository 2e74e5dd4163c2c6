import { errorMessage } from "../../core/base/errors.ts";
import { hasErrorCode } from "./durable-file.ts";

/** The memory can't do what was asked; `message` is a sentence that says what to do. Acknowledged memories are never lost. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
}

/** A disk error as a sentence. */
export function diskError(error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  return new MemoryError(sentence(error), { cause: error });
}

function sentence(error: unknown): string {
  if (hasErrorCode(error, "ENOSPC", "EDQUOT", "EFBIG"))
    return "The disk is full, so this wasn't remembered; earlier memories are safe. Free some space.";
  if (hasErrorCode(error, "EACCES", "EPERM", "EROFS"))
    return "The memory folder can't be written, so this wasn't remembered. Check the permissions of .autogpt/memory.";
  const reason = errorMessage(error);
  return `The memory folder couldn't be used (${reason}). Earlier memories are safe; reload the window to try again.`;
}
