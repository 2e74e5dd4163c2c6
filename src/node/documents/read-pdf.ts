import { getDocumentProxy, getResolvedPDFJS } from "unpdf";

/** Loads the parser separately, before its first use, because that takes a while. */
export const loadPdfParser = getResolvedPDFJS;

/** The time limit for the pages. The rest of a longer document is left out. */
const MOST_MS = 5000;

/** The text of a PDF's pages, each with its number. */
export async function readPdf(bytes: Uint8Array, mostMs = MOST_MS): Promise<string> {
  const end = performance.now() + mostMs;
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false, verbosity: 0 }).catch((error: unknown) => {
    throw isPassword(error) ? new Error("it is protected by a password") : error;
  });
  const pages: string[] = [];
  while (pages.length < pdf.numPages && (pages.length === 0 || performance.now() < end))
    pages.push(await extractPageText(pdf, pages.length + 1));
  const left = pdf.numPages - pages.length;
  if (left === 0 && pages.every((page) => page === "")) throw new Error("it contains images and no text");
  const texts = pages.map((page, index) => `[Page ${index + 1} of ${pdf.numPages}]\n${page}`);
  const rest =
    left === 0 ? [] : [`[The other ${left} pages are left out: the document is too long to be read at once]`];
  return [...texts, ...rest].join("\n\n");
}

async function extractPageText(pdf: PDFDocumentProxy, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  return items
    .map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : ""))
    .join("")
    .trim();
}

type PDFDocumentProxy = Awaited<ReturnType<typeof getDocumentProxy>>;

function isPassword(error: unknown): boolean {
  return error instanceof Error && error.name === "PasswordException";
}
