import assert from "node:assert/strict";
import type { TalkComment } from "../../../src/code-host/github-talk.ts";
import { createFleetKey } from "../../../src/fleet/key.ts";
import { findAskedQuestion, renderQuestionComment } from "../../../src/headless/fleet/actions-comments.ts";
import { tempFolders } from "../../support/temp-folders.ts";

const temp = tempFolders();
const RUN = "20260102_030405_scribe_0a1b";

describe("the question that a comment answers", () => {
  it("was asked before the comment was written, and is the only one whose hash begins so", async () => {
    const place = { repository: "octo/tool", issue: 1, key: await createFleetKey(await temp()) };
    const ask = (id: number, attempt: number, hash: string): TalkComment => {
      const binding = { run: RUN, attempt, id: String(id), hash: hash.padEnd(64, "0"), expiresMs: 1 };
      const body = renderQuestionComment({ binding, kind: "proposal", text: "Remove everything?" }, place);
      return { id, body, author: "bot", isByBot: true, isEdited: false, issue: 1 };
    };
    const find = (comment: number, hash: string, ...comments: readonly TalkComment[]) =>
      findAskedQuestion(comments, { hash, comment }, place)?.binding.attempt;
    const [first, alike, other, again] = [
      ask(10, 1, "abcdef010"),
      ask(20, 2, "abcdef011"),
      ask(20, 2, "1234"),
      ask(20, 2, "abcdef010"),
    ];
    assert.deepEqual(
      {
        first: find(15, "abcdef01", first),
        earlierThanAlike: find(15, "abcdef01", first, alike),
        laterThanBoth: find(25, "abcdef01", first, alike),
        newest: find(25, "12340000", first, other),
        closed: find(25, "abcdef01", first, other),
        askedAgain: find(25, "abcdef01", first, again),
      },
      {
        first: 1,
        earlierThanAlike: undefined,
        laterThanBoth: undefined,
        newest: 2,
        closed: undefined,
        askedAgain: 2,
      },
    );
  });
});
