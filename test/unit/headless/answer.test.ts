import assert from "node:assert/strict";
import { type Answer, readAnswer } from "../../../src/headless/terminal.ts";

const UNCLEAR: Answer = { kind: "unclear", text: 'Write "y -N" with a number of commands, as in "y -5".' };
const feedback = (text: string): Answer => ({ kind: "refuse", feedback: `The user says: ${text}` });

describe("a line typed at a proposal", () => {
  const cases: [string, Answer][] = [
    ["y", { kind: "approve", count: 1 }],
    [" Y ", { kind: "approve", count: 1 }],
    ["yes", { kind: "approve", count: 1 }],
    ["y -5", { kind: "approve", count: 5 }],
    ["Y  -12", { kind: "approve", count: 12 }],
    ["y -0", { kind: "approve", count: 1 }],
    ["y -x", UNCLEAR],
    ["y --3", UNCLEAR],
    ["y - 5", UNCLEAR],
    ["", { kind: "unclear", text: "Nothing was typed." }],
    ["  ", { kind: "unclear", text: "Nothing was typed." }],
    ["n", { kind: "refuse", feedback: "The user said no and gave no reason." }],
    ["No", { kind: "refuse", feedback: "The user said no and gave no reason." }],
    ["n too risky", feedback("too risky")],
    ["s", { kind: "criticise" }],
    ["S", { kind: "criticise" }],
    ["y5", feedback("y5")],
    ["y-5", feedback("y-5")],
    ["nice, but use tabs", feedback("nice, but use tabs")],
    ["exit", feedback("exit")],
  ];
  for (const [line, answer] of cases) {
    it(`means what it says: ${JSON.stringify(line)}`, () => assert.deepEqual(readAnswer(line), answer));
  }
});
