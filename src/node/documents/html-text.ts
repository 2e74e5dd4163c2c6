import { parseHTML } from "linkedom";
import { markdown } from "../markdown.ts";

/** A page's text as Markdown. */
export function htmlText(html: string): string {
  const isWhole = /<(?:html|body|head)\b/i.test(html);
  const { document } = parseHTML(isWhole ? html : `<!doctype html><html><body>${html}</body></html>`);
  const title = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim();
  const body = markdown(document.body ?? document.documentElement);
  return [title === "" || body.includes(`# ${title}`) ? "" : `# ${title}`, body]
    .filter((part) => part !== "")
    .join("\n\n");
}
