import assert from "node:assert/strict";
import { findTimeToShow, formatLocalDay, formatLocalTime } from "../../../../src/core/prompt/prompt.ts";

describe("the time in a prompt", () => {
  it("is a full date and the time to the minute", () => {
    assert.match(formatLocalTime(new Date(2026, 0, 2, 3, 4, 5)), /^Friday,? 2 January 2026 at 03:04$/);
  });

  it("is only there if the task needs it, the day isn't that of the head any more, or the head has none", () => {
    const now = new Date(2026, 0, 2, 3, 4, 5);
    const [day, time] = [formatLocalDay(now), formatLocalTime(now)];
    const tomorrow = new Date(2026, 0, 3, 3, 4, 5);
    assert.deepEqual(
      [
        findTimeToShow({ task: "Sort the names.", day }, now),
        findTimeToShow({ task: "Write the current time to a.txt.", day }, now),
        findTimeToShow({ task: "Sort the names.", day }, tomorrow),
        findTimeToShow({ task: "Sort the names." }, now),
      ],
      [undefined, time, formatLocalDay(tomorrow), time],
    );
    assert.match(day, /^Friday,? 2 January 2026$/);
  });
});
