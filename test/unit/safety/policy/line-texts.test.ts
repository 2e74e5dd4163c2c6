import assert from "node:assert/strict";
import { lineText } from "../../../../src/safety/policy/line-texts.ts";
import { inEnglish } from "../../../../src/texts/display-text.ts";
import { ENGLISH } from "../../../../src/texts/english.ts";

describe("a finding about a command line", () => {
  it("has the text of its row, and the same English", () => {
    const wrong = Object.entries(ENGLISH).flatMap(([code, template]) => {
      if (!code.startsWith("safety.line.") || typeof template !== "string") return [];
      const english = template.replace(/\{\w+\}/g, "x");
      const text = lineText(english);
      return typeof text !== "string" && inEnglish(text) === english ? [] : [code];
    });
    assert.deepEqual(wrong, []);
  });

  it("holds the text of its reason, and other words stay as they are", () => {
    assert.deepEqual(
      ["It shows .env, which may hold secrets.", "Words of another program."].map((text) => lineText(text)),
      [
        {
          code: "safety.line.showsSecretFile",
          parameters: { file: ".env", why: { code: "safety.line.mayHoldSecrets" } },
        },
        "Words of another program.",
      ],
    );
  });

  it("isn't taken apart if it's long", () => {
    const long = `It shows ${"a, which ".repeat(200)}b.`;
    assert.equal(lineText(long), long);
  });
});
