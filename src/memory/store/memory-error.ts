import { getErrorMessage } from "../../core/base/errors.ts";
import { hasCode } from "../../disk/error-codes.ts";
import { DisplayError, type DisplayText, displayText } from "../../texts/display-text.ts";

/** The memory can't do what was asked; its text says what to do. Acknowledged memories are never lost. */
export class MemoryError extends DisplayError {
  override readonly name = "MemoryError";
}

/** Another window writes, or this one has stopped writing. */
export function createOvertakenError(): MemoryError {
  return new MemoryError(displayText("trouble.memoryOvertaken"));
}

/** Converts a disk error to a sentence. */
export function convertToDiskError(error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  return new MemoryError(describeDiskError(error), { cause: error });
}

/** Whether an error means that this program isn't allowed to write there. */
export function isNotWritable(error: unknown): boolean {
  return hasCode(error, "EACCES", "EPERM", "EROFS");
}

function describeDiskError(error: unknown): DisplayText {
  if (hasCode(error, "ENOSPC", "EDQUOT", "EFBIG")) return displayText("trouble.memoryDiskFull");
  if (isNotWritable(error)) return displayText("trouble.memoryNotWritable");
  const reason = getErrorMessage(error);
  return displayText("trouble.memoryUnusable", { reason });
}
