import { html, type TemplateResult } from "lit/html.js";
import { webAddress } from "../../schema/formats.ts";
import { t } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { linkView } from "./buttons.ts";
import { codeView } from "./code-view.ts";
import { type MarkdownBlock, type MarkdownSpan, readMarkdown, shortAddress, spansText } from "./markdown.ts";

/** A model's text with its Markdown rendered. Nothing in it loads or runs, and links show their target. */
export function textView(panel: Panel, text: string): TemplateResult {
  return html`<div class="prose" dir="auto">${readMarkdown(text).map((block) => blockView(panel, block))}</div>`;
}

function blockView(panel: Panel, block: MarkdownBlock): TemplateResult {
  const line = (spans: readonly MarkdownSpan[]): unknown => spans.map((span) => spanView(panel, span));
  switch (block.kind) {
    case "paragraph":
      return html`<p>${line(block.spans)}</p>`;
    case "heading":
      return html`<p class="heading level-${Math.min(block.level, 3)}" role="heading" aria-level="5">${line(block.spans)}</p>`;
    case "code":
      return codeView(block.text, block.language);
    case "list": {
      const items = block.items.map((item) => html`<li>${item.map((part) => blockView(panel, part))}</li>`);
      return block.from === undefined ? html`<ul>${items}</ul>` : html`<ol start=${block.from}>${items}</ol>`;
    }
    case "quote":
      return html`<blockquote>${block.blocks.map((part) => blockView(panel, part))}</blockquote>`;
    case "table": {
      const [head = [], ...rows] = block.rows;
      return html`<div class="table" tabindex="0" role="group" aria-label=${t("timeline.table")}><table>
        <thead><tr>${head.map((cell) => html`<th>${line(cell)}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${line(cell)}</td>`)}</tr>`)}</tbody>
      </table></div>`;
    }
    case "rule":
      return html`<hr />`;
  }
}

function spanView(panel: Panel, span: MarkdownSpan): unknown {
  const inside = (spans: readonly MarkdownSpan[]): unknown => spans.map((part) => spanView(panel, part));
  switch (span.kind) {
    case "text":
      return span.text;
    case "code":
      return html`<code>${span.text}</code>`;
    case "strong":
      return html`<strong>${inside(span.spans)}</strong>`;
    case "em":
      return html`<em>${inside(span.spans)}</em>`;
    case "file": {
      const { file } = span;
      return linkView(inside(span.spans), t("actions.openFile", { file }), () =>
        panel.send({ type: "openFile", label: file }),
      );
    }
    case "link": {
      const { address } = span;
      const link = linkView(inside(span.spans), address, () => panel.send({ type: "openLink", address }));
      return spansText(span.spans) === address ? link : html`${link}${targetView(address)}`;
    }
  }
}

/** A web address as a link, behind its title if it has one; as text if it can't be opened. */
export function addressView(panel: Panel, url: string, title: string): TemplateResult {
  const address = webAddress(url);
  if (address === undefined) return html`${title === "" ? url : `${title} (${url})`}`;
  const link = linkView(title === "" ? address : title, address, () =>
    panel.send({ type: "openLink", address }),
  );
  return title === "" ? link : html`${link}${targetView(address)}`;
}

/** The address of a link whose text differs from it. */
function targetView(address: string): TemplateResult {
  return html` <span class="target">(${shortAddress(address)})</span>`;
}
