import type { TextEncoding } from "../../core/ports/workspace.ts";

/** Encodings that VS Code always writes with a byte order mark, or that it names differently. */
const NAMED: Readonly<Record<string, TextEncoding>> = {
  utf8: { encoding: "utf-8", bom: false },
  utf8bom: { encoding: "utf-8", bom: true },
  utf16le: { encoding: "utf-16le", bom: true },
  utf16be: { encoding: "utf-16be", bom: true },
  shiftjis: { encoding: "shift_jis", bom: false },
  eucjp: { encoding: "euc-jp", bom: false },
  euckr: { encoding: "euc-kr", bom: false },
};

/** Converts VS Code's name of an encoding, in `files.encoding` and in its documents. */
export function parseEditorEncoding(name: string): TextEncoding {
  const plain = name.toLowerCase();
  const [, part] = /^iso8859(\d{1,2})$/.exec(plain) ?? [];
  const [, page] = /^windows(\d+)$/.exec(plain) ?? [];
  const encoding = part === undefined ? (page === undefined ? plain : `windows-${page}`) : `iso-8859-${part}`;
  return NAMED[plain] ?? { encoding, bom: false };
}
