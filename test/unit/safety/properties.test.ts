import assert from "node:assert/strict";
import fc from "fast-check";
import { escapeInvisible, isPlain } from "../../../src/core/base/text.ts";
import { isGlobMatch } from "../../../src/safety/paths/glob.ts";
import { splitPathSegments } from "../../../src/safety/paths/paths.ts";
import { findSecretReason } from "../../../src/safety/paths/sensitive.ts";
import { createPolicyFailureVerdict } from "../../../src/safety/policy/policy.ts";
import { readRules } from "../../../src/safety/policy/rules.ts";
import { judged } from "./readers.ts";
import { runs } from "./support.ts";

const RUNS = { numRuns: 200 };

/** Lines that ask where reading is allowed. */
const ASKING = [
  "rm x",
  "cat .env",
  "git push",
  "npm install x",
  "sort -o a b",
  "cat ../x",
  "make",
  "git log --output=x",
];

/** Ways to write a word that leave it the same word. */
const quotings: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `\\${word}`,
  (word) => `${word.slice(0, 1)}''${word.slice(1)}`,
  (word) => `${word.slice(0, -1)}"${word.slice(-1)}"`,
  (word) => [...word].map((letter) => `\\${letter}`).join(""),
];

/** Ways to put a command that still run it. */
const settings: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => `ls; ${line}`,
  (line) => `${line}; ls`,
  (line) => `ls && ${line}`,
  (line) => `false || ${line}`,
  (line) => `ls\n${line}`,
  (line) => `( ${line} )`,
  (line) => `{ ${line}; }`,
  (line) => `if true; then ${line}; fi`,
  (line) => `echo $(${line})`,
  (line) => `time ${line}`,
  (line) => `timeout 5 ${line}`,
  (line) => `${line} # ls`,
  (line) => `  ${line}  `,
  (line) => `bash -c "${line.replace(/["\\]/g, "\\$&")}"`,
];

const spelt = fc
  .tuple(
    fc.constantFrom(...ASKING),
    fc.array(fc.constantFrom(...quotings), { minLength: 4, maxLength: 4 }),
    fc.array(fc.constantFrom(...settings), { maxLength: 3 }),
    fc.constantFrom(" ", "  ", "\t", " \\\n "),
  )
  .map(([line, quotes, around, blank]) => {
    const words = line.split(" ").map((word, at) => quotes[at]?.(word) ?? word);
    return around.reduce((inner, wrap) => wrap(inner), words.join(blank));
  });

describe("spelling, spacing and nesting", () => {
  it("never make a line that asks run unasked", async () => {
    await fc.assert(
      fc.asyncProperty(spelt, async (line) => {
        assert.match(await judged(runs(line), { readOnlyShell: true }), /^(ask|refuse) /);
      }),
      RUNS,
    );
  });

  it("never take a refusal by rule from a line that is read", async () => {
    const rules = readRules([
      { command: "execute_shell", prefix: "git push", action: "refuse" },
      { command: "*", action: "allow" },
    ]);
    const pushes = spelt.filter((line) => /push/.test(line.replace(/['"\\]/g, "")));
    await fc.assert(
      fc.asyncProperty(pushes, async (line) => {
        assert.match(await judged(runs(line), { rules }), /^(refuse|ask unreadable-line)/);
      }),
      { ...RUNS, numRuns: 60 },
    );
  });
});

describe("whatever the text", () => {
  it("a decision is made, with a sentence", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (line) => {
        assert.match(await judged(runs(line), { readOnlyShell: true }), /^(allow|ask|refuse) \S/);
      }),
      RUNS,
    );
  });

  it("nothing hidden is left once it was made visible", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.doesNotMatch(escapeInvisible(text), /(?!\n|\t|\r\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u202e]/u);
      }),
    );
  });

  it("what is plain needs nothing made visible", () => {
    fc.assert(fc.property(fc.string(), (text) => assert.ok(!isPlain(text) || escapeInvisible(text) === text)));
  });

  it("a pattern of one star fits everything, and a text fits itself", () => {
    const texts = fc.string().filter((text) => !/[*?]/.test(text));
    fc.assert(fc.property(texts, (text) => assert.ok(isGlobMatch("*", text) && isGlobMatch(text, text))));
  });

  it("letters' case, forms of letters and trailing dots hide no secret", () => {
    const disguises = ["%", "%.", "% ", "%::$DATA", "a/../%", "./%"];
    const names = fc.constantFrom(".env", "id_rsa", ".ssh/config", "server.pem", ".npmrc", "credentials");
    fc.assert(
      fc.property(names, fc.constantFrom(...disguises), fc.boolean(), (name, disguise, isUpper) => {
        const path = disguise.replace("%", isUpper ? name.toUpperCase() : name);
        assert.notEqual(findSecretReason(splitPathSegments(path)), undefined);
      }),
    );
  });

  it("an error of the policy asks", () => {
    assert.equal(createPolicyFailureVerdict(new Error("x")).verdict, "ask");
  });
});
