import type { SearchHit } from "../../../core/ports/services.ts";

/** The names by which services call the parts of a result. */
const NAMES = {
  url: ["url", "link", "href"],
  title: ["title", "name", "heading"],
  excerpt: ["description", "snippet", "content", "excerpt", "body", "text"],
} as const;

const DEEPEST = 5;

/** Finds the results in any service's answer: the longest list, wherever it stands, of objects that have an address and a title. */
export function readFound(answer: unknown): readonly SearchHit[] {
  return listsIn(answer, 0).reduce<readonly SearchHit[]>(
    (longest, list) => (list.length > longest.length ? list : longest),
    [],
  );
}

function listsIn(value: unknown, depth: number): readonly (readonly SearchHit[])[] {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap((inner) => listsIn(inner, depth + 1));
  return Array.isArray(value) ? [value.flatMap(resultIn), ...inside] : inside;
}

function resultIn(value: unknown): readonly SearchHit[] {
  if (typeof value !== "object" || value === null) return [];
  const fields = new Map<string, unknown>(Object.entries(value));
  const first = (names: readonly string[]): string =>
    names.map((name) => fields.get(name)).find((text) => typeof text === "string") ?? "";
  const url = URL.parse(first(NAMES.url));
  const title = plain(first(NAMES.title));
  if ((url?.protocol !== "http:" && url?.protocol !== "https:") || title === "") return [];
  return [{ title, url: url.href, excerpt: plain(first(NAMES.excerpt)) }];
}

/** Services mark the words they found. */
function plain(text: string): string {
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
