import { zipSync } from "fflate";
import mammoth from "mammoth";
import { convertHtmlToText } from "./markdown.ts";
import { describeDamagedFile, extractXmlParts } from "./xml-parts.ts";

const WORD = { name: "a Word document", main: "word/document.xml" };

/** The text of a Word document as Markdown, without images. */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  const options = {
    convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    externalFileAccess: false,
  };
  const text = zipSync({ ...extractXmlParts(bytes, WORD) }, { level: 0 });
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(text) }, options).catch(() => {
    throw new Error(describeDamagedFile(WORD));
  });
  return convertHtmlToText(value);
}
