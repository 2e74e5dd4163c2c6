import type iconvLite from "iconv-lite";

/** What is needed of the kept library of encodings. */
type Codecs = Pick<typeof iconvLite, "decode" | "encode" | "encodingExists">;

/** The encodings that a few odd letters may be in, those that are met more often first. */
const CANDIDATES = [
  ...["gb18030", "shift_jis", "big5", "euc-kr", "euc-jp"],
  ...["iso-8859-1", "windows-1252", "windows-1251", "windows-1250"],
];

/** Which encodings make the likeliest text of a few bytes, best first; those that cannot be are left out. */
export function likeliestEncodings(
  bytes: Buffer,
  guessed: readonly string[],
  codecs: Codecs,
): readonly string[] {
  return [...new Set([...CANDIDATES, ...guessed])]
    .filter((encoding) => codecs.encodingExists(encoding))
    .map((encoding) => ({ encoding, likeness: likenessOf(codecs.decode(bytes, encoding), encoding, codecs) }))
    .filter(({ likeness }) => likeness > 0)
    .sort((one, other) => other.likeness - one.likeness)
    .map(({ encoding }) => encoding);
}

/** How much a text looks like one that somebody wrote, 0 to 1: the mean over its letters that are not ASCII. */
function likenessOf(text: string, encoding: string, codecs: Codecs): number {
  if (text.includes("\uFFFD")) return 0;
  const letters = [...text.matchAll(/[^\0-\x7f]/gu)];
  const sum = letters.reduce((total, { 0: letter, index }) => {
    const isHan = /[\u4e00-\u9fff]/.test(letter) && !COMMON.has(letter);
    return (
      total + (isHan ? hanLikeness(codecs.encode(letter, encoding), encoding) : likeness(letter, text, index))
    );
  }, 0);
  return letters.length === 0 ? 0 : sum / letters.length;
}

/** The commonest signs of Chinese, in both scripts, and of Korean: in few bytes one is as likely as the other without them. */
const COMMON = new Set(
  "的一是不了在人有我他这中大来上个国说们为你好世界到和地也子时道出会要可以对生能而那得于着下自之年过发后作里用" +
    "名称文件测试内容数据编码信息系统用户设置标题第行新建打开关闭错误配置项目作者简体请输入" +
    "這個來國說們為時會對過發後裡檔案測試內資料編碼訊統戶設題開關錯誤項繁體請輸與學長點間問電日本語東京" +
    "이다는을를의에가고하지사기리나도로한어스아은안녕세요계테트파일글인국자정보음들해수있그것대시장전라마부조",
);

/** Where the signs begin that are used every day; the standards put them first. */
const EVERYDAY: Readonly<Record<string, readonly [first: number, last: number]>> = {
  gb18030: [0xb0, 0xd7],
  shift_jis: [0x88, 0x97],
  big5: [0xa4, 0xc6],
  "euc-jp": [0xb0, 0xcf],
};

function hanLikeness([lead = 0, trail = 0]: Buffer, encoding: string): number {
  const [first, last] = EVERYDAY[encoding] ?? [1, 0];
  const isRare = encoding === "gb18030" && trail < 0xa1;
  return lead >= first && lead <= last && !isRare ? 0.6 : 0.3;
}

/** How likely it is that somebody wrote this letter there. */
function likeness(letter: string, text: string, at: number): number {
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
