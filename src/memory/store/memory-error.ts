import { errorMessage } from "../../core/base/errors.ts";
import { DisplayError, type DisplayText, displayText } from "../../texts/display-text.ts";
import { hasErrorCode } from "./durable-file.ts";

/** The memory can't do what was asked; its text says what to do. Acknowledged memories are never lost. */
export class MemoryError extends DisplayError {
  override readonly name = "MemoryError";
}

/** A disk error as a sentence. */
export function diskError(error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  return new MemoryError(sentence(error), { cause: error });
}

function sentence(error: unknown): DisplayText {
  if (hasErrorCode(error, "ENOSPC", "EDQUOT", "EFBIG")) return displayText("trouble.memoryDiskFull");
  if (hasErrorCode(error, "EACCES", "EPERM", "EROFS")) return displayText("trouble.memoryNotWritable");
  const reason = errorMessage(error);
  return displayText("trouble.memoryUnusable", { reason });
}
