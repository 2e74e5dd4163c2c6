import { parseSync, Visitor } from "oxc-parser";

/** Operators and the one that a mutant has instead. */
const OPERATORS = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "-": "+",
  "&&": "||",
  "||": "&&",
};
/** Methods whose call a mutant leaves out, and methods that it replaces by a similar one. */
const REMOVED_METHODS = ["filter", "sort", "toSorted", "reverse", "toReversed", "trim", "toLowerCase", "slice"];
const SWAPPED_METHODS = { some: "every", every: "some", startsWith: "endsWith", endsWith: "startsWith" };
const EXITS = ["ReturnStatement", "ThrowStatement", "ContinueStatement", "BreakStatement"];

/** For each kind of node its mutants: the part that is replaced and its new text. */
const CHANGES = {
  IfStatement: (node, text) => [...negated(node, text), ...exitRemoved(node)],
  ConditionalExpression: negated,
  WhileStatement: negated,
  LogicalExpression: operatorSwapped,
  BinaryExpression: operatorSwapped,
  UnaryExpression: ({ operator, start }) =>
    operator === "!" ? [{ kind: "negation removed", start, end: start + 1, replacement: "" }] : [],
  Literal: ({ value, start, end }) =>
    typeof value === "boolean" ? [{ kind: "flipped", start, end, replacement: String(!value) }] : [],
  Property: ({ value: { value, start, end } }) =>
    typeof value === "number" ? [{ kind: "number", start, end, replacement: String(value + 1) }] : [],
  ArrayExpression: ({ elements }) => [...elementsRemoved(elements), ...elementsSwapped(elements)],
  ExpressionStatement({ expression, start, end }) {
    const { type } = expression.type === "AwaitExpression" ? expression.argument : expression;
    return type === "CallExpression" ? [{ kind: "call removed", start, end, replacement: ";" }] : [];
  },
  CallExpression: methodChanged,
};

/**
 * Every mutant of a file: one small change each, which no test may miss. `start` and `end` are the replaced part of
 * `text`, `change` describes the mutant in a line, and `isTopLevel` is true for code that runs when the file is loaded.
 */
export function mutantsOf(name, text) {
  const mutants = new Map();
  const functions = [];
  const inTypes = new Set();
  const addAll = (node) => {
    for (const { kind, start, end, replacement } of CHANGES[node.type](node, text)) {
      const before = oneLine(text.slice(node.start, node.end));
      const after = oneLine(text.slice(node.start, start) + replacement + text.slice(end, node.end));
      mutants.set(`${start} ${end} ${replacement}`, {
        start,
        end,
        replacement,
        line: text.slice(0, start).split("\n").length,
        change: `${kind}: ${before} → ${after}`,
      });
    }
  };
  const addFunction = (node) => functions.push(node);
  new Visitor({
    ...Object.fromEntries(Object.keys(CHANGES).map((type) => [type, addAll])),
    ArrowFunctionExpression: addFunction,
    FunctionExpression: addFunction,
    FunctionDeclaration: addFunction,
    TSLiteralType: ({ literal }) => inTypes.add(literal.start),
  }).visit(parseSync(name, text).program);
  return [...mutants.values()]
    .filter(({ start }) => !inTypes.has(start))
    .map((mutant) => ({ ...mutant, isTopLevel: !functions.some((each) => isInside(mutant, each)) }));
}

function negated({ test }, text) {
  const { operator, start, end } = test;
  if (["===", "!==", "!"].includes(operator)) return [];
  return [{ kind: "negated", start, end, replacement: `!(${text.slice(start, end)})` }];
}

/** An early exit: the whole statement is left out. */
function exitRemoved({ consequent, alternate, start, end }) {
  const [first, ...others] = consequent.type === "BlockStatement" ? consequent.body : [consequent];
  if (alternate || others.length > 0 || !EXITS.includes(first?.type)) return [];
  return [{ kind: "exit removed", start, end, replacement: ";" }];
}

function operatorSwapped({ operator, left, right }, text) {
  const replacement = OPERATORS[operator];
  if (!replacement) return [];
  const start = left.end + text.slice(left.end, right.start).indexOf(operator);
  return [{ kind: "operator", start, end: start + operator.length, replacement }];
}

function elementsRemoved(elements) {
  if (elements.length < 2 || elements.includes(null)) return [];
  return elements.map((element, at) => {
    const next = elements[at + 1];
    const [start, end] = next ? [element.start, next.start] : [elements[at - 1].end, element.end];
    return { kind: "element removed", start, end, replacement: "" };
  });
}

/** Neighbors in a list of names: their order may decide. */
function elementsSwapped(elements) {
  if (!elements.every((element) => element?.type === "Identifier")) return [];
  return elements.slice(1).map((element, at) => {
    const before = elements[at];
    const replacement = `${element.name}, ${before.name}`;
    return { kind: "order", start: before.start, end: element.end, replacement };
  });
}

function methodChanged({ callee, end }) {
  if (callee.type !== "MemberExpression" || callee.computed) return [];
  const { object, property } = callee;
  if (REMOVED_METHODS.includes(property.name))
    return [{ kind: "call removed", start: object.end, end, replacement: "" }];
  const replacement = SWAPPED_METHODS[property.name];
  return replacement ? [{ kind: "method", start: property.start, end: property.end, replacement }] : [];
}

function isInside(inner, outer) {
  return outer.start <= inner.start && inner.start < outer.end;
}

function oneLine(text) {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "" || line === ";") return "nothing";
  return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-27)}` : line;
}
