import { unzipSync, zipSync } from "fflate";
import mammoth from "mammoth";
import { htmlText } from "./markdown.ts";

/** The text of a Word document as Markdown, without images. */
export async function readDocx(bytes: Uint8Array): Promise<string> {
  const options = {
    convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    externalFileAccess: false,
  };
  const { value } = await mammoth
    .convertToHtml({ buffer: Buffer.from(textParts(bytes)) }, options)
    .catch(() => {
      throw new Error(DAMAGED);
    });
  return htmlText(value);
}

const DAMAGED = "it isn't a Word document, or it's damaged";

/** Maximum size of the unpacked text. */
const MOST_BYTES = 100_000_000;
/** A file in the archive counts at least this much, since each takes time. */
const LEAST_BYTES = 10_000;

/**
 * The document with only its text parts, unpacked. No file is unpacked beyond its stated size, and an archive that
 * states too much is refused.
 */
function textParts(bytes: Uint8Array): Uint8Array {
  let room = MOST_BYTES;
  const parts = unzipped(bytes, ({ name, originalSize }) => {
    if (!/\.(?:xml|rels)$/i.test(name)) return false;
    room -= Math.max(LEAST_BYTES, originalSize);
    if (room < 0) throw new Error("it would be too large unpacked");
    return true;
  });
  if (!("word/document.xml" in parts)) throw new Error("it isn't a Word document");
  return zipSync(parts, { level: 0 });
}

function unzipped(
  bytes: Uint8Array,
  filter: (file: { readonly name: string; readonly originalSize: number }) => boolean,
): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("it would")) throw error;
    throw new Error(DAMAGED);
  }
}
