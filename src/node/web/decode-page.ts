import { decodeText } from "../text-file.ts";

/** A page's bytes as text, by its server's word, its own, or a guess; undefined when it is no text. */
export async function decodePage(bytes: Buffer, type: string): Promise<string | undefined> {
  if (hasMark(bytes)) return (await decodeText(bytes))?.text;
  const declared = charsetOf(type) ?? declaredInside(bytes);
  const text = declared === undefined ? undefined : decodedAs(bytes, declared);
  if (text !== undefined) return isText(text) ? text : undefined;
  const loose = new TextDecoder().decode(bytes);
  const isUtf8 = !loose.slice(0, -3).includes("\uFFFD");
  if (isUtf8) return isText(loose) ? loose : undefined;
  return (await decodeText(bytes))?.text;
}

/** The charset of a media type, in lower case. */
function charsetOf(type: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(type)?.[1]?.toLowerCase();
}

/** What `<meta charset>` or an XML declaration says within the first kilobyte. */
function declaredInside(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 1024).toString("latin1");
  return (
    /<meta[^>]{1,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1] ??
    /^<\?xml[^>]{1,100}encoding\s*=\s*["']([\w.:-]+)/i.exec(start)?.[1]
  );
}

function decodedAs(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}

function hasMark([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0xef;
}

function isText(text: string): boolean {
  return !text.slice(0, 10_000).includes("\0");
}
