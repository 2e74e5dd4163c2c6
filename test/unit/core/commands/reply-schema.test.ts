import assert from "node:assert/strict";
import {
  createReplySchema,
  createToolDefinition,
  renderCommandLine,
} from "../../../../src/core/commands/command-forms.ts";
import type { CommandSpec } from "../../../../src/core/ports/model.ts";

describe("the schema of replies", () => {
  const spec = (properties: object): CommandSpec => ({
    name: "note",
    description: "Notes something.",
    parameters: { type: "object", properties, required: ["text"], additionalProperties: false },
  });
  const argsOf = (properties: object): unknown =>
    Object(createReplySchema([spec(properties)], "short")).properties.command.anyOf[0].properties.args.properties;

  it("keeps limits that a server can turn into a grammar, and leaves out the others", () => {
    assert.deepEqual(
      argsOf({
        text: { type: "string", minLength: 1, maxLength: 2_000, description: "The text." },
        name: { type: "string", maxLength: 60 },
        size: { type: "string", pattern: "^\\d+x\\d+$" },
        lines: { type: "array", maxItems: 3, items: { type: "string", pattern: "^a" } },
      }),
      {
        text: { type: "string", minLength: 1 },
        name: { type: "string", maxLength: 60 },
        size: { type: "string" },
        lines: { type: "array", maxItems: 3, items: { type: "string" } },
      },
    );
  });

  it("has a branch for each type of an argument, so that the items of a list stay known", () => {
    assert.deepEqual(argsOf({ text: { type: ["array", "string"], items: { type: "string", enum: ["a"] } } }), {
      text: {
        anyOf: [
          { type: "array", items: { type: "string", enum: ["a"] } },
          { type: "string", items: { type: "string", enum: ["a"] } },
        ],
      },
    });
  });

  it("takes an argument that is rarely of use, which no prompt describes", () => {
    const properties = {
      text: { type: "string" },
      edits: {
        type: "array",
        items: { type: "object", properties: { index: { type: "integer", rare: true } } },
      },
      question: { type: "string", rare: true },
    };
    const tool = JSON.stringify(createToolDefinition(spec(properties), "short").parameters);
    assert.deepEqual(
      [renderCommandLine(spec(properties)), /question|index|rare/.test(tool), Object.keys(Object(argsOf(properties)))],
      ["- note: Notes something. Args: text: string; edits?: {  }[]", false, ["text", "edits", "question"]],
    );
  });

  for (const style of ["full", "short"] as const)
    it(`ends ${style} thoughts, so that a model that repeats itself gets to its command`, () => {
      const { thoughts } = Object(createReplySchema([spec({})], style)).properties;
      const texts = style === "short" ? [thoughts] : Object.values(thoughts.properties);
      assert.deepEqual([...new Set(texts.map(({ maxLength }: { maxLength: number }) => maxLength))], [500]);
    });
});
