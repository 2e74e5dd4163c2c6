import assert from "node:assert/strict";
import { encodeProposal } from "../../../../src/editor/review/pending-saves.ts";

describe("the bytes of a proposed text", () => {
  it("have a byte order mark only where the editor would not read them as UTF-8 without one", () => {
    const marked = (text: string, settings: readonly string[], guesses = false) =>
      encodeProposal(text, { settings, guesses })[0] === 0xef;
    assert.deepEqual(
      {
        usual: marked("ä", ["utf8"]),
        otherEncoding: marked("ä", ["utf16le"]),
        otherForALanguage: marked("ä", ["utf8", "windows1252"]),
        guessed: marked("ä", ["utf8"], true),
        ownMark: marked("\ufeffä", ["utf8"]),
      },
      { usual: false, otherEncoding: true, otherForALanguage: true, guessed: true, ownMark: true },
    );
  });
});
