import { errorMessage } from "../../core/base/errors.ts";
/** Why a run's log can't be written, as a sentence that says what to do next. */
export function logProblem(error: unknown, path: string): string {
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return `The disk is full, so the run's log ${path} can't be written. Free some space to continue the run: nothing that was recorded is lost.`;
    case "EACCES":
    case "EPERM":
      return `You have no permission to write the run's log ${path}. Give yourself write permission to continue the run.`;
    case "EROFS":
      return `The run's log ${path} is on a read-only disk. Open the folder from another location, then start again.`;
    case "ELOOP":
      return `The run's log ${path} is a symbolic link, which isn't followed. Remove the link, then start again.`;
    case "EMFILE":
    case "ENFILE":
      return `Too many files are open, so the run's log ${path} can't be written. Close some programs to continue the run.`;
    default:
      return `The run's log ${path} can't be written (${errorMessage(error)}). Check that its folder exists and can be written to continue the run.`;
  }
}

/** The code of a system error, such as `ENOSPC`; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
