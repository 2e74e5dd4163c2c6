import type { TextSpan } from "./encoded-secrets.ts";
import { DISCORD, OWN_RULES } from "./own-rules.ts";
import { SECRET_RULES, type SecretRule } from "./secret-rules.ts";

/** A token that a rule has found. */
export interface FoundToken {
  readonly what: string;
  readonly span: TextSpan;
}

/** A rule, ready to be tried at a place. */
interface ReadyRule {
  readonly rule: SecretRule;
  readonly pattern: RegExp;
  readonly allowed: readonly RegExp[];
}

interface Keyword {
  readonly text: string;
  readonly rule: SecretRule;
}

/** If the keyword isn't its beginning: how far before the keyword a token may begin, and how far after it the token may end. */
const BEFORE = 120;
const AFTER = 700;

/** Rules by their keywords, and quick tests whether one begins at a place. */
interface RuleIndex {
  /** By the first two characters in lower case. */
  readonly byPair: readonly (readonly Keyword[] | undefined)[];
  /** 2 where a keyword has only two characters, 1 where `triples` decides. */
  readonly pairs: Uint8Array;
  /** 1 for the first three characters of a keyword; others may share its place. */
  readonly triples: Uint8Array;
}

let index: RuleIndex | undefined;
const ready = new Map<SecretRule, ReadyRule>();

/**
 * The tokens in a text by the kept rules. Patterns are tried only at their keywords, where they are anchored or see a few hundred
 * characters. So the time is linear in the text.
 */
export function findTokens(text: string): readonly FoundToken[] {
  index ??= indexRules();
  const found: FoundToken[] = [];
  const seenTo = new Map<SecretRule, number>();
  const { byPair, pairs, triples } = index;
  let first = lower(text.charCodeAt(0));
  let second = lower(text.charCodeAt(1));
  for (let at = 0; at + 1 < text.length; at++) {
    const third = at + 2 < text.length ? lower(text.charCodeAt(at + 2)) : 0;
    const pair = (first << 7) | second;
    const triple = hashTriple(first, second, third);
    first = second;
    second = third;
    if (pair >= PAIRS || pairs[pair] === 0 || (pairs[pair] === 1 && triples[triple] === 0)) continue;
    const keywords = byPair[pair] ?? [];
    for (const keyword of keywords) {
      if (!hasKeyword(text, at, keyword.text)) continue;
      const token = keyword.rule.isSticky
        ? matchToken(text, at, keyword.rule)
        : findTokenAround(text, at, keyword.rule, seenTo);
      if (token) found.push({ what: keyword.rule.id.replaceAll("-", " "), span: token });
    }
  }
  for (const { index: start, 0: token } of text.matchAll(DISCORD))
    found.push({ what: "Discord token", span: [start, start + token.length] });
  return found;
}

const PAIRS = 1 << 14;

function lower(code: number): number {
  return code > 64 && code < 91 ? code + 32 : code;
}

function hasKeyword(text: string, at: number, keyword: string): boolean {
  for (let offset = 2; offset < keyword.length; offset++)
    if (lower(text.charCodeAt(at + offset)) !== keyword.charCodeAt(offset)) return false;
  return true;
}

function hashTriple(first: number, second: number, third: number): number {
  return (first * 1021 + second * 31 + third) & 0xffff;
}

function indexRules(): RuleIndex {
  const byPair = new Array<Keyword[] | undefined>(PAIRS).fill(undefined);
  const pairs = new Uint8Array(PAIRS);
  const triples = new Uint8Array(0x10000);
  // Our own come first: where both find a token, the name of ours counts.
  for (const rule of [...OWN_RULES, ...SECRET_RULES])
    for (const text of rule.keywords) {
      const [first, second, third] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
      const pair = (first << 7) | second;
      byPair[pair] = [...(byPair[pair] ?? []), { text, rule }];
      pairs[pair] = Math.max(pairs[pair] ?? 0, text.length === 2 ? 2 : 1);
      if (text.length > 2) triples[hashTriple(first, second, third)] = 1;
    }
  return { byPair, pairs, triples };
}

/** Creates the patterns when their keyword first appears: most never do. */
function prepareRule(rule: SecretRule): ReadyRule {
  const made = ready.get(rule) ?? {
    rule,
    pattern: new RegExp(rule.pattern, `${rule.flags}d${rule.isSticky ? "y" : "g"}`),
    allowed: (rule.allowed ?? []).map((one) => new RegExp(one)),
  };
  ready.set(rule, made);
  return made;
}

function matchToken(text: string, at: number, rule: SecretRule): TextSpan | undefined {
  const { pattern, allowed } = prepareRule(rule);
  pattern.lastIndex = at;
  return findTokenSpan(pattern.exec(text), rule, allowed);
}

function findTokenAround(
  text: string,
  at: number,
  rule: SecretRule,
  seenTo: Map<SecretRule, number>,
): TextSpan | undefined {
  const from = Math.max(at - BEFORE, 0);
  // Keywords in a row share what is looked at.
  if ((seenTo.get(rule) ?? 0) > at + AFTER / 2) return undefined;
  seenTo.set(rule, at + AFTER);
  const { pattern, allowed } = prepareRule(rule);
  pattern.lastIndex = 0;
  const part = text.slice(from, at + AFTER);
  for (let match = pattern.exec(part); match; match = pattern.exec(part)) {
    const span = findTokenSpan(match, rule, allowed);
    if (span) return [span[0] + from, span[1] + from];
  }
  return undefined;
}

function findTokenSpan(
  match: RegExpExecArray | null,
  { entropy = 0, pattern }: SecretRule,
  allowed: readonly RegExp[],
): TextSpan | undefined {
  if (!match) return undefined;
  const group = match.findIndex((text, at) => at > 0 && text !== undefined && text !== "");
  const value = match[Math.max(group, 0)] ?? "";
  const span = match.indices?.[Math.max(group, 0)];
  if (!span || countBits(value) < entropy || allowed.some((one) => one.test(value))) return undefined;
  // After a name, a value without digits is code.
  if (pattern.includes(ASSIGNMENT) && !/\d/.test(value)) return undefined;
  return isPlaceholder(value) ? undefined : span;
}

/** The part of the patterns that finds a value by the name before it. */
const ASSIGNMENT = "(?:=|>|:{1,3}=|";

/** True for a value that only represents another one. */
function isPlaceholder(value: string): boolean {
  return /^[$%<{]|\*{4}|\.{4}/.test(value.slice(0, 1000)) || /^(.)\1*$/.test(value.slice(0, 100));
}

/** Bits of information in each character of a text, by Shannon. */
function countBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
