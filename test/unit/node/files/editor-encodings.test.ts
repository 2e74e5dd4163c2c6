import assert from "node:assert/strict";
import iconv from "iconv-lite";
import { parseEditorEncoding } from "../../../../src/node/files/editor-encodings.ts";

/** All values of `files.encoding` in VS Code 1.139. */
const NAMES =
  "utf8 utf8bom utf16le utf16be windows1252 iso88591 iso88593 iso885915 macroman cp437 windows1256 iso88596 windows1257 iso88594 iso885914 windows1250 iso88592 cp852 windows1251 cp866 cp1125 iso88595 koi8r koi8u iso885913 windows1253 iso88597 windows1255 iso88598 iso885910 iso885916 windows1254 iso88599 windows1258 gbk gb18030 cp950 big5hkscs shiftjis eucjp euckr windows874 iso885911 koi8ru koi8t gb2312 cp865 cp850".split(
    " ",
  );

describe("the encodings that VS Code names", () => {
  it("are all known to the codecs", () => {
    const unknown = NAMES.filter((name) => !iconv.encodingExists(parseEditorEncoding(name).encoding));
    assert.deepEqual(unknown, []);
  });

  it("have their usual names here, with a byte order mark where VS Code writes one", () => {
    assert.deepEqual(
      ["utf8", "utf8bom", "utf16be", "windows1252", "iso885915", "shiftjis", "koi8r"].map(parseEditorEncoding),
      [
        { encoding: "utf-8", bom: false },
        { encoding: "utf-8", bom: true },
        { encoding: "utf-16be", bom: true },
        { encoding: "windows-1252", bom: false },
        { encoding: "iso-8859-15", bom: false },
        { encoding: "shift_jis", bom: false },
        { encoding: "koi8r", bom: false },
      ],
    );
  });
});
