import { parseHTML } from "linkedom";
import TurndownService from "turndown";

/** Converts an element of a page to Markdown. */
export function convertToMarkdown(element: HTMLElement): string {
  return createTurndown()
    .turndown(element)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function createTurndown(): TurndownService {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  service.remove(["script", "style", "noscript", "template", "iframe"]);
  service.addRule("image", {
    filter: "img",
    replacement: (_content, node) => formatImage(node as HTMLElement),
  });
  service.addRule("empty link", {
    filter: (node) => node.nodeName === "A" && !node.getAttribute("href"),
    replacement: (content) => content,
  });
  service.addRule("fence", {
    filter: (node) => node.nodeName === "PRE",
    replacement: (_content, node) => formatCodeBlock(node as HTMLElement),
  });
  service.addRule("cell", {
    filter: ["th", "td"],
    replacement: (content) =>
      ` ${content
        .replace(/\s*\n\s*/g, " ")
        .replaceAll("|", "\\|")
        .trim()} |`,
  });
  service.addRule("row", {
    filter: "tr",
    replacement: (content, node) => `\n| ${content.trim()}${formatHeaderLine(node as HTMLElement)}`,
  });
  service.addRule("table", {
    filter: ["table", "thead", "tbody", "tfoot"],
    replacement: (content, node) =>
      node.nodeName === "TABLE" ? `\n\n${content.replace(/\n{2,}/g, "\n").trim()}\n\n` : content,
  });
  return service;
}

/** An image becomes its alternative text. An image without one is decoration. */
function formatImage(image: HTMLElement): string {
  const alt = (image.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  const source = image.getAttribute("src") ?? "";
  return alt === "" || source === "" ? alt : `![${alt}](${source})`;
}

function formatCodeBlock(element: HTMLElement): string {
  const code = (element.textContent ?? "").replace(/^\n|\s+$/g, "");
  const inner = element.querySelector("code");
  const name = `${element.className} ${inner?.className ?? ""}`;
  const language = /(?:language|lang|highlight-source)-([\w+#-]+)/.exec(name)?.[1] ?? "";
  const longest = Math.max(2, ...[...code.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** The separator line in Markdown that makes a table's first row its header. */
function formatHeaderLine(row: HTMLElement): string {
  const isFirst = row.closest("table")?.querySelector("tr") === row;
  return isFirst ? `\n|${" --- |".repeat(row.querySelectorAll("th,td").length)}` : "";
}

/** Converts a page to text in Markdown. */
export function convertHtmlToText(html: string): string {
  const isWhole = /<(?:html|body|head)\b/i.test(html);
  const { document } = parseHTML(isWhole ? html : `<!doctype html><html><body>${html}</body></html>`);
  const title = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim();
  const body = convertToMarkdown(document.body ?? document.documentElement);
  return [title === "" || body.includes(`# ${title}`) ? "" : `# ${title}`, body]
    .filter((part) => part !== "")
    .join("\n\n");
}
