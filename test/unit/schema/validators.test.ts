import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import type { Validator } from "../../../src/schema/validator.ts";

const SCHEMA = path.join(import.meta.dirname, "../../../src/schema");
const COMPILER = path.join(import.meta.dirname, "../../../scripts/compile-validators.mjs");
const FILES = fs.readdirSync(SCHEMA).filter((name) => name.endsWith("-validators.ts"));

type Validators = Readonly<Record<string, Validator<unknown>>>;

async function validators(file: string): Promise<Validators> {
  const loaded: Validators = await import(path.join(SCHEMA, file));
  return loaded;
}

/** The same validators as bundles contain them. */
async function compiled(file: string): Promise<Validators> {
  const code = execFileSync(process.execPath, [COMPILER, path.join(SCHEMA, file)], { encoding: "utf8" });
  const loaded: Validators = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return loaded;
}

const WORDS = /"(?:[^"\\]|\\.)*"/g;

/** Values that are nearly of a schema's shape: objects with its field names, tags and choices. */
function likely(schema: object): fc.Arbitrary<unknown> {
  const words = [
    ...new Set(
      JSON.stringify(schema)
        .match(WORDS)
        ?.map((word) => String(JSON.parse(word))),
    ),
  ];
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(...words),
      fc.constantFrom(0, 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, null, true, false, undefined, ""),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...words), tie("value"), { maxKeys: 6 }),
    ),
  }));
  return value;
}

/** A value of the shape, with each optional field now and then. */
function fitting(schema: unknown, root: unknown = schema): fc.Arbitrary<unknown> {
  const node = (typeof schema === "object" && schema !== null ? schema : {}) as Record<string, unknown>;
  if ("const" in node) return fc.constant(node.const);
  if (Array.isArray(node.enum)) return fc.constantFrom(...(node.enum as unknown[]));
  if (Array.isArray(node.oneOf)) {
    const { oneOf, ...common } = node;
    return fc.oneof(
      ...node.oneOf.map((one) =>
        fc.tuple(fitting(common, root), fitting({ type: "object", ...one }, root)).map(([a, b]) => ({
          ...(a as object),
          ...(b as object),
        })),
      ),
    );
  }
  switch (Array.isArray(node.type) ? node.type[0] : node.type) {
    case "string":
      return typeof node.pattern === "string" ? fc.constant("a".repeat(64)) : fc.string({ maxLength: 4 });
    case "integer":
      return fc.integer({ min: Number(node.minimum ?? 0), max: Number(node.maximum ?? 2 ** 31 - 1) });
    case "number":
      return fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(fitting(node.items, root), { minLength: Number(node.minItems ?? 0), maxLength: 2 });
    default: {
      const fields = Object.entries((node.properties ?? {}) as Record<string, unknown>);
      const required = new Set((node.required ?? []) as string[]);
      return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, fitting(field, root)])), {
        requiredKeys: fields.flatMap(([name, field]) => (required.has(name) || "const" in Object(field) ? [name] : [])),
      });
    }
  }
}

/** The same value with one of its parts replaced. */
function damaged(value: unknown, at: number, by: unknown): unknown {
  let count = 0;
  const walk = (part: unknown): unknown => {
    if (count++ === at) return by;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(value);
}

for (const file of FILES) {
  describe(`the validators in ${file}`, () => {
    it("are made from valid schemas", async () => {
      const ajv = new Ajv({ strict: false, discriminator: true });
      const invalid = Object.entries(await validators(file)).filter(
        ([, { schema }]) => ajv.validateSchema(JSON.parse(JSON.stringify(schema))) !== true,
      );
      assert.deepEqual(invalid, []);
    });

    it("decide the same when they are compiled ahead of time", async () => {
      const bundled = await compiled(file);
      for (const [name, check] of Object.entries(await validators(file))) {
        const same = (value: unknown): void =>
          assert.equal(bundled[name]?.(value), check(value), JSON.stringify(value));
        const fit = fitting(JSON.parse(JSON.stringify(check.schema)));
        fc.assert(fc.property(likely(check.schema), same), { numRuns: 200 });
        fc.assert(fc.property(fit, same), { numRuns: 100 });
        fc.assert(
          fc.property(fit, fc.nat(30), likely(check.schema), (value, at, by) => same(damaged(value, at, by))),
          { numRuns: 300 },
        );
      }
    });

    it("accept values of their shape", async () => {
      for (const [name, check] of Object.entries(await validators(file))) {
        if (name === "isNewerEvent") continue;
        fc.assert(
          fc.property(fitting(JSON.parse(JSON.stringify(check.schema))), (value) => check(value)),
          { numRuns: 100 },
        );
      }
    });
  });
}
