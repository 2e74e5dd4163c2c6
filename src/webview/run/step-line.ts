import { html, nothing, type TemplateResult } from "lit/html.js";
import { callTitle, lookTitle } from "../../core/commands/call-title.ts";
import { programFailed } from "../../core/commands/outcome.ts";
import type { StepView } from "../../core/events/run-state.ts";
import type { ChangedFile } from "../../schema/run-values.ts";
import { type DisplayText, displayText, isDisplayText } from "../../texts/display-text.ts";
import { drawnList, drawnParts, t, write, writeValue } from "../../texts/language.ts";
import type { Panel } from "../app/panel-state.ts";
import { figuresView } from "../ui/figures-view.ts";
import { type IconName, icon } from "../ui/icons.ts";

/** A step on one line: its state, what it did, how it came out. */
export interface StepLine {
  readonly icon: IconName;
  readonly tone: "" | "good" | "bad" | "warn" | "info";
  /** The state for screen readers. */
  readonly word: DisplayText;
  readonly title: DisplayText;
  /** Name of the command, for the tooltip. */
  readonly command?: string;
  readonly summary?: DisplayText;
  readonly files?: readonly ChangedFile[];
}

/** The line of a step. `isResting`: nothing works on the run, so an open step was interrupted. */
export function stepLine(step: StepView, isResting: boolean): StepLine {
  const { reply, outcome, began } = step;
  const proposal = reply?.kind === "proposal" ? reply : undefined;
  const call = began ?? proposal?.call;
  const title = call && callTitle(call, outcome);
  const named = call ? { command: call.name } : {};
  const unreadable = displayText("timeline.unreadable");
  switch (outcome?.status) {
    case "done":
      return {
        ...doneLine(step, outcome),
        title: proposal?.also ? lookTitle([proposal.call, ...proposal.also]) : (title?.after ?? unreadable),
        ...named,
      };
    case "failed":
      return {
        ...(proposal ? BAD : { icon: "warning", tone: "warn" }),
        word: displayText("timeline.failed"),
        title: title?.before ?? unreadable,
        summary:
          knownSummary(outcome) ?? displayText(outcome.isInvalid ? "timeline.invalid" : "timeline.failed"),
        ...named,
      };
    case "refused": {
      const summary = rejection(step);
      return {
        icon: "refuse",
        tone: "",
        word: summary,
        title: title?.before ?? unreadable,
        summary,
        ...named,
      };
    }
    case "finished":
      return { ...GOOD, icon: "flag", title: title?.after ?? unreadable, ...named };
    default:
      return { ...openLine(step, isResting), ...named };
  }
}

const GOOD = { icon: "accept", tone: "good", word: displayText("timeline.done") } as const;
const BAD = { icon: "close", tone: "bad" } as const;

/** The summary of an outcome; undefined for one that a newer version or a damaged log has. */
function knownSummary({
  summary,
}: Pick<Extract<StepView["outcome"], { status: "done" }>, "summary">): DisplayText | undefined {
  return summary && isDisplayText(summary) ? summary : undefined;
}

function doneLine(
  { also = [] }: StepView,
  outcome: Extract<StepView["outcome"], { status: "done" }>,
): Pick<StepLine, "icon" | "tone" | "word" | "summary" | "files"> {
  const files = outcome.files ? { files: outcome.files } : {};
  const known = knownSummary(outcome);
  const summary = known ? { summary: known } : {};
  if (also.some(({ status }) => status === "failed"))
    return { ...BAD, word: displayText("timeline.failed"), summary: displayText("timeline.failed") };
  if (!programFailed(outcome)) return { ...GOOD, ...summary, ...files };
  const { exitCode } = outcome;
  const code =
    exitCode == null
      ? displayText("timeline.killed")
      : displayText("timeline.exitCode", { code: `${exitCode}` });
  return { ...BAD, word: displayText("timeline.failed"), summary: code, ...summary, ...files };
}

function rejection({ decided }: StepView): DisplayText {
  if (decided?.by === "user") return displayText("timeline.rejectedByUser");
  return displayText(decided?.by === "rule" ? "timeline.rejectedByRule" : "timeline.rejected");
}

/** The line of a step that hasn't ended. */
function openLine({ stage, reply, began, decided }: StepView, isResting: boolean): StepLine {
  const call = began ?? (reply?.kind === "proposal" ? reply.call : undefined);
  const busy = { icon: "working", tone: "info" } as const;
  const thinking = displayText("timeline.thinking");
  if (!call) {
    if (isResting) {
      const title = displayText("timeline.notCompleted");
      return { icon: "pause", tone: "", word: title, title };
    }
    if (reply) {
      const title = displayText("timeline.unreadable");
      return { icon: "warning", tone: "warn", word: title, title, summary: displayText("timeline.retrying") };
    }
    return { ...busy, word: thinking, title: thinking };
  }
  const title = callTitle(call).before;
  if (isResting && stage === "began")
    return {
      icon: "pause",
      tone: "",
      word: displayText("timeline.interrupted"),
      title,
      summary: displayText("timeline.interrupted"),
    };
  if (!decided && !began) return { icon: "ask", tone: "", word: displayText("timeline.proposed"), title };
  return { ...busy, word: displayText("timeline.running"), title };
}

/** Draws a line. Its inside opens and closes with the whole line, and with the button at its end. */
export function lineView(
  panel: Panel,
  line: StepLine,
  { numbers, open, toggle, label }: LineOptions,
): TemplateResult {
  const click = (event: Event): void => {
    const isLink = event.target instanceof Element && event.target.closest("button, [role=link]") !== null;
    if (!isLink && globalThis.getSelection()?.isCollapsed !== false) toggle?.();
  };
  const plain = write(line.title);
  return html`<div class="line ${line.tone}" @click=${toggle ? click : nothing}>
    ${icon(line.icon, line.tone)}
    <h3 class="line-title" title=${line.command === undefined ? plain : `${plain} (${line.command})`}
      ><span class="hidden">${numbers} </span>${titleParts(panel, line)}<span class="hidden">${line.word === line.title ? nothing : ` (${write(line.word)})`}</span></h3
    >
    ${line.summary ? html`<span class="line-summary" dir="auto" aria-hidden=${line.summary.code === line.word.code ? "true" : nothing}>${summaryParts(panel, line.summary)}</span>` : nothing}
    ${line.files ? sumView(line.files) : nothing}
    ${
      toggle
        ? html`<button type="button" class="line-toggle" aria-expanded=${open ? "true" : "false"} aria-label=${label} title=${label} @click=${toggle}>
            ${icon(open ? "unfolded" : "folded")}
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

/** Characters of an argument that nothing is gained by cutting. */
const SHORT_ARGUMENT = 6;

/** Parameters that are paths, besides files that can be opened. */
const PATHS: ReadonlySet<string> = new Set(["file", "from", "path"]);

/** The words of a title, which stay whole: files, which are links, command lines and other arguments give way on a narrow line. */
function titleParts(panel: Panel, { title, tone, files = [] }: StepLine): readonly unknown[] {
  return inWords(
    drawnParts(title, (name, value) => {
      if (name === "command") return html`<code class="argument" dir="auto">${writeValue(value)}</code>`;
      if (name === "file" && typeof value === "string" && tone !== "bad")
        return fileLink(panel, value, files.find(({ file }) => file === value)?.line);
      if (name === "files" && Array.isArray(value)) return inWords(filesView(panel, value));
      const text = writeValue(value);
      if (text.length <= SHORT_ARGUMENT) return html`<bdi class="word">${text}</bdi>`;
      return PATHS.has(name)
        ? html`<span class="argument path"><bdi>${shortPath(text)}</bdi></span>`
        : html`<bdi class="argument">${text}</bdi>`;
    }),
  );
}

/** The words between arguments as elements of their own. */
function inWords(parts: readonly unknown[]): readonly unknown[] {
  return parts.map((part) => {
    if (typeof part !== "string") return part;
    return part === "" ? nothing : html`<span class="word">${part}</span>`;
  });
}

/** A summary may name a file. */
function summaryParts(panel: Panel, text: DisplayText): readonly unknown[] {
  return drawnParts(text, (name, value) =>
    name === "file" && typeof value === "string" ? fileLink(panel, value) : writeValue(value),
  );
}

/** Files as links, in a list as the language writes it. */
export function filesView(panel: Panel, files: readonly unknown[]): readonly unknown[] {
  return drawnList(files.map(String), (file) => fileLink(panel, file));
}

/** A file as a link that the line can cut off, which it can't do with a button. */
function fileLink(panel: Panel, file: string, line?: number): TemplateResult {
  const at = line === undefined ? {} : { line };
  const open = (): void => panel.send({ type: "openFile", label: file, ...at });
  const key = (event: KeyboardEvent): void => {
    if (event.key === "Enter") open();
  };
  return html`<span class="argument path link" role="link" tabindex="0" title=${t("actions.openFile", { file })} @click=${open} @keydown=${key}
    ><bdi>${shortPath(file)}</bdi></span
  >`;
}

/** Characters of a path that are shown: its end says most. */
const LONGEST_PATH = 32;

/** A path without its first folders, if it's long. */
function shortPath(path: string): string {
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
  return figuresView({ added: sum("added"), removed: sum("removed") });
}
