import { cutMiddle, escapeInvisible } from "../../core/base/text.ts";

/** Formats a file's or branch's name for a list. Quotes a name that could be read as anything else. */
export function formatShownName(name: string, maxChars = 60): string {
  const cut = escapeInvisible(cutMiddle(name, maxChars, "…"));
  return /^[\p{L}\p{N}\p{M}_.@+~#$=…/-]+$/u.test(cut) ? cut : JSON.stringify(cut);
}

/** Upper estimate of the tokens of names and punctuation. Long words and foreign scripts count more than any tokenizer needs. */
export function estimateNameTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[A-Za-z]+|\d+|[^\p{ASCII}]+|[^A-Za-z\d\s]|\n| {2,}/gu)) {
    if (/^[A-Za-z]/.test(piece)) tokens += countWordTokens(piece);
    else if (/^\d/.test(piece)) tokens += Math.ceil(piece.length / 3);
    else tokens += piece.charCodeAt(0) > 0x7f ? new TextEncoder().encode(piece).length : 1;
  }
  return tokens;
}

const CHARS_PER_TOKEN = 4;

/** Counts the tokens of a word; its parts in camel case count separately. */
function countWordTokens(word: string): number {
  const parts = word.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [word];
  return parts.reduce((sum, part) => sum + Math.ceil(part.length / CHARS_PER_TOKEN), 0);
}
