import { parseHTML } from "linkedom";
import type { SearchHit } from "../../core/ports/services.ts";
import { oneLine } from "./read-html.ts";

/** Reads the results of DuckDuckGo's page without scripts; advertisements are left out. */
export function readResults(html: string, url: string): readonly SearchHit[] {
  const { document } = parseHTML(html);
  return [...document.querySelectorAll(".result")].flatMap((result) => {
    const anchor = result.querySelector("a.result__a");
    const target = targetOf(anchor?.getAttribute("href") ?? "", url);
    if (!anchor || target === undefined || result.classList.contains("result--ad")) return [];
    return [
      {
        title: oneLine(anchor.textContent ?? ""),
        url: target,
        excerpt: oneLine(result.querySelector(".result__snippet")?.textContent ?? ""),
      },
    ];
  });
}

/** The address behind the one that counts clicks. */
function targetOf(href: string, url: string): string | undefined {
  const link = URL.parse(href, url);
  const target = link?.searchParams.get("uddg") ?? link?.href;
  const parsed = target === undefined ? null : URL.parse(target);
  const isAdvertisement = parsed?.pathname === "/y.js" && parsed.hostname.endsWith("duckduckgo.com");
  const isWeb = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  return isWeb && !isAdvertisement ? parsed.href : undefined;
}
