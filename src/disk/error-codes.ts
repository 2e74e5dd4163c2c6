/** The code of a system error, such as `ENOSPC`; undefined for any other error. */
export function findErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** True for a system error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(findErrorCode(error) ?? "");
}

/** Returns a handler for failed calls of which such an error is the end without a result. It throws any other error. */
export function ignoreCodes(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, ...codes)) throw error;
    return undefined;
  };
}
