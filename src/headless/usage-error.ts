/** A command line that can't be carried out; `message` explains what is missing. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
