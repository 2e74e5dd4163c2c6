// Reads the names of all functions in src and packages: each begins with a verb, says what is returned or done, and isn't a riddle. More cases
// of a rule than its ceiling in scripts/ceilings.json are an error. --list shows all cases, --lower writes the ceilings down.
// A verb that is missing from scripts/setup/verbs.txt is added there.
import fs from "node:fs";
import { parseArgs } from "node:util";
import { parseSync } from "oxc-parser";
import { checkCeilings } from "./setup/ceilings.mjs";
import { inRoot } from "./setup/root.mjs";

const VERBS = new Set(
  fs
    .readFileSync(inRoot("scripts", "setup", "verbs.txt"), "utf8")
    .split(/\s+/)
    .filter(Boolean),
);
const PREDICATES = new Set(["is", "has", "can", "should", "may", "must", "are", "was", "were", "does", "did"]);
/** Constructors of values that read as the value, and names that a library or a protocol demands. */
const ACCEPTED = new Set(["t", "html", "css", "sha256", "hash30", "constructor"]);
const ENDING = /(?:Of|In|At)$/;
const PARTICIPLE =
  /^(?:[a-z]+ed|told|made|kept|held|heard|done|gone|left|lost|found|sent|seen|said|shown|built|bound|spent|meant|known|written|drawn|taken|given|chosen|broken|hidden|late|stands)$/;

const { values } = parseArgs({ options: { list: { type: "boolean" }, lower: { type: "boolean" } } });
const found = {
  "functions that don't begin with a verb": [],
  "functions that end in Of, In or At": [],
  "functions named by a participle alone": [],
};
let count = 0;

function check(name, where) {
  count++;
  const [first] = /^[a-z0-9]+/.exec(name) ?? [name];
  const isVerb = VERBS.has(first) || PREDICATES.has(first) || ACCEPTED.has(name) || /^on[A-Z]/.test(name);
  if (!isVerb) found["functions that don't begin with a verb"].push(`${where}: ${name}`);
  if (ENDING.test(name) && !/[sS]ign(?:ed)?In$/.test(name))
    found["functions that end in Of, In or At"].push(`${where}: ${name}`);
  if (PARTICIPLE.test(name) && !VERBS.has(name))
    found["functions named by a participle alone"].push(`${where}: ${name}`);
}

const isFunction = (node) => node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";

/** The name of a function that this node declares: a function, a method, a signature, or a constant that holds one. */
function functionName(node) {
  switch (node.type) {
    case "FunctionDeclaration":
      return node.id?.name;
    case "MethodDefinition":
      return node.kind === "method" && !node.computed ? node.key.name : undefined;
    case "PropertyDefinition":
      return isFunction(node.value) && !node.computed ? node.key.name : undefined;
    case "Property":
      return node.method && !node.computed ? node.key.name : undefined;
    case "TSMethodSignature":
      return node.computed ? undefined : node.key.name;
    case "VariableDeclarator":
      return isFunction(node.init) ? node.id.name : undefined;
    default:
      return undefined;
  }
}

function visit(node, where) {
  if (Array.isArray(node)) for (const one of node) visit(one, where);
  if (node === null || typeof node !== "object" || typeof node.type !== "string") return;
  const name = functionName(node);
  if (name !== undefined) check(name, where(node.start));
  for (const value of Object.values(node)) if (value !== null && typeof value === "object") visit(value, where);
}

for (const file of fs.globSync(["src/**/*.ts", "packages/*/src/**/*.ts"], { cwd: inRoot() }).sort()) {
  const text = fs.readFileSync(inRoot(file), "utf8");
  visit(parseSync(file, text).program, (start) => `${file}:${text.slice(0, start).split("\n").length}`);
}
const others = found["functions that don't begin with a verb"].length;
console.log(`${count} functions, ${(100 - (others / count) * 100).toFixed(1)} % begin with a verb`);
if (!checkCeilings("names", found, values)) process.exitCode = 1;
