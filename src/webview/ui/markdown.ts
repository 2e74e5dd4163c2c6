import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";
import { webAddress } from "../../schema/panel-checks.ts";

/** A part of a line. */
export type MarkdownSpan =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly spans: readonly MarkdownSpan[] }
  /** Leads to the web, by the whole address. */
  | { readonly kind: "link"; readonly spans: readonly MarkdownSpan[]; readonly address: string }
  /** Leads to a file of the workspace. */
  | { readonly kind: "file"; readonly spans: readonly MarkdownSpan[]; readonly file: string };

/** A part of a text. */
export type MarkdownBlock =
  | { readonly kind: "paragraph"; readonly spans: readonly MarkdownSpan[] }
  | { readonly kind: "heading"; readonly level: number; readonly spans: readonly MarkdownSpan[] }
  | {
      readonly kind: "list";
      readonly items: readonly (readonly MarkdownBlock[])[];
      /** The number of the first item, where they are numbered: an answer may refer to them. */
      readonly from?: number;
    }
  | { readonly kind: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly (readonly MarkdownSpan[])[])[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "rule" };

/** A longer text is left as it is: reading it with every word that streams in would take too long. */
const LONGEST = 12_000;
/** The content of deeper levels is left as it is. */
const DEEPEST = 6;
const MOST_CELLS = 1_000;
/** A line that opens seven containers or more. */
const TOO_NESTED = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){7}/m;

/** Strikethrough takes quadratic time on hostile text, and hides what it strikes. */
class SafeTokenizer extends Tokenizer {
  override del(): undefined {
    return undefined;
  }
}

/** Reads a model's Markdown: no HTML, no images, and no word of it is lost. A fence left open runs to the end. */
export function readMarkdown(text: string): readonly MarkdownBlock[] {
  if (text.length > LONGEST || TOO_NESTED.test(text)) return [asItIs(text)];
  try {
    const tokenizer = new SafeTokenizer();
    return blocksOf(Lexer.lex(text, { gfm: true, tokenizer }), DEEPEST);
  } catch {
    return [asItIs(text)];
  }
}

function asItIs(text: string): MarkdownBlock {
  return { kind: "paragraph", spans: [{ kind: "text", text }] };
}

function blocksOf(tokens: readonly Token[], depth: number): readonly MarkdownBlock[] {
  return tokens.flatMap((token) => blockOf(known(token), depth));
}

/** Without extensions there are no other tokens. */
function known(token: Token): MarkedToken {
  return token as MarkedToken;
}

function blockOf(token: MarkedToken, depth: number): readonly MarkdownBlock[] {
  if (depth === 0) return token.raw.trim() === "" ? [] : [asItIs(token.raw)];
  switch (token.type) {
    case "space":
      return [];
    case "code":
      return [{ kind: "code", text: token.text }];
    case "heading":
      return [{ kind: "heading", level: token.depth, spans: spansOf(token.tokens, depth) }];
    case "hr":
      return [{ kind: "rule" }];
    case "blockquote":
      return [{ kind: "quote", blocks: blocksOf(token.tokens, depth - 1) }];
    case "list":
      return [listBlock(token, depth)];
    case "table":
      return [tableOf(token, depth)];
    case "paragraph":
    case "text":
      return [{ kind: "paragraph", spans: token.tokens ? spansOf(token.tokens, depth) : textOf(token.text) }];
    default:
      return [{ kind: "paragraph", spans: textOf(token.raw.trimEnd()) }];
  }
}

function listBlock({ ordered, start, items }: Tokens.List, depth: number): MarkdownBlock {
  const blocks = items.map(({ tokens }) => blocksOf(tokens, depth - 1));
  return { kind: "list", items: blocks, ...(ordered ? { from: Number(start) } : {}) };
}

function tableOf({ header, rows, raw }: Tokens.Table, depth: number): MarkdownBlock {
  if (header.length * (rows.length + 1) > MOST_CELLS) return { kind: "code", text: raw.trimEnd() };
  return {
    kind: "table",
    rows: [header, ...rows].map((row) => row.map(({ tokens }) => spansOf(tokens, depth))),
  };
}

function spansOf(tokens: readonly Token[], depth: number): readonly MarkdownSpan[] {
  return tokens.flatMap((token) => spanOf(known(token), depth));
}

function spanOf(token: MarkedToken, depth: number): readonly MarkdownSpan[] {
  if (depth === 0) return textOf(token.raw);
  switch (token.type) {
    case "strong":
    case "em":
      return [{ kind: token.type, spans: spansOf(token.tokens, depth - 1) }];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return textOf("\n");
    case "text":
    case "escape":
      return textOf(token.text);
    case "checkbox":
      return textOf(token.checked ? "☑ " : "☐ ");
    case "link":
      return linkOf(token, spansOf(token.tokens, depth - 1));
    case "image":
      return linkOf(token, textOf(token.text));
    default:
      return textOf(token.raw);
  }
}

/** A link to the web or to a file; any other stays the text it is. */
function linkOf(
  { href, raw }: { readonly href: string; readonly raw: string },
  spans: readonly MarkdownSpan[],
): readonly MarkdownSpan[] {
  const address = webAddress(href);
  if (address !== undefined) return [{ kind: "link", spans, address }];
  if (/^[\w@][\w@./ -]*$/.test(href) && !href.includes("..")) return [{ kind: "file", spans, file: href }];
  return textOf(raw);
}

function textOf(text: string): readonly MarkdownSpan[] {
  return text === "" ? [] : [{ kind: "text", text }];
}

const LONGEST_ADDRESS = 80;

/** A web address for display: cut where it is long, but never within its host, whose end says whose it is. */
export function shortAddress(address: string): string {
  const length = Math.max(LONGEST_ADDRESS, new URL(address).origin.length + 1);
  return address.length > length ? `${address.slice(0, length)}…` : address;
}
