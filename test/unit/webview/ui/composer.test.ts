import assert from "node:assert/strict";
import {
  type ComposerState,
  EMPTY_COMPOSER,
  findKeyMeaning,
  moveActiveChoice,
  omitOffer,
  setFoundFiles,
  takeOffer,
  updateTypedText,
} from "../../../../src/webview/ui/composer.ts";

const FILES = ["a.ts", "b.ts", "c.ts"];
const OFFERING = setFoundFiles(updateTypedText(EMPTY_COMPOSER, "see @", 5), "", FILES);

describe("the composer", () => {
  it("offers files for the mention that is being typed", () => {
    assert.deepEqual(OFFERING, {
      text: "see @",
      offer: { mention: { start: 4, query: "" }, files: FILES, active: 0 },
    });
  });

  it("passes over files that were found for an older query", () => {
    const composer = updateTypedText(EMPTY_COMPOSER, "see @ab", 7);
    assert.equal(setFoundFiles(composer, "a", FILES), composer);
  });

  it("keeps the list while more of the mention is typed", () => {
    assert.deepEqual(updateTypedText(moveActiveChoice(OFFERING, 1), "see @a", 6), {
      text: "see @a",
      offer: { mention: { start: 4, query: "a" }, files: FILES, active: 0 },
    });
  });

  it("goes round the list in both directions", () => {
    const active = [1, -1, 3].map((by) => moveActiveChoice(OFFERING, by).offer?.active);
    assert.deepEqual(active, [1, 2, 0]);
  });

  it("takes the active file", () => {
    assert.deepEqual(takeOffer(OFFERING, 1), {
      composer: { text: "see @b.ts " },
      caret: 10,
      choice: { kind: "file", name: "b.ts", text: "b.ts" },
    });
  });

  it("offers terminals before files, and says which of them was taken, whatever a file is called", () => {
    const typed = updateTypedText(EMPTY_COMPOSER, "see @te", 7);
    const offering = setFoundFiles(typed, "te", ["terminal:bash"], { terminals: ["bash"] });
    assert.deepEqual(
      [takeOffer(offering, 0), takeOffer(moveActiveChoice(offering, 1), 1)],
      [
        {
          composer: { text: "see @terminal:bash " },
          caret: 19,
          choice: { kind: "terminal", name: "bash", text: "terminal:bash" },
        },
        {
          composer: { text: "see @terminal:bash " },
          caret: 19,
          choice: { kind: "file", name: "terminal:bash", text: "terminal:bash" },
        },
      ],
    );
  });

  it("inserts a resource of a server as it is mentioned", () => {
    const typed = updateTypedText(EMPTY_COMPOSER, "see @docs:me", 12);
    const found = setFoundFiles(typed, "docs:me", [], { resources: ["docs:memo://style"] });
    assert.deepEqual(takeOffer(found, 0), {
      composer: { text: "see @docs:memo://style " },
      caret: 23,
      choice: { kind: "url", name: "docs:memo://style", text: "docs:memo://style" },
    });
  });

  it("takes nothing that is not offered", () => {
    assert.equal(takeOffer(OFFERING, 7), undefined);
  });

  it("lets go of the offer when the mention is over or dismissed", () => {
    assert.deepEqual(
      [updateTypedText(OFFERING, "see @a b", 8), omitOffer(OFFERING)],
      [{ text: "see @a b" }, { text: "see @" }],
    );
  });

  it("reads keys by whether files are offered", () => {
    const keys = ["Enter", "Tab", "ArrowDown", "ArrowUp", "Escape", "x"];
    const read = (composer: ComposerState, shiftKey = false) =>
      keys.map((key) => findKeyMeaning(composer, { key, shiftKey, altKey: false }));
    assert.deepEqual(
      [read(OFFERING), read(EMPTY_COMPOSER), read(EMPTY_COMPOSER, true)],
      [
        ["take", "take", "down", "up", "dismiss", undefined],
        ["send", undefined, undefined, undefined, undefined, undefined],
        [undefined, undefined, undefined, undefined, undefined, undefined],
      ],
    );
  });
});
