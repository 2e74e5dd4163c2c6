import assert from "node:assert/strict";
import { formatUsd, setLanguage, splitTextParts, t } from "../../../src/texts/language.ts";
import { chooseLanguageTag, createTranslatedLanguage, getWritingDirection } from "../../../src/texts/languages.ts";

describe("the language of texts", () => {
  afterEach(() => setLanguage(undefined));

  it("is the one that is set, or that of the editor if there is a translation", () => {
    assert.deepEqual(
      [
        chooseLanguageTag("ja", "de"),
        chooseLanguageTag("en", "de"),
        chooseLanguageTag("auto", "de"),
        chooseLanguageTag("auto", "de-AT"),
        chooseLanguageTag("auto", "fr"),
        chooseLanguageTag("auto", "en-US"),
      ],
      ["ja", "en", "de", "de", "en", "en"],
    );
  });

  it("takes the texts that exist from the rows of a translation", () => {
    const rows = {
      "common.cancel": { source: "Cancel", text: "Abbrechen" },
      "setting.language": { source: "Language.", text: "Sprache." },
      "later.text": { source: "Later", text: "Später" },
    };
    assert.deepEqual(createTranslatedLanguage("de", rows), {
      tag: "de",
      texts: { "common.cancel": "Abbrechen" },
    });
  });

  it("leaves out damaged rows of a translation, so that those texts are English", () => {
    const damaged = [null, 5, {}, { text: null }, { text: 5 }, { text: { one: "x" } }, { text: { other: 5 } }];
    const languages = damaged.map((row) => JSON.parse(JSON.stringify({ "common.files": row })));
    const written = languages.map((rows) => {
      setLanguage(createTranslatedLanguage("de", rows));
      return t("common.files", { count: 2 });
    });
    assert.deepEqual([...new Set(written)], ["2 files"]);
  });

  it("decides on the direction", () => {
    assert.deepEqual(
      ["en", "ja", "ar", "he-IL"].map((tag) => getWritingDirection({ tag })),
      ["ltr", "ltr", "rtl", "rtl"],
    );
  });

  it("knows the editor's name in each text", () => {
    const texts = { "common.close": "Quit {app}" };
    setLanguage({ tag: "x", texts });
    const usual = t("common.close");
    setLanguage({ tag: "x", texts, app: "Theia" });
    assert.deepEqual(
      [usual, t("common.close"), splitTextParts("common.close")],
      ["Quit VS Code", "Quit Theia", ["Quit ", "Theia", ""]],
    );
  });
});

describe("an amount of money", () => {
  afterEach(() => setLanguage(undefined));

  it("has as many digits as it needs", () =>
    assert.deepEqual([0, 0.00042, 0.0149, 0.05, 0.1, 12].map(formatUsd), [
      "$0.00",
      "$0.00042",
      "$0.015",
      "$0.05",
      "$0.10",
      "$12.00",
    ]));

  it("is written as its language writes it", () => {
    setLanguage({ tag: "de", texts: {} });
    assert.equal(formatUsd(1234.5), "1.234,50\u00a0$");
  });
});
