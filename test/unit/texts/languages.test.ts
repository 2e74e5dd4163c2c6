import assert from "node:assert/strict";
import { setLanguage, t, textParts, translated, usdText } from "../../../src/texts/language.ts";
import { languageTag, translatedLanguage, writingDirection } from "../../../src/texts/languages.ts";

describe("the language of texts", () => {
  afterEach(() => setLanguage(undefined));

  it("is the one that is set, or that of the editor if there is a translation", () => {
    assert.deepEqual(
      [
        languageTag("ja", "de"),
        languageTag("en", "de"),
        languageTag("auto", "de"),
        languageTag("auto", "de-AT"),
        languageTag("auto", "fr"),
        languageTag("auto", "en-US"),
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
    assert.deepEqual(translatedLanguage("de", rows), { tag: "de", texts: { "common.cancel": "Abbrechen" } });
  });

  it("decides on the direction", () => {
    assert.deepEqual(
      ["en", "ja", "ar", "he-IL"].map((tag) => writingDirection({ tag })),
      ["ltr", "ltr", "rtl", "rtl"],
    );
  });

  it("knows the editor's name in each text", () => {
    const texts = { "common.close": "Quit {app}" };
    setLanguage({ tag: "x", texts });
    const usual = t("common.close");
    setLanguage({ tag: "x", texts, app: "Theia" });
    assert.deepEqual(
      [usual, t("common.close"), textParts("common.close")],
      ["Quit VS Code", "Quit Theia", ["Quit ", "Theia", ""]],
    );
  });
});

describe("an amount of money", () => {
  afterEach(() => setLanguage(undefined));

  it("has as many digits as it needs", () =>
    assert.deepEqual([0, 0.00042, 0.0149, 0.05, 0.1, 12].map(usdText), [
      "$0.00",
      "$0.00042",
      "$0.015",
      "$0.05",
      "$0.10",
      "$12.00",
    ]));

  it("is written as its language writes it", () => {
    setLanguage({ tag: "de", texts: {} });
    assert.equal(usdText(1234.5), "1.234,50\u00a0$");
  });
});

describe("a sentence that was made in English", () => {
  afterEach(() => setLanguage(undefined));

  const sentence =
    'http://a.test returned an error (500). It said: "Out of memory". Trying again in 8 seconds (attempt 2 of 6).';

  it("stays as it is in English", () => assert.equal(translated(sentence), sentence));

  it("is translated with all that it consists of, and stays as it is where it has no row", () => {
    setLanguage({
      tag: "de",
      texts: {
        "trouble.known.tryingAgainAttempt": "{what} Neuer Versuch in {time} ({attempt}/{attempts}).",
        "trouble.known.saidAfter": "{text} Antwort: „{words}“.",
        "trouble.known.serverError": "{server} meldet einen Fehler ({status}).",
        "trouble.known.seconds": "{number} Sekunden",
        "trouble.known.cantReachStartServer":
          "{name} ist nicht erreichbar. Starte den Server, oder ändere {address}.",
        "trouble.known.keyRejected": "{server} lehnt den Schlüssel ab; {key}.",
        "trouble.known.runSetKey": "„AutoGPT: Set API Key…“ ausführen",
      },
    });
    assert.deepEqual(
      [
        sentence,
        "Can't reach http://a.test/v1. Start the server there, or correct autogpt.model.baseUrl.",
        'http://a.test rejected the API key. Check that it\'s complete, valid and for this server; to change it, run "AutoGPT: Set API Key…". It said: "No".',
        "Words of another program.",
      ].map(translated),
      [
        "http://a.test meldet einen Fehler (500). Antwort: „Out of memory“. Neuer Versuch in 8 Sekunden (2/6).",
        "http://a.test/v1 ist nicht erreichbar. Starte den Server, oder ändere autogpt.model.baseUrl.",
        "http://a.test lehnt den Schlüssel ab; „AutoGPT: Set API Key…“ ausführen. Antwort: „No“.",
        "Words of another program.",
      ],
    );
  });

  it("is translated next to words that have no row, and hostile text isn't taken apart without end", () => {
    setLanguage({ tag: "de", texts: { "trouble.known.wasLink": "Es war ein Link." } });
    const many = Array.from({ length: 200 }, (_, index) => `a${index}.`).join(" ");
    assert.deepEqual(["Hm. It was a link.", `It writes to ${many}`, many.slice(0, 900)].map(translated), [
      "Hm. Es war ein Link.",
      `It writes to ${many}`,
      many.slice(0, 900),
    ]);
  });
});
