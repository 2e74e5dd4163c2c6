import assert from "node:assert/strict";
import { literalsForPeople } from "../../../scripts/setup/literals.mjs";
import { englishProblems, translationProblems, unusedCodes } from "../../../scripts/setup/text-rules.mjs";

describe("the check for texts outside their tables", () => {
  it("leaves out what a file is excepted for, and nothing else", () => {
    const source = 'settle("The user says: stop"); show("The user has stopped it.");';
    assert.deepEqual(
      literalsForPeople("src/editor/review/pending-decisions.ts", source).map(({ text }) => text),
      ["The user has stopped it."],
    );
  });

  const found = (source: string) => literalsForPeople("a.ts", source).map(({ text }) => text);

  it("finds sentences, labels, errors, and the text and attributes of markup", () => {
    assert.deepEqual(
      found(`
        notify("The run has stopped.");
        const pick = { label: "Goals", description: wide ? "Up to five" : undefined };
        throw new Error(\`Open \${name} first.\`);
        html\`<p class="a" title="Read this">Some text <b>\${value}</b></p>\`;
      `),
      ["The run has stopped.", "Goals", "Up to five", "Open {} first.", "Some text", "Read this"],
    );
  });

  it("leaves alone codes, ids, classes, imports, types and logs", () => {
    assert.deepEqual(
      found(`
        import { a } from "./The file.ts";
        type Mode = "Two words";
        log.info("The run has stopped.");
        const row = { class: "card proposal waiting", command: "autogpt.openPanel" };
        t("common.cancel");
        html\`<p class="a b c">\${t("common.cancel")}</p>\`;
      `),
      [],
    );
  });
});

describe("the check of English texts", () => {
  it("finds banned words, punctuation, and labels that aren't verbs in sentence case", () => {
    const problems = englishProblems({
      "a.good": "Can't reach {host}. Check `shall.js`.",
      "a.word": "What shall it do?",
      "a.dots": "Wait...",
      "a.britishForm": { one: "One colour", other: "{count} colors" },
      "a.okButton": "Set API key…",
      "a.titleButton": "Open Folder",
      "a.longButton": "Open it in an editor",
      "setting.run.maxSteps": `${"word ".repeat(26)}end.`,
    });
    assert.deepEqual(
      Object.entries(problems).map(([rule, cases]) => [rule, cases.map((one) => one.split(":")[0])]),
      [
        ["shall, mend, anew, beforehand", ["a.word"]],
        ["punctuation", ["a.dots"]],
        ["British spelling", ["a.britishForm"]],
        ["buttons of more than 3 words, or not in sentence case", ["a.titleButton", "a.longButton"]],
        ["descriptions of more than 25 words", ["setting.run.maxSteps"]],
      ],
    );
  });

  it("finds codes that no source names", () => {
    assert.deepEqual(unusedCodes(["a.used", "a.made.first", "a.unused"], ['t("a.used")', "t(`a.made.${kind}`)"]), [
      "a.unused",
    ]);
  });
});

describe("the check of a translation", () => {
  const english = {
    "a.same": "Open {file} in `git`…",
    "a.count": { one: "{count} file", other: "{count} files" },
    "a.saveButton": "Save",
    "a.sentence": "This is a whole sentence.",
  };
  const good = {
    "a.same": { source: english["a.same"], text: "{file} in `git` öffnen…" },
    "a.count": { source: english["a.count"], text: { one: "{count} Datei", other: "{count} Dateien" } },
    "a.saveButton": { source: "Save", text: "Speichern" },
    "a.sentence": { source: english["a.sentence"], text: "Das ist ein ganzer Satz." },
  };
  const rules = (rows: Parameters<typeof translationProblems>[2]) =>
    Object.entries(translationProblems("de", english, rows))
      .filter(([, cases]) => cases.length > 0)
      .map(([rule]) => rule);

  it("finds nothing in a complete one", () => assert.deepEqual(rules(good), []));

  for (const [rule, change] of Object.entries({
    missing: { "a.same": undefined },
    "no longer in the tables": { "a.gone": good["a.saveButton"] },
    stale: { "a.saveButton": { source: "Store", text: "Speichern" } },
    "other placeholders": { "a.same": { source: english["a.same"], text: "{datei} in `git` öffnen…" } },
    "other code, links or icons": { "a.same": { source: english["a.same"], text: "{file} in git öffnen…" } },
    "other plural forms": { "a.count": { source: english["a.count"], text: { other: "{count} Dateien" } } },
    "another ellipsis at the end": {
      "a.same": { source: english["a.same"], text: "{file} in `git` öffnen" },
    },
    "labels of more than 24 characters and 1.6 times the length": {
      "a.saveButton": { source: "Save", text: "Jetzt sofort alles abspeichern" },
    },
    "still in English": { "a.sentence": { source: english["a.sentence"], text: english["a.sentence"] } },
  }))
    it(`finds: ${rule}`, () => {
      const rows = Object.entries({ ...good, ...change }).filter(([, row]) => row !== undefined);
      assert.deepEqual(rules(Object.fromEntries(rows) as typeof good), [rule]);
    });
});
