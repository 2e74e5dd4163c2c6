import { type SearchHit, WebError } from "../../core/ports/services.ts";
import type { AddressCheck } from "./address-check.ts";
import { createGetter } from "./get.ts";
import { checkResponse } from "./response-error.ts";

const SECONDS = 20;
const MOST_BYTES = 2_000_000;

/** Queries a search service that returns JSON. Throws `WebError`. */
export async function searchResponse(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { checkAddress, keyStep }: { readonly checkAddress: AddressCheck; readonly keyStep: string },
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await createGetter(checkAddress)(url, {
    headers,
    most: MOST_BYTES,
    seconds: SECONDS,
    accept: "application/json",
    signal,
  });
  if (answer.status === 401 || answer.status === 403)
    throw new WebError(explainRejectedKey(url, answer.status, keyStep));
  const trouble = checkResponse(answer);
  if (trouble) throw trouble;
  try {
    return JSON.parse(answer.body.bytes.toString("utf8"));
  } catch {
    throw new WebError(
      `The search service at ${url.host} did not answer in JSON. Ask the user to look at autogpt.web.searchUrl; work without a search until then.`,
    );
  }
}

function explainRejectedKey({ host }: URL, status: number, keyStep: string): string {
  return `The search service at ${host} rejects the key (${status}). The user can change it: ${keyStep}. Work without a search until then.`;
}

/** The names that services use for the parts of a result. */
const NAMES = {
  url: ["url", "link", "href"],
  title: ["title", "name", "heading"],
  excerpt: ["description", "snippet", "content", "excerpt", "body", "text"],
} as const;

const DEEPEST = 5;

/** Finds the results in any service's response: the longest list, at any depth, of objects with an address and a title. */
export function readResultList(answer: unknown): readonly SearchHit[] {
  return collectHitLists(answer, 0).reduce<readonly SearchHit[]>(
    (longest, list) => (list.length > longest.length ? list : longest),
    [],
  );
}

function collectHitLists(value: unknown, depth: number): readonly (readonly SearchHit[])[] {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap((inner) => collectHitLists(inner, depth + 1));
  return Array.isArray(value) ? [value.flatMap(parseHit), ...inside] : inside;
}

function parseHit(value: unknown): readonly SearchHit[] {
  if (typeof value !== "object" || value === null) return [];
  const fields = new Map<string, unknown>(Object.entries(value));
  const findFirstText = (names: readonly string[]): string =>
    names.map((name) => fields.get(name)).find((text) => typeof text === "string") ?? "";
  const url = URL.parse(findFirstText(NAMES.url));
  const title = stripHighlights(findFirstText(NAMES.title));
  if ((url?.protocol !== "http:" && url?.protocol !== "https:") || title === "") return [];
  return [{ title, url: url.href, excerpt: stripHighlights(findFirstText(NAMES.excerpt)) }];
}

/** Services highlight the matching words. */
function stripHighlights(text: string): string {
  return text
    .replace(/<\/?[a-z][^>]{0,100}>/gi, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")
    .trim();
}
