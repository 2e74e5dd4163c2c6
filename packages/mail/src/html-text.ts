import { Parser } from "htmlparser2";

const SKIPPED = new Set(["script", "style", "head", "title", "noscript", "template", "svg", "object"]);
const BLOCKS = new Set(
  "p div br tr li ul ol table h1 h2 h3 h4 h5 h6 blockquote pre section article header footer hr".split(" "),
);
const EMPTY = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));

/** An open element. */
interface OpenElement {
  readonly name: string;
  readonly href: string;
  /** Whether it begins a part that is invisible to readers. */
  readonly hides: boolean;
}

/** Deeper elements are merged into one. */
const DEEPEST = 500;
/** The parser's time grows with the square of the depth. */
const MOST_CHARS = 300_000;

/** Converts an HTML mail to text. Links keep their addresses, and text that the sender has hidden is marked. */
export function convertMailHtml(html: string): string {
  const parts: string[] = [];
  const open: OpenElement[] = [];
  let skipped = 0;
  const close = ({ name, href, hides }: OpenElement): void => {
    if (href !== "") parts.push(` <${href}>`);
    if (hides) parts.push("]");
    if (BLOCKS.has(name)) parts.push("\n");
    if (SKIPPED.has(name)) skipped -= 1;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (BLOCKS.has(name)) parts.push("\n");
      if (name === "img" && skipped === 0 && attributes.alt) parts.push(`[picture: ${attributes.alt}]`);
      if (EMPTY.has(name) || open.length >= DEEPEST) return;
      if (SKIPPED.has(name)) skipped += 1;
      const hides = skipped === 0 && !open.some((one) => one.hides) && isHidden(attributes);
      if (hides) parts.push("[hidden text: ");
      open.push({ name, href: name === "a" ? getWebAddress(attributes.href) : "", hides });
    },
    ontext(text) {
      if (skipped === 0) parts.push(text.replace(/\s+/g, " "));
    },
    onclosetag(name) {
      const at = open.findLastIndex((one) => one.name === name);
      if (at === -1) return;
      for (const one of open.splice(at).toReversed()) close(one);
    },
  });
  parser.end(html.slice(0, MOST_CHARS));
  return parts
    .join("")
    .replace(/\[hidden text: \s*\]/g, "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function getWebAddress(href = ""): string {
  return /^(?:https?|mailto):/i.test(href.trim()) ? href.trim().slice(0, 500) : "";
}

const HIDING =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0*(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*[01](?:\.\d+)?(?:px|pt|em|%)?\s*(?:;|!|$)|max-height\s*:\s*0|(?:width|height)\s*:\s*0|mso-hide\s*:\s*all|text-indent\s*:\s*-\d{3,}|left\s*:\s*-\d{3,}|clip\s*:)/i;

/** Whether an element is invisible to readers: by its style, or because its color is the background color. */
function isHidden({ style = "", hidden, color, bgcolor }: Readonly<Record<string, string>>): boolean {
  if (hidden !== undefined || HIDING.test(style)) return true;
  const front = /(?:^|;)\s*color\s*:\s*([^;!]+)/i.exec(style)?.[1] ?? color;
  const back = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/i.exec(style)?.[1] ?? bgcolor ?? "white";
  return front !== undefined && normalizeColor(front) === normalizeColor(back);
}

const WHITE = new Set(["#fff", "#ffffff", "white", "rgb(255,255,255)", "transparent", "#00000000"]);

function normalizeColor(color: string): string {
  const plain = color.replace(/\s+/g, "").toLowerCase();
  return WHITE.has(plain) ? "white" : plain;
}
