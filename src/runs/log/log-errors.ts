import { getErrorMessage } from "../../core/base/errors.ts";
import { findErrorCode } from "../../disk/error-codes.ts";
import { type DisplayText, displayText } from "../../texts/display-text.ts";

/** Why a run's log can't be written, as a sentence that says what to do next. */
export function explainLogProblem(error: unknown, path: string): DisplayText {
  switch (findErrorCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return displayText("trouble.logDiskFull", { path });
    case "EACCES":
    case "EPERM":
      return displayText("trouble.logNotPermitted", { path });
    case "EROFS":
      return displayText("trouble.logOnReadOnlyDisk", { path });
    case "ELOOP":
      return displayText("trouble.logIsLink", { path });
    case "EMFILE":
    case "ENFILE":
      return displayText("trouble.logTooManyFiles", { path });
    default:
      return displayText("trouble.logNotWritable", { path, error: getErrorMessage(error) });
  }
}
