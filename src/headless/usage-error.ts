/** A command line that asks for nothing that can be done; `message` says what is missing. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
