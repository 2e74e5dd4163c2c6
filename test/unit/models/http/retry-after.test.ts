import assert from "node:assert/strict";
import { retryAfterMs } from "../../../../src/models/http/error-response.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");

const CASES: readonly [string, Record<string, string>, number | undefined][] = [
  ["nothing", {}, undefined],
  ["seconds", { "retry-after": "7" }, 7_000],
  ["parts of seconds", { "retry-after": "0.5" }, 500],
  ["a day", { "retry-after": "86400" }, 86_400_000],
  ["no time at all", { "retry-after": "0" }, 0],
  ["milliseconds, which are more exact", { "retry-after-ms": "1234", "retry-after": "2" }, 1_234],
  ["a date", { "retry-after": "Fri, 20 Nov 2026 10:01:00 GMT" }, 60_000],
  [
    "a date by the server's own clock",
    { "retry-after": "Fri, 20 Nov 2026 10:01:00 GMT", date: "Fri, 20 Nov 2026 10:00:50 GMT" },
    10_000,
  ],
  ["a date that is over", { "retry-after": "Fri, 20 Nov 2026 09:00:00 GMT" }, 0],
  ["nonsense", { "retry-after": "soon" }, undefined],
  ["a negative number", { "retry-after": "-5" }, undefined],
];

describe("how long a server asks to be left alone", () => {
  for (const [name, headers, expected] of CASES)
    it(`is read from ${name}`, () => assert.equal(retryAfterMs(new Headers(headers), NOW), expected));
});
