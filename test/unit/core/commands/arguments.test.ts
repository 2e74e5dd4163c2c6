import assert from "node:assert/strict";
import { Ajv } from "ajv";
import fc from "fast-check";
import { fitValue } from "../../../../src/core/commands/arguments.ts";
import { createPreparedCall, isPrepared } from "../../../../src/core/commands/command.ts";
import { createCommandSet } from "../../../../src/core/commands/command-set.ts";

const INTEGER = { type: "integer" };
const TEXTS = { type: "array", items: { type: "string" } };
const PAIR = {
  type: "object",
  properties: { left: INTEGER, right: { type: "boolean" } },
  required: ["left"],
  additionalProperties: false,
};

describe("a value that is only written differently", () => {
  const cases: readonly [string, unknown, object, unknown][] = [
    ["a whole number", "5", INTEGER, 5],
    ["a whole number with a fraction of zero", " 5.0 ", INTEGER, 5],
    ["a number", "-1.5e3", { type: "number" }, -1500],
    ["a truth", "True", { type: "boolean" }, true],
    ["a text that is given as a number", 7, { type: "string" }, "7"],
    ["a text that is given as a truth", false, { type: "string" }, "false"],
    ["the only text of a list", ["a"], { type: "string" }, "a"],
    ["a list in JSON", '["a", 1]', TEXTS, ["a", "1"]],
    ["a single item of a list", "a", TEXTS, ["a"]],
    ["a single object of a list", { left: "1" }, { type: "array", items: PAIR }, [{ left: 1 }]],
    ["no item of a list", "", TEXTS, []],
    ["an object in JSON", '{"left": "1", "right": null}', PAIR, { left: 1 }],
    ["a choice in another case", "Fast", { enum: ["fast", "smart"] }, "fast"],
    ["a choice among numbers", "2", { enum: [1, 2] }, 2],
    ["one of several types", "3", { type: ["integer", "null"] }, 3],
    ["one of several schemas", "3", { anyOf: [INTEGER, { type: "null" }] }, 3],
  ];
  for (const [name, value, schema, expected] of cases)
    it(`becomes ${name}: ${JSON.stringify(value)}`, () => assert.deepEqual(fitValue(value, { ...schema }), expected));
});

describe("a value that is no such thing", () => {
  const cases: readonly [unknown, object][] = [
    ["five", INTEGER],
    ["5.5", INTEGER],
    ["0x10", INTEGER],
    ["12345678901234567890", INTEGER],
    ["1e999", { type: "number" }],
    ["yes", { type: "boolean" }],
    [1, { type: "boolean" }],
    [["a", "b"], { type: "string" }],
    [{}, TEXTS],
    ["[1", PAIR],
    ["slow", { enum: ["fast", "smart"] }],
    ["5", { type: ["integer", "string"] }],
    ["5", { anyOf: [INTEGER, { type: "string" }] }],
  ];
  for (const [value, schema] of cases)
    it(`stays as it is: ${JSON.stringify(value)} for ${JSON.stringify(schema)}`, () =>
      assert.equal(fitValue(value, { ...schema }), value));
});

/** Schemas of all the kinds that commands use. */
const schemas = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("integer", "number", "boolean", "string", "null").map((type) => ({ type })),
    fc
      .uniqueArray(fc.constantFrom("integer", "boolean", "string", "array"), { minLength: 1 })
      .map((type) => ({ type })),
    fc
      .uniqueArray(fc.constantFrom("fast", "smart", "in_progress", 1, 2), { minLength: 1 })
      .map((all) => ({ enum: all })),
    tie("schema").map((items) => ({ type: "array", items })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc
      .tuple(fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema")), fc.boolean())
      .map(([properties, isOpen]) => ({
        type: "object",
        properties,
        required: Object.keys(properties).filter((name) => name !== "c"),
        additionalProperties: isOpen,
      })),
  ),
})).schema;

const values = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.constantFrom("5", "True", "In progress", "[1, 2]", '{"a": "1"}', "", 1, null),
  fc.dictionary(
    fc.constantFrom("a", "b", "c", "d"),
    fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("1", "[]")),
  ),
);

const ajv = new Ajv({ strict: false });

describe("any value for any schema", () => {
  it("never changes when it fits already", () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        fc.pre(ajv.validate(schema, value));
        assert.equal(fitValue(value, schema), value);
      }),
      { numRuns: 200 },
    );
  });

  it("fits no further the second time", () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const once = fitValue(value, schema);
        assert.deepEqual(fitValue(once, schema), once);
      }),
      { numRuns: 2000 },
    );
  });

  it("is run as its schema wants it, or explained", async () => {
    const property = fc.asyncProperty(
      fc.dictionary(fc.constantFrom("a", "b", "c"), schemas),
      fc.dictionary(fc.constantFrom("a", "b", "c", "d"), values),
      async (properties, args) => {
        const parameters = { type: "object", properties, required: ["a"], additionalProperties: false };
        const set = createCommandSet([
          {
            ...{ name: "probe", description: "", parameters, aliases: [], category: "test", effect: "none" },
            prepare: async (given) =>
              createPreparedCall("none", JSON.stringify(given), async () => ({ status: "done", output: "" })),
          },
        ]);
        const { call } = set.understand({ name: "probe", args });
        const result = await set.prepare(call, { step: 1, signal: new AbortController().signal });
        assert.deepEqual(
          isPrepared(result)
            ? { shown: result.preview, fits: ajv.validate(parameters, call.args) }
            : { explained: result.status === "failed" && result.error.startsWith("probe was not run: ") },
          isPrepared(result)
            ? { shown: { kind: "details", text: JSON.stringify(call.args) }, fits: true }
            : { explained: true },
        );
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});
