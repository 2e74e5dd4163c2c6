import type { Problem } from "../../core/ports.ts";

/** The problems of `after` that `before` has not, wherever their lines have moved to; two alike count twice. */
export function newProblems(before: readonly Problem[], after: readonly Problem[]): readonly Problem[] {
  const known = new Map<string, number>();
  for (const problem of before) known.set(key(problem), (known.get(key(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    const left = known.get(key(problem)) ?? 0;
    known.set(key(problem), left - 1);
    return left <= 0;
  });
}

function key({ severity, source, message }: Problem): string {
  return JSON.stringify([severity, source, message]);
}
