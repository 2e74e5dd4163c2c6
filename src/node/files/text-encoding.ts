import { isUtf8 } from "node:buffer";
import type iconvLite from "iconv-lite";
import { formatQuantity } from "../../core/base/text.ts";
import { type TextEncoding, type TextFile, WorkspaceError } from "../../core/ports/workspace.ts";
import { decodeName, toDiskPath } from "./byte-names.ts";

/** UTF-8 with invalid bytes. In the text, each is U+EF00 plus its value, and so are the bytes of such characters. */
const ODD_UTF8 = "utf-8 with odd bytes";

/** Byte order marks, longer ones first. */
const MARKS: readonly { readonly encoding: string; readonly bytes: readonly number[] }[] = [
  { encoding: "utf-32le", bytes: [0xff, 0xfe, 0, 0] },
  { encoding: "utf-32be", bytes: [0, 0, 0xfe, 0xff] },
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
];

/**
 * Decodes a file's bytes; undefined if they aren't text, or wouldn't survive a round trip. `wanted`: the user's encoding, which applies if
 * there is no byte order mark.
 */
export async function decodeText(bytes: Buffer, wanted?: TextEncoding): Promise<TextFile | undefined> {
  const mark = MARKS.find((candidate) => candidate.bytes.every((byte, index) => bytes[index] === byte));
  if (mark) {
    const decoded = await decodeTextFile(bytes, mark.encoding, mark.bytes.length);
    return decoded ?? (mark.encoding === "utf-8" ? decodeTextFile(bytes, ODD_UTF8, mark.bytes.length) : undefined);
  }
  if (wanted && !wanted.encoding.startsWith("utf-") && !isLikelyBinary(bytes)) {
    const decoded = await decodeTextFile(bytes, wanted.encoding, 0);
    if (decoded) return decoded;
  }
  const utf8 = decodeStrictUtf8(bytes);
  if (utf8 !== undefined && !utf8.includes("\0")) return createTextFile(utf8, "utf-8", false);
  const wide = await detectUtf16(bytes);
  const inWide = wide && (await decodeTextFile(bytes, wide, 0));
  if (inWide) return { ...inWide, doubt: `It has no byte order mark; its bytes look like ${wide}.` };
  if (isLikelyBinary(bytes)) return undefined;
  if (isMostlyUtf8(bytes)) return decodeTextFile(bytes, ODD_UTF8, 0);
  for (const encoding of await guessEncodings(bytes)) {
    const decoded = await decodeTextFile(bytes, encoding, 0);
    if (decoded) return { ...decoded, isGuessed: true, doubt: `Its encoding is a guess: ${encoding}.` };
  }
  return undefined;
}

/**
 * True if more characters have the shape of UTF-8 than are other bytes; ignores a cut-off last one. Other encodings rarely have that shape,
 * and even more rarely in all letters of a word, so less than half of the words are enough.
 */
function isMostlyUtf8(bytes: Buffer): boolean {
  let [shaped, odd, words, whole] = [0, 0, 0, 0];
  const text = bytes.toString("latin1").replace(/[\xc2-\xf4][\x80-\xbf]{0,2}$/, "");
  for (const [word] of text.matchAll(/[\x80-\xff]+/g)) {
    words += 1;
    if (isUtf8(Buffer.from(word, "latin1"))) whole += 1;
    for (const [piece] of word.matchAll(SHAPED_OR_ODD)) {
      if (piece.length > 1) shaped += 1;
      else odd += 1;
    }
  }
  return shaped > odd || (whole > 0 && whole >= words * LEAST_WHOLE);
}

/** With a smaller share of valid words, a text may be in an old encoding. */
const LEAST_WHOLE = 0.4;

/** UTF-8 characters of any length, including half pairs and overlong ones, or else single bytes. */
const SHAPED_OR_ODD = /[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}|[\x80-\xff]/g;

function decodeOddUtf8(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[\x80-\xff]+/g, (run) =>
    decodeName(Buffer.from(run, "latin1"))
      .replace(/[\uef80-\uefff]/g, (character) => [...Buffer.from(character)].map(encodeOddByte).join(""))
      .replace(/[\udc80-\udcff]/gu, (half) => encodeOddByte(half.charCodeAt(0) - 0xdc00)),
  );
}

function encodeOddByte(byte: number): string {
  return String.fromCharCode(0xef00 + byte);
}

function encodeOddUtf8(text: string): Buffer {
  const halves = text.replace(/[\uef80-\uefff]/g, (odd) => String.fromCharCode(odd.charCodeAt(0) - 0x1300));
  return Buffer.from(toDiskPath(halves));
}

/** Describes the invalid bytes of a text in a sentence for the model. */
function describeOddBytes(text: string): string {
  const odd = [...text.matchAll(/[\uef80-\uefff]/g)];
  const [first] = odd;
  const line = text.slice(0, first?.index).split(/\r\n|\r|\n/).length;
  const hex = ((first?.[0].charCodeAt(0) ?? 0) - 0xef00).toString(16).toUpperCase();
  const where = odd.length > 1 ? `${hex} in line ${line} is the first` : `${hex} in line ${line}`;
  return `It is UTF-8, except for ${formatQuantity(odd.length, "byte")} (${where}). A byte E9 is read as the character U+EFE9 and so on, and stays if that is kept.`;
}

/** Decodes bytes in a known encoding; undefined if they aren't valid text, or wouldn't survive a round trip. */
export async function decodeTextAs(bytes: Buffer, { encoding, bom }: TextEncoding): Promise<TextFile | undefined> {
  const mark = bom ? getByteOrderMark(encoding) : [];
  const isMarked = mark.every((byte, index) => bytes[index] === byte);
  return isMarked ? decodeTextFile(bytes, encoding, mark.length) : undefined;
}

function getByteOrderMark(encoding: string): readonly number[] {
  const plain = encoding === ODD_UTF8 ? "utf-8" : encoding;
  return MARKS.find((candidate) => candidate.encoding === plain)?.bytes ?? [];
}

/** Encodes a text in its file's encoding. Throws a `WorkspaceError` if the encoding lacks a character. */
export async function encodeText({ text, encoding, bom, isGuessed }: TextFile): Promise<Buffer> {
  const mark = bom ? getByteOrderMark(encoding) : [];
  const bytes = await encodeString(text, encoding);
  // Odd bytes that come together may make a character.
  const back = encoding === ODD_UTF8 ? text.toWellFormed() : await decodeBytes(bytes, encoding);
  if (back !== text) {
    const stranger = [...text].find((character, index) => character !== [...back][index]) ?? "";
    const [seems, way] = isGuessed
      ? ["seems to be", ", or write the whole file with write_to_file, which makes it UTF-8"]
      : ["is", ""];
    throw new WorkspaceError(
      `The file ${seems} in ${encoding}, which has no "${stranger}", so nothing was written. Use only characters of that encoding${way}.`,
    );
  }
  return Buffer.concat([Buffer.from(mark), bytes]);
}

/** The line end of most lines; `\n` if there is none. */
export function detectMajorityEol(text: string): TextFile["eol"] {
  const ends = { "\n": countOccurrences(text, "\n"), "\r": countOccurrences(text, "\r"), "\r\n": 0 };
  if (ends["\r"] === 0) return "\n";
  ends["\r\n"] = countOccurrences(text, "\r\n");
  const unix = ends["\n"] - ends["\r\n"];
  const mac = ends["\r"] - ends["\r\n"];
  if (ends["\r\n"] > 0 && ends["\r\n"] >= unix && ends["\r\n"] >= mac) return "\r\n";
  return mac > unix ? "\r" : "\n";
}

function countOccurrences(text: string, piece: string): number {
  let count = 0;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) count += 1;
  return count;
}

async function decodeTextFile(bytes: Buffer, encoding: string, skip: number): Promise<TextFile | undefined> {
  const body = bytes.subarray(skip);
  const text = await decodeBytes(body, encoding);
  if (text.includes("\0") || !(await encodeString(text, encoding)).equals(body)) return undefined;
  const file = createTextFile(text, encoding, skip > 0);
  return encoding === ODD_UTF8 ? { ...file, doubt: describeOddBytes(text) } : file;
}

function createTextFile(text: string, encoding: string, bom: boolean): TextFile {
  return { text, encoding, bom, eol: detectMajorityEol(text) };
}

function decodeStrictUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function decodeBytes(bytes: Buffer, encoding: string): Promise<string> {
  if (encoding === "utf-8") return bytes.toString("utf8");
  if (encoding === ODD_UTF8) return decodeOddUtf8(bytes);
  const codecs = await loadIconv();
  return codecs.encodingExists(encoding) ? codecs.decode(bytes, encoding, { stripBOM: false }) : "\0";
}

async function encodeString(text: string, encoding: string): Promise<Buffer> {
  if (encoding === "utf-8") return Buffer.from(text, "utf8");
  if (encoding === ODD_UTF8) return encodeOddUtf8(text);
  const codecs = await loadIconv();
  return codecs.encodingExists(encoding) ? codecs.encode(text, encoding) : Buffer.from(text, "utf8");
}

/** Its tables are large and rarely needed. */
async function loadIconv(): Promise<typeof import("iconv-lite")> {
  return (await import("iconv-lite")).default;
}

/** Number of bytes to inspect. */
const SAMPLE_BYTES = 64 * 1024;

/** With a lower share of control bytes, a file may still be text in an old encoding. */
const CONTROL_SHARE = 0.005;

/** The 16-bit encoding in which a file without a byte order mark is text. */
async function detectUtf16(bytes: Buffer): Promise<"utf-16le" | "utf-16be" | undefined> {
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  // Line ends, blanks and Latin letters have a NUL.
  const plain = { le: 0, be: 0 };
  for (let at = 0; at < sample.length; at += 2) {
    const [one = 0, other = 0] = sample.subarray(at, at + 2);
    if (other === 0 && one >= 9 && one < 127) plain.le += 1;
    if (one === 0 && other >= 9 && other < 127) plain.be += 1;
  }
  if (plain.le === plain.be) return undefined;
  const encoding = plain.le > plain.be ? "utf-16le" : "utf-16be";
  return isOfOneScript(await decodeBytes(sample, encoding)) ? encoding : undefined;
}

/** Groups of characters that form texts without Latin letters. Other characters are grouped by 256. */
const SCRIPTS = [
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u,
  /\p{Script=Hangul}/u,
];

/** True for text without unusual characters in which nearly all non-Latin letters belong to one group. */
function isOfOneScript(text: string): boolean {
  // The sample may end within a pair.
  const whole = text.replace(/[\ud800-\udbff]$/, "");
  if (/(?![\t\n\f\r])[\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u.test(whole)) return false;
  const counts = new Map<number, number>();
  let letters = 0;
  for (const letter of whole.match(/(?![\u0080-\u02ff\u2000-\u2bff])[^\0-\x7f]/gu) ?? []) {
    const script = SCRIPTS.findIndex((one) => one.test(letter));
    const group = script === -1 ? (letter.codePointAt(0) ?? 0) >> 8 : -1 - script;
    counts.set(group, (counts.get(group) ?? 0) + 1);
    letters += 1;
  }
  return Math.max(0, ...counts.values()) >= letters * ONE_SCRIPT;
}

const ONE_SCRIPT = 0.8;

/** True for bytes that aren't text in any single-byte encoding. */
function isLikelyBinary(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (bytes.includes(0)) return true;
  const odd = sample.filter((byte) => (byte < 32 && !TEXT_CONTROLS.has(byte)) || byte === 127).length;
  return odd > sample.length * CONTROL_SHARE;
}

/** Tab, line ends, form feed, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 12, 13, 27]);

/** With fewer non-ASCII bytes, letter statistics mean nothing. */
const FEW_ODD_BYTES = 100;

/** Possible encodings of a text, likeliest first. The last one accepts any bytes. */
async function guessEncodings(bytes: Buffer): Promise<readonly string[]> {
  const { analyse } = (await import("chardet")).default;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const isShort = sample.filter((byte) => byte > 127).length < FEW_ODD_BYTES;
  const telling = isShort ? selectNonAsciiLines(sample) : sample;
  const guessed = analyse(telling)
    .map(({ name }) => name.toLowerCase())
    .filter((name) => !name.startsWith("utf") && !name.startsWith("iso-2022"));
  const likeliest = isShort ? rankEncodings(telling, guessed, (await import("iconv-lite")).default) : guessed;
  return [...likeliest, "windows-1252", "iso-8859-1"];
}

function selectNonAsciiLines(bytes: Buffer): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  return Buffer.from(lines.filter((line) => /[\x80-\xff]/.test(line)).join("\n"), "latin1");
}

/** The part of the encoding library that is needed. */
type EncodingCodecs = Pick<typeof iconvLite, "decode" | "encode" | "encodingExists">;

/** Encodings that a few non-ASCII letters may be in, more common ones first. */
const CANDIDATES = [
  "gb18030",
  "shift_jis",
  "big5",
  "euc-kr",
  "euc-jp",
  "iso-8859-1",
  "windows-1252",
  "windows-1251",
  "windows-1250",
];

/** The encodings that give the most likely text for a few bytes, best first. Impossible ones are left out. */
function rankEncodings(bytes: Buffer, guessed: readonly string[], codecs: EncodingCodecs): readonly string[] {
  return [...new Set([...CANDIDATES, ...guessed])]
    .filter((encoding) => codecs.encodingExists(encoding))
    .map((encoding) => ({
      encoding,
      likeness: computeTextLikelihood(codecs.decode(bytes, encoding), encoding, codecs),
    }))
    .filter(({ likeness }) => likeness > 0)
    .sort((one, other) => other.likeness - one.likeness)
    .map(({ encoding }) => encoding);
}

/** The likelihood that a text is natural, 0 to 1: the mean over its non-ASCII letters. */
function computeTextLikelihood(text: string, encoding: string, codecs: EncodingCodecs): number {
  if (text.includes("\uFFFD")) return 0;
  const letters = [...text.matchAll(/[^\0-\x7f]/gu)];
  const sum = letters.reduce((total, { 0: letter, index }) => {
    const isHan = /[\u4e00-\u9fff]/.test(letter) && !COMMON.has(letter);
    return (
      total +
      (isHan
        ? computeHanLikelihood(codecs.encode(letter, encoding), encoding)
        : computeLetterLikelihood(letter, text, index))
    );
  }, 0);
  return letters.length === 0 ? 0 : sum / letters.length;
}

/** The most common characters of Chinese, in both scripts, and of Korean. Without them, a few bytes could be either. */
const COMMON = new Set(
  "的一是不了在人有我他这中大来上个国说们为你好世界到和地也子时道出会要可以对生能而那得于着下自之年过发后作里用" +
    "名称文件测试内容数据编码信息系统用户设置标题第行新建打开关闭错误配置项目作者简体请输入" +
    "這個來國說們為時會對過發後裡檔案測試內資料編碼訊統戶設題開關錯誤項繁體請輸與學長點間問電日本語東京" +
    "이다는을를의에가고하지사기리나도로한어스아은안녕세요계테트파일글인국자정보음들해수있그것대시장전라마부조",
);

/** The first bytes of everyday characters, which the standards put first. */
const EVERYDAY: Readonly<Record<string, readonly [first: number, last: number]>> = {
  gb18030: [0xb0, 0xd7],
  shift_jis: [0x88, 0x97],
  big5: [0xa4, 0xc6],
  "euc-jp": [0xb0, 0xcf],
};

function computeHanLikelihood([lead = 0, trail = 0]: Buffer, encoding: string): number {
  const [first, last] = EVERYDAY[encoding] ?? [1, 0];
  const isRare = encoding === "gb18030" && trail < 0xa1;
  return lead >= first && lead <= last && !isRare ? 0.6 : 0.3;
}

/** The likelihood that a letter is natural in its position. */
function computeLetterLikelihood(letter: string, text: string, at: number): number {
  const [before, after] = [text.charAt(at - 1), text.charAt(at + 1)];
  const isBeside = (like: RegExp): boolean => like.test(before) || like.test(after);
  if (COMMON.has(letter)) return 1;
  if (/[\u3041-\u3096\u30a1-\u30fc]/.test(letter)) return 0.97;
  if (/[äöüÄÖÜß]/.test(letter) || (/[¿¡]/.test(letter) && /\p{L}/u.test(after))) return 0.92;
  if (/[\u3001-\u3017\uff01-\uff5e]/.test(letter)) return 0.9;
  if (/[А-ЯЁ]/.test(letter)) return /[а-яёa-z]/i.test(before) ? 0.2 : 0.8;
  if (/[а-яё]/.test(letter)) return isBeside(/[а-яё]/i) && !isBeside(/[a-z]/i) ? 0.9 : 0.3;
  if (/[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e]/.test(letter)) return isBeside(/[a-z]/i) ? 0.9 : 0.4;
  if (/[–—‘’“”•…€£§©«°»]/.test(letter)) return 0.6;
  return /[\uac00-\ud7a3]/.test(letter) ? 0.55 : 0.05;
}
