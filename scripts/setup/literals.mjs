// Texts for people that are literals in a source file instead of rows in src/texts.
import { parseSync } from "oxc-parser";

/** Attributes whose values people read or hear. */
const ATTRIBUTE =
  /\b(?:aria-(?:label|description|roledescription|valuetext)|title|placeholder|alt|label)="([^"]*)"/g;
/** Properties that hold a text for people, even if it's one word. */
const LABELS =
  /^(label|title|placeHolder|placeholder|prompt|tooltip|detail|description|message|text|ariaLabel|heading|caption|hint)$/;
/** Properties and attributes that hold names for programs. */
const NAMES = /^(class|className|kind|command|when|id|type|scheme|language|pattern)$/;
const LOGGING = /^(console|log|logger|channel|output)$/;
/** Stands in for an expression. */
const HOLE = "\ufffc";

/** The literals for people in a file, each with its offset. */
export function literalsForPeople(name, text) {
  const found = [];
  visit(parseSync(name, text).program, {}, found);
  return found;
}

function visit(node, around, found) {
  if (Array.isArray(node)) {
    for (const one of node) visit(one, around, found);
    return;
  }
  if (typeof node?.type !== "string") return;
  if (/^(TS|Import|Export(All|Named)Declaration$)/.test(node.type) && !node.declaration && !node.expression)
    return;
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
