import { assertNever, getErrorMessage } from "../../core/base/errors.ts";
import type { DocumentKind } from "../../core/ports/workspace.ts";
import type { DocumentJob, DocumentReading, NotebookJob, NotebookReading } from "./documents.ts";

/** Loads the parser of one kind. */
export async function loadParser(kind: DocumentKind | "ipynb"): Promise<unknown> {
  switch (kind) {
    case "pdf":
      return (await import("./read-pdf.ts")).loadPdfParser();
    case "docx":
      return import("./read-docx.ts");
    case "xlsx":
      return import("./read-xlsx.ts");
    case "pptx":
      return import("./read-pptx.ts");
    case "odt":
      return import("./read-odt.ts");
    case "rtf":
      return import("./read-rtf.ts");
    case "html":
      return import("./markdown.ts");
    case "ipynb":
      return import("./notebook-json.ts");
    default:
      return assertNever(kind);
  }
}

/** Extracts a document's text. Each kind's parser is loaded on first use; its exceptions become errors. */
export async function readDocument({ kind, bytes }: DocumentJob): Promise<DocumentReading> {
  try {
    return { text: await extractDocumentText(kind, bytes) };
  } catch (error) {
    if (error instanceof RangeError) return { error: "it is nested too deeply" };
    return { error: getErrorMessage(error) };
  }
}

async function extractDocumentText(kind: DocumentKind, bytes: Uint8Array): Promise<string> {
  switch (kind) {
    case "pdf":
      return (await import("./read-pdf.ts")).readPdf(bytes);
    case "docx":
      return (await import("./read-docx.ts")).readDocx(bytes);
    case "xlsx":
      return (await import("./read-xlsx.ts")).readXlsx(bytes);
    case "pptx":
      return (await import("./read-pptx.ts")).readPptx(bytes);
    case "odt":
      return (await import("./read-odt.ts")).readOdt(bytes);
    case "rtf":
      return (await import("./read-rtf.ts")).readRtf(bytes);
    case "html":
      return (await import("./markdown.ts")).convertHtmlToText(new TextDecoder().decode(bytes));
    default:
      return assertNever(kind);
  }
}

/** Parses a notebook's file; its exceptions become errors. */
export async function readNotebookFile({ text }: NotebookJob): Promise<NotebookReading> {
  try {
    return { notebook: (await import("./notebook-json.ts")).readNotebook(text) };
  } catch (error) {
    return { error: getErrorMessage(error) };
  }
}
