import * as languages from "@speed-highlight/core/languages";
import { type ShjLanguageData, tokenizeWith } from "@speed-highlight/core/tokenize";
import { html, type TemplateResult } from "lit/html.js";
import { t } from "../../texts/language.ts";

/** Part of a code text, with the kind of its words; "" for plain ones. */
export interface CodePart {
  readonly text: string;
  readonly kind: string;
}

/** Longer code isn't colored, because it's parsed again with each word that streams in. */
const LONGEST = 8_000;

/** The package's own type declarations for languages are inconsistent. */
const LANGUAGES = languages as unknown as Readonly<Record<string, ShjLanguageData>>;

/** Names in fences, grouped by the language that parses them. */
const NAMES: Readonly<Record<string, string>> = {
  cjs: "js",
  cpp: "c",
  cs: "java",
  csharp: "java",
  cxx: "c",
  dockerfile: "docker",
  golang: "go",
  h: "c",
  htm: "html",
  javascript: "js",
  jsx: "js",
  jsonc: "json",
  kotlin: "java",
  makefile: "make",
  markdown: "md",
  mjs: "js",
  patch: "diff",
  perl: "pl",
  python: "py",
  rust: "rs",
  sh: "bash",
  shell: "bash",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
  zsh: "bash",
};

/** Splits code by its language, as named in a fence. Doesn't lose or add any character. */
export function splitCodeParts(code: string, name: string): readonly CodePart[] {
  const wanted = name.toLowerCase();
  const known = Object.hasOwn(NAMES, wanted) ? NAMES[wanted] : wanted;
  const language = known !== undefined && Object.hasOwn(LANGUAGES, known) ? LANGUAGES[known] : undefined;
  if (!language || code.length > LONGEST) return [{ text: code, kind: "" }];
  const parts: CodePart[] = [];
  tokenizeWith(
    code,
    language,
    (text, kind = undefined) => {
      if (text !== "") parts.push({ text, kind: kind ?? "" });
    },
    { languages: LANGUAGES },
  );
  return parts;
}

/** A block of code with its words colored. */
export function renderCode(code: string, language: string): TemplateResult {
  const parts = splitCodeParts(code, language).map(({ text, kind }) =>
    kind === "" ? text : html`<span class="code-${kind}">${text}</span>`,
  );
  return html`<pre class="code" tabindex="0" role="group" aria-label=${t("timeline.code")} dir="ltr">${parts}</pre>`;
}
