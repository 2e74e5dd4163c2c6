import { html, nothing, type TemplateResult } from "lit/html.js";
import type { StepLine } from "../../core/events/step-line.ts";
import type { ChangedFile } from "../../schema/run-values.ts";
import type { DisplayText } from "../../texts/display-text.ts";
import { renderListParts, renderTextParts, t, write, writeValue } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { renderFigures } from "../ui/figures-view.ts";
import { renderIcon } from "../ui/icons.ts";

/** Draws a line. Clicking anywhere on it, or its button at the end, opens and closes the details. */
export function renderStepLine(
  panel: Panel,
  line: StepLine,
  { numbers, open, toggle, label }: LineOptions,
): TemplateResult {
  const click = (event: Event): void => {
    const isLink = event.target instanceof Element && event.target.closest("button, [role=link]") !== null;
    if (!isLink && globalThis.getSelection()?.isCollapsed !== false) toggle?.();
  };
  const summary = line.summary ? write(line.summary) : "";
  const tooltip = formatTooltip(line, summary);
  return html`<div class="line ${line.tone}" @click=${toggle ? click : nothing}>
    ${renderIcon(line.icon, line.tone)}
    <h3 class="line-title" title=${tooltip}
      ><span class="hidden">${numbers} </span>${renderTitleParts(panel, line)}<span class="hidden">${line.word === line.title ? nothing : ` (${write(line.word)})`}</span></h3
    >
    ${line.summary ? html`<span class="line-summary ${summary.length <= SHORT_SUMMARY ? "short" : ""}" title=${tooltip} dir="auto" aria-hidden=${line.summary.code === line.word.code ? "true" : nothing}>${renderSummaryParts(panel, line.summary)}</span>` : nothing}
    ${line.files ? sumView(line.files) : nothing}
    ${
      toggle
        ? html`<button type="button" class="line-toggle" aria-expanded=${open ? "true" : "false"} aria-label=${label} title=${label} @click=${toggle}>
            ${renderIcon(open ? "unfolded" : "folded")}
          </button>`
        : nothing
    }
  </div>`;
}

interface LineOptions {
  /** The step's number for screen readers. */
  readonly numbers: string;
  readonly open: boolean;
  /** Absent for a line without details. */
  readonly toggle?: () => void;
  /** Name of the button that toggles. */
  readonly label: string;
}

/** The whole line with the command's name, since a narrow panel truncates the line. */
function formatTooltip({ title, command }: StepLine, summary: string): string {
  const named = command === undefined ? write(title) : `${write(title)} (${command})`;
  return summary === "" ? named : `${named} · ${summary}`;
}

/** Maximum length of a short result, such as "7 memories", which stays whole while arguments can be truncated. */
const SHORT_SUMMARY = 14;

/** Length at which truncating an argument gains nothing. */
const SHORT_ARGUMENT = 6;

/** Parameters that are paths, besides files that can be opened. */
const PATHS: ReadonlySet<string> = new Set(["file", "from", "path"]);

/** The words of a title, which stay whole. On a narrow line, file links, command lines and other arguments are truncated instead. */
function renderTitleParts(panel: Panel, { title, tone, files = [] }: StepLine): readonly unknown[] {
  return wrapWords(
    renderTextParts(title, (name, value) => {
      if (name === "command") return html`<code class="argument" dir="auto">${writeValue(value)}</code>`;
      if (name === "file" && typeof value === "string" && tone !== "bad")
        return renderFileLink(panel, value, files.find(({ file }) => file === value)?.line);
      if (name === "files" && Array.isArray(value)) return wrapWords(renderFileLinks(panel, value));
      const text = writeValue(value);
      if (text.length <= SHORT_ARGUMENT) return html`<bdi class="word">${text}</bdi>`;
      return PATHS.has(name)
        ? html`<span class="argument path"><bdi>${shortenPath(text)}</bdi></span>`
        : html`<bdi class="argument">${text}</bdi>`;
    }),
  );
}

/** Wraps the words between arguments in their own elements. */
function wrapWords(parts: readonly unknown[]): readonly unknown[] {
  return parts.map((part) => {
    if (typeof part !== "string") return part;
    return part === "" ? nothing : html`<span class="word">${part}</span>`;
  });
}

/** A summary may name a file. */
function renderSummaryParts(panel: Panel, text: DisplayText): readonly unknown[] {
  return renderTextParts(text, (name, value) =>
    name === "file" && typeof value === "string" ? renderFileLink(panel, value) : writeValue(value),
  );
}

/** Files as links, in a list as the language writes it. */
export function renderFileLinks(panel: Panel, files: readonly unknown[]): readonly unknown[] {
  return renderListParts(files.map(String), (file) => renderFileLink(panel, file));
}

/** A file as a link, which the line can truncate, unlike a button. */
function renderFileLink(panel: Panel, file: string, line?: number): TemplateResult {
  const at = line === undefined ? {} : { line };
  const open = (): void => panel.send({ type: "openFile", label: file, ...at });
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") open();
  };
  return html`<span class="argument path link" role="link" tabindex="0" title=${t("actions.openFile", { file })} @click=${open} @keydown=${handleKey}
    ><bdi>${shortenPath(file)}</bdi></span
  >`;
}

/** Maximum length of a displayed path, of which the end says most. */
const LONGEST_PATH = 32;

/** Removes a long path's first folders. */
function shortenPath(path: string): string {
  if (path.length <= LONGEST_PATH) return path;
  const parts = path.split("/");
  let short = parts.pop() ?? path;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (short.length + part.length + 3 > LONGEST_PATH) return `…/${short}`;
    short = `${part}/${short}`;
  }
  return short;
}

/** Added and removed lines of all files together. */
function sumView(files: readonly ChangedFile[]): TemplateResult | typeof nothing {
  const sum = (name: "added" | "removed"): number => files.reduce((all, file) => all + (file[name] ?? 0), 0);
  return renderFigures({ added: sum("added"), removed: sum("removed") });
}
