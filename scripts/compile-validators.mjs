// Prints the validators of a module in src/schema, compiled to plain functions: node scripts/compile-validators.mjs FILE.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { AJV_OPTIONS } from "../src/schema/validator.ts";

const [file = ""] = process.argv.slice(2);
const schemas = Object.fromEntries(
  Object.entries(await import(pathToFileURL(path.resolve(file)).href)).map(([name, { schema }]) => [
    name,
    shared(plain(schema)),
  ]),
);
const code = { source: true, esm: true, lines: true, optimize: 2 };
const ajv = new Ajv({ ...AJV_OPTIONS, inlineRefs: false, messages: false, code, schemas });
const IS_OBJECT = 'function isObject(data) {return data && typeof data == "object" && !Array.isArray(data)}';
const names = Object.fromEntries(Object.keys(schemas).map((name) => [name, name]));
process.stdout.write(verdictsOnly(standalone.default(ajv, names)));

/** The schema without what only TypeBox reads. */
function plain(schema) {
  return JSON.parse(JSON.stringify(schema));
}

/** Puts each part that a schema holds twice among its definitions, so that its code exists once. */
function shared(schema) {
  const counts = new Map();
  walk(schema, (text) => counts.set(text, (counts.get(text) ?? 0) + 1));
  const names = new Map();
  const definitions = {};
  const root = replaceParts(schema);
  return { ...root, $defs: definitions };

  function replace(part) {
    const text = JSON.stringify(part);
    if (!isPart(part) || (counts.get(text) ?? 0) < 2) return replaceParts(part);
    if (!names.has(text)) {
      names.set(text, `part${names.size}`);
      definitions[names.get(text)] = replaceParts(part);
    }
    return { $ref: `#/$defs/${names.get(text)}` };
  }

  function replaceParts(part) {
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, replace(value)]));
  }
}

function walk(value, seen) {
  if (typeof value !== "object" || value === null) return;
  if (isPart(value)) seen(JSON.stringify(value));
  for (const inner of Object.values(value)) walk(inner, seen);
}

/** A schema that takes more code than a call of it. */
function isPart(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return (
    Array.isArray(value.oneOf) ||
    Array.isArray(value.enum) ||
    ["array", "integer", "number"].includes(value.type) ||
    (value.type === "object" && value.properties !== undefined)
  );
}

/**
 * Leaves out all that tells why a value is wrong: it is most of the code, and nothing reads it. Each check then returns at
 * its first finding, so the counters of errors are constant and go, too.
 */
function verdictsOnly(source) {
  const lines = source
    .replace(/^validate\d+\.errors = .*;\n/gm, "")
    .replace(
      /^if\(!\((validate\d+)\((\S+), \{.*\}\)\)\)\{\nvErrors = .*;\nerrors = vErrors\.length;\n\}\n/gm,
      "if(!$1($2)) return false;\n",
    )
    .replace(/^(?:const _errs\d+ = errors|let vErrors = null|let errors = 0|let missing\d+|var valid\d+ = .*);\n/gm, "")
    .replace(/^if\(!valid\d+\)\{\nbreak;\n\}\n/gm, "")
    .replace(/^if\((?:errors === (?:_errs\d+|0)|_errs\d+ === errors|valid\d+)\)\{\n/gm, "{\n")
    .replace(/^else \{\n\}\n/gm, "")
    .replace(/ && \(missing\d+ = "[^"]*"\)/g, "")
    .replaceAll(', {instancePath="", parentData, parentDataProperty, rootData=data}={}', "")
    .replace(/^return errors === 0;\n/gm, "return true;\n")
    .replace(/(\w+(?:\.\w+)*) && typeof \1 == "object" && !Array\.isArray\(\1\)/g, "isObject($1)");
  const verdicts = lines.replace(/^const (schema\d+) = .*;\n/gm, (line, name) =>
    lines.split(new RegExp(`\\b${name}\\b`)).length > 2 ? line : "",
  );
  const rest = /.*(?:errors|_errs\d|missing\d|valid\d|require\().*/i.exec(verdicts)?.[0];
  if (rest !== undefined)
    throw new Error(`The code that ajv generates has changed, so its errors can't be left out: ${rest}`);
  return `${verdicts}\n${IS_OBJECT}`;
}
