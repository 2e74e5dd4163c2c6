import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { strToU8, zipSync } from "fflate";
import type { DocumentKind } from "../../../src/core/ports/workspace.ts";
import { readDocument } from "../../../src/node/documents/read-document.ts";

const FIXTURES = new URL("../../fixtures/documents/", import.meta.url);
const COSTS = "| What | Euro |\n| --- | --- |\n| Pump | 120 |";

describe("the text of an office document that another program wrote", () => {
  for (const [name, text] of [
    [
      "plan.xlsx",
      [
        '## Sheet "Pumps & pipes"\n',
        "| Name | Depth in m | Built | Works |",
        "| Cellar \\| north | 4.5 | 2021-03-14 | TRUE |",
        "| Größe zwei | 12 | 2022-01-02 03:04:05 | FALSE |",
        "|  |  |  |  |  | =SUM(B2:B3) |",
        '\n## Sheet "Old" (hidden)\n',
        "| left | … | far right |",
      ].join("\n"),
    ],
    [
      "plan.pptx",
      `## Slide 1 of 2: Costs\n\n${COSTS}\n\n## Slide 2 of 2: The pump plan\n\nDig a hole\nLay the pipes\n\nNotes:\nSay why the cellar is wet.`,
    ],
    [
      "plan.odt",
      `# The pump plan\n\nThe cellar is wet [1: Since 1970.], says Zoë.\nTwo  spaces.\n\n## Steps\n\n- Dig a hole\n- Lay the pipes\n\n${COSTS}`,
    ],
    ["plan.rtf", `# The pump plan\n\nThe cellar is wet, says Zoë. 日本\n\n${COSTS}\n\nThe end.`],
  ] as const)
    it(`is that of ${name}`, async () => {
      const bytes = await readFile(new URL(name, FIXTURES));
      assert.deepEqual(await readDocument({ kind: name.slice(-4).replace(".", "") as DocumentKind, bytes }), {
        text,
      });
    });
});

describe("the text of a Rich Text document", () => {
  for (const [what, source, text] of [
    ["characters of a code page", String.raw`{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2\par}`, "Привет"],
    [
      "characters of a font's character set, some of two bytes",
      String.raw`{\rtf1\ansi{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset128 MS Gothic;}}\f1 \'93\'fa\'96{\f0 caf\'e9}\par}`.replace(
        "\\'96{",
        "\\'96\\'7b{",
      ),
      "日本café",
    ],
    [
      "Unicode, without what stands in for it",
      String.raw`{\rtf1\uc2 \u8364EU5 {\uc0\u8212}\uc1 \u-10179?\u-8704? \~.}`,
      "€5 —😀 \u00a0.",
    ],
    [
      "text of shapes and results of fields, not pictures, headers or hidden text",
      String.raw`{\rtf1{\header top}{\*\generator x;}{\pict\bin4 }}}}}{\shp{\*\shpinst{\shptxt In a box.\par}}{\shprslt twice}}{\field{\*\fldinst DATE}{\fldrslt today}}{\v hidden} end{\footnote why}.\par}`,
      "In a box.\n\ntoday end [why].",
    ],
    [
      "items of lists and escaped braces",
      String.raw`{\rtf1{\listtext\bullet\tab}a \{b\}\par{\listtext\bullet\tab}c\\d\par}`,
      "- a {b}\n- c\\d",
    ],
    ["an end that is missing", String.raw`{\rtf1 cut {off`, "cut off"],
  ] as const)
    it(`has ${what}`, async () => {
      assert.deepEqual(await readDocument({ kind: "rtf", bytes: Buffer.from(source, "latin1") }), { text });
    });
});

function archive(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [name, typeof content === "string" ? strToU8(content) : content]),
    ),
  );
}

const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A workbook of one sheet with these rows. */
function workbook(sheet: string, more: Readonly<Record<string, string | Uint8Array>> = {}): Uint8Array {
  return archive({
    "xl/workbook.xml": `<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="A" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/a.xml"/><Relationship Id="r2" Type="${RELATIONS}/sharedStrings" Target="/xl/strings.xml"/></Relationships>`,
    "xl/worksheets/a.xml": sheet,
    ...more,
  });
}

const ENTITIES = '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>';
const LOCKED = Buffer.concat([
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  Buffer.alloc(500),
  Buffer.from("EncryptedPackage", "utf16le"),
]);
const repeated = (count: number): string =>
  `<sheetData>${'<row><c t="s"><v>0</v></c></row>'.repeat(count)}</sheetData>`;

describe("a hostile or damaged office document is refused, and why:", () => {
  for (const [kind, what, bytes, error] of [
    ["xlsx", "no archive", Buffer.from("PK?"), "it isn't an Excel workbook, or it's damaged"],
    ["xlsx", "another archive", archive({ "a.xml": "<a/>" }), "it isn't an Excel workbook"],
    ["xlsx", "a bomb", workbook("", { "xl/bomb.xml": new Uint8Array(250_000_000) }), "it would be too large unpacked"],
    [
      "xlsx",
      "own entities",
      workbook(`${ENTITIES}<row><c><v>&b;</v></c></row>`),
      "it isn't an Excel workbook, or it's damaged",
    ],
    ["xlsx", "half a sheet", workbook("<sheetData><row>"), "it isn't an Excel workbook, or it's damaged"],
    ["xlsx", "a password", LOCKED, "it is protected by a password"],
    ["docx", "a password", LOCKED, "it is protected by a password"],
    [
      "xlsx",
      "a long text a thousand times",
      workbook(repeated(1000), { "xl/strings.xml": `<sst><si><t>${"x".repeat(32_000)}</t></si></sst>` }),
      "its text would be too long",
    ],
    ["pptx", "no archive", Buffer.from("PK?"), "it isn't a PowerPoint presentation, or it's damaged"],
    [
      "pptx",
      "own entities",
      archive({ "ppt/presentation.xml": `${ENTITIES}<a>&b;</a>` }),
      "it isn't a PowerPoint presentation, or it's damaged",
    ],
    [
      "odt",
      "own entities",
      archive({ "content.xml": `${ENTITIES}<a>&b;</a>` }),
      "it isn't an OpenDocument text, or it's damaged",
    ],
    [
      "odt",
      "a password",
      archive({
        "content.xml": "x",
        "META-INF/manifest.xml": "<m><file-entry><encryption-data/></file-entry></m>",
      }),
      "it is protected by a password",
    ],
    ["rtf", "another text", Buffer.from("Dear Sir"), "it isn't a Rich Text document, or it's damaged"],
    ["rtf", "deep groups", Buffer.from(`{\\rtf1${"{".repeat(20_000)}`), "it is nested too deeply"],
  ] as const)
    it(`${kind} with ${what}: ${error}`, async () => {
      assert.deepEqual(await readDocument({ kind, bytes }), { error });
    });

  it("not so one with a huge cell or a far column, which is shortened", async () => {
    const far = `<sheetData><row><c r="XFD1" t="str"><v>${"y".repeat(40_000)}</v></c></row></sheetData>`;
    const reading = await readDocument({ kind: "xlsx", bytes: workbook(far) });
    assert.deepEqual(reading, { text: `## Sheet "A"\n\n| … | ${"y".repeat(32_767)} |` });
  });

  it("not so an OpenDocument text that repeats a cell a million times", async () => {
    const cell = '<table-cell table:number-columns-repeated="1000000"><p>x</p></table-cell>';
    const bytes = archive({
      "content.xml": `<d xmlns:table="t"><body><table><table-row>${cell}</table-row></table></body></d>`,
    });
    assert.deepEqual(await readDocument({ kind: "odt", bytes }), {
      text: `|${" x |".repeat(50)}\n|${" --- |".repeat(50)}`,
    });
  });
});
