import { html, type TemplateResult } from "lit/html.js";
import { type Block, type Span, textBlocks } from "./text-blocks.ts";

/** A model's text with its code, bullets and paragraphs told apart. It stays text: nothing in it becomes a link or loads. */
export function textView(text: string): TemplateResult {
  return html`<div class="prose" dir="auto">${textBlocks(text).map(blockView)}</div>`;
}

function blockView(block: Block): TemplateResult {
  switch (block.kind) {
    case "code":
      return html`<pre class="code" tabindex="0" role="group" aria-label="Code">${block.text}</pre>`;
    case "list": {
      const items = block.items.map((item) => html`<li>${item.map(spanView)}</li>`);
      return block.from === undefined ? html`<ul>${items}</ul>` : html`<ol start=${block.from}>${items}</ol>`;
    }
    case "paragraph":
      return html`<p>${block.spans.map(spanView)}</p>`;
  }
}

function spanView(span: Span): TemplateResult | string {
  return span.code ? html`<code>${span.text}</code>` : span.text;
}
