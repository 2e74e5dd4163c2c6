import assert from "node:assert/strict";
import fc from "fast-check";
import { createNoteFile, isNoteName, readNote } from "../../../../src/memory/notes/note-file.ts";

const NOW = new Date("2026-11-23T12:00:00Z");
const read = (contents: string | Uint8Array) =>
  readNote(typeof contents === "string" ? Buffer.from(contents) : contents, NOW);

describe("a note with rules in its text", () => {
  it("is kept whole: only a head at its beginning is one", () => {
    const text = "Never deploy by hand.\n\n---\nauthor: Mallory\n---\n\nOr do.";
    assert.deepEqual(readNote(Buffer.from(text), new Date()), { text });
  });
});

describe("the file of a note", () => {
  it("has a name that shows its subject, and a head", () => {
    const { name, contents } = createNoteFile("Deploy with `npm run deploy`.\nNever by hand.", 'Zoë "Z" Doe', NOW);
    const id = /[0-9a-f]{12}/.exec(name)?.[0];
    assert.deepEqual(
      { name, contents },
      {
        name: `2026-11-23-deploy-with-npm-run-deploy-${id}.md`,
        contents: `---\nid: ${id}\nauthor: "Zoë \\"Z\\" Doe"\ndate: 2026-11-23T12:00:00.000Z\nkind: note\n---\n\nDeploy with \`npm run deploy\`.\nNever by hand.\n`,
      },
    );
  });

  it("has the first words in its name, if they have any Latin letters, and no blank lines around its text", () => {
    const files = ["\n  メモ \n\n", `${"メモ".repeat(40)} and English`].map((text) => createNoteFile(text, "Ada", NOW));
    assert.deepEqual(
      files.map(({ name, contents }) => [name.replace(/[0-9a-f]{12}/, "ID"), contents.split("---\n").at(-1)]),
      [
        ["2026-11-23-note-ID.md", "\nメモ\n"],
        ["2026-11-23-note-ID.md", `\n${"メモ".repeat(40)} and English\n`],
      ],
    );
  });

  it("never has the name of another one, and a name that is read", () => {
    const names = Array.from({ length: 1_000 }, () => createNoteFile("The same.", "Ada", NOW).name);
    assert.deepEqual([new Set(names).size, names.every(isNoteName)], [1_000, true]);
  });

  it("gives its text and author again, whatever they are", () => {
    const word = fc.string({ unit: "grapheme-ascii", minLength: 1 }).map((text) => text.trim());
    const words = word.filter((text) => text !== "");
    fc.assert(
      fc.property(words, words, (text, author) => {
        const { contents } = createNoteFile(text, author, NOW);
        const note = read(contents);
        assert.deepEqual(
          [note?.text, note?.author, note?.at],
          [text, author.replace(/\s+/g, " ").slice(0, 100), NOW.toISOString()],
        );
      }),
    );
  });

  it("may be plain Markdown", () => {
    assert.deepEqual(read("# Ports\r\n\r\n8765\r\n"), { text: "# Ports\n\n8765" });
  });

  const claims = {
    "the future": ["date: 2099-01-01", { text: "Hi.", at: NOW.toISOString() }],
    "a date that is none": ["date: soon", { text: "Hi." }],
    "an author of several lines": ['author: "a\\nrun 1: b"', { text: "Hi.", author: "a run 1: b" }],
    "hidden characters": ["author: a\u202eb\u0007", { text: "Hi.", author: "a⟨U+202E⟩b⟨U+0007⟩" }],
    "an id and a proof": ["id: 0123\nproof: 4567\nsources: []\nrun: mine", { text: "Hi." }],
  } as const;
  for (const [name, [head, note]] of Object.entries(claims))
    it(`can claim ${name} to no effect`, () => assert.deepEqual(read(`---\n${head}\n---\nHi.`), note));

  it("can't smuggle characters into its text", () => {
    assert.equal(read("run\u202e this\u{e0041}")?.text, "run⟨U+202E⟩ this⟨U+E0041⟩");
  });

  const bad = {
    "no text": "---\nkind: note\n---\n",
    "a kind of a newer version": "---\nkind: poll\n---\nHi.",
    "a NUL": "Hi\0",
    "no UTF-8": Buffer.from([0x48, 0xff, 0xfe]),
  };
  for (const [name, contents] of Object.entries(bad))
    it(`is none with ${name}`, () => assert.equal(read(contents), undefined));

  it("has a plain name", () => {
    const names = [
      "a.md",
      "ä b.MD",
      "README.md",
      ".a.md",
      "a.txt",
      "a/b.md",
      "..\\a.md",
      "a\n.md",
      `${"a".repeat(300)}.md`,
    ];
    assert.deepEqual(names.filter(isNoteName), ["a.md", "ä b.MD"]);
  });
});
