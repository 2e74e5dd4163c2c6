import { extractText, getDocumentProxy } from "unpdf";

/** The text of a PDF's pages, each with its number. */
export async function readPdf(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false, verbosity: 0 }).catch(
    (error: unknown) => {
      throw isPassword(error) ? new Error("it is protected by a password") : error;
    },
  );
  const { text } = await extractText(pdf, { mergePages: false });
  if (text.every((page) => page.trim() === "")) throw new Error("it contains images and no text");
  return text.map((page, index) => `[Page ${index + 1} of ${text.length}]\n${page.trim()}`).join("\n\n");
}

function isPassword(error: unknown): boolean {
  return error instanceof Error && error.name === "PasswordException";
}
