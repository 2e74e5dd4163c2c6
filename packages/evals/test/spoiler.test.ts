import assert from "node:assert/strict";
import { findJsonObjects, tryJson } from "../../../src/core/base/json.ts";
import type { ReplyParts } from "../src/players/replies.ts";
import { writeReply } from "../src/players/replies.ts";
import { SPOIL_NAMES, spoilFor, spoilReply } from "../src/players/spoiler.ts";

const CALL = { command: "write_to_file", args: { filename: "a.txt", contents: 'It\'s "a"\nand b\\n' } };
const PARTS: Readonly<Record<string, ReplyParts>> = {
  tools: { format: "tools", call: CALL, thoughts: { text: "One\ntwo", criticism: "None" } },
  "tools without thoughts": { format: "tools", call: CALL },
  jsonSchema: { format: "jsonSchema", call: CALL, thoughts: { text: "One\ntwo" } },
  text: { format: "text", call: CALL, thoughts: { text: "One\ntwo" } },
};

describe("spoiled replies", () => {
  it("are the same ones each time, and others with another seed", () => {
    const ways = (seed: number) => Array.from({ length: 50 }, (_, reply) => spoilFor(0.5, seed, "task", reply));

    const [first, again, other] = [ways(1), ways(1), ways(2)];

    assert.deepEqual(again, first);
    assert.notDeepEqual(other, first);
  });

  it("have the share that was asked for, in each of the 16 ways", () => {
    const ways = Array.from({ length: 4_000 }, (_, reply) => spoilFor(0.4, 1, reply));

    const counts = SPOIL_NAMES.map((name) => ways.filter((way) => way === name).length);
    const total = counts.reduce((sum, count) => sum + count, 0);
    assert.ok(total > 1_480 && total < 1_720, `${total} of 4000 are spoiled`);
    assert.equal(counts.length, 16);
    for (const count of counts) assert.ok(count > 60 && count < 140, `${count} in one way`);
  });

  it("are none with a share of 0", () => {
    assert.ok(Array.from({ length: 200 }, (_, reply) => spoilFor(0, 1, reply)).every((way) => way === undefined));
  });

  for (const [format, parts] of Object.entries(PARTS))
    it(`all differ from the good one, and from each other: ${format}`, () => {
      const good = JSON.stringify(writeReply(parts));

      const bad = SPOIL_NAMES.map((name) => JSON.stringify(spoilReply(parts, name, 0)));

      assert.equal(new Set([good, ...bad]).size, SPOIL_NAMES.length + 1 - sameOnes(format));
    });

  it("can be wrong in several ways under other keys", () => {
    const replies = [0, 0.4, 0.9].map((draw) => spoilReply(PARTS.text as ReplyParts, "wrong keys", draw).content);

    assert.deepEqual(
      replies.map((reply) => Object.keys(tryJson(reply ?? "") as object).join()),
      ["thought,action,action_input", "thoughts,command", "thoughts,tool,tool_input"],
    );
  });

  it("that are cut have no whole object and say so, or not", () => {
    const [limit, silent] = (["cut at a limit", "cut without a reason"] as const).map((name) =>
      spoilReply(PARTS.text as ReplyParts, name, 0),
    );

    assert.deepEqual(
      [limit, silent].map((reply) => [reply?.finish, findJsonObjects(reply?.content ?? "").cutOff]),
      [
        ["length", true],
        ["", true],
      ],
    );
  });
});

/** Without thoughts there is no `None` to write, so two of the ways write the same. */
function sameOnes(format: string): number {
  return format === "tools without thoughts" ? 1 : 0;
}
