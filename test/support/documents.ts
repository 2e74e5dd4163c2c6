import { strToU8, zipSync } from "fflate";

/** A PDF that shows these lines, each on a page of its own. */
export function pdfOf(...pages: readonly string[]): Buffer {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, index) => {
      const drawn = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      ];
    }),
  ];
  const parts = ["%PDF-1.4\n"];
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(parts.join("").length);
    parts.push(`${index + 1} 0 obj\n${object}\nendobj\n`);
  }
  const start = parts.join("").length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(`${parts.join("")}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`);
}

const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";

/** A Word document with a heading, a paragraph and a table of these cells, and other files beside. */
export function docxOf(
  heading: string,
  paragraph: string,
  cells: readonly (readonly string[])[],
  beside: Readonly<Record<string, Uint8Array>> = {},
): Uint8Array {
  const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
  const rows = cells.map((row) => `<w:tr>${row.map((text) => `<w:tc><w:p>${run(text)}</w:p></w:tc>`).join("")}</w:tr>`);
  const body = `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(heading)}</w:p><w:p>${run(paragraph)}</w:p><w:tbl>${rows.join("")}</w:tbl>`;
  return zipSync({
    "[Content_Types].xml": strToU8(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ),
    "_rels/.rels": strToU8(
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}" Target="word/document.xml"/></Relationships>`,
    ),
    "word/document.xml": strToU8(`<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`),
    "word/styles.xml": strToU8(
      `<w:styles xmlns:w="${WORD}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    ),
    ...beside,
  });
}
