import assert from "node:assert/strict";
import { PendingSaves } from "../../../../src/editor/review/pending-saves.ts";

describe("a text while the editor saves it", () => {
  it("is wanted as it was when the save began", () => {
    const saves = new PendingSaves();

    saves.begin("a", "typed  ");
    saves.recordWrittenText("a", "typed");

    assert.equal(saves.findWantedText("a"), "typed  ");
  });

  it("is wanted as before when another save finds what the first one left", () => {
    const saves = new PendingSaves();
    saves.begin("a", "typed  ");
    saves.recordWrittenText("a", "typed");

    saves.begin("a", "typed");

    assert.equal(saves.findWantedText("a"), "typed  ");
  });

  it("is wanted as it was typed on in the meantime", () => {
    const saves = new PendingSaves();
    saves.begin("a", "typed  ");
    saves.recordWrittenText("a", "typed");

    saves.begin("a", "typed more");

    assert.equal(saves.findWantedText("a"), "typed more");
  });

  it("is not wanted in any way once the save is over, or was given up", () => {
    let now = 0;
    const saves = new PendingSaves(() => now);
    saves.begin("a", "typed");
    saves.begin("b", "typed");
    saves.end("a");
    now = 3_000;

    assert.deepEqual([saves.findWantedText("a"), saves.findWantedText("b")], [undefined, undefined]);
  });
});

describe("a text in the editor", () => {
  const saved = (): PendingSaves => {
    const saves = new PendingSaves();
    saves.begin("a", "typed  ");
    saves.recordWrittenText("a", "typed");
    return saves;
  };

  it("is its own again while it is what the editor made of it on saving", () => {
    assert.equal(saved().getWrittenText("a", "typed"), "typed  ");
  });

  it("is what the user types during a save", () => {
    assert.equal(saved().getWrittenText("a", "typed more"), "typed more");
  });
});

describe("a text that the editor trimmed before it reported the save", () => {
  it("is wanted as it was before", () => {
    const saves = new PendingSaves();
    for (const text of ["a  \n", "a  \nb  ", "a\nb", "a\nb\n"]) saves.recordText("a", text);

    saves.begin("a", "a\nb\n");

    assert.equal(saves.findWantedText("a"), "a  \nb  ");
  });

  it("is wanted as it is when it was trimmed some time before", () => {
    let now = 0;
    const saves = new PendingSaves(() => now);
    for (const text of ["a  ", "a"]) saves.recordText("a", text);
    now = 800;

    saves.begin("a", "a");

    assert.equal(saves.findWantedText("a"), "a");
  });
});
