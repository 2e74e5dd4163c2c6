import { errorMessage } from "../../core/base/errors.ts";
import type { DocumentJob, DocumentReading } from "./documents.ts";

/** Makes text of a document. Each kind's parser is loaded when it is first needed; what it throws becomes an error. */
export async function readDocument({ kind, bytes }: DocumentJob): Promise<DocumentReading> {
  try {
    switch (kind) {
      case "pdf":
        return { text: await (await import("./read-pdf.ts")).readPdf(bytes) };
      case "docx":
        return { text: await (await import("./read-docx.ts")).readDocx(bytes) };
      case "html":
        return { text: (await import("./markdown.ts")).htmlText(new TextDecoder().decode(bytes)) };
      case "ipynb":
        return { text: (await import("./read-notebook.ts")).readNotebook(new TextDecoder().decode(bytes)) };
    }
  } catch (error) {
    return { error: errorMessage(error) };
  }
}
