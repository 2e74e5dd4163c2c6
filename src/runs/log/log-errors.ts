import { errorMessage } from "../../core/base/errors.ts";
/** What keeps a run's log from being written, as a sentence that says what to do next. */
export function logProblem(error: unknown, path: string): string {
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return `The disk is full, so the run's log ${path} cannot be written. Free some space, and the run can go on: nothing that was recorded is lost.`;
    case "EACCES":
    case "EPERM":
      return `The run's log ${path} may not be written. Give yourself the right to write there, and the run can go on.`;
    case "EROFS":
      return `The run's log ${path} lies on a disk that cannot be written to. Open the folder from another place, then start again.`;
    case "ELOOP":
      return `The run's log ${path} is a symbolic link, which is not followed. Remove the link, then start again.`;
    case "EMFILE":
    case "ENFILE":
      return `Too many files are open, so the run's log ${path} cannot be written. Close some programs, and the run can go on.`;
    default:
      return `The run's log ${path} cannot be written (${errorMessage(error)}). See that the folder is there and can be written, and the run can go on.`;
  }
}

/** The code of a system error, as `ENOSPC`; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
