import { WebError } from "../../core/ports/services.ts";
import type { WebResponse } from "./get.ts";

/** Why a response isn't usable; undefined if it is. */
export function checkResponse(answer: WebResponse): WebError | undefined {
  const { url, status, headers } = answer;
  if (isHumanCheck(answer))
    return new WebError(
      `${url.host} asks for a captcha and shows nothing else. Take another source, or ask the user to look.`,
    );
  if (status >= 200 && status < 300) return undefined;
  const what = WHAT[status];
  const again = status === 429 || status === 503 ? waitText(headers["retry-after"]) : "";
  if (what !== undefined) return new WebError(`${url.host} answered ${status}: ${what}${again}`);
  const side = status >= 500 ? "it has a problem. Try again later, or take another source." : CHECK;
  return new WebError(`${url.host} answered ${status}: ${side}`);
}

const CHECK = "it rejected the request. Check the address, or take another source.";

const WHAT: Readonly<Record<number, string>> = {
  400: CHECK,
  401: "this page is only for those who log in. Take another source.",
  403: "it does not let us see this page. Take another source.",
  404: "there is no such page. Check the address, or search for it with web_search.",
  405: CHECK,
  410: "the page is gone. Search for it elsewhere with web_search.",
  429: "too many requests came from here.",
  451: "it may not show this page for legal reasons. Take another source.",
  503: "it is overloaded or closed for now.",
};

function waitText(retryAfter: string | undefined): string {
  const seconds = Number(retryAfter);
  const when = retryAfter === undefined || Number.isNaN(seconds) ? "later" : `in ${seconds} seconds`;
  return ` Try again ${when}, or take another source.`;
}

/** Patterns of pages that only contain a captcha. */
const TEST_PAGE =
  /<title>\s*(?:just a moment|attention required|are you a robot|access to this page has been denied|please verify you are)|challenge-platform\/|id="challenge-form"|_Incapsula_Resource|px-captcha|geo\.captcha-delivery\.com|anomaly-modal|\/sorry\/index|(?:g-recaptcha|h-captcha|cf-turnstile)["\s]/i;

/** Captcha pages are short. A long page with a captcha in a form is an ordinary page. */
const LONGEST_TEST_PAGE = 60_000;

function isHumanCheck({ status, headers, body }: WebResponse): boolean {
  if (headers["cf-mitigated"] === "challenge") return true;
  const mayBe = status !== 200 || body.bytes.length <= LONGEST_TEST_PAGE;
  if (!mayBe || !/html/i.test(headers["content-type"] ?? "html")) return false;
  const start = body.bytes.subarray(0, LONGEST_TEST_PAGE).toString("latin1");
  const isStrong = status !== 200 || /<title>\s*(?:just a moment|are you a robot)/i.test(start);
  return TEST_PAGE.test(start) && (isStrong || hasFewWords(start));
}

function hasFewWords(html: string): boolean {
  const [first = "", ...others] = html.split(/<(?:script|style)\b/i);
  const rest = others.map((piece) => piece.split(/<\/(?:script|style)/i, 2)[1] ?? "");
  const text = [first, ...rest].join(" ").replace(/<[^<>]*>/g, " ");
  return text.split(/\s+/).length < 120;
}
