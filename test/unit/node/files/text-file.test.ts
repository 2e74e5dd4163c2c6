import assert from "node:assert/strict";
import fc from "fast-check";
import iconv from "iconv-lite";
import { decodeText, detectMajorityEol, encodeText } from "../../../../src/node/files/text-encoding.ts";

/** Short texts, as they stand in settings and lists, in the encodings that people have them in. */
const SHORT: readonly (readonly [encoding: string, ...texts: readonly string[]])[] = [
  ["gb18030", "你好", "你好，世界\r\n", "# 配置\nname = 测试\n", "姓名,年龄\n张三,20\n"],
  ["shift_jis", "日本語\n", "こんにちは", "設定ファイル", "名前,年齢\n田中,20\n"],
  ["euc-jp", "こんにちは", "日本語のテスト"],
  ["big5", "測試", "繁體中文\n", "你好，世界"],
  ["euc-kr", "안녕하세요", "테스트 파일"],
  ["windows-1252", "Grüße\n", "naïve café", "señor", "äöüß", "à la carte", "¿Qué pasó?", "5 € – “quoted”"],
  ["windows-1251", "Привет, мир", "Файл не найден", "да"],
  ["windows-1250", "Zażółć gęślą jaźń"],
];

describe("a file's text", () => {
  for (const [encoding, ...texts] of SHORT)
    it(`is understood in ${encoding}, however short it is`, async () => {
      const files = texts.map((text) => iconv.encode(text, encoding));
      const read = await Promise.all(files.map(async (bytes) => (await decodeText(bytes))?.text));
      assert.deepEqual(read, texts);
    });

  it("is known by its encoding", async () => {
    const german = "Über die Größe und die Schönheit der Wälder wird oft erzählt.\n";
    const files: readonly (readonly [Buffer, string | undefined])[] = [
      [Buffer.from(""), "utf-8"],
      [Buffer.from("plain"), "utf-8"],
      [Buffer.from("\u001b[31mred\u001b[0m\n"), "utf-8"],
      [Buffer.from(german, "latin1"), "iso-8859-1"],
      [Buffer.from("93fa967b8cea82cc8365834c83588367837483408343838b82c582b78142", "hex"), "shift_jis"],
      [Buffer.from(german, "utf16le"), "utf-16le"],
      [Buffer.from(german, "utf16le").swap16(), "utf-16be"],
      [Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]), undefined],
      [Buffer.from("PK\u0003\u0004\u0014\0\0"), undefined],
      [Buffer.from(Array.from({ length: 256 }, (_, index) => index)), undefined],
      [Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 37) % 31)), undefined],
      [Buffer.from([0xff, 0xfe, 0x41]), undefined],
    ];
    const found = await Promise.all(files.map(async ([bytes]) => (await decodeText(bytes))?.encoding));
    assert.deepEqual(
      found,
      files.map(([, encoding]) => encoding),
    );
  });

  it("is read in the encoding that the user has set, unless it's marked, binary or not text in that", async () => {
    const wanted = { encoding: "macroman", bom: false };
    const files = {
      cafe: Buffer.from([0x63, 0x8e]),
      plain: Buffer.from("plain"),
      marked: Buffer.from("\ufeffé"),
      wide: Buffer.from("\ufeffé", "utf16le"),
      binary: Buffer.from(Array.from({ length: 256 }, (_, index) => index)),
    };
    const read = await Promise.all(
      Object.values(files).map(async (bytes) => {
        const file = await decodeText(bytes, wanted);
        return file && [file.encoding, file.text];
      }),
    );
    const notJapanese = await decodeText(Buffer.from("Größe", "latin1"), {
      encoding: "shift_jis",
      bom: false,
    });
    assert.deepEqual(
      { read, fallback: [notJapanese?.encoding, notJapanese?.text] },
      {
        read: [["macroman", "cé"], ["macroman", "plain"], ["utf-8", "é"], ["utf-16le", "é"], undefined],
        fallback: ["iso-8859-1", "Größe"],
      },
    );
  });

  it("is UTF-8 when it mostly is, and every other byte is a character of its own", async () => {
    const odd = (...bytes: number[]): Buffer => Buffer.from(bytes);
    const files = {
      "a stray byte": Buffer.concat([Buffer.from("漢字 ü\n"), odd(0xe9)]),
      "after a mark": Buffer.concat([Buffer.from("\ufeffa "), odd(0xe9)]),
      "a cut-off end": Buffer.from("Grüße 漢").subarray(0, -1),
      "half pairs": Buffer.concat([Buffer.from("a"), odd(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)]),
      "an overlong slash": Buffer.concat([Buffer.from("a"), odd(0xc0, 0xaf)]),
      "characters of the same range": Buffer.concat([Buffer.from("ü\uefe9"), odd(0xe9)]),
      "as many other lines": Buffer.concat([Buffer.from("ü\nö\n"), Buffer.from("ü\né é\n", "latin1")]),
    };
    const read = await Promise.all(
      Object.entries(files).map(async ([what, bytes]) => {
        const file = await decodeText(bytes);
        return [what, file?.text, file?.bom, file && (await encodeText(file)).equals(bytes)];
      }),
    );
    assert.deepEqual(read, [
      ["a stray byte", "漢字 ü\n\uefe9", false, true],
      ["after a mark", "a \uefe9", true, true],
      ["a cut-off end", "Grüße \uefe6\uefbc", false, true],
      ["half pairs", "a\uefed\uefa0\uefbd\uefed\uefb8\uef80", false, true],
      ["an overlong slash", "a\uefc0\uefaf", false, true],
      ["characters of the same range", "ü\uefee\uefbf\uefa9\uefe9", false, true],
      ["as many other lines", "ü\nö\n\ueffc\n\uefe9 \uefe9\n", false, true],
    ]);
  });

  for (const text of ["Привет мир\nabc\n", "漢字 一つ\n日本語\n", "한글 파일\n", "שלום\n", "Grüße 😀 “x”\n"])
    for (const encoding of ["utf-16le", "utf-16be"])
      it(`is ${encoding} in any script without a mark, which is said: ${JSON.stringify(text)}`, async () => {
        const bytes = iconv.encode(text, encoding, { addBOM: false });
        const file = await decodeText(bytes);
        assert.deepEqual(
          [file?.text, file?.encoding, file?.doubt, file && (await encodeText(file)).equals(bytes)],
          [text, encoding, `It has no byte order mark; its bytes look like ${encoding}.`, true],
        );
      });

  it("says when its encoding is a guess, and nothing about one that is known", async () => {
    const files = {
      latin: Buffer.from("caf\xe9", "latin1"),
      russian: iconv.encode("Привет, мир", "koi8-r"),
      known: Buffer.from("é"),
      wide: Buffer.from("\ufeffé", "utf16le"),
    };
    const doubts = await Promise.all(Object.values(files).map(async (bytes) => (await decodeText(bytes))?.doubt));
    assert.deepEqual(
      doubts.map((doubt) => doubt?.startsWith("Its encoding is a guess")),
      [true, true, undefined, undefined],
    );
  });

  it("comes back as the very bytes it was, whatever they were", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(bytes, async (before) => {
        const file = await decodeText(before);
        if (file) assert.deepEqual(await encodeText(file), before);
      }),
      { numRuns: 1000 },
    );
  });

  it("comes back as the very bytes when it is text in any language", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 100 }), fc.boolean(), async (text, bom) => {
        fc.pre(!text.includes("\0"));
        const before = Buffer.from(`${bom ? "\ufeff" : ""}${text}`);
        const file = await decodeText(before);
        assert.deepEqual(file && (await encodeText(file)), before);
      }),
    );
  });

  it("has the line end that most of its lines have", () => {
    const texts = ["", "a", "a\n", "a\r\nb\r\nc\n", "a\nb\nc\r\n", "a\rb\r", "a\rb\n\n"];
    assert.deepEqual(texts.map(detectMajorityEol), ["\n", "\n", "\n", "\r\n", "\n", "\r", "\n"]);
  });
});
