import { type Prepared, prepared } from "../../core/command.ts";
import { touchOf } from "../touch.ts";
import type { GivenCode } from "./given-code.ts";

/** What somebody wants of the fast model, in words for people. */
export interface Wish {
  /** What it is to do with the code, as "review". */
  readonly doing: string;
  /** What stands before the wishes, as ", above all". */
  readonly lead: string;
  /** As lines; "" when there are none. */
  readonly wishes: string;
}

/** A question about code as it is shown and judged. A file is named, as what is read; code that is in none is shown. */
export function preparedQuestion(
  { code, what, place }: GivenCode,
  { doing, lead, wishes }: Wish,
  run: Prepared["run"],
): Prepared {
  const wanted = wishes === "" ? "." : `${lead}:\n${wishes}`;
  const shown = place ? "" : `\n\n${code}`;
  return prepared("read", `Have the fast model ${doing} ${what}${wanted}${shown}`, run, {
    touches: place ? [touchOf(place, "read")] : [],
  });
}
