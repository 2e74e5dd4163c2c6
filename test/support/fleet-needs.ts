import type { Context } from "mocha";
import { findWalls } from "../../src/isolation/walls/find-walls.ts";
import { writeInEnglish } from "../../src/texts/display-text.ts";

/** Why runs can't be isolated here, as a sentence; undefined if they can. */
export async function explainNoWalls(): Promise<string | undefined> {
  const walls = await findWalls("auto");
  return walls.engine === "none" ? writeInEnglish(walls.why) : undefined;
}

/** Skips tests that lack something here, and says what. In CI that is an error: a job that has tested nothing mustn't pass. */
export function skipIfLacking(tests: Context, ...lacks: readonly (string | undefined)[]): void {
  const why = lacks.find((lack) => lack !== undefined);
  if (why === undefined) return;
  if (process.env.CI) throw new Error(`CI has to run these tests. ${why}`);
  process.stderr.write(`Tests are skipped. ${why}\n`);
  tests.skip();
}
