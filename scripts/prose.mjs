// Finds wordings in src and packages that the style avoids, in code and in comments, and in the titles of tests, texts for people outside
// their tables, and what is wrong in the tables and their translations. More cases of a rule than its ceiling in scripts/ceilings.json are an
// error. --lower writes the ceilings down to today's numbers; --list shows all cases.
import fs from "node:fs";
import { parseArgs } from "node:util";
import { parseSync } from "oxc-parser";
import { ENGLISH } from "../src/texts/english.ts";
import { TRANSLATED } from "../src/texts/languages.ts";
import { checkCeilings } from "./setup/ceilings.mjs";
import { literalsForPeople } from "./setup/literals.mjs";
import { manifestTexts } from "./setup/manifest-texts.mjs";
import { inRoot } from "./setup/root.mjs";
import { englishProblems, translationProblems, unusedCodes } from "./setup/text-rules.mjs";

const ANYWHERE = {
  "shall, anew, beforehand": /\b(shall|shan't|anew|beforehand)\b/gi,
  "in the midst, in brief, there again": /\b(in the midst|in brief|there again)\b/gi,
  "mend (fix)": /\bmend(s|ed|ing|able)?\b/gi,
  "told of, came of, keeps house": /\b(told of|tells of|(comes?|came) of|keeps? house)\b/gi,
  "go on with (continue, resume)": /\b(go|goes|gone|went|going) on with\b/gi,
};
const IN_COMMENTS = {
  "nobody, somebody, anybody": /\b(no|some|any)body\b/gi,
  "comments that begin with What": /^What\b/g,
  "stands (is)": /\bstands?\b(?! (for|in for|out)\b)(?!-)/gi,
  "told, tells (reports)": /\b(tells|told)\b(?!( \S+)? apart)/gi,
};
/** What the titles of tests avoid beside the rules for comments. */
const PRIVATE_WORDS =
  /\b(goes on|go on|going on|gone on|went on|(had|have|has|having) \S* ?back|is had|heard|tell|telling)\b/gi;
const TITLE = /\b(?:it|describe)(?:\.only|\.skip)?\(\s*("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*')/g;
const IN_TITLES = "titles of tests in private English";
const LONG_SENTENCES = "comments with a sentence of more than 25 words";
const SENTENCE_END = /(?<=[.:;?!]["')`]?)\s|\n\s*\n|\n\s*[-*] /;

const TESTS = ["test/**/*.ts", "packages/*/test/**/*.ts"];

/** Folders where no text for people may be a literal. */
const AT_THE_EDGE = ["webview", "vscode", "editor"];

const { values } = parseArgs({ options: { list: { type: "boolean" }, lower: { type: "boolean" } } });
const found = Object.fromEntries(
  [...Object.keys(ANYWHERE), ...Object.keys(IN_COMMENTS), LONG_SENTENCES, IN_TITLES].map((rule) => [rule, []]),
);

function search(rules, part, where) {
  for (const [rule, pattern] of Object.entries(rules)) {
    for (const { 0: words, index } of part.matchAll(pattern)) {
      found[rule].push(`${where(index)}: ${words.replace(/\s+/g, " ")}`);
    }
  }
}

/** The comments of a file without their marks; `//` lines that follow one another are one comment. */
function commentsOf(name, text) {
  const merged = [];
  for (const { type, value, start, end } of parseSync(name, text).comments) {
    const last = merged.at(-1);
    if (type === "Line" && last?.type === "Line" && text.slice(last.end, start).trim() === "") {
      merged[merged.length - 1] = { ...last, text: `${last.text}\n${value.trim()}`, end };
    } else {
      merged.push({ type, start, end, text: value.replace(/^\s*\*/gm, "").trim() });
    }
  }
  return merged;
}

function searchLiterals(name, text, lineAt) {
  const folder = name.split("/")[1];
  if (!AT_THE_EDGE.includes(folder)) return;
  const rule = `texts outside src/texts in src/${folder}`;
  found[rule] ??= [];
  for (const { offset, text: literal } of literalsForPeople(name, text))
    found[rule].push(`${lineAt(offset)}: ${literal.replace(/\s+/g, " ").slice(0, 100)}`);
}

/** Titles, names and descriptions of the manifest that are texts and not keys of package.nls.json. */
function manifestLiterals({ contributes, capabilities }) {
  const texts = [];
  JSON.stringify({ contributes, capabilities }, (key, value) => {
    const named = /^(title|name|description|contents|markdownDescription|altText)$/.test(key);
    // The chat's participants, their commands and tools have names that users type.
    const isTyped = key === "name" && /^[a-z]+$/.test(value);
    if (named && !isTyped && typeof value === "string" && !/^(%.*%|AutoGPT)$/.test(value)) texts.push(value);
    return value;
  });
  return texts.map((text) => `package.json: ${text}`);
}

const sources = [];
for (const name of fs.globSync(["src/**/*.ts", "packages/*/src/**/*.ts"], { cwd: inRoot() }).sort()) {
  const text = fs.readFileSync(inRoot(name), "utf8");
  const lineAt = (offset) => `${name}:${text.slice(0, offset).split("\n").length}`;
  if (!name.startsWith("src/texts/")) sources.push(text);
  search(ANYWHERE, text, lineAt);
  searchLiterals(name, text, lineAt);
  for (const { start, text: comment } of commentsOf(name, text)) {
    search(IN_COMMENTS, comment, () => lineAt(start));
    const long = comment.split(SENTENCE_END).find((sentence) => sentence.match(/\S*\w\S*/g)?.length > 25);
    if (long) found[LONG_SENTENCES].push(`${lineAt(start)}: ${long.replace(/\s+/g, " ")}`);
  }
}

const { "comments that begin with What": _, ...inTitles } = {
  ...ANYWHERE,
  ...IN_COMMENTS,
  private: PRIVATE_WORDS,
};
for (const name of fs.globSync(TESTS, { cwd: inRoot(), exclude: ["**/node_modules"] }).sort()) {
  const text = fs.readFileSync(inRoot(name), "utf8");
  for (const { 1: title, index } of text.matchAll(TITLE))
    if (Object.values(inTitles).some((pattern) => title.search(pattern) !== -1))
      found[IN_TITLES].push(`${name}:${text.slice(0, index).split("\n").length}: ${title}`);
}

const texts = { ...ENGLISH, ...manifestTexts() };
const readJson = (...path) => JSON.parse(fs.readFileSync(inRoot(...path), "utf8"));
const inTables = {
  ...englishProblems(texts),
  "codes that nothing uses": unusedCodes(Object.keys(ENGLISH), sources),
  "texts in package.json itself": manifestLiterals(readJson("package.json")),
};
const inTranslations = TRANSLATED.map((tag) => {
  const problems = translationProblems(tag, texts, readJson("l10n", `${tag}.json`));
  return Object.fromEntries(Object.entries(problems).map(([rule, cases]) => [`${tag}: ${rule}`, cases]));
});
const passed = [
  checkCeilings("prose", found, values),
  checkCeilings("texts", Object.assign(inTables, ...inTranslations), values),
];
if (passed.includes(false)) process.exitCode = 1;
