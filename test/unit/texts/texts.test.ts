import assert from "node:assert/strict";
import { DisplayError, displayText, fail, isDisplayText, writeInEnglish } from "../../../src/texts/display-text.ts";
import { ENGLISH } from "../../../src/texts/english.ts";
import { formatError, getCurrentLanguage, setLanguage, splitTextParts, t, write } from "../../../src/texts/language.ts";

describe("texts for people", () => {
  afterEach(() => setLanguage(undefined));

  it("are written with their parameters, in the form for their count", () => {
    assert.deepEqual(
      [t("common.cancel"), t("common.files", { count: 1 }), t("common.files", { count: 1200 })],
      ["Cancel", "1 file", "1,200 files"],
    );
  });

  it("are written in the language in use, and in English where that one has no text", () => {
    setLanguage({ tag: "de", texts: { "common.files": { one: "{count} Datei", other: "{count} Dateien" } } });
    assert.deepEqual(
      [
        getCurrentLanguage().tag,
        t("common.files", { count: 1 }),
        t("common.files", { count: 1200 }),
        t("common.cancel"),
      ],
      ["de", "1 Datei", "1.200 Dateien", "Cancel"],
    );
  });

  it("can be nested in one another, and an unknown one is shown by its code", () => {
    const inner = displayText("common.files", { count: 2 });
    assert.deepEqual(
      [
        write({ code: "common.cancel", parameters: { other: inner } }),
        write({ code: "later.text" }),
        isDisplayText({ code: "later.text" }),
      ],
      ["Cancel", "later.text", false],
    );
  });

  it("can be split at their parameters", () => {
    const file = { element: "b" };
    assert.deepEqual(splitTextParts("common.files", { count: file }), ["", file, " files"]);
  });

  it("are English in an error's message, and in the language in use where it's shown", () => {
    setLanguage({ tag: "de", texts: { "common.cancel": "Abbrechen" } });
    const error = new DisplayError(displayText("common.cancel"));
    assert.deepEqual(
      [error.message, formatError(error), formatError(new Error("other")), writeInEnglish(error.text)],
      ["Cancel", "Abbrechen", "other", "Cancel"],
    );
    assert.throws(() => fail("common.close"), { name: "DisplayError", message: "Close" });
  });

  it("have codes that begin with an area, and no empty form", () => {
    const wrong = Object.entries(ENGLISH).filter(
      ([code, text]) =>
        !/^[a-z]+(\.[a-zA-Z0-9_]+)+$/.test(code) ||
        (typeof text === "string" ? [text] : Object.values(text)).some((form) => form.trim() === ""),
    );
    assert.deepEqual(wrong, []);
  });
});
