import { escapeHtml, renderHtmlPage } from "../../../../src/headless/library.ts";

const STYLE = `:root{color-scheme:light dark}*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:1.5rem auto;padding:0 1rem;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{font-weight:600}dd{margin:0}
table{border-collapse:collapse;width:100%}th,td{padding:.3rem .5rem;border-bottom:1px solid #8886;text-align:end;vertical-align:top}
th:first-child,td:first-child,th:last-child,td:last-child{text-align:start}tfoot td{font-weight:600}
.good{color:light-dark(#116329,#7ee787)}.bad{color:light-dark(#a40e26,#ff9a93)}
@media (max-width:45rem){body{margin:1rem auto}h1{font-size:1.4rem}dl{display:block}dd{margin-bottom:.5rem}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table,tbody,tfoot,tr,td{display:block;text-align:start}tr{border-bottom:1px solid #8886;padding:.5rem 0}
td{border:0;padding:.1rem 0}td:not(:first-child)::before{content:attr(data-title) ": "}td:empty{display:none}td:first-child{font-weight:600}}`;

/** A table cell: text, or escaped markup. */
export type Cell = string | { readonly html: string };

/** A page of a measurement. `body` is markup. */
export function renderEvalPage(title: string, body: readonly string[]): string {
  return renderHtmlPage(title, STYLE, body);
}

/** A table whose rows become lists on narrow screens. The last row can be a total. */
export function renderHtmlTable(
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  total?: readonly Cell[],
): string {
  const head = titles.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join("");
  const renderRow = (cells: readonly Cell[]): string =>
    `<tr>${cells.map((cell, index) => `<td data-title="${escapeHtml(titles[index] ?? "")}">${renderCellMarkup(cell)}</td>`).join("")}</tr>`;
  return [
    `<h2>${escapeHtml(caption)}</h2>`,
    `<table><thead><tr>${head}</tr></thead>`,
    `<tbody>${rows.map(renderRow).join("\n")}</tbody>`,
    ...(total ? [`<tfoot>${renderRow(total)}</tfoot>`] : []),
    "</table>",
  ].join("\n");
}

/** Labels with their texts. */
export function renderFactList(facts: readonly (readonly [string, string])[]): string {
  return `<dl>${facts.map(([label, text]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(text)}</dd>`).join("")}</dl>`;
}

/** A link to a file beside the page. */
export function createLinkCell(path: string, text: string): Cell {
  return { html: `<a href="${escapeHtml(encodeURI(path))}">${escapeHtml(text)}</a>` };
}

/** Text in a color for good or bad news, which its words express, too. */
export function createJudgedCell(text: string, isGood: boolean): Cell {
  return { html: `<span class="${isGood ? "good" : "bad"}">${escapeHtml(text)}</span>` };
}

function renderCellMarkup(cell: Cell): string {
  return typeof cell === "string" ? escapeHtml(cell) : cell.html;
}
