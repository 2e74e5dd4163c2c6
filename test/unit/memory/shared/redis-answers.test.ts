import assert from "node:assert/strict";
import { RedisAnswers } from "../../../../src/memory/shared/servers/redis-answers.ts";

/** Whether answers are accepted that come in pieces of this length. */
function accepts(text: string, size: number): boolean {
  const [answers, bytes] = [new RedisAnswers(), Buffer.from(text)];
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, place) => place * size);
  return starts.every((start) => answers.canAcceptChunk(bytes.subarray(start, start + size)));
}

describe("the answers of a Redis server", () => {
  it("are accepted in whatever pieces they come, with anything in their texts", () => {
    const answers = [
      "+OK\r\n",
      "-ERR unknown command\r\n",
      ":-12\r\n",
      "$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n",
      "*2\r\n$13\r\n*999999999\r\n\n\r\n*1\r\n:1\r\n+OK\r\n",
    ];
    const refused = answers.filter((text) => [1, 2, 3, 5, 100].some((size) => !accepts(text, size)));
    assert.deepEqual(refused, []);
  });

  it("are refused if they are too large, announce too much, or could be taken for something else", () => {
    const answers = [
      `$40000000\r\n${"x".repeat(40_000_000)}`,
      "*33000000\r\n",
      "*60000\r\n*60000\r\n",
      `+${"x".repeat(70_000)}`,
      "_XY*33000000\r\n",
      ":1\rX*33000000\r\n",
      "*1e9\r\n",
    ];
    assert.deepEqual(
      answers.filter((text) => accepts(text, 64 * 1024)).map((text) => text.slice(0, 20)),
      [],
    );
  });
});
