import * as languages from "@speed-highlight/core/languages";
import { type ShjLanguageData, tokenizeWith } from "@speed-highlight/core/tokenize";
import { html, type TemplateResult } from "lit/html.js";
import { normalizeWebAddress } from "../../schema/formats.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderLinkButton } from "./buttons.ts";
import { formatSpans, type MarkdownBlock, type MarkdownSpan, readMarkdown, shortenAddress } from "./markdown.ts";

/** A model's text as rendered Markdown. Its content can't load or run anything, and links show their target. */
export function renderMarkdownText(panel: Panel, text: string): TemplateResult {
  return html`<div class="prose" dir="auto">${readMarkdown(text).map((block) => renderBlock(panel, block))}</div>`;
}

function renderBlock(panel: Panel, block: MarkdownBlock): TemplateResult {
  const renderSpans = (spans: readonly MarkdownSpan[]): unknown => spans.map((span) => renderSpan(panel, span));
  switch (block.kind) {
    case "paragraph":
      return html`<p>${renderSpans(block.spans)}</p>`;
    case "heading":
      return html`<p class="heading level-${Math.min(block.level, 3)}" role="heading" aria-level="5">${renderSpans(block.spans)}</p>`;
    case "code":
      return renderCode(block.text, block.language);
    case "list": {
      const items = block.items.map((item) => html`<li>${item.map((part) => renderBlock(panel, part))}</li>`);
      return block.from === undefined ? html`<ul>${items}</ul>` : html`<ol start=${block.from}>${items}</ol>`;
    }
    case "quote":
      return html`<blockquote>${block.blocks.map((part) => renderBlock(panel, part))}</blockquote>`;
    case "table": {
      const [head = [], ...rows] = block.rows;
      return html`<div class="table" tabindex="0" role="group" aria-label=${t("timeline.table")}><table>
        <thead><tr>${head.map((cell) => html`<th>${renderSpans(cell)}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${renderSpans(cell)}</td>`)}</tr>`)}</tbody>
      </table></div>`;
    }
    case "rule":
      return html`<hr />`;
  }
}

function renderSpan(panel: Panel, span: MarkdownSpan): unknown {
  const renderInnerSpans = (spans: readonly MarkdownSpan[]): unknown => spans.map((part) => renderSpan(panel, part));
  switch (span.kind) {
    case "text":
      return span.text;
    case "code":
      return html`<code>${span.text}</code>`;
    case "strong":
      return html`<strong>${renderInnerSpans(span.spans)}</strong>`;
    case "em":
      return html`<em>${renderInnerSpans(span.spans)}</em>`;
    case "file": {
      const { file } = span;
      return renderLinkButton(renderInnerSpans(span.spans), t("actions.openFile", { file }), () =>
        panel.send({ type: "openFile", label: file }),
      );
    }
    case "link": {
      const { address } = span;
      const link = renderLinkButton(renderInnerSpans(span.spans), address, () =>
        panel.send({ type: "openLink", address }),
      );
      return formatSpans(span.spans) === address ? link : html`${link}${renderLinkTarget(address)}`;
    }
  }
}

/** A web address as a link, with its title if it has one; as plain text if it can't be opened. */
export function renderAddress(panel: Panel, url: string, title: string): TemplateResult {
  const address = normalizeWebAddress(url);
  if (address === undefined) return html`${title === "" ? url : `${title} (${url})`}`;
  const link = renderLinkButton(title === "" ? address : title, address, () =>
    panel.send({ type: "openLink", address }),
  );
  return title === "" ? link : html`${link}${renderLinkTarget(address)}`;
}

/** The address of a link whose text differs from it. */
function renderLinkTarget(address: string): TemplateResult {
  return html` <span class="target">(${shortenAddress(address)})</span>`;
}

/** Part of a code text, with the kind of its words; "" for plain ones. */
interface CodePart {
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
function renderCode(code: string, language: string): TemplateResult {
  const parts = splitCodeParts(code, language).map(({ text, kind }) =>
    kind === "" ? text : html`<span class="code-${kind}">${text}</span>`,
  );
  return html`<pre class="code" tabindex="0" role="group" aria-label=${t("timeline.code")} dir="ltr">${parts}</pre>`;
}
