import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Json, JsonSchema } from "../base/json.ts";

/** The form of a reply as one object. Its arguments are checked against their command's own schema later. */
const REPLY: JsonSchema = {
  type: "object",
  required: ["thoughts", "command"],
  properties: {
    thoughts: { type: ["object", "string"], minProperties: 1, minLength: 1 },
    command: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, args: { type: "object" } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

let check: ValidateFunction | undefined;

/** Lists how an object differs from a reply's form, each difference as a clause for the model. */
export function listFormFaults(object: Json): readonly string[] {
  check ??= new Ajv({ allErrors: true, strict: false, verbose: true }).compile(REPLY);
  if (check(object)) return [];
  const errors = check.errors ?? [];
  const strays = errors.filter(({ keyword }) => keyword === "additionalProperties");
  return [
    ...errors.filter((error) => !strays.includes(error)).map(describeFault),
    ...listStrayFaults(strays.filter(({ instancePath }) => instancePath !== "")),
    ...listStrayFaults(strays.filter(({ instancePath }) => instancePath === "")),
  ];
}

/** Lists the faults of an object whose call was understood. Other forms of a call are as good as the described one. */
export function listToleratedFaults(object: Json): readonly string[] {
  const isDescribed = typeof object.command === "object" && object.command !== null;
  return isDescribed ? listFormFaults(object) : [];
}

function describeFault({ keyword, instancePath, params, data }: ErrorObject): string {
  const at = instancePath.slice(1).replaceAll("/", ".");
  switch (keyword) {
    case "required":
      return `${quoteName(at === "" ? params.missingProperty : `${at}.${params.missingProperty}`)} is missing`;
    case "minProperties":
    case "minLength":
      return `${quoteName(at)} is empty`;
    default:
      return `${quoteName(at)} is ${getValueKind(data)} and must be ${[params.type].flat().map(addArticle).join(" or ")}`;
  }
}

/** The model knows its own text, so a few of the names are enough. */
const MOST_NAMED = 5;
const LONGEST_NAME = 40;

/** The fault of fields that don't belong to one object. */
function listStrayFaults(errors: readonly ErrorObject[]): readonly string[] {
  const [first] = errors;
  if (!first) return [];
  const all = errors.map(({ params }) => String(params.additionalProperty));
  const names = all.slice(0, MOST_NAMED).map((name) => quoteName(name.slice(0, LONGEST_NAME)));
  const more = all.length > names.length ? [`${all.length - names.length} more`] : [];
  const listed = [...names, ...more].join(", ");
  const fields = Object.keys(first.parentSchema?.properties ?? {}).map(quoteName);
  if (first.instancePath !== "") return [`"command" has only ${fields.join(" and ")}, not ${listed}`];
  const inside = all.filter((name) => name === "name" || name === "args").map(quoteName);
  const place = inside.length > 0 ? ` (${inside.join(" and ")} only inside "command")` : "";
  return [`only ${fields.join(" and ")} belong at the top, not ${listed}${place}`];
}

function quoteName(name: string): string {
  return `"${name}"`;
}

function getValueKind(value: unknown): string {
  return value === null ? "null" : addArticle(Array.isArray(value) ? "list" : typeof value);
}

function addArticle(kind: string): string {
  return kind === "object" ? "an object" : `a ${kind === "string" ? "text" : kind}`;
}
