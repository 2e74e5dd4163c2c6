import assert from "node:assert/strict";
import { resetMs, waitInBody } from "../../../../src/models/http/asked-wait.ts";
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
  ["a span", { "retry-after": "1m30s" }, 90_000],
  ["a moment", { "retry-after": "2026-11-20T10:00:09Z" }, 9_000],
  ["seconds since 1970", { "retry-after": `${NOW / 1000 + 9}` }, 9_000],
  ["the longer of two", { "retry-after": "3, 40" }, 40_000],
  ["a gateway's own header", { "x-ms-retry-after-ms": "1500" }, 1_500],
  ["seconds if the milliseconds are nonsense", { "retry-after-ms": "NaN", "retry-after": "2" }, 2_000],
  ["no absurd number", { "retry-after": "1e99" }, undefined],
];

describe("how long a server asks to be left alone", () => {
  for (const [name, headers, expected] of CASES)
    it(`is read from ${name}`, () => assert.equal(retryAfterMs(new Headers(headers), NOW), expected));
});

const SAID: readonly [string, number | undefined][] = [
  ["Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000. Please try again in 31.6s.", 31_600],
  ["Please try again in 6ms. Visit https://example.com/limits.", 6],
  ["Try again in 7h12m", 25_920_000],
  ["try again in 6m0s", 360_000],
  ["Please retry after 1m12.5s", 72_500],
  ["You can retry in 20 seconds", 20_000],
  ["Please wait 2 minutes before the next request", 120_000],
  ["Please wait a minute, then send it again", 60_000],
  ["Quota used up. It resets in 1 hour and 5 minutes.", 3_900_000],
  ["Rate limit is exceeded. Try again in 14 seconds.", 14_000],
  ["retry after 45 seconds", 45_000],
  ["Retry-After: 45", 45_000],
  ["Your quota will reset after 2h7m23s", 7_643_000],
  ["Limit resets at 2026-11-20T10:05:00Z", 300_000],
  ["Available again at 2026-11-20 10:00:30 UTC", 30_000],
  ["The window ends soon; back in about 3 min.", 180_000],
  ['provider said {\n "details": [{"retryDelay": "34s"}]}', 34_000],
  ["Limit resets at 2026-11-20T09:00:00Z", undefined],
  ["At most 3 requests per 20s. Try again later.", undefined],
  ["Please retry your request", undefined],
  ["Retry limit: 60 requests per minute", undefined],
  ["请求过于频繁，每分钟最多 60 次，请 10 秒后重试", 10_000],
  ["请等待３０秒", 30_000],
  ["请一分钟后重试", 60_000],
  ["已达到 5 小时的使用上限。您的限额将在 2026-11-20 12:49:38 重置。", 10_178_000],
  ["1分間に10回までです。1分30秒後に再試行してください", 90_000],
  ["분당 10회. 15초 후에 다시 시도하세요", 15_000],
  ["Höchstens 10 Anfragen pro Minute. Bitte warten Sie 30 Sekunden.", 30_000],
  ["Bitte versuchen Sie es in 2 Minuten erneut.", 120_000],
  ["Bitte warten Sie eine Minute", 60_000],
  ["Veuillez réessayer dans 2 minutes", 120_000],
  ["Inténtelo de nuevo en 30 segundos", 30_000],
  ["Повторите попытку через 1 минуту", 60_000],
  ["Try again in 1 min. 30 sec.", 90_000],
  ["Retry in 1,5 s", 1_500],
  ["Try again in 5-10 seconds", 10_000],
  ["Resets at Fri, 20 Nov 2026 10:01:00 GMT", 60_000],
  ["cooldown: 30s", 30_000],
  ["You exceeded 10 requests in 60 seconds", undefined],
  ["60秒以内に10回を超えました", undefined],
  ["Request timed out after 600s. Please try again.", undefined],
  ["请求超时 60 秒", undefined],
  ["Please try again in -5s", undefined],
  ["Please try again in 99999999999999999999s", undefined],
];

const FIELDS: readonly [string, unknown, number | undefined][] = [
  [
    "Google's details",
    {
      error: {
        code: 429,
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }],
      },
    },
    34_000,
  ],
  ["seconds", { error: { message: "Slow down", retry_after: 45 } }, 45_000],
  ["milliseconds", { retryAfterMs: "2500" }, 2_500],
  ["a moment in seconds", { error: { reset_at: NOW / 1000 + 90 } }, 90_000],
  ["a moment in milliseconds", { error: { metadata: { headers: { "X-RateLimit-Reset": `${NOW + 8_000}` } } } }, 8_000],
  ["a date", { detail: "No", resets_at: "2026-11-20T10:01:00+00:00" }, 60_000],
  ["a remaining time", { error: { type: "usage_limit_reached", resets_in_seconds: 500 } }, 500_000],
  ["words before a reset", { message: "Try again in 3s", reset: NOW / 1000 + 900 }, 3_000],
  ["a duration of Protobuf", { details: [{ retryDelay: { seconds: "37", nanos: 500_000_000 } }] }, 37_500],
  ["a duration of ISO 8601", { retryDelay: "PT1M" }, 60_000],
  ["minutes", { retry_after_minutes: 2 }, 120_000],
  ["a model that loads", { error: "Model m is currently loading", estimated_time: 20.5 }, 20_500],
  ["no absurd number", { retry_after: 1e30 }, undefined],
  ["no count of retries", { max_retries: 3, retry_count: 2, retryable: true }, undefined],
];

const RESETS: readonly [string, Record<string, string>, number | undefined][] = [
  [
    "the one that is used up",
    {
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-remaining-requests": "9",
      "x-ratelimit-reset-tokens": "6m0s",
      "x-ratelimit-remaining-tokens": "0",
    },
    360_000,
  ],
  ["the first, if none says so", { "x-ratelimit-reset-requests": "120ms", "x-ratelimit-reset-tokens": "4s" }, 120],
  ["Anthropic's moment", { "anthropic-ratelimit-input-tokens-reset": "2026-11-20T10:00:20Z" }, 20_000],
  ["a moment in seconds", { "x-ratelimit-reset": `${NOW / 1000 + 7}` }, 7_000],
  ["all in one", { ratelimit: '"default";r=0;t=20' }, 20_000],
  ["all in one, in an older draft", { ratelimit: "limit=9, remaining=0, reset=20" }, 20_000],
  ["seconds", { "ratelimit-reset": "12", "ratelimit-remaining": "0" }, 12_000],
  ["nothing", { "x-ratelimit-limit-requests": "10" }, undefined],
];

describe("how long to wait", () => {
  for (const [words, expected] of SAID)
    it(`is read from "${words}"`, () => assert.equal(waitInBody({ error: { message: words } }, NOW), expected));
  for (const [name, body, expected] of FIELDS)
    it(`is read from fields of a body: ${name}`, () => assert.equal(waitInBody(body, NOW), expected));
  it("isn't looked for in a body that is nested without end", () => {
    const body: unknown = JSON.parse(`${"[".repeat(20_000)}{"retry_after":5}${"]".repeat(20_000)}`);
    assert.equal(waitInBody(body, NOW), undefined);
  });
  for (const [name, headers, expected] of RESETS)
    it(`is read from headers of limits: ${name}`, () => assert.equal(resetMs(new Headers(headers), NOW), expected));
});
