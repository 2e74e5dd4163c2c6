import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";
import { normalizeWebAddress } from "../../schema/formats.ts";

/** A part of a line. */
export type MarkdownSpan =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly spans: readonly MarkdownSpan[] }
  /** A link to the web, with the whole address. */
  | { readonly kind: "link"; readonly spans: readonly MarkdownSpan[]; readonly address: string }
  /** A link to a file of the workspace. */
  | { readonly kind: "file"; readonly spans: readonly MarkdownSpan[]; readonly file: string };

/** A part of a text. */
export type MarkdownBlock =
  | { readonly kind: "paragraph"; readonly spans: readonly MarkdownSpan[] }
  | { readonly kind: "heading"; readonly level: number; readonly spans: readonly MarkdownSpan[] }
  | {
      readonly kind: "list";
      readonly items: readonly (readonly MarkdownBlock[])[];
      /** Number of the first item in a numbered list, to which an answer may refer. */
      readonly from?: number;
    }
  | { readonly kind: "quote"; readonly blocks: readonly MarkdownBlock[] }
  | { readonly kind: "table"; readonly rows: readonly (readonly (readonly MarkdownSpan[])[])[] }
  /** `language` is the name in its fence; "" for none. */
  | { readonly kind: "code"; readonly text: string; readonly language: string }
  | { readonly kind: "rule" };

/** A longer text isn't parsed, because that would happen again with each word that streams in. */
const LONGEST = 12_000;
/** Deeper levels aren't parsed. */
const DEEPEST = 6;
const MOST_CELLS = 1_000;
/** A line that opens seven or more containers. */
const TOO_NESTED = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){7}/m;

/** Ignores strikethrough, which takes quadratic time on hostile text and makes words hard to read. */
class SafeTokenizer extends Tokenizer {
  override del(): undefined {
    return undefined;
  }
}

/** Parses a model's Markdown without HTML and images, and without losing a word. An open fence extends to the end. */
export function readMarkdown(text: string): readonly MarkdownBlock[] {
  if (text.length > LONGEST || TOO_NESTED.test(text)) return [createPlainBlock(text)];
  try {
    const tokenizer = new SafeTokenizer();
    return convertTokensToBlocks(Lexer.lex(text, { gfm: true, tokenizer }), DEEPEST);
  } catch {
    return [createPlainBlock(text)];
  }
}

function createPlainBlock(text: string): MarkdownBlock {
  return { kind: "paragraph", spans: [{ kind: "text", text }] };
}

function convertTokensToBlocks(tokens: readonly Token[], depth: number): readonly MarkdownBlock[] {
  return tokens.flatMap((token) => convertTokenToBlocks(narrowToken(token), depth));
}

/** Without extensions, marked has no other tokens. */
function narrowToken(token: Token): MarkedToken {
  return token as MarkedToken;
}

function convertTokenToBlocks(token: MarkedToken, depth: number): readonly MarkdownBlock[] {
  if (depth === 0) return token.raw.trim() === "" ? [] : [createPlainBlock(token.raw)];
  switch (token.type) {
    case "space":
      return [];
    case "code":
      return [{ kind: "code", text: token.text, language: /^[\w+#-]*/.exec(token.lang ?? "")?.[0] ?? "" }];
    case "heading":
      return [{ kind: "heading", level: token.depth, spans: convertTokensToSpans(token.tokens, depth) }];
    case "hr":
      return [{ kind: "rule" }];
    case "blockquote":
      return [{ kind: "quote", blocks: convertTokensToBlocks(token.tokens, depth - 1) }];
    case "list":
      return [listBlock(token, depth)];
    case "table":
      return [convertTable(token, depth)];
    case "paragraph":
    case "text":
      return [
        {
          kind: "paragraph",
          spans: token.tokens ? convertTokensToSpans(token.tokens, depth) : createTextSpans(token.text),
        },
      ];
    default:
      return [{ kind: "paragraph", spans: createTextSpans(token.raw.trimEnd()) }];
  }
}

function listBlock({ ordered, start, items }: Tokens.List, depth: number): MarkdownBlock {
  const blocks = items.map(({ tokens }) => convertTokensToBlocks(mergeTaskBox(tokens), depth - 1));
  return { kind: "list", items: blocks, ...(ordered ? { from: Number(start) } : {}) };
}

/** Moves a task's checkbox, which is a token of its own, into the line of its words. */
function mergeTaskBox(tokens: readonly Token[]): readonly Token[] {
  const [box, words, ...rest] = tokens;
  if (box?.type !== "checkbox" || words?.type !== "text") return tokens;
  return [{ ...words, tokens: [box, ...(words.tokens ?? [{ ...words }])] }, ...rest];
}

function convertTable({ header, rows, raw }: Tokens.Table, depth: number): MarkdownBlock {
  if (header.length * (rows.length + 1) > MOST_CELLS) return { kind: "code", text: raw.trimEnd(), language: "" };
  return {
    kind: "table",
    rows: [header, ...rows].map((row) => row.map(({ tokens }) => convertTokensToSpans(tokens, depth))),
  };
}

function convertTokensToSpans(tokens: readonly Token[], depth: number): readonly MarkdownSpan[] {
  return tokens.flatMap((token) => convertTokenToSpans(narrowToken(token), depth));
}

function convertTokenToSpans(token: MarkedToken, depth: number): readonly MarkdownSpan[] {
  if (depth === 0) return createTextSpans(token.raw);
  switch (token.type) {
    case "strong":
    case "em":
      return [{ kind: token.type, spans: convertTokensToSpans(token.tokens, depth - 1) }];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return createTextSpans("\n");
    case "text":
    case "escape":
      return createTextSpans(token.text);
    case "checkbox":
      return createTextSpans(token.checked ? "☑ " : "☐ ");
    case "link":
      return convertLink(token, convertTokensToSpans(token.tokens, depth - 1));
    case "image":
      return convertLink(token, createTextSpans(token.text));
    default:
      return createTextSpans(token.raw);
  }
}

/** A link to the web or to a file; any other link stays text. */
function convertLink(
  { href, raw }: { readonly href: string; readonly raw: string },
  spans: readonly MarkdownSpan[],
): readonly MarkdownSpan[] {
  const address = normalizeWebAddress(href);
  if (address !== undefined) return [{ kind: "link", spans, address }];
  if (/^[\w@][\w@./ -]*$/.test(href) && !href.includes("..")) return [{ kind: "file", spans, file: href }];
  return createTextSpans(raw);
}

function createTextSpans(text: string): readonly MarkdownSpan[] {
  return text === "" ? [] : [{ kind: "text", text }];
}

const LONGEST_ADDRESS = 80;

/** Shortens a long web address for display, but never within its host, whose end identifies the owner. */
export function shortenAddress(address: string): string {
  const length = Math.max(LONGEST_ADDRESS, new URL(address).origin.length + 1);
  return address.length > length ? `${address.slice(0, length)}…` : address;
}

/** A Markdown text for speech: its words without markup, one line per block. */
export function extractSpokenText(markdown: string): string {
  return formatBlocks(readMarkdown(markdown));
}

function formatBlocks(blocks: readonly MarkdownBlock[]): string {
  return blocks
    .map((block) => formatBlock(block))
    .filter((text) => text !== "")
    .join("\n");
}

function formatBlock(block: MarkdownBlock): string {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return formatSpans(block.spans);
    case "code":
      return block.text;
    case "list":
      return block.items.map(formatBlocks).join("\n");
    case "quote":
      return formatBlocks(block.blocks);
    case "table":
      return block.rows.map((row) => row.map(formatSpans).join(", ")).join("\n");
    case "rule":
      return "";
  }
}

/** The words of a line. */
export function formatSpans(spans: readonly MarkdownSpan[]): string {
  return spans.map((span) => ("text" in span ? span.text : formatSpans(span.spans))).join("");
}
