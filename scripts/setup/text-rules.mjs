// Rules for the tables of texts, in English and in translations.
import { isDeepStrictEqual } from "node:util";

const BANNED = {
  "shall, mend, anew, beforehand": /\b(shall|shan't|mend(s|ed|ing)?|anew|beforehand)\b/i,
  "in the midst, there again, gone on with": /\b(in the midst|there again|(go|goes|gone|went|going) on with)\b/i,
  "nobody, somebody, anybody": /\b(no|some|any)body\b/i,
  "stands, told, tells": /\b(stands?(?! (for|in for|out)\b)|told|tells)\b/i,
  "criticise, criticism (self-review)": /\bcritici[sz]/i,
  "British spelling":
    /\b\w*(colour|behaviour|favour|honour|neighbour|centre|catalogue|dialogue|licence|grey|cancelled|cancelling|labelled|modelled|travelled|learnt|whilst|towards|forwards|afterwards)\w*|\b(analys|authoris|optimis|organis|recognis|summaris|normalis|initialis|customis|prioritis|synchronis)\w*/i,
};

const PROPER =
  /^(AutoGPT|API|VS|Code|JSON|Git|GitHub|Copilot|Docker|OpenAI|OpenRouter|Ollama|Azure|URL|URLs|LM|Studio|Markdown|HTML|PDF|Python|ID|I|AI|MCP|CSS|USD|CPU|HTTP|HTTPS|Ctrl|Enter|Esc|Alt|Tab|Gemini|Anthropic|Mistral|DeepSeek)\b/;
const MOST_WORDS = { button: 3, description: 25 };

const formsOf = (text) => (typeof text === "string" ? [text] : Object.values(text));
/** Code and names are the same in all languages, and not prose. */
const withoutCode = (form) => form.replace(/`[^`]*`/g, "`").replace(/\bautogpt\.[\w.]+/g, "`");
const wordsOf = (form) =>
  form
    .replace(/\{\w+\}/g, "X")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));

/** What is wrong with the English texts, by rule. `texts`: by code; keys of the manifest are among them. */
export function englishProblems(texts) {
  const found = {};
  const add = (rule, code, form) => {
    found[rule] ??= [];
    found[rule].push(`${code}: ${form}`);
  };
  for (const [code, form] of formRows(texts)) {
    const prose = withoutCode(form);
    for (const [rule, pattern] of Object.entries(BANNED)) if (pattern.test(prose)) add(rule, code, form);
    if (/\.\.\.|’|“|”|\p{L} {2,}|!$|<\/?[a-z]+>/u.test(prose)) add("punctuation", code, form);
    if (code.endsWith("Button") && !isButton(form))
      add("buttons of more than 3 words, or not in sentence case", code, form);
    if (/^setting\.[^.]+(\.[^.]+)?$/.test(code) && wordsOf(form).length > MOST_WORDS.description)
      add("descriptions of more than 25 words", code, form);
  }
  return found;
}

function isButton(form) {
  const [first = "", ...rest] = wordsOf(form.replace(/\$\([\w-]+\)/g, ""));
  const capitals = rest.filter((word) => /^\p{Lu}/u.test(word) && word !== "X" && !PROPER.test(word));
  return (
    /^[\p{Lu}\p{N}X]/u.test(first) && rest.length < MOST_WORDS.button && capitals.length === 0 && !/[.:]$/.test(form)
  );
}

function formRows(texts) {
  return Object.entries(texts).flatMap(([code, text]) => formsOf(text).map((form) => [code, form]));
}

/** Codes that no source names. A code may be put together by a template literal that begins with its area. */
export function unusedCodes(codes, sources) {
  const all = sources.join("\n");
  const named = new Set(all.match(/(?<=["'`])[a-z]+(\.[a-zA-Z0-9_]+)+(?=["'`])/g));
  const prefixes = [...all.matchAll(/`([a-z]+\.[a-zA-Z0-9.]*)\$\{/g)].map(([, prefix]) => prefix);
  return codes.filter((code) => !named.has(code) && !prefixes.some((prefix) => code.startsWith(prefix)));
}

/** What is wrong with a translation, by rule. */
export function translationProblems(tag, english, rows) {
  const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  const known = Object.entries(english).filter(([code]) => Object.hasOwn(rows, code));
  const wrong = (test) =>
    known.filter(([code, source]) => test(rows[code].text, source, code)).map(([code]) => `l10n/${tag}.json: ${code}`);
  return {
    missing: Object.keys(english).filter((code) => !Object.hasOwn(rows, code)),
    "no longer in the tables": Object.keys(rows).filter((code) => !Object.hasOwn(english, code)),
    stale: known.filter(([code, source]) => !isDeepStrictEqual(rows[code].source, source)).map(([code]) => code),
    "other placeholders": wrong((text, source) => !sameMarks(/\{\w+\}/g, text, source)),
    "other code, links or icons": wrong(
      (text, source) =>
        !sameMarks(/`[^`]*`|"AutoGPT: [^"]*"|\]\([^)]*\)|\$\([\w-]+\)|\bautogpt\.[\w.]+\w/g, text, source),
    ),
    "other plural forms": wrong((text, source) => !rightForms(text, source, categories)),
    "another ellipsis at the end": wrong((text, source) => endsOpen(text) !== endsOpen(source)),
    "labels of more than 24 characters and 1.6 times the length": wrong(
      (text, source, code) => code.endsWith("Button") && longest(text) > Math.max(24, 1.6 * longest(source)),
    ),
    "still in English": wrong((text, source) => isDeepStrictEqual(text, source) && longProse(source)),
  };
}

/** The marks of the longest forms agree: a form for one may leave out its number. */
function sameMarks(pattern, text, source) {
  const marks = (value) => [...new Set(formsOf(value).flatMap((form) => form.match(pattern) ?? []))].sort();
  return isDeepStrictEqual(marks(text), marks(source));
}

function rightForms(text, source, categories) {
  if (typeof source === "string") return typeof text === "string" && text.trim() !== "";
  return (
    typeof text === "object" &&
    isDeepStrictEqual(Object.keys(text).sort(), [...categories].sort()) &&
    formsOf(text).every((form) => form.trim() !== "")
  );
}

const endsOpen = (text) => formsOf(text).at(-1).endsWith("…");
const longest = (text) => Math.max(...formsOf(text).map((form) => form.length));
const longProse = (text) => wordsOf(withoutCode(formsOf(text)[0]).replace(/\{\w+\}/g, "")).length > 3;
