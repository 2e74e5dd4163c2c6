// Texts for people that are literals in a source file instead of rows in src/texts.
import { parseSync } from "oxc-parser";

/** Attributes whose values people read or hear. */
const ATTRIBUTE = /\b(?:aria-(?:label|description|roledescription|valuetext)|title|placeholder|alt|label)="([^"]*)"/g;
/** Properties that hold a text for people, even if it's one word. */
const LABELS =
  /^(label|title|placeHolder|placeholder|prompt|tooltip|detail|description|message|text|ariaLabel|heading|caption|hint)$/;
/** Properties and attributes that hold names for programs. */
const NAMES = /^(class|className|kind|command|when|id|type|scheme|language|pattern)$/;
const LOGGING = /^(console|log|logger|channel|output)$/;
/** Stands in for an expression. */
const HOLE = "\ufffc";

/**
 * Literals at the edge that aren't texts of ours for people, by file: how each begins, with {} for an expression. The model
 * reads feedback, outcomes of commands and quoted context in English; the rest are names, a line of the log, and a message
 * of the browser.
 */
const EXCEPTIONS = {
  "src/editor/chat/agent-tool.ts": [
    ...["The run {}", "It changed", "and {} more", "used up", "made no progress", "was stopped"],
    "AutoGPT can't start a run from",
  ],
  "src/editor/chat/references.ts": ["See {}", "lines "],
  "src/editor/panel/question-post.ts": ["Bearer {}"],
  "src/editor/review/pending-decisions.ts": ["The user refused it", "The user says:"],
  "src/vscode/actions/decide.ts": ["It was set aside"],
  "src/vscode/actions/memory.ts": ["lines "],
  "src/vscode/fleet/remote-run.ts": ["The user says:"],
  "src/vscode/host/editor-tools.ts": ["A run can't start"],
  "src/vscode/tasks/editor-tasks.ts": ["Only a task", "This workspace isn't", "VS Code didn't"],
  "src/vscode/tasks/task-runs.ts": ["Its output can't"],
  "src/vscode/tasks/test-explorer.ts": ["VS Code didn't"],
  "src/vscode/terminal/editor-terminals.ts": ["This workspace's settings"],
  "src/vscode/actions/show.ts": ["tool, answer to"],
  "src/vscode/workspace/cell-runs.ts": ['"{}" has changed'],
  "src/vscode/workspace/editor-notebooks.ts": ['"{}" has changed', "The editor didn't take"],
  "src/vscode/workspace/editor-workspace.ts": ["It is in the trash.", "{} has edits"],
  "src/vscode/workspace/mentioned-context.ts": ["lines ", "the editor's problems"],
  "src/editor/panel/entry-tasks.ts": ["Fix the test ", "the failed test", "Explain this output"],
  "src/vscode/workspace/task-from-context.ts": ["{}, lines ", "This is about ", "Fix these problems"],
  "src/vscode/workspace/unsaved-texts.ts": ["{} is open under", "The editor didn't take"],
  "src/webview/run/outcome-view.ts": ["The user says:"],
  "src/editor/panel/log.ts": ["{}: over: {}"],
  "src/vscode/models/add-provider.ts": ["GitHub Copilot Chat"],
  "src/vscode/views/status-bar.ts": ["AutoGPT {}"],
  "src/webview/app/main.ts": ["ResizeObserver loop"],
};

/** The literals for people in a file, each with its offset. Texts have {} for their expressions. */
export function literalsForPeople(name, text) {
  const found = [];
  visit(parseSync(name, text).program, {}, found);
  const excepted = EXCEPTIONS[name] ?? [];
  return found
    .map((literal) => ({ ...literal, text: literal.text.replaceAll(HOLE, "{}") }))
    .filter(({ text: literal }) => !excepted.some((beginning) => literal.startsWith(beginning)));
}

function visit(node, around, found) {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, around, found);
    return;
  }
  if (typeof node?.type !== "string") return;
  if (/^(TS|Import|Export(All|Named)Declaration$)/.test(node.type) && !node.declaration && !node.expression) return;
  switch (node.type) {
    case "TaggedTemplateExpression":
      if (node.tag.name === "html" || node.tag.name === "svg") markup(node.quasi, found);
      visit(node.quasi.expressions, {}, found);
      return;
    case "CallExpression":
      if (isLogging(node.callee)) return;
      visit(node.callee, {}, found);
      visit(node.arguments, {}, found);
      return;
    case "Property":
      visit(node.value, { key: node.key.name ?? node.key.value }, found);
      return;
    case "Literal":
      if (typeof node.value === "string") check(node.value, node.start, around, found);
      return;
    case "TemplateLiteral":
      check(node.quasis.map(({ value }) => value.cooked).join(HOLE), node.start, around, found);
      visit(node.expressions, {}, found);
      return;
    default: {
      const inner = /^(Conditional|Logical|Parenthesized|Array)Expression$/.test(node.type) ? around : {};
      for (const [key, value] of Object.entries(node)) if (key !== "type") visit(value, inner, found);
    }
  }
}

function isLogging(callee) {
  const { object } = callee;
  return LOGGING.test(object?.name ?? object?.property?.name ?? "");
}

function markup({ quasis, start }, found) {
  const text = quasis.map(({ value }) => value.cooked).join(HOLE);
  const outside = text.replace(/<[^<>]*>/g, "\n").split("\n");
  const attributes = [...text.matchAll(ATTRIBUTE)].map(([, value]) => value);
  for (const part of [...outside, ...attributes]) {
    const words = part.replace(/&\w+;/g, " ").trim();
    if (/\p{L}{2}/u.test(words)) found.push({ offset: start, text: words });
  }
}

function check(value, offset, { key = "" }, found) {
  const text = value.trim();
  if (NAMES.test(key) || !/\p{L}{2}/u.test(text)) return;
  if ((LABELS.test(key) && /^\P{Ll}*\p{Lu}/u.test(text)) || readsAsProse(text)) found.push({ offset, text });
}

function readsAsProse(text) {
  const sentence = /^["“(\ufffc]?\s*(\p{Lu}[\p{L}'’-]*|\ufffc)[,:]? [\p{L}\ufffc"“(]/u;
  const ending = /\p{L}{2,} [\s\S]*\p{L}[.?!…]$/u;
  const words = /^[\p{Ll}'’\ufffc]{2,}[,]? [\p{Ll}'’\ufffc]+ [\p{Ll}'’\ufffc]+( |$|[.,])/u;
  return (
    (sentence.test(text) || ending.test(text) || words.test(text)) &&
    /\p{L}{2,}[^\p{L}]*\s[^\p{L}]*\p{L}|\p{L}{3,}/u.test(text)
  );
}
