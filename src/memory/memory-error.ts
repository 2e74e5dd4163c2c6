/** Memory that cannot be used, in whole or for this once; `message` is a sentence that says what to do. Nothing that was acknowledged is lost. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
}
